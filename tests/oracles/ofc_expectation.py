"""Exact means of unfinished boards by brute force: every draw, every placement, every final board.

Written from the rules and sharing no code with the package; only the plain scorer judges finished boards. A board is
three lists of cards (strings such as ``As``, jokers ``Jk``) and a rule set is plain data. Inside, a set of cards is a
number with a bit for each card, so that what was met before is found fast.

Where several replies are equally good, foul, fantasyland and royalties depend on which is taken, so each of them comes
as the least and the greatest that a best player can have.
"""

from functools import cache
from itertools import combinations, permutations
from typing import NamedTuple

from oracles import ofc_scorer

ROW_SIZES = (3, 5, 5)
NAMES = [*ofc_scorer.DECK, ofc_scorer.JOKER, ofc_scorer.JOKER]
TIE = 1e-9  # values nearer than this are equal: they differ by rounding only


class Means(NamedTuple):
    """What a board is worth, and the least and the greatest of each thing that makes it up."""

    value: float
    foul_least: float
    foul_most: float
    fantasyland_least: float
    fantasyland_most: float
    royalties_least: float
    royalties_most: float


class Brute:
    """Values boards for one rule set and objective; final boards and positions met before are remembered."""

    def __init__(self, rules, worth, foul_cost, first=(), seen=()):
        self.rules = rules
        self.streets = rules["streets"]
        self.worth = worth
        self.foul_cost = foul_cost
        self.first = first  # the first cards dealt, for the house rule
        self.seen = seen  # cards on other boards
        self.judged = {}
        self.known = {}

    def mean(self, board, deck):
        """Return the means of a board between streets; ``deck`` has the cards that may come."""
        rows, left = _bits(*board, deck)[:3], _bits(*board, deck)[3]
        return self._before_draw(rows, left, self._street(board))

    def actions(self, board, cards, deck, only=None):
        """Return the means of every placement, keyed by the cards added to each row and the discards, all sorted.

        ``only`` names the placements that are wanted, if not all are.
        """
        *rows, hand, left = _bits(*board, cards, deck)
        street = self._street(board)
        found = {}
        for places in _patterns(_free(rows), self.streets[street]["deal"], self.streets[street]["place"]):
            after = _placed(rows, _cards(hand), places)
            added = [new & ~old for new, old in zip(after, rows, strict=True)]
            key = tuple(tuple(sorted(_names(group))) for group in (*added, hand & ~sum(added)))
            if key not in found and (only is None or key in only):
                found[key] = self._before_draw(after, left, street + 1)
        return found

    def _street(self, board):
        placed, street = sum(map(len, board)), 0
        while placed > 0:
            placed -= self.streets[street]["place"]
            street += 1
        assert placed == 0
        return street

    def _before_draw(self, rows, deck, street):
        key = (*rows, deck)
        if key not in self.known:
            if street == len(self.streets):
                self.known[key] = self._final(rows)
            else:
                draws = combinations(_cards(deck), self.streets[street]["deal"])
                best = [self._best(rows, draw, deck & ~sum(draw), street) for draw in draws]
                self.known[key] = Means(*(sum(part) / len(best) for part in zip(*best, strict=True)))
        return self.known[key]

    def _best(self, rows, hand, deck, street):
        patterns = _patterns(_free(rows), self.streets[street]["deal"], self.streets[street]["place"])
        if street == len(self.streets) - 1:
            deck = 0  # nothing will come: a final board is the same whatever is left
        means = [self._before_draw(_placed(rows, hand, places), deck, street + 1) for places in patterns]
        highest = max(m[0] for m in means)
        tied = [m for m in means if m[0] >= highest - TIE]
        if len(tied) == 1:
            return tied[0]
        least, most = map(min, zip(*tied, strict=True)), map(max, zip(*tied, strict=True))
        ends = zip(list(least)[1::2], list(most)[2::2], strict=True)
        return Means(highest, *(end for pair in ends for end in pair))

    def _final(self, rows):
        names = tuple(tuple(sorted(_names(row))) for row in rows)
        if names not in self.judged:
            done = ofc_scorer.finish([list(row) for row in names], self.rules, first=self.first, seen=self.seen)
            value = -self.foul_cost if done.foul else done.worth + self.worth.get(done.fantasyland, 0.0)
            reached = done.fantasyland > 0 or ofc_scorer.reaches_by_first(self.first, self.rules)
            foul, fantasyland, royalties = float(done.foul), float(reached and not done.foul), float(done.worth)
            self.judged[names] = Means(value, foul, foul, fantasyland, fantasyland, royalties, royalties)
        return self.judged[names]


@cache
def _patterns(free, deal, place):
    """Return the rows (or None) of each card of a hand, for every placement."""
    found = set()
    open_places = [row for row, count in enumerate(free) for _ in range(count)]
    for rows in set(permutations(open_places, place)):
        for chosen in combinations(range(deal), place):
            where = dict(zip(chosen, rows, strict=True))
            found.add(tuple(where.get(card) for card in range(deal)))
    return sorted(found, key=str)


def _placed(rows, hand, places):
    after = list(rows)
    for card, row in zip(hand, places, strict=True):
        if row is not None:
            after[row] |= card
    return tuple(after)


def _free(rows):
    return tuple(size - row.bit_count() for row, size in zip(rows, ROW_SIZES, strict=True))


def _bits(*groups):
    """Return each group of cards as a number; the first joker met is the first of the two."""
    jokers = [53, 52]
    return [sum(1 << (jokers.pop() if c == "Jk" else NAMES.index(c)) for c in group) for group in groups]


@cache
def _cards(bits):
    return tuple(1 << i for i in range(len(NAMES)) if bits >> i & 1)


def _names(bits):
    return [NAMES[i] for i in range(len(NAMES)) if bits >> i & 1]
