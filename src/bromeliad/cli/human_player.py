"""A human player at the terminal, who types placements and may ask for hints and grades."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from bromeliad.cli.boards import card_text, rows_text
from bromeliad.cli.table import bare_table, placements_table
from bromeliad.core.cards import Card, CardSet, format_cards, parse_cards
from bromeliad.errors import BromeliadError, PlacementError
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.play.seat import SeatView, board_after, own_action
from bromeliad.games.ofc.play.strategies import AIStrategy
from bromeliad.games.ofc.rules.rule_set import BOARD_SIZE
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.playing.strategies import SolverStrategy

ROWS = "tmbx"
"""The letters for top, middle, back and discard."""

_DISCARD = 3
_HINTS = 5  # placements in a hint


class Draft:
    """An unfinished placement; nothing is final before the player confirms it."""

    def __init__(self, view: SeatView) -> None:
        self.view = view
        self.hand = tuple(sorted(view.cards, key=lambda card: (-card.rank, -card.suit)))
        self._places: list[tuple[Card, int]] = []
        self._steps: list[int] = []  # number of cards that each step placed

    @property
    def left(self) -> tuple[Card, ...]:
        """The cards not placed yet."""
        placed = {card for card, _ in self._places}
        return tuple(card for card in self.hand if card not in placed)

    @property
    def is_complete(self) -> bool:
        """Whether every card is placed."""
        return not self.left

    @property
    def action(self) -> Action:
        """The placement so far."""
        rows = [tuple(card for card, row in self._places if row == i) for i in range(len(ROWS))]
        return Action(*rows)

    @property
    def board(self) -> PlayerArrangement:
        """The board with the placement so far."""
        return board_after(self.view.board, self.action)

    def enter(self, text: str) -> None:
        """Place cards as typed: ``tmbbx``, ``As b Kd t``, or ``Kd / 7c 2s / As Ah``.

        Raises
        ------
        CardError, PlacementError
            If the text has none of these forms, or breaks the rules; the draft is then unchanged.
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
        """Undo the last step; return False if there was none."""
        if not self._steps:
            return False
        del self._places[-self._steps.pop() :]
        return True

    def _read(self, text: str) -> list[tuple[Card, int]]:
        letters = text.replace(" ", "").lower()
        if letters and set(letters) <= set(ROWS):
            if len(letters) > len(self.left):
                raise PlacementError(
                    "{count} letters for {left} cards: type one letter per card",
                    count=len(letters),
                    left=len(self.left),
                )
            return [(card, ROWS.index(letter)) for card, letter in zip(self.left, letters, strict=False)]
        if "/" in text or "／" in text:
            return self._read_board(text)
        words = text.split()
        if len(words) % 2 or not all(row.lower() in ROWS and len(row) == 1 for row in words[1::2]):
            raise PlacementError("not understood: {text}. Type help for help", text=text[:40])
        cards = self._find(parse_cards(" ".join(words[::2])))
        return [(card, ROWS.index(row.lower())) for card, row in zip(cards, words[1::2], strict=True)]

    def _read_board(self, text: str) -> list[tuple[Card, int]]:
        board = PlayerArrangement.parse(text)
        rows = [self._find(row.cards) for row in board.rows]
        placed = [(card, i) for i, row in enumerate(rows) for card in row]
        rest = CardSet.from_cards(self.left) - CardSet.from_cards(card for card, _ in placed)
        return placed + [(card, _DISCARD) for card in rest]

    def _find(self, cards: Sequence[Card]) -> tuple[Card, ...]:
        """Return the cards in hand with these names; the jokers in hand may have other numbers."""
        return own_action(self.left, (cards, (), (), ())).top

    def _verify(self) -> None:
        """Raise PlacementError if too many cards are in a row, placed or discarded."""
        board = self.board
        place = BOARD_SIZE if self.view.in_fantasyland else self.view.deal.place
        discards = len(self.hand) - place
        action = self.action
        if len(action.discards) > discards:
            raise PlacementError(
                "{cards}: you may discard only {count}", cards=format_cards(action.discards), count=discards
            )
        if board.cards.size - self.view.board.cards.size > place:
            raise PlacementError("place only {count} cards and discard the rest", count=place)


class Leave(Exception):  # noqa: N818 -- not an error
    """The player wants to stop."""


class HumanPlayer(AIStrategy):
    """Asks the human player at the terminal.

    Parameters
    ----------
    solver
        Gives hints and grades.
    grades
        Whether to grade every decision without being asked.
    on_score
        Called to show the score sheet.
    """

    def __init__(
        self, console: Console, solver: "SolverStrategy", *, grades: bool, on_score: Callable[[], None]
    ) -> None:
        super().__init__()
        self.names: Sequence[str] = ()  # by seat, for this hand
        self._console = console
        self._solver = solver
        self._grades = grades
        self._on_score = on_score
        self._last: tuple[SeatView, Action] | None = None

    def decide_placement(self, view: SeatView) -> Action:
        """Ask until every card is placed and the player confirms."""
        draft = Draft(view)
        self._show(draft)
        while True:
            question = tr("Confirm? Enter for yes, u to undo") if draft.is_complete else tr("Place")
            text = self.ask(question + ": ")
            if not text and draft.is_complete:
                break
            if text and not self.command(text, draft):
                self._enter(draft, text)
        self._last = view, draft.action
        if self._grades:
            self.grade()
        return draft.action

    def choose_action(self, view: SeatView, actions: Sequence[Action]) -> Action:
        """Ask until the player chooses one of these placements."""
        while (action := self.decide_placement(view)) not in actions:
            self._console.print(tr("That is not one of the allowed placements."))
        return action

    def evaluate_state(self, view: SeatView) -> float:
        """Return 0: a human player gives no values."""
        return 0.0

    def ask(self, question: str) -> str:
        """Return the typed text; raise Leave at the end of the input."""
        try:
            return self._console.input(Text(question)).strip()
        except EOFError:
            raise Leave from None

    def command(self, text: str, draft: Draft | None = None) -> bool:
        """Run a command; return False if the text is not a command."""
        match text.lower():
            case "q" | "quit":
                raise Leave
            case "?" | "help":
                self._console.print(_help())
            case "s" | "score":
                self._on_score()
            case "g" | "grade":
                self.grade()
            case "h" | "hint" if draft is not None:
                self._hint(draft)
            case "u" | "undo" if draft is not None:
                if not draft.undo():
                    self._console.print(tr("There is nothing to undo."))
                self._show(draft)
            case _:
                return False
        return True

    def grade(self) -> None:
        """Print the loss of the last decision."""
        from bromeliad.playing.grading import grade

        if self._last is None:
            self._console.print(tr("There is no decision to grade yet."))
            return
        found = grade(self._solver, *self._last)
        if found.is_best:
            self._console.print(tr("Grade: the best placement, EV {ev}", ev=f"{found.answer.value:.2f}"), style="green")
            return
        best = found.answer.best
        rows = " / ".join(" ".join(row) or "-" for row in (best.top, best.middle, best.back))
        text = tr(
            "Grade: lost {loss} points; the best was {placement}, EV {ev}",
            loss=f"{found.loss:.2f}",
            placement=rows,
            ev=f"{found.answer.value:.2f}",
        )
        self._console.print(Text(text, style="yellow"))

    def _enter(self, draft: Draft, text: str) -> None:
        try:
            draft.enter(text)
        except BromeliadError as error:
            self._console.print(Text(error.render(tr), style="red"))
            return
        self._show(draft)

    def _hint(self, draft: Draft) -> None:
        answer = self._solver.ask(draft.view, top=_HINTS)
        self._console.print(placements_table(answer.actions, answer.objective, self._console.width, _HINTS))

    def _show(self, draft: Draft) -> None:
        """Print all boards, the player's with the placement so far, and the cards in hand."""
        view = draft.view
        table = bare_table(gap=3)
        boards = [(tr("you"), rows_text(draft.board, draft.hand))]
        others = [seat for seat in range(1, view.players + 1) if seat != view.seat]
        for seat, opponent in zip(others, view.opponents, strict=True):
            name = self.names[seat - 1] if self.names else str(seat)
            boards.append((name, _opponent_rows(opponent.board, opponent.fantasyland)))
        for title, _ in boards:
            table.add_column(Text(title), no_wrap=True)
        for lines in zip(*(rows for _, rows in boards), strict=True):
            table.add_row(*lines)
        self._console.print(table)
        if draft.left:
            self._console.print(Text(tr("In hand:") + " ").append_text(card_text(draft.left)))
        elif draft.action.discards:
            self._console.print(Text(tr("Discarded:") + " ").append_text(card_text(draft.action.discards)))


def _opponent_rows(board: PlayerArrangement, fantasyland: int) -> list[Text]:
    if fantasyland:
        return [Text(tr("fantasyland with {cards} cards", cards=fantasyland), style="dim"), Text(""), Text("")]
    return rows_text(board)


def _help() -> str:
    return tr(
        "Type one letter per card in hand, in order: t top, m middle, b back, x discard (for example tmb); or a card "
        "and its row (As b); or the rows (Kd / 7c 2s / As Ah). Commands: u undo, h hint, g grade the last decision, "
        "s score sheet, q quit."
    )
