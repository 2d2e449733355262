"""Programs that speak the engine protocol (docs/engine-protocol.md), as players of OFC matches."""

import json
import shlex
import shutil
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from bromeliad.errors import BromeliadError, EngineError, InputError
from bromeliad.evaluation.results import PlainResult
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.play.seat import SeatView
from bromeliad.games.ofc.play.strategies import AIStrategy
from bromeliad.i18n import one_line
from bromeliad.matches.engine_process import EngineProcess
from bromeliad.playing.engine_messages import PROTOCOL, new_hand, place, read_json, read_placement
from bromeliad.playing.strategies import find_strategy

DEFAULT_SECONDS = 0.1
"""Seconds that an engine has for a placement, by default."""

TOLERANCE = 0.1
"""Seconds over its time limit after which an answer counts as late."""

GRACE = 30.0
"""Seconds over its time limit after which an engine without an answer counts as dead."""

START = 300.0
"""Seconds that an engine has for ``hello``, ``new_hand`` and its first ``place``: it may have to compile."""

PROBLEMS = 10
"""Number of problems that a result quotes."""

_PREFIX = "engine:"
_FAREWELL = json.dumps({"id": 0, "ask": "quit"})
_RESTARTS = 1
_SHOWN = 200  # characters of an engine's answer that are quoted

Answer = dict[str, Any]
T = TypeVar("T")


class HandGivenUpError(Exception):
    """An engine has refused to play a hand."""


@dataclass(frozen=True)
class EngineReport(PlainResult):
    """How an engine behaved in a match."""

    name: str  # as the engine gives it
    version: str
    illegal: int  # placements that the rules forbid; the solver placed instead
    late: int  # placements that took too long; they count
    placements_given_up: int  # the solver placed instead
    hands_given_up: int  # not played
    restarts: int
    problems: tuple[str, ...]  # descriptions of the first problems


class EngineStrategy(AIStrategy):
    """Asks another program. If it makes no legal placement, the solver makes one instead.

    Parameters
    ----------
    command
        The program and its arguments, as typed in a shell.
    rules_name
        The name of a preset or the path of a rule file.
    seconds
        Time limit of a placement.
    """

    def __init__(self, command: str, rules_name: str, seconds: float = DEFAULT_SECONDS) -> None:
        super().__init__()
        self._command, self._seconds = command, seconds
        self._solver = find_strategy(f"solver:{seconds}", rules_name)
        self._process: EngineProcess | None = None
        self._asked = 0  # the id of the last question
        self._knows_hand = False
        self._is_first = True  # no placement has been asked for since the start
        self._restarts = 0
        self.about: tuple[str, str] = ("", "")  # name and version, as the engine gives them
        self.counts: Counter[str] = Counter()
        self.problems: list[str] = []

    def begin_hand(self, seed: int) -> None:
        """Start the engine if necessary. The hand is announced before its first placement, when the seat is known.

        Raises
        ------
        EngineError
            If the engine does not start.
        """
        super().begin_hand(seed)
        self._solver.begin_hand(seed)
        self._knows_hand = False
        self._insist(self._running, "start")

    def decide_placement(self, view: SeatView) -> Action:
        """Return the engine's placement, or the solver's if the engine makes none.

        Raises
        ------
        EngineError
            If the engine is dead and has been restarted before.
        HandGivenUpError
            If the engine refuses this hand.
        """
        where = f"seat {view.seat}, " + ("fantasyland" if view.in_fantasyland else f"street {view.street + 1}")
        answer = self._insist(lambda: self._place(view, where), where)
        if "error" in answer:
            self._note("placements given up", where, f"gives up: {_quote(answer['error'])}")
            return self._solver.decide_placement(view)
        try:
            return read_placement(view, answer)
        except BromeliadError as error:
            self._note("illegal", where, f"illegal: {_quote(str(error))}")
            return self._solver.decide_placement(view)

    def choose_action(self, view: SeatView, actions: Sequence[Action]) -> Action:
        """Return the solver's choice: the protocol has no such question."""
        return self._solver.choose_action(view, actions)

    def evaluate_state(self, view: SeatView) -> float:
        """Return the solver's value: the protocol has no such question."""
        return self._solver.evaluate_state(view)

    def close(self) -> None:
        """End the engine."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def _insist(self, step: Callable[[], T], where: str) -> T:
        """Do a step; if the engine dies, restart it once and repeat the step."""
        while True:
            try:
                return step()
            except EngineError as error:
                self.close()
                if self._restarts == _RESTARTS:
                    raise
                self._restarts += 1
                self._note("restarts", where, f"started again: {_quote(str(error))}")

    def _running(self) -> EngineProcess:
        """Return the running engine; start it if necessary."""
        if self._process is None:
            self._process = EngineProcess(self._command, _FAREWELL)
            self._knows_hand, self._is_first = False, True
            self.about = self._hello(self._process)
        return self._process

    def _hello(self, process: EngineProcess) -> tuple[str, str]:
        answer = self._ask(process, {"ask": "hello"}, START)
        if answer.get("protocol") != PROTOCOL:
            raise EngineError(
                "{engine} answered hello with {answer}, not with protocol {protocol}",
                engine=self._command,
                answer=_quote(answer),
                protocol=PROTOCOL,
            )
        return _quote(answer.get("name", "")), _quote(answer.get("version", ""))

    def _place(self, view: SeatView, where: str) -> Answer:
        """Return the answer to ``place``; send ``new_hand`` first if the engine does not know the hand."""
        process = self._running()
        if not self._knows_hand:
            self._new_hand(process, view, where)
        start = time.monotonic()
        patience = START if self._is_first else self._seconds + GRACE
        answer = self._ask(process, place(view, self._seconds), patience)
        taken = time.monotonic() - start
        if taken > self._seconds + TOLERANCE and not self._is_first:
            self._note("late", where, f"late: {taken:.2f} s")
        self._is_first = False
        return answer

    def _new_hand(self, process: EngineProcess, view: SeatView, where: str) -> None:
        answer = self._ask(process, new_hand(view, self.seed), START)
        if answer.get("ok") is not True:
            self._note("hands given up", where, f"gives up the hand: {_quote(answer.get('error', answer))}")
            raise HandGivenUpError
        self._knows_hand = True

    def _ask(self, process: EngineProcess, message: Answer, seconds: float) -> Answer:
        self._asked += 1
        asked = self._asked

        def accept(line: str) -> Answer | None:
            try:
                answer = read_json(line)
            except InputError:
                return None
            # True equals 1 in Python, but is not an id
            return answer if answer.get("id") == asked and type(answer["id"]) is int else None

        process.send(json.dumps({"id": asked, **message}))
        return process.read(seconds, accept)

    def _note(self, kind: str, where: str, text: str) -> None:
        """Count a problem and keep its description."""
        self.counts[kind] += 1
        self.problems.append(f"{where}: {text}")


def _quote(said: object) -> str:
    """Return an engine's answer, shortened, on one line and without control characters."""
    text = said if isinstance(said, str) else json.dumps(said)
    return " ".join(one_line(text).split())[:_SHOWN]


def find_player(name: str, rules_name: str, seconds: float) -> AIStrategy:
    """Return a player of a match: ``engine:COMMAND ARGS``, or a strategy by its name (:func:`.find_strategy`).

    Engines start with their first hand.

    Raises
    ------
    InputError
        If there is no such strategy or no such program.
    """
    if not name.startswith(_PREFIX):
        return find_strategy(name, rules_name)
    command = name.removeprefix(_PREFIX).strip()
    words = _words(command)
    if not words or shutil.which(words[0]) is None:
        problem = InputError("there is no such program")
        raise InputError("the engine {command} cannot be started: {error}", command=command, error=problem)
    return EngineStrategy(command, rules_name, seconds)


def files_of(name: str) -> list[tuple[str, int]]:
    """Return the files in the command of an engine, with the times of their last changes."""
    words = _words(name.removeprefix(_PREFIX)) if name.startswith(_PREFIX) else []
    found = (shutil.which(word) or word for word in words)
    return [(path, Path(path).stat().st_mtime_ns) for path in found if Path(path).is_file()]


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:  # an unclosed quote
        return []
