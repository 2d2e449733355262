"""A slow scorer of open-face Chinese poker, written from the rules and sharing no code with the package.

Cards are strings (``As``, jokers ``Jk``); a board is three lists of cards (top, middle, back); a rule set is plain
data, as ``RuleSet.model_dump(mode="json")`` gives it. A strength is a tuple that compares by ``<``.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

RANKS = "23456789TJQKA"
SUITS = "cdhs"
RANK_VALUE = {rank: RANKS.index(rank) + 2 for rank in RANKS}
DECK = [rank + suit for suit in SUITS for rank in RANKS]
CATEGORIES = (
    "high_card",
    "pair",
    "two_pair",
    "trips",
    "straight",
    "flush",
    "full_house",
    "quads",
    "straight_flush",
    "royal",
)
SHAPES = {
    (1, 1, 1): "high_card",
    (2, 1): "pair",
    (3,): "trips",
    (1, 1, 1, 1, 1): "high_card",
    (2, 1, 1, 1): "pair",
    (2, 2, 1): "two_pair",
    (3, 1, 1): "trips",
    (3, 2): "full_house",
    (4, 1): "quads",
}
WHEEL = [14, 5, 4, 3, 2]
JOKER = "Jk"
ROWS = ("top", "middle", "back")


def rank_of(card):
    return RANK_VALUE[card[0]]


def suit_of(card):
    return SUITS.index(card[1])


def strength(cards):
    """Return (category, ranks in the order in which they count, 0 for a missing kicker) of 3 or 5 cards."""
    held = [rank_of(card) for card in cards]
    groups = sorted([(held.count(rank), rank) for rank in set(held)], reverse=True)
    name = SHAPES[tuple([count for count, _ in groups])]
    ranks = [rank for _, rank in groups]
    if len(cards) == 5 and len(ranks) == 5:
        name, ranks = _straight_or_flush(cards, ranks)
    return CATEGORIES.index(name), tuple(ranks + [0] * (5 - len(ranks)))


def _straight_or_flush(cards, ranks):
    flush = len({card[1] for card in cards}) == 1
    if ranks == WHEEL:
        return ("straight_flush" if flush else "straight"), [5]
    if ranks[0] - ranks[4] == 4:
        if flush:
            return ("royal" if ranks[0] == 14 else "straight_flush"), ranks[:1]
        return "straight", ranks[:1]
    return ("flush" if flush else "high_card"), ranks


def suit_order(cards):
    """Return the suits of a row, the card that counts most first: equal ranks, higher suit first."""
    counts = Counter(map(rank_of, cards))
    wheel = len(cards) == 5 and sorted(counts, reverse=True) == WHEEL

    def weight(card):
        rank = rank_of(card)
        return counts[rank], 1 if wheel and rank == 14 else rank, suit_of(card)

    return tuple(suit_of(card) for card in sorted(cards, key=weight, reverse=True))


def low_ranks(cards):
    """Return the ranks of a deuce-to-seven hand, highest first, or None if it has a pair, a straight or a flush."""
    ranks = sorted(map(rank_of, cards), reverse=True)
    paired = len(set(ranks)) < 5
    straight = not paired and ranks[0] - ranks[4] == 4  # the ace is high: A5432 is no straight
    flush = len({card[1] for card in cards}) == 1
    return None if paired or straight or flush else tuple(ranks)


@dataclass
class Finished:
    """What a finished board is worth before it meets another."""

    cards: list  # by row, jokers replaced
    foul: bool
    rows: list  # strengths by row, bigger wins
    royalties: tuple  # by row, as if unfouled
    fantasyland: int  # cards of the next hand, 0 for none
    bonus: int

    @property
    def worth(self):
        return 0 if self.foul else sum(self.royalties) + self.bonus


def finish(board, rules, current=0, first=(), seen=()):
    """Judge a finished board.

    ``current`` is the number of cards of the fantasyland hand in play (0 outside), ``first`` the first cards dealt
    (for the house rule), ``seen`` the cards that lie on the other boards.
    """
    if any(JOKER in row for row in board):
        board = resolve_jokers(board, rules, seen)
    rows = _row_strengths(board, rules)
    foul = is_foul(rows, rules)
    low = low_ranks(board[1]) if rules["order"]["low_middle"] else None
    fantasyland = 0 if foul else next_cards(rows, low, rules, current)
    reached = reaches_by_first(first, rules) if rules["fantasyland"]["first_street"] else fantasyland and not current
    return Finished(
        cards=board,
        foul=foul,
        rows=rows,
        royalties=_royalties(board, rows, low, rules),
        fantasyland=fantasyland,
        bonus=rules["fantasyland"]["bonus"] if reached else 0,
    )


def _row_strengths(board, rules):
    rows = [strength(row) for row in board]
    if rules["order"]["low_middle"]:
        low = low_ranks(board[1])
        qualifies = low is not None and low[0] <= _rank(rules["order"]["low_middle"]["qualifier"])
        rows[1] = tuple(-rank for rank in low) if qualifies else None
    return rows


def is_foul(rows, rules):
    top, middle, back = rows
    pairs = [(top, middle), (middle, back)]
    if rules["order"]["low_middle"]:
        if middle is None:
            return True
        pairs = [(top, back)]
    return any(low > high or (rules["order"]["strict"] and low == high) for low, high in pairs)


def _rank(text):
    text = str(text)
    return RANKS.index("T" if text == "10" else text) + 2


def _royalties(board, rows, low, rules):
    table = rules["royalties"]
    category, ranks = rows[0]
    by_rank = {_rank(rank): points for rank, points in table["top"].get(CATEGORIES[category], {}).items()}
    top = by_rank.get(ranks[0], 0)
    back = table["back"].get(CATEGORIES[rows[2][0]], 0)
    if rules["order"]["low_middle"]:
        middle = 0 if rows[1] is None else _low_royalty(low, table["middle_low"])
    else:
        middle = table["middle"].get(CATEGORIES[rows[1][0]], 0)
    return top, middle, back


def _low_royalty(low, table):
    whole = "".join(RANKS[rank - 2] for rank in low)
    return table.get(whole, table.get(whole[0], 0))


def reaches(condition, rows, low):
    """Say whether a row is at least what the condition asks for."""
    words = condition["at_least"].split()
    if words[0] == "low":
        wanted = tuple(_rank(letter) for letter in words[1])
        return low is not None and low[: len(wanted)] <= wanted
    have = rows[ROWS.index(condition["row"])]
    wanted_rank = _rank(words[1]) if len(words) > 1 else 0
    return (have[0], have[1][0]) >= (CATEGORIES.index(words[0]), wanted_rank)


def next_cards(rows, low, rules, current):
    """Return how many fantasyland cards an unfouled board earns for the next hand."""
    land = rules["fantasyland"]
    if current:
        stays = any(reaches(condition, rows, low) for condition in land["stay"])
        return (current if land["stay_cards"] == "keep" else land["stay_cards"]) if stays else 0
    met = [condition for condition in land["entry"] if reaches(condition, rows, low)]
    if land["entry_both"] and len({condition["row"] for condition in met}) > 1:
        return land["entry_both"]
    return max((condition["cards"] for condition in met), default=0)


def reaches_by_first(first, rules):
    wanted = rules["fantasyland"]["first_street"]
    return bool(wanted) and len(first) == 5 and strength(first)[0] >= CATEGORIES.index(wanted["at_least"])


def resolve_jokers(board, rules, seen=()):
    """Return the board with its jokers replaced: strongest back, then middle, then top that do not foul.

    If every assignment fouls, any of them is returned.
    """
    copy = rules["jokers"]["may_copy_seen"]
    banned = set() if copy else {card for row in board for card in row} | set(seen)
    best = None
    for fills in product(*(_distinct_fills(tuple(row)) if copy else _row_fills(row, banned) for row in board)):
        used = [card for fill in fills for card in fill[0]]
        if not copy and len(used) != len(set(used)):
            continue
        rows = [fill[1] for fill in fills]
        key = not is_foul(rows, rules), rows[2], rows[1], rows[0]
        if best is None or key > best[0]:
            best = key, [fill[2] for fill in fills]
    return best[1]


def _row_fills(row, banned):
    """List (cards the jokers become, strength, cards) of a row, one entry a strength and set of cards."""
    real = [card for card in row if card != JOKER]
    free = [card for card in DECK if card not in real and card not in banned]
    fills = [(used, real + list(used)) for used in combinations(free, len(row) - len(real))]
    return [(used, strength(cards), cards) for used, cards in fills]


@cache
def _distinct_fills(row):
    """List the fills of a row whose jokers may be any cards, one a strength: which cards they are does not matter."""
    return list({fill[1]: fill for fill in _row_fills(row, ())}.values())


def settle_pair(one, two, rules):
    """Return the points that the first of two finished boards wins from the second."""
    scoring = rules["scoring"]
    points = [scoring["row_points"][row] for row in ROWS]
    everything = sum(points) + scoring["scoop"]
    if one.foul and two.foul:
        return 0
    if one.foul or two.foul:
        return -everything - two.worth if one.foul else everything + one.worth
    signs = [_compare_rows(one, two, row, rules) for row in range(3)]
    won = sum(sign * worth for sign, worth in zip(signs, points, strict=True))
    scoop = scoring["scoop"] if signs == [1, 1, 1] else -scoring["scoop"] if signs == [-1, -1, -1] else 0
    return won + scoop + one.worth - two.worth


def _compare_rows(one, two, row, rules):
    mine, theirs = one.rows[row], two.rows[row]
    if mine == theirs and rules["order"]["suits_break_ties"]:
        mine, theirs = suit_order(one.cards[row]), suit_order(two.cards[row])
    return (mine > theirs) - (mine < theirs)


def settle(finished, rules):
    """Return each player's points: the sum over the pairs."""
    totals = [0] * len(finished)
    for i, j in combinations(range(len(finished)), 2):
        points = settle_pair(finished[i], finished[j], rules)
        totals[i] += points
        totals[j] -= points
    return totals
