"""Sequence for the interfaces: its options, positions, answers and players."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from bromeliad.core.budget import Cancel, OnProgress
from bromeliad.core.playable import Answer, Setup, Sitting, Strategy, TurnGame, option, wrong
from bromeliad.errors import FieldError, InputError
from bromeliad.games.sequence.rules import MOST_PLAYERS, MOST_TEAMS, SIDE, SequenceRules, rules_named

if TYPE_CHECKING:
    from bromeliad.games.sequence.agent import Evaluators
    from bromeliad.games.sequence.game import Sequence
    from bromeliad.games.sequence.player import Answer as PlayerAnswer
    from bromeliad.games.sequence.state import SequenceState
    from bromeliad.games.sequence.table import SequenceTable

_PHASES = ("opening", "middle", "end")
_SHOWN = 10  # candidates of an answer

Cards = Annotated[tuple[Annotated[str, Field(max_length=4)], ...], Field(max_length=104)]
Seat = Annotated[str, Field(max_length=2)]


class SequencePosition(BaseModel):
    """The mover's knowledge of a position, in the format of ``bromeliad sequence solve --show``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    board: tuple[Annotated[str, Field(max_length=SIDE)], ...] = Field(max_length=SIDE)
    seat: int = Field(default=0, ge=0, lt=MOST_PLAYERS)
    hand: Cards
    draft: Cards = ()
    discards: Cards | None = None
    known: dict[Seat, Cards] = Field(default_factory=dict, max_length=MOST_PLAYERS)
    sizes: dict[Seat, Annotated[int, Field(ge=0, le=104)]] = Field(default_factory=dict, max_length=MOST_PLAYERS)
    sequences: tuple[Annotated[int, Field(ge=0, le=9)], ...] = Field(default=(), max_length=MOST_TEAMS)
    traded: bool = False
    picking: bool = False
    again: bool = False
    turns: int | None = Field(default=None, ge=0, le=10_000)


class SequenceSetup(Setup):
    """The rules, the players and the budget per turn."""

    rules: Literal["course", "official"] = option(
        "course", help="The course variant with a draft, or the official rules."
    )
    players: int = option(2, help="Players: 2, 3, 4, 6, 8, 9, 10 or 12.", ge=2, le=MOST_PLAYERS)
    teams: int | None = option(None, help="Teams, 2 or 3; by default 2 if the number of players is even.", ge=2, le=3)

    @field_validator("players", "teams")
    @classmethod
    def _check_seats(cls, value: int | None, info: ValidationInfo) -> int | None:
        players = info.data.get("players", value) if info.field_name == "teams" else value
        teams = value if info.field_name == "teams" else None
        try:
            rules_named(info.data.get("rules", "course"), players or 2, teams)
        except InputError as error:
            raise wrong(error) from None
        return value

    def to_rules(self) -> SequenceRules:
        """Return the rule set."""
        return rules_named(self.rules, self.players, self.teams)


class SequenceRequest(SequenceSetup):
    """A position to answer, and the budget: seconds or simulations."""

    position: SequencePosition | None = option(
        None, metavar="JSON|FILE|-", help="The position: JSON, a JSON file, or - for standard input."
    )
    deal: int | None = option(
        None, help="Instead of a position: the first turn of this deal.", ge=0, lt=2**63, validate_default=True
    )

    @field_validator("position", mode="before")
    @classmethod
    def _read_position(cls, data: Any, info: ValidationInfo) -> Any:
        """Convert a position that a local user gave in any accepted notation to plain data."""
        if data is None or not (info.context or {}).get("local"):
            return data
        return _checked(data, info).to_data()

    @field_validator("position")
    @classmethod
    def _check_position(cls, position: SequencePosition | None, info: ValidationInfo) -> SequencePosition | None:
        if position is not None:
            _checked(position.model_dump(exclude_none=True), info)
        return position

    @field_validator("deal")
    @classmethod
    def _check_source(cls, deal: int | None, info: ValidationInfo) -> int | None:
        if "position" in info.data and (info.data["position"] is None) == (deal is None):
            raise FieldError("give either a position or a deal")
        return deal


def _checked(data: Any, info: ValidationInfo) -> Any:
    """Return plain data as a position under the given rules; raise FieldError if it is impossible."""
    from bromeliad.games.sequence.position import Position

    given = {name: info.data[name] for name in ("rules", "players", "teams") if name in info.data}
    try:
        return Position.from_data(SequenceSetup(**given).to_rules(), data)
    except InputError as error:
        raise wrong(error) from None


class SequenceSitting(Sitting, SequenceSetup):
    """A game against the program."""


class SequencePlayable(TurnGame):
    """Sequence for the command line, the service and the page."""

    name = "sequence"
    setup = SequenceSetup
    request = SequenceRequest
    sitting = SequenceSitting
    kernels = ("bromeliad.games.sequence.game",)
    strategies = ("random", "greedy", "mcts", "mcts:document")
    solve_help = """\
Find the best move from what one seat knows: its hand, the board, the face-up cards, and cards taken by others.

    A position is JSON with board (ten rows of ten letters: r b g chips, R B G in sequences, # corners, _ empty), seat,
    hand, and if they matter draft, discards, known (cards that a seat was seen to take), sequences, traded. --deal
    solves the first turn of a deal; --show prints a position."""
    play_help = """\
Play a game in the terminal. Type a move such as 7c@20 (a card and a square: row and column, counted from 0
    at the top left), Jh-20 (take a chip away), 7c! (exchange a dead card), keep, +7c (take a face-up card), or help,
    hint, moves, undo, quit.

    You have seat 0 and begin, unless --seat says otherwise; all other seats are played by bromeliad."""

    match_help = """Play two strategies against each other, each deal twice with sides swapped.

    A strategy is random, greedy (the move that looks best) or mcts (the agent; mcts:document has fewer simulations and
    other parameters). Ctrl-C shows the score so far."""

    def __init__(self) -> None:
        self._kept: Evaluators | None = None  # kept for the whole process, so that repeated questions are cached

    def game(self, setup: Any = None) -> "Sequence":
        """Return the game with the rules of a setup."""
        from bromeliad.games.sequence.game import Sequence

        return Sequence((setup or SequenceSetup()).to_rules())

    def table(self, setup: Any, seed: int) -> "SequenceTable":
        """Return a game with the cards dealt."""
        from bromeliad.games.sequence.table import SequenceTable

        return SequenceTable(self.game(setup), seed)

    def read(self, request: Any) -> "SequenceState":
        """Return the position of a request, or the first turn of its deal."""
        from bromeliad.games.sequence.position import Position

        if request.deal is not None:
            dealt: SequenceState = self.table(request, request.deal).state
            return dealt
        data = request.position.model_dump(exclude_none=True)
        return Position.from_data(request.to_rules(), data).to_state(self.game(request).new_state())

    def show(self, request: Any) -> dict[str, Any]:
        """Return the mover's knowledge as plain data."""
        from bromeliad.games.sequence.position import Position

        return Position.of(request.to_rules(), self.read(request)).to_data()

    def answer(
        self, state: "SequenceState", setup: Any, on_progress: OnProgress | None = None, cancel: Cancel | None = None
    ) -> Answer:
        """Search with only the mover's knowledge, and return the answer as plain data."""
        from bromeliad.games.sequence.agent import Evaluators
        from bromeliad.games.sequence.notation import action_name
        from bromeliad.games.sequence.player import Player
        from bromeliad.search.playable import candidate_data, telling

        def entries(items: Any) -> list[dict[str, Any]]:
            return [entry | {"error": entry["stderr"]} for entry in candidate_data(items, action_name)]

        self._kept = self._kept or Evaluators()
        game, told = self.game(setup), telling(on_progress, entries)
        found = Player(game, seed=setup.seed).think(state, setup.budget, on_progress=told, cancel=cancel)
        return answer_data(game, state, found, self._kept)

    def strategy(self, name: str, setup: Any) -> Strategy:
        """Return ``random``, ``greedy``, ``mcts`` or ``mcts:document``."""
        from bromeliad.games.sequence.player import strategy_named

        return strategy_named(name, self.game(setup), setup.budget, seed=setup.seed)


def answer_data(game: "Sequence", state: "SequenceState", answer: "PlayerAnswer", evaluators: "Evaluators") -> Answer:
    """Return an answer as plain data, with the values of the face-up cards and the statistics of the caches.

    ``error`` and ``seconds`` repeat ``stderr`` and ``elapsed_s`` for clients that know only these names.
    """
    from bromeliad.games.sequence.notation import action_name, card_name
    from bromeliad.games.sequence.position import cards_in
    from bromeliad.games.sequence.state import DRAFT, MOVER
    from bromeliad.search.playable import method_of

    team = game.rules.team_of(int(state.data[MOVER]))
    seconds = round(answer.seconds, 4)
    return {
        "best": action_name(answer.best),
        "turn": [action_name(action) for action in answer.actions],
        "value": round(answer.value, 4),
        "method": "only move" if answer.search is None else method_of(answer.search.params),
        "line": [action_name(action) for action in answer.line],
        "candidates": [
            {
                "move": action_name(item.action),
                "visits": item.visits,
                "value": round(item.value, 4),
                "stderr": (stderr := round(item.error, 4) if item.visits > 1 else None),
                "error": stderr,
                "points": evaluators.action(state, item.action),
            }
            for item in answer.candidates[:_SHOWN]
        ],
        "draft": {card_name(card): evaluators.card(state, card, team) for card in cards_in(state, DRAFT)},
        "estimate": round(evaluators.state(state, team), 4),
        "phase": _PHASES[answer.phase],
        "critical": answer.critical,
        "simulations": answer.simulations,
        "elapsed_s": seconds,
        "seconds": seconds,
        "stop_reason": answer.stop_reason,
        "caches": evaluators.statistics(),
    }
