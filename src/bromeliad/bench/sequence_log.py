"""What long Sequence measurements have played so far, kept in a file so that they go on where they stopped."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bromeliad import games, search
from bromeliad.errors import InputError

__all__ = ["Log", "fingerprint"]


def fingerprint(*parts: object) -> str:
    """Return what tells agents apart: a hash of the sources of the game and the search, and of what is given."""
    digest = hashlib.sha256(repr(parts).encode())
    for folder in (Path(games.__file__).parent / "sequence", Path(search.__file__).parent):
        for path in sorted(folder.glob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


class Log:
    """Scores of games in a file of JSON lines, found again by what was measured.

    Parameters
    ----------
    path
        Where the file is or is to be; None: nothing is kept beyond this run.
    agent
        The agent's fingerprint: what another agent has played is not found.
    """

    def __init__(self, path: Path | None, agent: str) -> None:
        self._path, self._agent = path, agent
        self._scores: dict[tuple[object, ...], list[float]] = {}
        for line in _lines(path):
            if line["agent"] == agent:
                self._scores.setdefault(tuple(line["of"]), []).extend(line["scores"])

    def scores(self, of: tuple[object, ...]) -> list[float]:
        """Return the scores of the games that were played already, in their order."""
        return list(self._scores.get(of, ()))

    def add(self, of: tuple[object, ...], scores: list[float]) -> None:
        """Keep the scores of the games that came next."""
        self._scores.setdefault(of, []).extend(scores)
        if self._path is not None:
            line = {"agent": self._agent, "of": of, "scores": scores}
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _lines(path: Path | None) -> Iterable[dict[str, Any]]:
    """Read the file, if there is one."""
    if path is None or not path.exists():
        return []
    try:
        lines = [json.loads(text) for text in path.read_text("utf-8").splitlines()]
        return [{"agent": line["agent"], "of": line["of"], "scores": list(line["scores"])} for line in lines]
    except (OSError, ValueError, TypeError, KeyError):
        raise InputError("{path} is no log of Sequence games: name another file", path=str(path)) from None
