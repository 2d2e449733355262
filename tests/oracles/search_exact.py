"""Exact answers of the small games, in plain Python without a line of ours."""

from functools import cache

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


@cache
def tictactoe(board, mover):
    """Return the value for ``mover`` of a board (a string of nine of 'xo.')."""
    for a, b, c in LINES:
        if board[a] == board[b] == board[c] != ".":
            return 1 if board[a] == mover else -1
    free = [i for i in range(9) if board[i] == "."]
    if not free:
        return 0
    other = "o" if mover == "x" else "x"
    return max(-tictactoe(board[:i] + mover + board[i + 1 :], other) for i in free)


def tictactoe_values(board, mover):
    """Return the value of each free square."""
    other = "o" if mover == "x" else "x"
    return {i: -tictactoe(board[:i] + mover + board[i + 1 :], other) for i in range(9) if board[i] == "."}


def nim_wins(piles):
    """Return the winning moves as (pile, taken)."""
    found = []
    for i, pile in enumerate(piles):
        for taken in range(1, pile + 1):
            rest = 0
            for j, other in enumerate(piles):
                rest ^= other - taken if i == j else other
            if rest == 0:
                found.append((i, taken))
    return found


@cache
def pig(turns, total, cap):
    """Return the values of (hold, roll) with so many turns left, this one included, and so much added up."""
    if turns == 0:
        return (0.0, 0.0)

    def best(left, added):
        if left == 0:
            return 0.0
        hold, roll = pig(left, added, cap)
        return hold if added >= cap else max(hold, roll)

    hold = total + best(turns - 1, 0)
    if total >= cap:
        return (hold, float("-inf"))
    roll = (best(turns - 1, 0) + sum(best(turns, total + face) for face in range(2, 7))) / 6
    return (hold, roll)


def kuhn(mine, calls, bets):
    """Return the values of (check, bet) at the first move, and of (fold, call) after check and bet."""
    others = [card for card in range(3) if card != mine]

    def showdown(card, stake):
        return stake if mine > card else -stake

    weight = sum(bets[card] for card in others)
    fold = -1.0
    call = sum(bets[card] * showdown(card, 2) for card in others) / weight if weight else fold
    last = max(fold, call)
    bet = sum(calls[card] * showdown(card, 2) + (1 - calls[card]) for card in others) / 2
    check = sum(bets[card] * last + (1 - bets[card]) * showdown(card, 1) for card in others) / 2
    return (check, bet), (fold, call)


def trio(pays, *choices):
    """Return what each player gets when all play well from here on."""
    if len(choices) == 3:
        return tuple(pays[choices])
    return max((trio(pays, *choices, i) for i in range(3)), key=lambda gains: gains[len(choices)])
