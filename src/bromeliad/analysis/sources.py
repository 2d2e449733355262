"""Sources of hands: files of hand histories, or a store."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from bromeliad.errors import BromeliadError
from bromeliad.games.ofc.play.history import HandRecord, parse_record, read_lines
from bromeliad.games.ofc.rules.files import dump_rules, preset, preset_names
from bromeliad.games.ofc.rules.rule_set import RuleSet


class Sourced(NamedTuple):
    """The line of a hand, and its source."""

    source: str  # a file, or a store
    line: int  # line of the file; in a store, the hand's id
    text: str

    @property
    def record(self) -> HandRecord | BromeliadError:
        """The hand, or the error of its line; parsed at every access."""
        try:
            return parse_record(self.text)
        except BromeliadError as error:
            return error


def from_files(paths: Iterable[str | Path]) -> Iterator[Sourced]:
    """Yield the lines of files."""
    for path in paths:
        for line, text in read_lines(path):
            yield Sourced(str(path), line, text)


def count_lines(path: str | Path) -> int:
    """Return the number of lines of a file, for a progress bar."""
    return sum(1 for _ in read_lines(path))


class RulesNames:
    """Names of rule sets for questions to the solver; rules that are not a preset are written to a temporary file."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="bromeliad-rules-")
        self._known: list[tuple[RuleSet, str]] = []

    def of(self, rules: RuleSet) -> str:
        """Return a preset's name, or the path of a file with these rules."""
        for known, name in self._known:
            if known is rules or known == rules:
                return name
        if rules.name in preset_names() and preset(rules.name) == rules:
            name = rules.name
        else:
            path = Path(self._folder.name) / f"{len(self._known)}.yaml"
            path.write_text(dump_rules(rules), encoding="utf-8")
            name = str(path)
        self._known.append((rules, name))
        return name

    def close(self) -> None:
        """Remove the files."""
        self._folder.cleanup()
