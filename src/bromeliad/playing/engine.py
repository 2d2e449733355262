"""The engine: a strategy that answers the engine protocol on standard input and output.

Only ``quit`` and the end of the input end it. An invalid line is answered with an error.
"""

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from bromeliad import __version__
from bromeliad.errors import BromeliadError, InputError
from bromeliad.games.ofc.play.strategies import AIStrategy
from bromeliad.games.ofc.rules.files import dump_rules, preset, preset_names
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.playing.engine_messages import PROTOCOL, NewHand, Place, placement, read_json, read_message
from bromeliad.playing.strategies import find_strategy

_LONGEST = 1 << 20  # longest line, in bytes
_SHOWN = 400  # longest error, in characters

Message = dict[str, Any]


class Engine:
    """Plays hands with one strategy.

    Parameters
    ----------
    name
        The strategy, by the name that :func:`.find_strategy` accepts.
    folder
        Directory for rule sets that are not presets.

    Raises
    ------
    InputError
        If there is no such strategy.
    """

    def __init__(self, name: str, folder: Path) -> None:
        self._name, self._folder = name, folder
        self._rules = preset(preset_names()[0])
        self._strategy: AIStrategy = find_strategy(name, self._rules.name)
        self._hand: NewHand | None = None
        self._answers: dict[str, Callable[[Message], Message]] = {
            "hello": self._hello,
            "new_hand": self._new_hand,
            "place": self._place,
        }

    def answer(self, line: bytes) -> Message | None:
        """Return the answer to a line; None after ``quit``."""
        message: Message = {}
        try:
            message = read_json(line)
            ask = message.get("ask")
            if ask == "quit":
                return None
            answer = self._answers.get(ask) if isinstance(ask, str) else None
            if answer is None:
                raise InputError("ask must be one of {asks}", asks=", ".join([*self._answers, "quit"]))
            said = answer(message)
        except BromeliadError as error:
            said = {"error": " ".join(str(error).split())[:_SHOWN]}
        return {"id": _id_of(message), **said}

    def _hello(self, message: Message) -> Message:
        return {
            "protocol": PROTOCOL,
            "name": f"bromeliad {self._name}",
            "version": __version__,
            "rules": list(preset_names()),
        }

    def _new_hand(self, message: Message) -> Message:
        self._hand = None
        hand = read_message(NewHand, message)
        rules = hand.read_rules()
        if rules != self._rules:
            self._strategy = find_strategy(self._name, self._place_of(rules))
            self._rules = rules
        self._strategy.begin_hand(hand.seed)
        self._hand = hand
        return {"ok": True}

    def _place_of(self, rules: RuleSet) -> str:
        """Return the preset of these rules, or the path of a file that contains them."""
        if rules.name in preset_names() and preset(rules.name) == rules:
            return rules.name
        path = self._folder / "rules.yaml"
        path.write_text(dump_rules(rules), encoding="utf-8")
        return str(path)

    def _place(self, message: Message) -> Message:
        if self._hand is None:
            raise InputError("no hand has begun: ask new_hand first")
        view = read_message(Place, message).to_view(self._rules, self._hand)
        try:
            return placement(self._strategy.decide_placement(view))
        except BromeliadError:
            raise
        except Exception as error:  # a strategy of another package may raise anything
            raise InputError("the strategy failed: {error}", error=f"{type(error).__name__}: {error}") from error


def _id_of(message: Message) -> int | str | None:
    found = message.get("id")
    return found if isinstance(found, (int, str)) else None


def serve(name: str, source: BinaryIO, sink: BinaryIO, ready: Callable[[], None]) -> None:
    """Answer lines until ``quit``, the end of the input, or until the reader of the answers has gone.

    Parameters
    ----------
    ready
        Called before the first line is read; compiles the kernels of the strategy.
    """
    with tempfile.TemporaryDirectory(prefix="bromeliad-engine-") as folder:
        engine = Engine(name, Path(folder))
        ready()
        for line in _lines_of(source):
            said = engine.answer(line)
            if said is None:
                return
            try:
                sink.write(json.dumps(said).encode() + b"\n")
                sink.flush()
            except BrokenPipeError:
                return


def _lines_of(source: BinaryIO) -> Iterator[bytes]:
    """Yield the lines that are not empty; of a line that is too long, yield only the beginning, which is an error."""
    whole = True
    while line := source.readline(_LONGEST):
        begun, whole = whole, line.endswith(b"\n") or len(line) < _LONGEST
        if begun and line.strip():
            yield line
