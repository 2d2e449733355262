"""Players of a match by name: strategies of a game, and any program that speaks the Gomocup protocol."""

import re
import shlex
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from queue import Empty, Queue
from threading import Thread
from typing import IO, TYPE_CHECKING, Any

from bromeliad.core.budget import Budget
from bromeliad.core.playable import read_options
from bromeliad.errors import InputError
from bromeliad.matches.games import EngineError, GameMatch, Player, StrategyPlayer

if TYPE_CHECKING:
    from bromeliad.core.playable import Setup, TurnGame
    from bromeliad.core.table import Table
    from bromeliad.games.gomoku.player import Player as GomokuPlayer
    from bromeliad.games.gomoku.position import GomokuTable

__all__ = ["ExternalEngine", "OwnEngine", "find_player", "open_match"]

_MOVE = re.compile(r"\s*(\d+)\s*,\s*(\d+)\s*")
_TALK = ("MESSAGE", "DEBUG")
_GRACE = 10.0  # seconds beyond its time after which an engine is given up
_NO_LIMIT = 100_000_000  # milliseconds of a match without a clock of its own


class OwnEngine(Player):
    """The Gomoku player with a model of its own, which need not be that of the table."""

    def __init__(self, player: "GomokuPlayer", name: str, budget: Budget) -> None:
        self.name, self.seconds = name, budget.seconds or 0.0
        self._player, self._budget = player, budget

    def move(self, table: "GomokuTable") -> int:
        """Think."""
        from bromeliad.games.gomoku.position import play_cells

        return self._player.think(play_cells(self._player.game, table.cells), self._budget).best


class ExternalEngine(Player):
    """A program of its own that speaks the Gomocup protocol on standard input and output.

    Parameters
    ----------
    command
        The program and its arguments, as typed in a shell.
    seconds
        What a move may take.
    """

    def __init__(self, command: str, seconds: float, memory: int = 350 << 20) -> None:
        self.name = command
        self.seconds, self._memory = seconds, memory
        self._size = 0
        self._shown: list[int] = []  # the moves that the engine has on its board
        self._start()

    def _start(self) -> None:
        try:
            self._process = subprocess.Popen(
                shlex.split(self.name),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        except (OSError, ValueError) as error:
            raise InputError(
                "the engine {command} cannot be started: {error}", command=self.name, error=error
            ) from None
        self._ended = False  # known before the process is gone
        self._lines: Queue[str | None] = Queue()  # None: the engine has ended
        self._reader = Thread(target=_pump, args=(self._process.stdout, self._lines), daemon=True)
        self._reader.start()

    def new_game(self, table: "GomokuTable") -> None:
        """Start a board and tell the engine its limits; one that has ended is started again."""
        if self._ended or self._process.poll() is not None:
            self.close()
            self._start()
        self._size, self._shown = table.game.size, []
        self._send(f"START {self._size}")
        answer = self._read(_GRACE * 6)
        if not answer.upper().startswith("OK"):
            raise EngineError("{engine} answered START with {answer!r}", engine=self.name, answer=answer)
        for key, value in (
            ("timeout_turn", round(1000 * self.seconds)),
            ("timeout_match", _NO_LIMIT),
            ("time_left", _NO_LIMIT),
            ("max_memory", self._memory),
            ("game_type", 1),
            ("rule", table.game.rules.bits),
        ):
            self._send(f"INFO {key} {value}")

    def move(self, table: "GomokuTable") -> int:
        """Show the board and read the move."""
        cells = table.cells
        if not cells:
            self._send("BEGIN")
        elif self._shown and cells[:-1] == self._shown:
            row, column = divmod(cells[-1], self._size)
            self._send(f"TURN {column},{row}")
        else:
            self._send("BOARD")
            for i, cell in enumerate(cells):
                row, column = divmod(cell, self._size)
                self._send(f"{column},{row},{1 if (len(cells) - i) % 2 == 0 else 2}")
            self._send("DONE")
        answer = self._read(self.seconds + _GRACE)
        match = _MOVE.fullmatch(answer)
        if match is None:
            raise EngineError("{engine} answered with {answer!r}", engine=self.name, answer=answer)
        cell = int(match[2]) * self._size + int(match[1])
        self._shown = [*cells, cell]
        return cell

    def close(self) -> None:
        """Ask the engine to end, and end it if it does not."""
        with suppress(OSError, EngineError):
            self._send("END")
        try:
            self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):  # what was not sent has no reader any more
                if stream is not None:
                    stream.close()

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except OSError:
            self._ended = True
            raise EngineError("{engine} has ended", engine=self.name) from None

    def _read(self, seconds: float) -> str:
        """Return the next line that is an answer."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                line = self._lines.get(timeout=max(deadline - time.monotonic(), 0.0))
            except Empty:
                raise EngineError("{engine} does not answer", engine=self.name) from None
            if line is None:
                self._ended = True
                raise EngineError("{engine} has ended", engine=self.name)
            if line and not line.upper().startswith(_TALK):
                return line


def _pump(stream: IO[str] | None, lines: "Queue[str | None]") -> None:
    """Pass on what an engine writes, line by line."""
    for line in stream or ():
        lines.put(line.strip())
    lines.put(None)


_OWN = "bromeliad"
_BUDGET = re.compile(r"(.+):(?:(\d+)sims|(\d+(?:\.\d*)?|\.\d+))")  # mcts:200sims, mcts:0.1


def find_player(game: "TurnGame", name: str, setup: "Setup", clock: float = 1.0) -> Player:
    """Return a player by its name.

    That is a strategy of the game, such as ``random`` or ``mcts``; ``mcts:0.1`` (seconds per move) and ``mcts:200sims``
    (simulations per move) have a budget of their own. Gomoku has ``bromeliad``, ``bromeliad:MODEL`` and the commands of
    other programs, too.

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
    """Give a match of a registered game between two players by name (:func:`.find_player`), who are closed after it.

    Parameters
    ----------
    clock
        Seconds per move of engines that run by themselves.
    """

    def start(opening: tuple[int, str]) -> "Table[Any]":
        table = game.table(setup, opening[0])
        table.play_all(opening[1])
        return table

    with ExitStack() as players:
        first, second = (players.enter_context(closing(find_player(game, name, setup, clock))) for name in names)
        yield GameMatch(first, second, games, game.openings(setup), start)
