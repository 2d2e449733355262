"""Every way to set a fantasyland hand, one after the other: slow, plain, and sharing no code with the package.

Cards and rules are as in :mod:`oracles.ofc_scorer`, which judges the boards.
"""

from functools import cache
from itertools import combinations

from oracles import ofc_scorer as scorer


@cache
def strengths(row):
    """Return what a row of sorted cards can be, strongest first: one strength without jokers, many with."""
    real = [card for card in row if card != scorer.JOKER]
    free = [card for card in scorer.DECK if card not in real]
    fills = combinations(free, len(row) - len(real))
    return sorted({scorer.strength(real + list(fill)) for fill in fills}, reverse=True)


def boards(cards):
    """Yield every (top, middle, back); boards that differ by which joker is where come once."""
    cards = sorted(cards)
    seen = set()
    for back in combinations(cards, 5):
        rest = without(cards, back)
        for middle in combinations(rest, 5):
            for top in combinations(without(rest, middle), 3):
                board = top, middle, back
                if scorer.JOKER not in cards or board not in seen:
                    yield board
                seen.add(board) if scorer.JOKER in cards else None


def without(cards, gone):
    left = list(cards)
    for card in gone:
        left.remove(card)
    return left


def resolve(board, rules):
    """Return the strengths of the rows, jokers at their best from the back on, or None for a foul."""
    if rules["order"]["low_middle"]:
        finished = scorer.finish(board, rules)
        return None if finished.foul else finished.rows
    rows = [strengths(board[2])[0]]
    for row in (board[1], board[0]):
        below = (s for s in strengths(row) if s < rows[0] or (s == rows[0] and not rules["order"]["strict"]))
        best = next(below, None)
        if best is None:
            return None
        rows.insert(0, best)
    return rows


def finish(board, rules, current):
    """Judge a board; jokers may copy any card."""
    rows = resolve(board, rules)
    foul = rows is None
    if foul or rules["order"]["low_middle"]:
        return scorer.finish(board, rules, current) if not foul else scorer.Finished(board, True, [], (), 0, 0)
    royalties = scorer._royalties(board, rows, None, rules)
    return scorer.Finished(board, False, rows, royalties, scorer.next_cards(rows, None, rules, current), 0)


def value(mine, rules, worth, foul_cost, opponents):
    """Return what a finished board is worth: alone, or against finished boards."""
    if not opponents:
        return -foul_cost if mine.foul else mine.worth + worth.get(mine.fantasyland, 0)
    total = worth.get(mine.fantasyland, 0) * len(opponents)  # every opponent pays for it
    for other in opponents:
        total += scorer.settle_pair(mine, other, rules) - worth.get(other.fantasyland, 0)
    return total


def best_values(cards, rules, worth, foul_cost, k, opponents=()):
    """Return the values of the ``k`` best boards of a hand, best first."""
    opponent_tables = [finish([tuple(sorted(row)) for row in board], rules, 0) for board in opponents]
    values = (
        value(finish(board, rules, len(cards)), rules, worth, foul_cost, opponent_tables) for board in boards(cards)
    )
    return sorted(values, reverse=True)[:k]
