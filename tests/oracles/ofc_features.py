"""What the learned evaluation looks up, in plain Python: lists of cards, nothing packed."""

from itertools import combinations

RANKS = "23456789TJQKA"


def ranks_of(cards):
    return [RANKS.index(card[0]) for card in cards if card != "Jk"]


def single_ranks(cards):
    ranks = ranks_of(cards)
    return {rank for rank in ranks if ranks.count(rank) == 1}


def repeated_ranks(cards):
    ranks = ranks_of(cards)
    return {rank for rank in ranks if ranks.count(rank) > 1}


def straights():
    return [{12, 0, 1, 2, 3}, *({*range(low, low + 5)} for low in range(9))]


def straight_ranks(cards):
    """Return the ranks that a row without pairs may still take on the way to a straight."""
    ranks = ranks_of(cards)
    if any(a == b for a, b in combinations(ranks, 2)):
        return set()
    return set().union(*(window - set(ranks) for window in straights() if set(ranks) <= window))


def one_suit(cards):
    """Return the suits that all natural cards of a row share (all four for none)."""
    suits = {card[1] for card in cards if card != "Jk"}
    return {"c", "d", "h", "s"} if not suits else suits if len(suits) == 1 else set()


def live(deck, ranks, scale, limit):
    return min(int(len([card for card in deck if card != "Jk" and RANKS.index(card[0]) in ranks]) * scale + 0.5), limit)


def live_in_suit(deck, cards, scale, order="cdhs"):
    """Return the live cards of a row's suit: the first of them if it may have several, none if it has mixed suits."""
    suits = one_suit(cards)
    if not suits:
        return 0
    suit = next(letter for letter in order if letter in suits)
    return min(int(len([card for card in deck if card != "Jk" and card[1] == suit]) * scale + 0.5), 15)
