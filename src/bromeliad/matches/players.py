"""Players of a match by name: strategies of a game, and programs that speak the Gomocup protocol."""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, Any

from bromeliad.core.budget import Budget
from bromeliad.core.playable import read_options
from bromeliad.errors import EngineError
from bromeliad.matches.engine_process import EngineProcess
from bromeliad.matches.games import GameMatch, Player, StrategyPlayer

if TYPE_CHECKING:
    from bromeliad.core.playable import Setup, TurnGame
    from bromeliad.core.table import Table
    from bromeliad.games.gomoku.player import Player as GomokuPlayer
    from bromeliad.games.gomoku.position import GomokuTable


_MOVE = re.compile(r"\s*(\d+)\s*,\s*(\d+)\s*")
_TALK = ("MESSAGE", "DEBUG")
_FAREWELL = "END"
_GRACE = 10.0  # seconds over its time limit after which an engine counts as dead
_MEMORY = 350 << 20  # bytes that an engine may use
_NO_LIMIT = 100_000_000  # milliseconds: the match itself has no time limit


class OwnEngine(Player):
    """The Gomoku player with its own model, which may differ from the model of the table."""

    def __init__(self, player: "GomokuPlayer", name: str, budget: Budget) -> None:
        self.name, self.seconds = name, budget.seconds or 0.0
        self._player, self._budget = player, budget

    def move(self, table: "GomokuTable") -> int:
        """Search for a move."""
        from bromeliad.games.gomoku.position import play_cells

        return self._player.think(play_cells(self._player.game, table.cells), self._budget).best


class ExternalEngine(Player):
    """A program that speaks the Gomocup protocol on standard input and output.

    Parameters
    ----------
    command
        The program and its arguments, as typed in a shell.
    seconds
        Time limit of a move.
    """

    def __init__(self, command: str, seconds: float) -> None:
        self.name, self.seconds = command, seconds
        self._size = 0
        self._shown: list[int] = []  # the moves on the engine's board
        self._process = EngineProcess(command, _FAREWELL)

    def new_game(self, table: "GomokuTable") -> None:
        """Start a board and send the limits; restart the engine if it has ended."""
        if self._process.ended:
            self.close()
            self._process = EngineProcess(self.name, _FAREWELL)
        self._size, self._shown = table.game.size, []
        self._process.send(f"START {self._size}")
        answer = self._read(_GRACE * 6)
        if not answer.upper().startswith("OK"):
            raise EngineError("{engine} answered START with {answer!r}", engine=self.name, answer=answer)
        for key, value in (
            ("timeout_turn", round(1000 * self.seconds)),
            ("timeout_match", _NO_LIMIT),
            ("time_left", _NO_LIMIT),
            ("max_memory", _MEMORY),
            ("game_type", 1),
            ("rule", table.game.rules.bits),
        ):
            self._process.send(f"INFO {key} {value}")

    def move(self, table: "GomokuTable") -> int:
        """Send the board and read the move."""
        cells = table.cells
        if not cells:
            self._process.send("BEGIN")
        elif self._shown and cells[:-1] == self._shown:
            row, column = divmod(cells[-1], self._size)
            self._process.send(f"TURN {column},{row}")
        else:
            self._process.send("BOARD")
            for i, cell in enumerate(cells):
                row, column = divmod(cell, self._size)
                self._process.send(f"{column},{row},{1 if (len(cells) - i) % 2 == 0 else 2}")
            self._process.send("DONE")
        answer = self._read(self.seconds + _GRACE)
        match = _MOVE.fullmatch(answer)
        if match is None:
            raise EngineError("{engine} answered with {answer!r}", engine=self.name, answer=answer)
        cell = int(match[2]) * self._size + int(match[1])
        self._shown = [*cells, cell]
        return cell

    def close(self) -> None:
        """Ask the engine to end, and end it if it does not."""
        self._process.close()

    def _read(self, seconds: float) -> str:
        """Return the next line that is an answer, not a comment."""
        return self._process.read(seconds, lambda line: None if line.upper().startswith(_TALK) else line)


_OWN = "bromeliad"
_BUDGET = re.compile(r"(.+):(?:(\d+)sims|(\d+(?:\.\d*)?|\.\d+))")  # mcts:200sims, mcts:0.1


def find_player(game: "TurnGame", name: str, setup: "Setup", clock: float = 1.0) -> Player:
    """Return a player by its name.

    The name is that of a strategy of the game, such as ``random`` or ``mcts``. ``mcts:0.1`` (seconds per move) and
    ``mcts:200sims`` (simulations per move) have their own budget. Gomoku also has ``bromeliad``, ``bromeliad:MODEL``
    and the commands of other programs.

    Parameters
    ----------
    clock
        Seconds per move of another program.
    """
    found = _BUDGET.fullmatch(name)
    if found is not None and found[1] in game.strategies:
        budget = {"simulations": found[2], "time": None} if found[2] else {"time": found[3], "simulations": None}
        own = read_options(type(setup), setup.model_dump() | budget)
        return StrategyPlayer(name, game.strategy(found[1], own), own.budget.seconds or 0.0)
    if game.name == "gomoku" and name not in game.strategies:
        return _gomoku_engine(game, name, setup, clock)
    return StrategyPlayer(name, game.strategy(name, setup), setup.budget.seconds or 0.0)


def _gomoku_engine(game: "TurnGame", name: str, setup: Any, clock: float) -> Player:
    from bromeliad.games.gomoku.player import Player as GomokuPlayer

    own, colon, model = name.partition(":")
    if own != _OWN:
        return ExternalEngine(name, clock)
    board: Any = game.game(setup.model_copy(update={"model": model}) if colon else setup)
    return OwnEngine(GomokuPlayer(board, seed=setup.seed), name, setup.budget)


@contextmanager
def open_match(
    game: "TurnGame", names: Sequence[str], games: int, setup: "Setup", clock: float = 1.0
) -> Iterator[GameMatch]:
    """Yield a match between two players by name (:func:`.find_player`), and close the players after it.

    Parameters
    ----------
    clock
        Seconds per move of another program.
    """

    def start(opening: tuple[int, str]) -> "Table[Any]":
        table = game.table(setup, opening[0])
        table.play_all(opening[1])
        return table

    with ExitStack() as players:
        first, second = (players.enter_context(closing(find_player(game, name, setup, clock))) for name in names)
        yield GameMatch(first, second, games, game.openings(setup), start)
