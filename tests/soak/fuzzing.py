"""Coverage-guided fuzzing of one parser: ``python fuzzing.py PARSER [options of libFuzzer]``. Needs atheris.

Whatever the bytes are, a parser reads them or raises BromeliadError, which prints as one line.
"""

import json
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["bromeliad"]):
    from bromeliad import registry
    from bromeliad.cluster.checkpoint import Checkpoint
    from bromeliad.core.cards import parse_cards
    from bromeliad.core.playable import read_options
    from bromeliad.errors import BromeliadError, InputError
    from bromeliad.games.gomoku.model import load_model
    from bromeliad.games.ofc.book.file import open_book
    from bromeliad.games.ofc.hands.boards import PlayerArrangement
    from bromeliad.games.ofc.play.history import parse_record
    from bromeliad.games.ofc.play.replay import replay
    from bromeliad.games.ofc.rules.files import parse_rules
    from bromeliad.games.ofc.values.weights import read_weights
    from bromeliad.i18n import one_line, tr
    from bromeliad.playing.engine_messages import NewHand, read_json, read_message
    from bromeliad.solving.request import read_request


def _text(data):
    return data.decode("utf-8", "surrogateescape")


def _json(data):
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise InputError("not JSON") from None


def _game(name):
    playable = registry.playable(name)

    def parse(data):
        found = _json(data)
        if isinstance(found, dict):
            read_options(playable.request, dict(playable.from_line(found)))

    return parse


def _file(read):
    folder = Path(tempfile.mkdtemp(prefix="bromeliad-fuzz-"))

    def parse(data):
        path = folder / "file"
        path.write_bytes(data)
        read(path)

    return parse


def _resume(path):
    with Checkpoint(path, {"seed": 1}).writing():
        pass


PARSERS = {
    "cards": lambda data: parse_cards(_text(data)),
    "board": lambda data: PlayerArrangement.parse(_text(data)),
    "rules": lambda data: parse_rules(_text(data)),
    "question": lambda data: read_request(_json(data)).to_spot(),
    "gomoku": _game("gomoku"),
    "sequence": _game("sequence"),
    "history": lambda data: replay(parse_record(_text(data))),
    "engine": lambda data: read_message(NewHand, read_json(_text(data))).read_rules(),
    "weights": _file(read_weights),
    "model": _file(load_model),
    "book": _file(open_book),
    "checkpoint": _file(_resume),
}
"""Every parser of what users, programs or files bring."""


def fuzz(parse):
    def try_one(data):
        refusal = None
        try:
            parse(data)
        except BromeliadError as error:
            refusal = one_line(error.render(tr))
        assert refusal is None or "\n" not in refusal

    return try_one


if __name__ == "__main__":
    atheris.Setup([sys.argv[0], *sys.argv[2:]], fuzz(PARSERS[sys.argv[1]]))
    atheris.Fuzz()
