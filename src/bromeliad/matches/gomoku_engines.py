"""Who can play a Gomoku match: this package's player, and any program that speaks the Gomocup protocol."""

import contextlib
import re
import shlex
import subprocess
import time
from collections.abc import Sequence
from queue import Empty, Queue
from threading import Thread
from typing import IO, Protocol

from bromeliad.core.budget import Budget
from bromeliad.core.game import clone
from bromeliad.errors import BromeliadError, InputError
from bromeliad.games.gomoku.game import Gomoku
from bromeliad.games.gomoku.player import Player
from bromeliad.games.gomoku.position import play_cells

__all__ = ["EngineError", "ExternalEngine", "MatchPlayer", "OwnEngine"]

_MOVE = re.compile(r"\s*(\d+)\s*,\s*(\d+)\s*")
_TALK = ("MESSAGE", "DEBUG")
_GRACE = 10.0  # seconds beyond its time after which an engine is given up
_NO_LIMIT = 100_000_000  # milliseconds of a match without a clock of its own


class EngineError(BromeliadError):
    """An engine did not answer, or not as the protocol asks."""


class MatchPlayer(Protocol):
    """What a match asks of a player."""

    name: str

    def new_game(self, game: Gomoku, seconds: float) -> None:
        """Get ready for a game with so many seconds a move."""

    def move(self, cells: Sequence[int]) -> int:
        """Return the next move after these."""

    def close(self) -> None:
        """Give everything back."""


class OwnEngine:
    """The player of this package in a match."""

    def __init__(self, player: Player, name: str = "bromeliad", simulations: int | None = None) -> None:
        self.name = name
        self._player = player
        self._simulations = simulations
        self._seconds = 1.0

    def new_game(self, game: Gomoku, seconds: float) -> None:
        """Keep the time; the player knows its board."""
        self._seconds = seconds

    def move(self, cells: Sequence[int]) -> int:
        """Think."""
        state = play_cells(self._player.game, cells)
        counted = self._simulations is not None
        budget = Budget(None if counted else self._seconds, self._simulations)
        return self._player.think(clone(state), budget).best

    def close(self) -> None:
        """Nothing is to be given back."""


class ExternalEngine:
    """A program of its own that speaks the Gomocup protocol on standard input and output.

    Parameters
    ----------
    command
        The program and its arguments, as typed in a shell.
    """

    def __init__(self, command: str, memory: int = 350 << 20) -> None:
        self.name = command
        self._memory = memory
        self._seconds = 1.0
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

    def new_game(self, game: Gomoku, seconds: float) -> None:
        """Start a board and tell the engine its limits; one that has ended is started again."""
        if self._ended or self._process.poll() is not None:
            self.close()
            self._start()
        self._seconds, self._size, self._shown = seconds, game.size, []
        milliseconds = round(1000 * seconds)
        self._send(f"START {game.size}")
        answer = self._read(_GRACE * 6)
        if not answer.upper().startswith("OK"):
            raise EngineError("{engine} answered START with {answer!r}", engine=self.name, answer=answer)
        for key, value in (
            ("timeout_turn", milliseconds),
            ("timeout_match", _NO_LIMIT),
            ("time_left", _NO_LIMIT),
            ("max_memory", self._memory),
            ("game_type", 1),
            ("rule", game.rules.bits),
        ):
            self._send(f"INFO {key} {value}")

    def move(self, cells: Sequence[int]) -> int:
        """Show the board and read the move."""
        if not cells:
            self._send("BEGIN")
        elif self._shown and list(cells[:-1]) == self._shown:
            row, column = divmod(cells[-1], self._size)
            self._send(f"TURN {column},{row}")
        else:
            self._send("BOARD")
            for i, cell in enumerate(cells):
                row, column = divmod(cell, self._size)
                self._send(f"{column},{row},{1 if (len(cells) - i) % 2 == 0 else 2}")
            self._send("DONE")
        answer = self._read(self._seconds + _GRACE)
        match = _MOVE.fullmatch(answer)
        if match is None:
            raise EngineError("{engine} answered with {answer!r}", engine=self.name, answer=answer)
        cell = int(match[2]) * self._size + int(match[1])
        self._shown = [*cells, cell]
        return cell

    def close(self) -> None:
        """Ask the engine to end, and end it if it does not."""
        with contextlib.suppress(OSError, EngineError):
            self._send("END")
        try:
            self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):  # what was not sent has no reader any more
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
