"""Games of a human player against the AI, kept in memory and, turn by turn, in the store."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bromeliad.core.domain import DomainEvent
from bromeliad.core.machine import cores
from bromeliad.errors import NotStoredError
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.play.history import HandRecord, record_of
from bromeliad.games.ofc.play.seat import SeatView
from bromeliad.playing.grading import Grade, grade
from bromeliad.playing.ofc_game import GameStarted, TableGame
from bromeliad.playing.quiz import Rows
from bromeliad.playing.strategies import SolverStrategy
from bromeliad.service.recent import Recent, Stored
from bromeliad.storage import Store
from bromeliad.storage.cached import solve_stored

if TYPE_CHECKING:
    from bromeliad.service.game_views import GameView


@dataclass(frozen=True)
class GameOptions:
    """Whether placements are graded, and the seconds per grade."""

    grade: bool
    grade_time: float


@dataclass(frozen=True, kw_only=True)
class GameSeated(DomainEvent):
    """A game was added to the store: its number there, and its options."""

    game_number: int
    grade: bool
    grade_time: float


@dataclass
class Sitting(Stored):
    """A game in progress."""

    game: TableGame
    number: int  # in the store
    options: GameOptions
    last_grade: Grade | None = None
    graded: tuple[SeatView, Action] | None = None  # the decision of ``last_grade``
    last_view: "GameView | None" = None  # shown while the game is locked for a change

    def place(self, rows: Rows, store: Store) -> None:
        """Place the human player's cards, and grade the placement if the options ask for it."""
        self.game.verify_place()
        view = self.game.view()
        turn = self.game.place(rows)
        self.last_grade, self.graded = None, (view, turn.action)
        self.grade_again(store)

    def grade_again(self, store: Store) -> None:
        """Grade the last decision by the deepest answer in the store, or by a new one if there is none."""
        if self.options.grade and self.graded is not None:
            self.last_grade = grade(self._solver(store), *self.graded, self.last_grade)

    def _solver(self, store: Store) -> SolverStrategy:
        solver = SolverStrategy(
            self.game.rules_name,
            seconds=self.options.grade_time,
            threads=cores(),
            answers=lambda planned: solve_stored(planned, store),
        )
        solver.begin_hand(self.game.table.seed)
        return solver

    def undo(self) -> None:
        """Undo the human player's last placement."""
        self.game.undo()
        self.last_grade = self.graded = None

    def next_hand(self) -> None:
        """Deal the next hand."""
        self.game.next_hand()
        self.last_grade = self.graded = None

    def let_others_play(self) -> None:
        """Play the opponents' turns until it is the human player's turn or the hand is over."""
        while not self.game.your_turn and self.game.dealer.due is not None:
            self.game.opponent_turn()

    def records(self) -> Iterator[HandRecord]:
        """Yield the finished hands."""
        return (record_of(hand, self.game.names) for hand in self.game.played)


class Games:
    """All games of a service."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._sittings = Recent(self._load)

    def start(
        self, rules: str, opponents: tuple[str, ...], seed: int | None, hands: int | None, options: GameOptions
    ) -> Sitting:
        """Start a game."""
        seed = secrets.randbits(32) if seed is None else seed
        game = TableGame(secrets.token_urlsafe(9), rules, opponents, seed=seed, hands=hands)
        number = self._store.games.add(rules, "page", ", ".join(game.names))
        self._store.events.add([GameSeated(aggregate_id=game.id, game_number=number, **vars(options))])
        sitting = Sitting(game, number, options)
        self._sittings.add(game.id, sitting)
        with self.changing(sitting):
            sitting.let_others_play()
        return sitting

    def changing(self, sitting: Sitting) -> AbstractContextManager[None]:
        """Lock a game for a change; store its events and finished hands even if the change fails."""

        def store() -> None:
            self._store.events.add(sitting.game.pull_domain_events())
            self._keep_hands(sitting)

        return self._sittings.changing(sitting.game.id, sitting, store)

    def play(self, sitting: Sitting, step: Callable[[], None]) -> None:
        """Take one step for the human player, then play the opponents' turns."""
        with self.changing(sitting):
            step()
        with self.changing(sitting):
            sitting.let_others_play()

    def find(self, game_id: str) -> Sitting:
        """Return a game, from the store if it is not in memory; raise if there is none."""
        return self._sittings.find(game_id)

    def _load(self, game_id: str) -> Sitting:
        events = [(event.kind, event.data) for event in self._store.events.stream(game_id)]
        seated = next((data for kind, data in events if kind == GameSeated.__name__), None)
        course = [event for event in events if event[0] != GameSeated.__name__]
        if seated is None or not course or course[0][0] != GameStarted.__name__:
            raise NotStoredError("there is no game {id}", id=game_id[:40])
        game = TableGame.restore(game_id, course)
        sitting = Sitting(game, seated["game_number"], GameOptions(seated["grade"], seated["grade_time"]))
        self._keep_hands(sitting)
        return sitting

    def _keep_hands(self, sitting: Sitting) -> None:
        """Store the finished hands that the store lacks."""
        if not sitting.game.hand_over:
            return
        stored = {hand.number for hand in self._store.hands.stream(game_id=sitting.number)}
        for record in sitting.records():
            if record.hand not in stored:
                self._store.hands.add_record(sitting.number, record)
