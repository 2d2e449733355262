"""The Gomocup (Piskvork) protocol: ``pbrain-bromeliad`` on standard input and output.

Commands are lines, and most get one line in reply; ``MESSAGE`` lines describe the search. Only ``END`` or the end of
the input ends the program.
"""

import re
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from queue import Queue
from threading import Thread
from typing import IO

import numpy as np

from bromeliad.core.budget import Budget
from bromeliad.core.kernel_cache import ensure
from bromeliad.errors import BromeliadError, InputError
from bromeliad.games.gomoku.gomocup.session import BLOCK, OPPONENT, OWN, GomocupSession
from bromeliad.games.gomoku.openings import choose_side, propose_opening
from bromeliad.games.gomoku.player import Answer
from bromeliad.games.gomoku.proof.threats import KERNELS
from bromeliad.search import Cancel

ABOUT = f'name="Bromeliad", version="{version("bromeliad")}", author="the Bromeliad project", country="Taiwan"'
_INTEGER = re.compile(r"\s*(-?\d{1,12})\s*")
_PAIR = re.compile(r"\s*(\d{1,3})\s*,\s*(\d{1,3})\s*")
_FIELD = re.compile(r"\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*([123])\s*")
_DEFAULT_SIZE = 20
_SEED = 1
_PATIENCE = 0.6  # seconds that END waits for a running search
Say = Callable[[str], None]


class Protocol:
    """Answers the ``lines`` of a Gomocup manager; ``say`` writes a line to the manager."""

    def __init__(self, say: Say, lines: Iterator[str], cancel: Cancel | None = None) -> None:
        self._say = say
        self._lines = lines
        self._cancel = cancel or Cancel()
        self._session = GomocupSession()
        self._best_shown = 0
        self._rng = np.random.default_rng(_SEED)
        self._commands: dict[str, Callable[[str], None]] = {
            "START": self._start,
            "RECTSTART": self._rectangle,
            "RESTART": lambda rest: self._restart(),
            "BEGIN": lambda rest: self._begin(),
            "TURN": self._turn,
            "BOARD": lambda rest: self._board(),
            "PLAY": self._play,
            "TAKEBACK": self._take_back,
            "SWAP2BOARD": lambda rest: self._swap2(),
            "INFO": self._info,
            "ABOUT": lambda rest: self._say(ABOUT),
        }

    def run(self) -> None:
        """Answer lines until END or the end of the input."""
        for line in self._lines:
            if not self.answer(line):
                return

    def answer(self, line: str) -> bool:
        """Answer one line; return False after END."""
        word, _, rest = line.strip().partition(" ")
        command = word.upper()
        if command == "END":
            return False
        if command not in self._commands:
            if command:
                self._say("UNKNOWN command")
            return True
        try:
            self._commands[command](rest)
        except BromeliadError as error:
            self._say("ERROR " + " ".join(str(error).split()))
        return True

    # --- boards -----------------------------------------------------------------------------------------------------

    def _start(self, rest: str) -> None:
        match = _INTEGER.fullmatch(rest)
        if match is None:
            raise InputError("START needs a size")
        self._session.start(int(match[1]), int(match[1]))
        self._say("OK")

    def _rectangle(self, rest: str) -> None:
        match = _PAIR.fullmatch(rest)
        if match is None:
            raise InputError("RECTSTART needs a width and a height")
        self._session.start(int(match[1]), int(match[2]))
        self._say("OK")

    def _restart(self) -> None:
        self._ready()
        self._session.start(self._session.width, self._session.height)
        self._say("OK")

    def _ready(self) -> None:
        """Start a board of the default size if the manager did not start one."""
        if not self._session.size:
            self._session.start(_DEFAULT_SIZE, _DEFAULT_SIZE)

    def _cell(self, rest: str) -> int:
        self._ready()
        match = _PAIR.fullmatch(rest)
        if match is None:
            raise InputError("write coordinates as x,y")
        return self._session.cell(int(match[1]), int(match[2]))

    # --- moves ------------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._ready()
        self._move()

    def _turn(self, rest: str) -> None:
        cell = self._cell(rest)
        self._session.check_going()
        self._session.put(cell, OPPONENT)
        self._move()

    def _play(self, rest: str) -> None:
        cell = self._cell(rest)
        self._session.check_going()
        self._session.put(cell, OWN)
        self._say(self._session.name(cell))

    def _take_back(self, rest: str) -> None:
        self._session.take(self._cell(rest))
        self._say("OK")

    def _read_block(self) -> list[str]:
        """Return the lines up to DONE."""
        block = []
        for line in self._lines:
            if line.strip().upper() == "DONE":
                break
            block.append(line)
        return block

    def _board(self) -> None:
        self._ready()
        block = self._read_block()
        matches = [_FIELD.fullmatch(line) for line in block]
        fields = [
            (self._session.cell(int(match[1]), int(match[2])), (OWN, OPPONENT, BLOCK)[int(match[3]) - 1])
            for match in matches
            if match is not None
        ]
        if None in matches or len(dict(fields)) < len(fields):  # checked before the board changes
            raise InputError("write x,y,1 or 2 or 3, each cell once, or DONE, after BOARD")
        self._session.clear()
        for cell, who in fields:
            self._session.put(cell, who)
        self._move()

    def _move(self) -> None:
        answer = self._session.think(self._cancel)
        self._tell(answer)
        self._session.put(answer.best, OWN)
        self._say(self._session.name(answer.best))

    def _tell(self, answer: Answer) -> None:
        """Report depth, value and expected line, and the best moves if the manager asked for them."""
        depth = answer.search.tree.max_depth if answer.search else len(answer.line)
        line = " ".join(self._session.name(cell) for cell in answer.line[:12])
        self._say(
            f"MESSAGE {answer.how} depth {depth} ev {answer.value:+.3f} sims {answer.simulations}"
            f" nodes {answer.nodes} ms {round(1000 * answer.seconds)} pv {line}"
        )
        for rank, item in enumerate(answer.candidates[: self._best_shown], start=1):
            self._say(f"MESSAGE best {rank} {self._session.name(item.cell)} ev {item.value:+.3f} visits {item.visits}")

    # --- swap2 ------------------------------------------------------------------------------------------------------

    def _swap2(self) -> None:
        self._ready()
        block = self._read_block()
        cells = [self._cell(line) for line in block]
        if len(cells) not in (0, 3, 5) or len(set(cells)) < len(cells):
            raise InputError("SWAP2BOARD takes 0, 3 or 5 stones")
        player, seconds = self._session.player(), self._session.seconds()
        chosen = choose_side(player, cells, Budget(seconds)) if cells else propose_opening(player, self._rng, seconds)
        self._say("SWAP" if chosen is None else " ".join(self._session.name(cell) for cell in chosen))

    # --- limits and rules -------------------------------------------------------------------------------------------

    def _info(self, rest: str) -> None:
        """Store a limit or a setting; unknown keys are ignored, as the protocol requires."""
        key, _, text = rest.strip().partition(" ")
        match = _INTEGER.fullmatch(text)
        if match is None:
            return
        if key.lower() == "nbest":
            self._best_shown = max(int(match[1]), 0)
        else:
            self._session.inform(key.lower(), int(match[1]))


def _read(stream: IO[str], lines: "Queue[str | None]", cancel: Cancel) -> None:
    """Put the lines of a stream into a queue. If END arrives during a search, cancel it after a moment."""
    while True:
        try:
            line = stream.readline()
        except (ValueError, OSError):
            line = ""
        lines.put(line or None)
        if not line:
            return
        if line.strip().upper() == "END":
            break
    while lines.qsize() > 1:
        time.sleep(_PATIENCE / 10)
    time.sleep(_PATIENCE)
    cancel.cancel()


def serve(source: IO[str], target: IO[str]) -> None:
    """Serve the protocol until END or the end of the input."""
    cancel = Cancel()
    queue: Queue[str | None] = Queue()
    Thread(target=_read, args=(source, queue, cancel), daemon=True).start()

    def say(text: str) -> None:
        target.write(text + "\n")
        target.flush()

    Protocol(say, iter(queue.get, None), cancel).run()


def main() -> None:
    """Run ``pbrain-bromeliad``; kernels are compiled first, so that no move has to wait for them."""
    ensure(KERNELS)
    sys.stdin.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    serve(sys.stdin, sys.stdout)
