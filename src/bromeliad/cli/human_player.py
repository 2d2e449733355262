"""A person at the table: sees the boards, types placements, may ask for hints and grades."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bromeliad.cli.boards import card_text, rows_text
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
"""How a person writes top, middle, back and discard."""

_DISCARD = 3

HINTS = 5
"""Placements that a hint shows."""


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


class Leave(Exception):  # noqa: N818 -- not an error: the person has had enough
    """The person wants to stop."""


class HumanPlayer(AIStrategy):
    """Asks a person at the terminal.

    Parameters
    ----------
    solver
        Who gives hints and grades.
    grades
        Grade every decision without being asked.
    on_score
        Shows the score sheet.
    """

    def __init__(
        self, console: Console, solver: "SolverStrategy", *, grades: bool, on_score: Callable[[], None]
    ) -> None:
        super().__init__()
        self.names: Sequence[str] = ()  # of the seats of this hand
        self._console = console
        self._solver = solver
        self._grades = grades
        self._on_score = on_score
        self._last: tuple[SeatView, Action] | None = None

    def decide_placement(self, view: SeatView) -> Action:
        """Ask until every card has its place and the person says yes."""
        draft = Draft(view)
        self._show(draft)
        while True:
            question = tr("Place them like this? Enter for yes, u to take back") if draft.is_complete else tr("Place")
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
        """Ask until the person's placement is one of these."""
        while (action := self.decide_placement(view)) not in actions:
            self._console.print(tr("That is not among the placements asked for."))
        return action

    def evaluate_state(self, view: SeatView) -> float:
        """Return 0: nobody asks the person for numbers."""
        return 0.0

    def ask(self, question: str) -> str:
        """Return what the person types; the end of the input means to leave."""
        try:
            return self._console.input(Text(question)).strip()
        except EOFError:
            raise Leave from None

    def command(self, text: str, draft: Draft | None = None) -> bool:
        """Do what a word asks for; say whether it is a command."""
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
                    self._console.print(tr("There is nothing to take back."))
                self._show(draft)
            case _:
                return False
        return True

    def grade(self) -> None:
        """Say what the last decision cost."""
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
        loss = f"{found.loss:.2f}" if found.entry else tr("about {points}", points=f"{found.loss:.2f}")
        text = tr(
            "Grade: lost {loss} points; best was {placement}, EV {ev}",
            loss=loss,
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
        from bromeliad.cli.table import placements_table

        answer = self._solver.ask(draft.view, top=HINTS)
        self._console.print(placements_table(answer.actions, answer.objective, self._console.width, HINTS))

    def _show(self, draft: Draft) -> None:
        """Print all boards, the person's own with what is being placed, and the cards in hand."""
        view = draft.view
        table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
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
        "Type a letter for each card in hand, in order: t top, m middle, b back, x discard (such as tmb); or a card "
        "and its row (As b); or the rows (Kd / 7c 2s / As Ah). Commands: u take back, h hint, g grade of the last "
        "decision, s score sheet, q leave."
    )
