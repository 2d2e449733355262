"""Cards and boards in the terminal, with a colour per suit."""

from collections.abc import Iterable

from rich.text import Text

from bromeliad.core.cards import Card, parse_cards
from bromeliad.errors import CardError
from bromeliad.games.ofc.hands.boards import PlayerArrangement

_STYLES = ("green", "blue", "red", "bold", "magenta")  # clubs, diamonds, hearts, spades, joker


def card_text(cards: Iterable[Card]) -> Text:
    """Return cards as coloured text, ``-`` for none."""
    parts = [Text(card.to_symbol(), style=_STYLES[card.suit]) for card in cards]
    return Text(" ").join(parts) if parts else Text("-", style="dim")


def cards_text(text: str) -> Text:
    """Return a list of cards as coloured text; unchanged if it cannot be read."""
    try:
        return card_text(parse_cards(text))
    except CardError:
        return Text(text)


def board_text(text: str) -> Text:
    """Return a board as one line of coloured text; unchanged if it cannot be read."""
    try:
        board = PlayerArrangement.parse(text)
    except CardError:
        return Text(text)
    return Text(" / ").join([card_text(row.cards) for row in board.rows])


def rows_text(board: PlayerArrangement, fresh: tuple[Card, ...] = ()) -> list[Text]:
    """Return the rows of a board: free places as dots, the ``fresh`` cards underlined."""
    lines = []
    for row in board.rows:
        cells = [card_text((card,)) for card in row.cards]
        for card, cell in zip(row.cards, cells, strict=True):
            if card in fresh:
                cell.stylize("underline")
        line = Text("  ").join(cells)
        free = row.position.size - len(row.cards)
        if free:
            line.append(("  " if row.cards else "") + "  ".join(["··"] * free), style="dim")
        lines.append(line)
    return lines
