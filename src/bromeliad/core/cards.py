"""Cards and sets of cards.

A card is an integer: ``suit * 13 + rank - 2`` for the 52 cards (suits c d h s), 52 and 53 for the two jokers.
Jokers are written ``Jk``. The two differ only in their number.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bromeliad.errors import CardError

RANKS = "23456789TJQKA"
SUITS = "cdhs"
SYMBOLS = "♣♦♥♠"
DECK_SIZE = 52
JOKERS = 2

_SUIT_OF = {letter: suit for letters in (SUITS, "CDHS", SYMBOLS, "♧♢♡♤") for suit, letter in enumerate(letters)}
_CARD = re.compile(
    r"(?P<rank>10|[2-9TJQKA])(?P<suit>[cdhs♣♦♥♠♧♢♡♤])"
    r"|(?P<joker>joker|jk(?:(?P<number>[12])(?![0cdhs♣♦♥♠♧♢♡♤]))?|\*|🃏)",  # Jk2 is a joker, Jk2s a joker and a deuce
    re.IGNORECASE | re.ASCII,  # without ASCII, the Kelvin sign matches K and the long s matches s
)
_BREAK = re.compile(r"[\s,;，、；]+")


@dataclass(frozen=True, order=True, slots=True)
class Card:
    """One card: an immutable value around an integer."""

    value: int

    def __post_init__(self) -> None:
        if not 0 <= self.value < DECK_SIZE + JOKERS:
            raise CardError("no card has the number {value}: cards are 0 to 51, jokers 52 and 53", value=self.value)

    @property
    def is_joker(self) -> bool:
        """Whether this is one of the two jokers."""
        return self.value >= DECK_SIZE

    @property
    def rank(self) -> int:
        """Rank from 2 to 14 (ace); 0 for a joker."""
        return 0 if self.is_joker else self.value % 13 + 2

    @property
    def suit(self) -> int:
        """Suit from 0 to 3 (♣♦♥♠); 4 for a joker."""
        return self.value // 13

    @classmethod
    def from_string(cls, text: str) -> "Card":
        """Read one card: ``As``, ``A♠``, ``10h``, ``Jk`` (a joker)."""
        cards = parse_cards(text)
        if len(cards) != 1:
            raise CardError("{text!r} is not one card: write it like As, Td or Jk (joker)", text=_shorten(text))
        return cards[0]

    def to_string(self) -> str:
        """Write the card as two letters: ``As``, ``Td``, ``Jk``."""
        return "Jk" if self.is_joker else RANKS[self.rank - 2] + SUITS[self.suit]

    def to_symbol(self) -> str:
        """Write the card with its suit's symbol: ``A♠``."""
        return "🃏" if self.is_joker else RANKS[self.rank - 2] + SYMBOLS[self.suit]

    def __str__(self) -> str:
        return self.to_string()


@dataclass(frozen=True, slots=True)
class CardSet:
    """An immutable set of cards, stored as a 54-bit mask."""

    mask: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.mask < 1 << (DECK_SIZE + JOKERS):
            raise CardError("{mask} is not a set of cards: a mask has 54 bits", mask=self.mask)

    @classmethod
    def from_cards(cls, cards: Iterable[Card]) -> "CardSet":
        """Return the set of these cards."""
        mask = 0
        for card in cards:
            mask |= 1 << card.value
        return cls(mask)

    @classmethod
    def deck(cls, jokers: int = 0) -> "CardSet":
        """Return the full deck with this number of jokers."""
        return cls((1 << (DECK_SIZE + jokers)) - 1)

    def contains(self, card: Card) -> bool:
        """Return whether the card is in the set."""
        return bool(self.mask >> card.value & 1)

    def add(self, card: Card) -> "CardSet":
        """Return the set with the card."""
        return CardSet(self.mask | 1 << card.value)

    def remove(self, card: Card) -> "CardSet":
        """Return the set without the card."""
        return CardSet(self.mask & ~(1 << card.value))

    def intersection(self, other: "CardSet") -> "CardSet":
        """Return the cards that are in both sets."""
        return CardSet(self.mask & other.mask)

    def union(self, other: "CardSet") -> "CardSet":
        """Return the cards that are in either set."""
        return CardSet(self.mask | other.mask)

    def difference(self, other: "CardSet") -> "CardSet":
        """Return the cards that are in this set and not in the other."""
        return CardSet(self.mask & ~other.mask)

    @property
    def size(self) -> int:
        """Number of cards in the set."""
        return self.mask.bit_count()

    def to_list(self) -> list[Card]:
        """Return the cards in the order of their numbers."""
        return list(self)

    def __contains__(self, card: object) -> bool:
        return isinstance(card, Card) and self.contains(card)

    def __iter__(self) -> Iterator[Card]:
        mask = self.mask
        while mask:
            low = mask & -mask
            yield Card(low.bit_length() - 1)
            mask ^= low

    def __len__(self) -> int:
        return self.size

    __or__, __and__, __sub__ = union, intersection, difference

    def __str__(self) -> str:
        return format_cards(self)


def parse_cards(text: str, taken: CardSet = CardSet()) -> tuple[Card, ...]:  # noqa: B008 -- immutable
    """Read a list of cards, with or without spaces or commas between them.

    Parameters
    ----------
    taken
        Cards that are already on the table: repeating one of them is an error, and a joker gets the free number.

    Raises
    ------
    CardError
        If a part of the text is not a card, or a card appears twice; names up to eight of them.
    """
    bad: list[str] = []
    twice: list[str] = []
    cards: list[Card] = []
    seen = taken
    for word in filter(None, _BREAK.split(text.replace("️", ""))):
        end = 0
        for match in _CARD.finditer(word):
            if match.start() != end:
                break
            end = match.end()
            card = _read(match, seen)
            if card is None or card in seen:
                twice.append(match.group())
            else:
                cards.append(card)
                seen = seen.add(card)
        if end != len(word):
            bad.append(_shorten(word[end:]))
    if bad:
        raise CardError(
            "not a card: {cards}. Write rank and suit like As Td 9h 2c, and Jk for a joker", cards=", ".join(bad[:8])
        )
    if twice:
        raise CardError("the same card appears twice: {cards}", cards=", ".join(twice[:8]))
    return tuple(cards)


def _read(match: re.Match[str], seen: CardSet) -> Card | None:
    """Return the card of one match; None for a joker when both are taken."""
    if not match["joker"]:
        rank = "T" if match["rank"] == "10" else match["rank"].upper()
        return Card(_SUIT_OF[match["suit"]] * 13 + RANKS.index(rank))
    if match["number"]:
        return Card(DECK_SIZE + int(match["number"]) - 1)
    free = [Card(DECK_SIZE + i) for i in range(JOKERS)]
    return next((joker for joker in free if joker not in seen), None)


def format_cards(cards: Iterable[Card]) -> str:
    """Write cards as ``As Kd``."""
    return " ".join(card.to_string() for card in cards)


def _shorten(text: str) -> str:
    return text if len(text) <= 20 else text[:17] + "..."
