"""Gomoku for the interfaces: its options, positions, answers and players."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationInfo, field_validator

from bromeliad.core.budget import Cancel, OnProgress
from bromeliad.core.playable import Answer, Setup, Sitting, Strategy, TurnGame, option, wrong
from bromeliad.errors import FieldError, InputError
from bromeliad.games.gomoku.notation import LONGEST, cell_name, parse_stones
from bromeliad.games.gomoku.rules import LARGEST, SMALLEST, check_size
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.games.gomoku.game import Gomoku
    from bromeliad.games.gomoku.player import Answer as PlayerAnswer
    from bromeliad.games.gomoku.player import Effort, Player
    from bromeliad.games.gomoku.position import GomokuTable
    from bromeliad.games.gomoku.state import GomokuState

_MODELS = ("default", "plain", "seed")
SIDES = ("black", "white")
"""Names of the sides."""


def _checked_size(size: Any) -> Any:
    try:
        return check_size(size) if type(size) is int else size
    except InputError as error:
        raise wrong(error) from None


class _Rules(BaseModel):
    """The rules and the board."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule: Literal["freestyle", "exact", "renju", "caro"] = option(
        "freestyle", help="Which rows win, and which moves are forbidden to black."
    )
    size: Annotated[int, BeforeValidator(_checked_size)] = option(
        15, help="Rows and columns, 5 to 20.", ge=SMALLEST, le=LARGEST
    )


class GomokuSetup(_Rules, Setup):
    """The rules, the board, the model and the budget per move."""

    model: str = option(
        "default", metavar="NAME|FILE", help="Values of shapes: default, plain, seed or a file.", max_length=4096
    )

    @field_validator("model")
    @classmethod
    def _check_model(cls, name: str, info: ValidationInfo) -> str:
        if name not in _MODELS and not (info.context or {}).get("local"):
            raise FieldError("must be one of {expected}", expected=", ".join(_MODELS))
        return name


class GomokuBoard(_Rules):
    """A position: its stones in order of play, black first."""

    position: str = option("", metavar="STONES", help="One position, for example H8I9G7.", max_length=LONGEST)

    @field_validator("position")
    @classmethod
    def _check_position(cls, text: str, info: ValidationInfo) -> str:
        try:
            parse_stones(text, info.data.get("size", LARGEST))
        except InputError as error:
            raise wrong(error) from None
        return text


class GomokuRequest(GomokuBoard, GomokuSetup):
    """A position to answer, and the budget: seconds or simulations."""

    side: Literal[1, 2] | None = option(None, help="The side to move, if it is not the next in turn: 1 black, 2 white.")
    effort: Literal["play", "prove"] = option(
        "play", help="Goal of the budget: play finds a good move, prove decides whether there is a forced win."
    )


class GomokuMatchSetup(GomokuSetup):
    """Games between engines."""

    openings: str | None = option(None, metavar="FILE", help="A file with one opening per line.", max_length=4096)


class GomokuSitting(Sitting, GomokuSetup):
    """A game against the program."""

    white: bool = option(False, help="Play white: bromeliad moves first.")
    moves: str = option("", metavar="STONES", help="Start with these stones on the board.", max_length=LONGEST)

    @property
    def own_seat(self) -> int:
        """The person's seat: 0 is black."""
        return 1 if self.white else self.seat


@cache
def _game(size: int, rule: str, model: str) -> "Gomoku":
    from bromeliad.games.gomoku.game import Gomoku
    from bromeliad.games.gomoku.model import named_model

    return Gomoku(size, rule, named_model(model))


class GomokuPlayable(TurnGame):
    """Gomoku for the command line, the service and the page."""

    name = "gomoku"
    setup = GomokuSetup
    request = GomokuRequest
    sitting = GomokuSitting
    match_setup = GomokuMatchSetup
    colours = SIDES
    local: ClassVar[dict[str, Any]] = {"effort": "prove"}
    kernels = ("bromeliad.games.gomoku.game", "bromeliad.games.gomoku.proof.threats")
    strategies = ("mcts", "random")
    solve_help = """Find forced wins by continuous fours and by threats; if there is none, find the best move.

    Write a position as its stones in turn, black first: H8I9G7. With --positions, each line is a JSON object with
    "stones", and "size" and "side" (1 black, 2 white to move) if they differ from the defaults; each answer has best,
    result (win, none or unknown), line and nodes."""
    play_help = """Play a game in the terminal. Type a cell such as H8, or help, hint, moves, undo or quit.

    You are black and begin, unless --white is given."""

    match_help = """Play two engines against each other, each opening twice with colours swapped.

    An engine is bromeliad, bromeliad:MODEL (default, plain, seed or a file), or the command of any program that speaks
    the Gomocup protocol. Without an opening file, balanced openings are drawn with the seed."""

    def game(self, setup: Any = None) -> "Gomoku":
        """Return the game of a setup; tables are built once."""
        setup = setup or GomokuSetup()
        return _game(setup.size, setup.rule, setup.model)

    def table(self, setup: Any, seed: int) -> "GomokuTable":
        """Return an empty board."""
        from bromeliad.games.gomoku.position import GomokuTable

        return GomokuTable(self.game(setup))

    def openings(self, setup: Any) -> Iterator[tuple[int, str]]:
        """Yield the openings of a file repeatedly, or balanced ones drawn with the seed."""
        from bromeliad.games.gomoku.openings import balanced_openings, read_openings

        path = getattr(setup, "openings", None)
        if path is None:
            found = balanced_openings(self._player(setup), setup.seed)
        else:
            found = cycle(read_openings(Path(path), setup.size))
        for cells in found:
            yield setup.seed, "".join(cell_name(cell, setup.size) for cell in cells)

    def read(self, request: Any) -> "GomokuState":
        """Return the position of a request."""
        from bromeliad.games.gomoku.position import read_position

        return read_position(self.game(request), request.position, request.side)

    def answer(
        self, state: "GomokuState", setup: Any, on_progress: OnProgress | None = None, cancel: Cancel | None = None
    ) -> Answer:
        """Look for a forced win, then search; return the answer as plain data."""
        from bromeliad.search.playable import telling

        size, effort = setup.size, cast("Effort", getattr(setup, "effort", "play"))
        told = telling(on_progress, lambda items: _candidates(items, size))
        player = self._player(setup)
        found = player.think(state, setup.budget, effort=effort, on_progress=told, cancel=cancel)
        return _answer_data(found, size, effort)

    def strategy(self, name: str, setup: Any) -> Strategy:
        """Return ``mcts`` (the player) or ``random``."""
        from bromeliad.search.playable import SearchedGame

        if name != "mcts":
            return SearchedGame(self.name, self.game(setup)).strategy(name, setup)
        player = self._player(setup)
        return Strategy(name, lambda state: player.think(state, setup.budget).best)

    def _player(self, setup: Any) -> "Player":
        from bromeliad.games.gomoku.player import Player

        return Player(self.game(setup), seed=setup.seed)

    def from_line(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the fields of a request from the keys ``stones``, ``size`` and ``side`` of a line."""
        stones, side = data.get("stones", data.get("position")), data.get("side")
        size = {"size": data["size"]} if "size" in data else {}
        if not (isinstance(stones, str) and type(data.get("size", 0)) is int and side in (None, 1, 2)):
            raise InputError('write {{"stones": "H8I9", "size": 15, "side": 1}}')
        return {"position": stones, "side": side, **size}

    def in_words(self, answer: Answer) -> str:
        """Return an answer as text: the forced win, or the best move."""
        best, line = answer["best"], " ".join(answer["line"])
        match answer["method"], answer["result"]:
            case "fours", _:
                return tr("{best} wins by continuous fours: {line}", best=best, line=line)
            case "threats", _:
                return tr("{best} wins by continuous threats, for example: {line}", best=best, line=line)
            case _, "none":
                head = tr("There is no win by fours or threats.")
            case _:
                head = tr("No win was found in the time given.")
        value = f"{answer['value']:+.3f}"
        return head + " " + tr("Best is {best}, value {value}: {line}", best=best, value=value, line=line)


def _candidates(items: Sequence[Any], size: int) -> list[dict[str, Any]]:
    from bromeliad.search.playable import candidate_data

    entries = candidate_data(items, lambda cell: cell_name(cell, size))
    return [{"cell": entry["move"]} | entry for entry in entries]  # `cell` is a deprecated name of `move`


def _answer_data(answer: "PlayerAnswer", size: int, effort: str) -> Answer:
    """Return an answer as plain data; ``how`` is a deprecated form of ``method``."""
    from bromeliad.search import ActionStatistics

    found = answer.search
    searched = {item.action: item for item in found.actions} if found else {}
    candidates = [
        searched.get(item.cell) or ActionStatistics(item.cell, 1, item.value, 0.0, item.prior, item.value)
        for item in answer.candidates
    ]
    return {
        "best": cell_name(answer.best, size),
        "result": answer.result,
        "line": [cell_name(cell, size) for cell in answer.line],
        "nodes": answer.nodes,
        "how": answer.how if effort == "play" or answer.proved else "search",
        "value": round(answer.value, 4),
        "method": "mcts" if answer.how == "search" else answer.how,
        "proved": answer.proved,
        "candidates": _candidates(candidates, size),
        "simulations": answer.simulations,
        "elapsed_s": answer.seconds,
        "stop_reason": answer.how if found is None else found.stop_reason,
    }
