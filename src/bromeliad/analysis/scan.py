"""One pass over hands: reads and checks each, and scores many at once."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.analysis.anomalies import Anomaly, Oddity
from bromeliad.analysis.hand_reader import HandReader, ReadHand, is_plain
from bromeliad.analysis.sources import Sourced
from bromeliad.core.jit import int64, kernel
from bromeliad.core.kernel_cache import warmup
from bromeliad.errors import BromeliadError
from bromeliad.games.ofc.play.history import rules_of
from bromeliad.games.ofc.play.table import pay_owed
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.rules.rule_tables import Tables, rule_tables
from bromeliad.games.ofc.rules.scoring import Scored, score_board, settle
from bromeliad.i18n import tr

_AT_ONCE = 1000  # hands scored together
_Read = tuple[Sourced, ReadHand]


class ScoredHands(NamedTuple):
    """Results by [hand, seat]."""

    scored: NDArray[np.int64]  # [hand, seat, offset in Scored]
    pairs: NDArray[np.int64]  # [hand, one, two]: points that seat one wins from seat two
    scoops: NDArray[np.int64]  # opponents that the seat scooped
    scooped: NDArray[np.int64]  # opponents that scooped the seat

    @property
    def points(self) -> NDArray[np.int64]:
        """The points of each seat."""
        points: NDArray[np.int64] = self.pairs.sum(axis=2)
        return points


class Batch(NamedTuple):
    """Scored hands of one rule set and one number of players."""

    rules: RuleSet
    sourced: tuple[Sourced, ...]
    hands: tuple[ReadHand, ...]
    results: ScoredHands


class Scan:
    """Reads hands and collects anomalies.

    Parameters
    ----------
    rules
        Read only hands under the rules of this name; None reads all.

    Attributes
    ----------
    hands
        Number of hands that obey the rules.
    anomalies
        Anomalies in the order in which they were found, at most ``most`` of a kind.
    found
        Number of anomalies of each kind.
    others
        Names of the rules whose hands were skipped.
    """

    def __init__(self, rules: str | None = None, most: int = 1000) -> None:
        self.hands = 0
        self.anomalies: list[Anomaly] = []
        self.found: Counter[str] = Counter()
        self.others: set[str] = set()
        self._only = rules
        self._most = most
        self._readers: dict[str, HandReader] = {}
        self._seen: set[tuple[str, int]] = set()

    def run(self, hands: Iterable[Sourced]) -> Iterator[Batch]:
        """Yield the hands in batches, without impossible and skipped ones."""
        waiting: dict[tuple[int, int], list[_Read]] = {}
        for sourced in hands:
            read = self._read(sourced)
            if read is None:
                continue
            facts = read[1]
            group = waiting.setdefault((id(facts.rules), len(facts.players)), [])
            group.append(read)
            if len(group) == _AT_ONCE:
                yield self._scored(group)
                group.clear()
        for group in waiting.values():
            if group:
                yield self._scored(group)

    def note(self, kind: str, sourced: Sourced, hand: int | None, detail: str) -> None:
        """Add an anomaly of a hand."""
        self.keep(Anomaly(kind, sourced.source, sourced.line, hand, detail))

    def keep(self, anomaly: Anomaly) -> None:
        """Count an anomaly, and list it unless ``most`` of its kind are listed."""
        self.found[anomaly.kind] += 1
        if self.found[anomaly.kind] <= self._most:
            self.anomalies.append(anomaly)

    def _read(self, sourced: Sourced) -> _Read | None:
        """Return a hand, or None if it is impossible or not wanted."""
        facts = self._read_fast(sourced.text) or self._read_with_care(sourced)
        if facts is None or not self._is_wanted(facts.rules):
            return None
        known = sourced.source, hash(sourced.text)
        if known in self._seen:
            self.note("repeated hand", sourced, facts.number, tr("repeats an earlier line"))
        self._seen.add(known)
        return sourced, facts

    def _read_fast(self, text: str) -> ReadHand | None:
        """Return a correct hand in the usual form; None for all others."""
        try:
            data = json.loads(text)
            return self._reader(data["rules"]).read(data) if is_plain(data) else None
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError, Oddity, BromeliadError):
            return None  # the careful reader reports the error

    def _read_with_care(self, sourced: Sourced) -> ReadHand | None:
        """Return a hand, or None if it is not wanted or impossible; note the anomaly of an impossible hand."""
        record = sourced.record
        if isinstance(record, BromeliadError):
            self.note("unreadable", sourced, None, record.render(tr))
            return None
        try:
            reader = self._reader(record.rules)
            if not self._is_wanted(reader.rules):
                return None
            return reader.read(record.model_dump())
        except Oddity as odd:
            self.note(odd.kind, sourced, record.hand, odd.detail)
        except BromeliadError as error:
            self.note("rules", sourced, record.hand, error.render(tr))
        return None

    def _is_wanted(self, rules: RuleSet) -> bool:
        """Return whether hands under these rules are wanted; collect the names of other rules."""
        if self._only is None or rules.name == self._only:
            return True
        self.others.add(rules.name)
        return False

    def _reader(self, rules: str | dict[str, Any]) -> HandReader:
        key = rules if isinstance(rules, str) else json.dumps(rules, sort_keys=True)
        if key not in self._readers:
            self._readers[key] = HandReader(rules_of(rules))
        return self._readers[key]

    def _scored(self, group: list[_Read]) -> Batch:
        facts = tuple(read[1] for read in group)
        rules, results = facts[0].rules, _zeros(len(facts), len(facts[0].players))
        boards = np.array([hand.boards for hand in facts], np.int64)
        reached = np.array([hand.reached for hand in facts], np.int64)
        _score(rule_tables(rules), boards, reached, np.zeros(4, np.int64), results)
        self._compare(group, results)
        self.hands += len(group)
        return Batch(rules, tuple(read[0] for read in group), facts, results)

    def _compare(self, group: list[_Read], results: ScoredHands) -> None:
        """Note the anomalies of scores, sums and chips that differ from the rules."""
        scores = [hand.score for _, hand in group]
        fields = {
            "points": results.points,
            "royalties": results.scored[:, :, Scored.ROYALTIES],
            "fouls": results.scored[:, :, Scored.FOUL],
            "next_fantasyland": results.scored[:, :, Scored.NEXT_CARDS],
        }
        for name, right in fields.items():
            written = np.array([getattr(score, name) for score in scores], np.int64)
            for i in np.flatnonzero((written != right).any(axis=1)):
                sourced, hand = group[i]
                detail = f"{name}: {right[i].tolist()}, {tr('the record says')} {written[i].tolist()}"
                self.note("score", sourced, hand.number, detail)
            if name == "points":
                for i in np.flatnonzero(written.sum(axis=1)):
                    self.note("sum", group[i][0], group[i][1].number, f"{written[i].tolist()}")
        for (sourced, hand), pairs in zip(group, results.pairs, strict=True):
            if hand.score.chips is not None:
                self._check_chips(sourced, hand, hand.score.chips, pairs.tolist())

    def _check_chips(self, sourced: Sourced, hand: ReadHand, chips: Sequence[int], owed: list[list[int]]) -> None:
        stacks = [stack for stack in hand.stacks if stack is not None]
        if len(stacks) != len(hand.stacks):
            return
        right = pay_owed(owed, stacks)
        if tuple(chips) != right:
            self.note("chips", sourced, hand.number, f"{list(right)}, {tr('the record says')} {list(chips)}")


def _zeros(hands: int, players: int) -> ScoredHands:
    shape = hands, players
    return ScoredHands(*(np.zeros(each, np.int64) for each in ((*shape, Scored.SIZE), (*shape, players), shape, shape)))


@kernel
def _score(
    tables: Tables,
    boards: NDArray[np.int64],
    fantasyland: NDArray[np.int64],
    scratch: NDArray[np.int64],
    out: ScoredHands,
) -> None:
    """Score every board, and settle every pair of seats in a hand."""
    players = boards.shape[1]
    for i in range(boards.shape[0]):
        seen = int64(0)
        for seat in range(players):
            seen |= boards[i, seat, 0] | boards[i, seat, 1] | boards[i, seat, 2]
        for seat in range(players):
            top, middle, back = boards[i, seat, 0], boards[i, seat, 1], boards[i, seat, 2]
            score_board(tables, top, middle, back, fantasyland[i, seat], seen, out.scored[i, seat])
        for one in range(players):
            for two in range(players):
                if one != two:
                    out.pairs[i, one, two] = settle(tables, out.scored[i, one], out.scored[i, two], scratch)
                    out.scoops[i, one] += int64(scratch[0] > 0 and scratch[1] > 0 and scratch[2] > 0)
                    out.scooped[i, one] += int64(scratch[0] < 0 and scratch[1] < 0 and scratch[2] < 0)


@warmup
def _warm_up() -> None:
    from bromeliad.games.ofc.rules.files import preset

    boards = np.array([[[7, 31 << 3, 31 << 8], [7 << 13, 31 << 16, 31 << 21]]], np.int64)
    tables = rule_tables(preset("pineapple"))
    _score(tables, boards, np.zeros((1, 2), np.int64), np.zeros(4, np.int64), _zeros(1, 2))
