"""Games of a person against the AI: kept in memory while they are played, and in the store turn by turn."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from threading import RLock
from typing import TYPE_CHECKING

from bromeliad.core.domain import DomainEvent
from bromeliad.core.machine import cores
from bromeliad.errors import InputError
from bromeliad.games.ofc.play.history import HandRecord, record_of
from bromeliad.playing.grading import Grade, grade
from bromeliad.playing.ofc_game import GameStarted, TableGame
from bromeliad.playing.strategies import SolverStrategy
from bromeliad.service.problems import Refusal
from bromeliad.service.recent import Recent
from bromeliad.storage import Store

if TYPE_CHECKING:
    from bromeliad.service.game_views import GameView


@dataclass(frozen=True)
class GameOptions:
    """How a game is played, beside its cards."""

    grade: bool
    grade_time: float


@dataclass(frozen=True, kw_only=True)
class GameSeated(DomainEvent):
    """A game of the page, its number among the stored games, and its options."""

    game_number: int
    grade: bool
    grade_time: float


@dataclass
class Sitting:
    """A game that somebody is playing."""

    game: TableGame
    number: int  # in the store
    options: GameOptions
    lock: RLock = field(default_factory=RLock)
    last_grade: Grade | None = None
    last_view: "GameView | None" = None  # for whoever looks while the lock is held

    def place(self, rows: tuple[tuple[str, ...], ...]) -> None:
        """Place the person's cards, with a grade if it is wanted."""
        self.game.verify_place()
        view = self.game.view()
        turn = self.game.place(rows)
        self.last_grade = None
        if self.options.grade:
            solver = SolverStrategy(self.game.rules_name, seconds=self.options.grade_time, threads=cores())
            solver.begin_hand(self.game.table.seed)
            self.last_grade = grade(solver, view, turn.action)

    def undo(self) -> None:
        """Take the person's last placement back."""
        self.game.undo()
        self.last_grade = None

    def next_hand(self) -> None:
        """Deal the next hand."""
        self.game.next_hand()
        self.last_grade = None

    def let_others_play(self) -> None:
        """Let the opponents act until it is the person's turn, or the hand is over."""
        while not self.game.your_turn and self.game.dealer.due is not None:
            self.game.opponent_turn()

    def records(self) -> Iterator[HandRecord]:
        """Yield the hands that are over."""
        return (record_of(hand, self.game.names) for hand in self.game.played)


class Games:
    """All games of a service."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._sittings = Recent(self._load)

    def start(
        self, rules: str, opponents: tuple[str, ...], seed: int | None, hands: int | None, options: GameOptions
    ) -> Sitting:
        """Begin a game."""
        seed = secrets.randbits(32) if seed is None else seed
        game = TableGame(secrets.token_urlsafe(9), rules, opponents, seed=seed, hands=hands)
        number = self._store.games.add(rules, "page", ", ".join(game.names))
        seated = GameSeated(
            aggregate_id=game.id, game_number=number, grade=options.grade, grade_time=options.grade_time
        )
        self._store.events.add([seated])
        sitting = Sitting(game, number, options)
        self._sittings.add(game.id, sitting)
        with self.changing(sitting):
            sitting.let_others_play()
        return sitting

    @contextmanager
    def changing(self, sitting: Sitting) -> Iterator[None]:
        """Change a game alone, and keep what has happened even if a later step failed."""
        with sitting.lock:
            try:
                yield
            finally:
                self._store.events.add(sitting.game.pull_domain_events())
                self._keep_hands(sitting)

    def play(self, sitting: Sitting, step: Callable[[], None]) -> None:
        """Do one step of the person, and let the others act."""
        with self.changing(sitting):
            step()
        with self.changing(sitting):
            sitting.let_others_play()

    def find(self, game_id: str) -> Sitting:
        """Return a game, from the store if need be, or raise that there is none."""
        return self._sittings.find(game_id)

    def _load(self, game_id: str) -> Sitting:
        events = [(event.kind, event.data) for event in self._store.events.stream(game_id)]
        seated = next((data for kind, data in events if kind == GameSeated.__name__), None)
        course = [event for event in events if event[0] != GameSeated.__name__]
        if seated is None or not course or course[0][0] != GameStarted.__name__:
            raise Refusal(HTTPStatus.NOT_FOUND, InputError("there is no game {id}", id=game_id[:40]))
        game = TableGame.restore(game_id, course)
        sitting = Sitting(game, seated["game_number"], GameOptions(seated["grade"], seated["grade_time"]))
        self._keep_hands(sitting)
        return sitting

    def _keep_hands(self, sitting: Sitting) -> None:
        """Put the hands that are over and not yet in the store there."""
        if not sitting.game.hand_over:
            return
        stored = {hand.number for hand in self._store.hands.stream(game_id=sitting.number)}
        for record in sitting.records():
            if record.hand not in stored:
                self._store.hands.add_record(sitting.number, record)
