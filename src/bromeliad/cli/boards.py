"""Cards and boards in the terminal: symbols in four colours, rows side by side or one above the other."""

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
    """Return a list of cards in colours; unchanged if it cannot be read."""
    try:
        return card_text(parse_cards(text))
    except CardError:
        return Text(text)


def board_text(text: str) -> Text:
    """Return a board string in one line, in colours; unchanged if it cannot be read."""
    try:
        board = PlayerArrangement.parse(text)
    except CardError:
        return Text(text)
    return Text(" / ").join([card_text(row.cards) for row in board.rows])


def rows_text(board: PlayerArrangement, fresh: tuple[Card, ...] = ()) -> list[Text]:
    """Return the rows of a board, free places as dots, cards that were just placed underlined."""
    lines = []
    for row in board.rows:
        line = Text("  ").join([_cell(card, card in fresh) for card in row.cards])
        free = row.position.size - len(row.cards)
        if free:
            line.append(("  " if row.cards else "") + "  ".join(["··"] * free), style="dim")
        lines.append(line)
    return lines


def _cell(card: Card, fresh: bool) -> Text:
    text = card_text((card,))
    if fresh:
        text.stylize("underline")
    return text
