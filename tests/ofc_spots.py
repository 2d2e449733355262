"""Random spots with small decks, as plain lists of cards: an oracle and the solver can both be asked about them."""

from dataclasses import dataclass, replace

from bromeliad.games.ofc.spot import parse_spot
from oracles import ofc_scorer

ROW_SIZES = (3, 5, 5)
FIRST = ["9c", "8d", "7h", "6s", "5c"]  # first cards that reach the fantasyland of the house rules
STRENGTH_ORDER = ofc_scorer.RANKS + "J"


@dataclass(frozen=True)
class SmallSpot:
    """A decision with few cards left in the deck; all others are dead or on an opponent's board."""

    board: tuple  # three lists of cards
    cards: list
    deck: list
    dead: list
    opponent: list  # the cards of an unfinished opponent's middle row

    def request(self):
        """Return what `bromeliad solve` is asked, without rules and objective."""
        return {
            "board": text(self.board),
            "cards": " ".join(self.cards),
            "dead": " ".join(self.dead),
            "opponents": (f"- / {' '.join(self.opponent)} / -",) if self.opponent else (),
            "objective": "solo",
        }

    def parse(self, rules, **objective):
        """Return the spot of the package."""
        return parse_spot(rules, **self.request(), **objective)

    def with_cards(self, cards):
        """Return the spot with these cards of the deck in hand."""
        deck = list(self.deck)
        for card in cards:
            deck.remove(card)
        return replace(self, cards=list(cards), deck=deck)


def text(rows):
    return " / ".join(" ".join(row) or "-" for row in rows)


def shapes(free):
    """Return every way in which so many places can be free in the three rows."""
    top, middle, back = ROW_SIZES
    return [
        (a, b, free - a - b)
        for a in range(min(top, free) + 1)
        for b in range(min(middle, free - a) + 1)
        if free - a - b <= back
    ]


def random_spot(rng, rules, street, unseen, *, shape=None, jokers="", cards=True, opponent=0):
    """Return a spot before ``street`` (from 0): often with rows that fit together, and a deck that goes with them.

    Parameters
    ----------
    shape
        Free places by row; None for any.
    jokers
        Where each joker is: ``b`` on the board, ``h`` in hand, ``d`` in the deck; the others are dead.
    """
    streets = rules.streets
    placed = sum(s.place for s in streets[:street])
    shape = shape or rng.choice(shapes(13 - placed))
    deal = streets[street].deal if cards else 0
    live = _live_cards(rng, placed + deal + unseen)
    sizes = [size - free for size, free in zip(ROW_SIZES, shape, strict=True)]
    if rng.random() < 0.7:  # stronger cards further down, so that not everything fouls
        front = sorted(live[: placed + 2], key=lambda card: STRENGTH_ORDER.index(card[0]))
        live[: placed + 2] = front
    rows = [live[: sizes[0]], live[sizes[0] : sizes[0] + sizes[1]], live[sizes[0] + sizes[1] : placed]]
    hand, deck = live[placed : placed + deal], live[placed + deal :]
    for place in jokers:
        group = {"b": rng.choice([row for row in rows if row]), "h": hand, "d": deck}[place]
        group[rng.choice([i for i, card in enumerate(group) if card != "Jk"])] = "Jk"
    taken = {card for group in (*rows, hand, deck) for card in group}
    rest = [card for card in ofc_scorer.DECK if card not in taken]
    rest += ["Jk"] * (rules.jokers.count - len(jokers))
    rng.shuffle(rest)
    rest.sort(key=lambda card: card == "Jk")  # an opponent's cards come from the front
    return SmallSpot(tuple(rows), hand, deck, rest[opponent:], rest[:opponent])


def _live_cards(rng, count):
    """Return so many cards of the deck: any, or of few ranks, or of few suits."""
    deck = rng.sample(ofc_scorer.DECK, 52)
    kind = rng.choice(["any", "ranks", "suits"])
    if kind == "ranks":
        ranks = rng.sample(ofc_scorer.RANKS, min(13, max(7, count // 4 + 1)))
        deck.sort(key=lambda card: card[0] not in ranks)
    elif kind == "suits":
        suits = rng.sample(ofc_scorer.SUITS, 2 if count <= 24 else 3)
        deck.sort(key=lambda card: card[1] not in suits)
    live = deck[:count]
    rng.shuffle(live)
    return live
