"""The last street against opponents with one deal to come, by plain enumeration; shares no code with the package.

Cards, boards and rule sets are as in :mod:`oracles.ofc_scorer`. Of two jokers the deck has two equal names.
"""

from collections import defaultdict
from itertools import combinations, permutations

from oracles import ofc_scorer

PARTS = ("rows", "scoop", "royalties", "opponent_royalties", "foul", "fantasyland", "opponent_fantasyland")
SIZES = (3, 5, 5)


def fillings(rows, cards):
    """Yield every full board that some of the cards make of unfinished rows."""
    free = [row for row, size in enumerate(SIZES) for _ in range(size - len(rows[row]))]
    for chosen in permutations(cards, len(free)):
        board = [list(row) for row in rows]
        for card, row in zip(chosen, free, strict=True):
            board[row].append(card)
        yield board


def _cards(board):
    return [card for row in board for card in row]


class Opponent:
    """One opponent: all deals to come with their probabilities, and the best reply to each.

    ``others`` are the cards that lie on further boards, ``discards`` hidden cards that were drawn one after the other
    by ``weights``, a number for each card of ``unseen``.
    """

    def __init__(self, rows, unseen, rules, worth, others=(), discards=0, weights=None):
        self.rows, self.unseen, self.rules, self.worth = rows, unseen, rules, worth
        self.others = list(others)
        size = 0 if len(_cards(rows)) == 13 else rules["streets"][-1]["deal"]
        self.deals = self._deals(size, discards, weights or [1.0] * len(unseen))
        self._finished = {}

    def _deals(self, size, discards, weights):
        """Return the probability of each deal, by places in the unseen cards."""
        places = range(len(self.unseen))
        gone = {0: 1.0}  # by set of cards as bits
        for _ in range(discards):
            following = defaultdict(float)
            for bits, chance in gone.items():
                total = sum(weights[i] for i in places if not bits >> i & 1)
                for i in places:
                    if not bits >> i & 1:
                        following[bits | 1 << i] += chance * weights[i] / total
            gone = following
        deals = {}
        for deal in combinations(places, size):
            bits = sum(1 << i for i in deal)
            deals[deal] = sum(chance for taken, chance in gone.items() if not taken & bits)
        total = sum(deals.values())
        return {deal: chance / total for deal, chance in deals.items()}

    def mean(self, mine, first=()):
        """Return the parts of what my finished board gets in the mean."""
        sums = dict.fromkeys(PARTS, 0.0)
        known = {}
        for deal, chance in self.deals.items():
            if chance == 0.0:
                continue
            cards = [self.unseen[i] for i in deal]
            best = max((self._reply(board, mine, first, known) for board in fillings(self.rows, cards)), key=_key)
            for part in PARTS:
                sums[part] += chance * best[1][part]
        return sums

    def _reply(self, board, mine, first, known):
        """Return (what the opponent goes by, the parts for me) of one reply."""
        name = tuple(tuple(sorted(row)) for row in board)
        if name not in known:
            known[name] = self._settled(board, name, mine, first)
        return known[name]

    def _settled(self, board, name, mine, first):
        copies = self.rules["jokers"]["may_copy_seen"]
        if name not in self._finished or not copies:
            self._finished[name] = ofc_scorer.finish(board, self.rules, seen=[*_cards(mine), *self.others])
        theirs = self._finished[name]
        own = ofc_scorer.finish(mine, self.rules, first=first, seen=[*_cards(board), *self.others])
        parts = split(own, theirs, self.rules, self.worth)
        gain = -sum(parts.values()) + parts["fantasyland"]
        return (round(gain, 9), not theirs.foul, theirs.worth, -parts["opponent_fantasyland"]), parts


def _key(reply):
    return reply[0]


def split(own, theirs, rules, worth):
    """Return the parts of what one finished board gets from another."""
    scoring = rules["scoring"]
    prices = [scoring["row_points"][row] for row in ofc_scorer.ROWS]
    parts = dict.fromkeys(PARTS, 0.0)
    parts["royalties"], parts["opponent_royalties"] = own.worth, -theirs.worth
    parts["fantasyland"] = worth.get(own.fantasyland, 0.0)
    parts["opponent_fantasyland"] = -worth.get(theirs.fantasyland, 0.0)
    if own.foul or theirs.foul:
        parts["foul"] = (theirs.foul - own.foul) * (sum(prices) + scoring["scoop"])
        return parts
    signs = [ofc_scorer._compare_rows(own, theirs, row, rules) for row in range(3)]
    parts["rows"] = sum(sign * price for sign, price in zip(signs, prices, strict=True))
    parts["scoop"] = scoring["scoop"] * ((signs == [1, 1, 1]) - (signs == [-1, -1, -1]))
    return parts
