"""``bromeliad gomoku solve``."""

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import command, json_option, one_line, option
from bromeliad.cli.gomoku import game_options, make_game
from bromeliad.errors import BromeliadError, InputError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.games.gomoku.game import Gomoku
    from bromeliad.games.gomoku.solving import Solution

__all__ = ["solve"]


@command(
    "solve",
    help="""Find forced wins, by continuous fours and by threats, or the best move where there is none.

    A position is written as its stones in turn, black first: H8I9G7. With --positions each line is a JSON object with
    "stones", and "size" and "side" (1 black, 2 white to move) if they are not the usual ones; each gets an answer with
    best, result (win, none or unknown), line and nodes.""",
)
@option("--position", metavar="STONES", help="One position, for example H8I9G7.")
@option("--positions", metavar="FILE", help="Many: a JSON object a line, or - for standard input; an answer a line.")
@option("--time", "seconds", type=float, default=1.0, show_default=True, help="Seconds for a position.")
@option("--simulations", type=click.IntRange(min=1), help="Count simulations instead of time: reproducible.")
@option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of all randomness.")
@game_options
@json_option
def solve(position: str | None, positions: str | None, as_json: bool, **options: Any) -> int:
    """Solve one position, or many."""
    if (position is None) == (positions is None):
        raise InputError("give --position or --positions")
    answer = _Solver(**options)
    if position is not None:
        game, solution = answer({"stones": position})
        click.echo(json.dumps(_as_data(game, solution)) if as_json else _in_words(game, solution))
        return 0
    failed = False
    for line in _lines(positions or "-"):
        try:
            data = _as_data(*answer(_read(line)))
        except BromeliadError as error:
            failed = True
            data = {"error": one_line(error.render(tr))}
        click.echo(json.dumps(data, ensure_ascii=False))
    return int(failed)


def _lines(path: str) -> Iterator[bytes]:
    try:
        with click.open_file(path, "rb") as file:
            yield from (line for line in file if line.strip())
    except OSError as error:
        raise InputError("{path}: cannot be read: {problem}", path=path, problem=error.strerror or str(error)) from None


def _read(line: bytes) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise InputError("not JSON: {line}", line=line[:60].decode("utf-8", "replace").strip())
    return data


class _Solver:
    """Answers positions, and keeps a player for each size of board."""

    def __init__(self, seconds: float, simulations: int | None, seed: int, size: int, rule: str, model: str) -> None:
        from bromeliad.core.budget import Budget

        if not 0.0 < seconds <= 86400.0:
            raise InputError("--time must be more than 0 seconds and at most a day")
        self._budget = Budget(None if simulations else seconds, simulations)
        self._seed, self._size, self._rule, self._model = seed, size, rule, model
        self._players: dict[int, Callable[[Any], Solution]] = {}
        self._games: dict[int, Gomoku] = {}

    def __call__(self, data: dict[str, Any]) -> "tuple[Gomoku, Solution]":
        from bromeliad.games.gomoku.position import read_position

        size, stones, side = data.get("size", self._size), data.get("stones"), data.get("side")
        if not isinstance(stones, str) or type(size) is not int or side not in (None, 1, 2):
            raise InputError('write {{"stones": "H8I9", "size": 15, "side": 1}}')
        if size not in self._games:
            self._prepare(size)
        return self._games[size], self._players[size](read_position(self._games[size], stones, side))

    def _prepare(self, size: int) -> None:
        from bromeliad.games.gomoku.player import Player
        from bromeliad.games.gomoku.proof.threats import Prover
        from bromeliad.games.gomoku.solving import solve_state

        game = make_game(size, self._rule, self._model)
        player, prover = Player(game, seed=self._seed), Prover()
        self._games[size] = game
        self._players[size] = lambda state: solve_state(player, prover, state, self._budget)


def _as_data(game: "Gomoku", solution: "Solution") -> dict[str, Any]:
    from bromeliad.games.gomoku.notation import cell_name, line_names

    return {
        "best": cell_name(solution.best, game.size),
        "result": solution.result,
        "line": line_names(solution.line, game.size),
        "nodes": solution.nodes,
        "how": solution.how,
        "value": round(solution.value, 4),
    }


def _in_words(game: "Gomoku", solution: "Solution") -> str:
    from bromeliad.games.gomoku.notation import cell_name, line_names

    best, line = cell_name(solution.best, game.size), " ".join(line_names(solution.line, game.size))
    match solution.how, solution.result:
        case "fours", _:
            return tr("{best} wins by continuous fours: {line}", best=best, line=line)
        case "threats", _:
            return tr("{best} wins by continuous threats, for example: {line}", best=best, line=line)
        case _, "none":
            head = tr("There is no win by fours or threats.")
        case _:
            head = tr("No win was found in the time given.")
    value = f"{solution.value:+.3f}"
    return head + " " + tr("Best is {best}, value {value}: {line}", best=best, value=value, line=line)
