"""A placement that a person is making: card by card or all at once, and every step can be taken back."""

from collections.abc import Sequence

from bromeliad.core.cards import Card, CardSet, format_cards, parse_cards
from bromeliad.errors import PlacementError
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.play.seat import SeatView, board_after, own_action
from bromeliad.games.ofc.rules.rule_set import BOARD_SIZE

__all__ = ["ROWS", "Draft"]

ROWS = "tmbx"
"""How a person writes top, middle, back and discard."""

_DISCARD = 3


class Draft:
    """Where the cards in hand are to go; nothing is final before the person says so."""

    def __init__(self, view: SeatView) -> None:
        self.view = view
        self.hand = tuple(sorted(view.cards, key=lambda card: (-card.rank, -card.suit)))
        self._places: list[tuple[Card, int]] = []
        self._steps: list[int] = []  # cards placed by each step

    @property
    def left(self) -> tuple[Card, ...]:
        """The cards that have no place yet."""
        placed = {card for card, _ in self._places}
        return tuple(card for card in self.hand if card not in placed)

    @property
    def is_complete(self) -> bool:
        """Whether every card has a place."""
        return not self.left

    @property
    def action(self) -> Action:
        """The placement so far."""
        rows = [tuple(card for card, row in self._places if row == i) for i in range(len(ROWS))]
        return Action(*rows)

    @property
    def board(self) -> PlayerArrangement:
        """The board as it would be."""
        return board_after(self.view.board, self.action)

    def enter(self, text: str) -> None:
        """Take what a person typed: ``tmbbx``, ``As b Kd t``, or ``Kd / 7c 2s / As Ah``.

        Raises
        ------
        CardError, PlacementError
            If it is none of these, or cannot be; then nothing is changed.
        """
        places = self._read(text.strip())
        before = list(self._places)
        self._places += places
        try:
            self._verify()
        except PlacementError:
            self._places = before
            raise
        self._steps.append(len(places))

    def undo(self) -> bool:
        """Take the last step back; say whether there was one."""
        if not self._steps:
            return False
        del self._places[-self._steps.pop() :]
        return True

    def _read(self, text: str) -> list[tuple[Card, int]]:
        letters = text.replace(" ", "").lower()
        if letters and set(letters) <= set(ROWS):
            if len(letters) > len(self.left):
                raise PlacementError("{count} rows for {left} cards", count=len(letters), left=len(self.left))
            return [(card, ROWS.index(letter)) for card, letter in zip(self.left, letters, strict=False)]
        if "/" in text or "／" in text:
            return self._read_board(text)
        words = text.split()
        if len(words) % 2 or not all(row.lower() in ROWS and len(row) == 1 for row in words[1::2]):
            raise PlacementError("not understood: {text}. Type help for what can be typed", text=text[:40])
        cards = self._find(parse_cards(" ".join(words[::2])))
        return [(card, ROWS.index(row.lower())) for card, row in zip(cards, words[1::2], strict=True)]

    def _read_board(self, text: str) -> list[tuple[Card, int]]:
        board = PlayerArrangement.parse(text)
        rows = [self._find(row.cards) for row in board.rows]
        placed = [(card, i) for i, row in enumerate(rows) for card in row]
        rest = CardSet.from_cards(self.left) - CardSet.from_cards(card for card, _ in placed)
        return placed + [(card, _DISCARD) for card in rest]

    def _find(self, cards: Sequence[Card]) -> tuple[Card, ...]:
        """Return cards by name as they are in hand, where jokers have numbers of their own."""
        return own_action(self.left, (cards, (), (), ())).top

    def _verify(self) -> None:
        """Raise PlacementError if a row is too full, or too many cards are discarded."""
        board = self.board
        place = BOARD_SIZE if self.view.in_fantasyland else self.view.deal.place
        discards = len(self.hand) - place
        action = self.action
        if len(action.discards) > discards:
            raise PlacementError(
                "{cards}: only {count} may be discarded", cards=format_cards(action.discards), count=discards
            )
        if board.cards.size - self.view.board.cards.size > place:
            raise PlacementError("only {count} cards are placed: discard the rest", count=place)
