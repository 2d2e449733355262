"""Checks of deals, placements and opponents' boards: functions that raise errors and change nothing."""

from collections.abc import Sequence

from bromeliad.core.cards import Card, CardSet, format_cards
from bromeliad.errors import DealError, PlacementError, PositionError
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.rules.rule_set import BOARD_SIZE, FANTASYLAND_SIZES, RuleSet, Street


def verify_hand(rules: RuleSet, player_count: int, fantasyland: int) -> None:
    """Raise PositionError if the rules forbid this number of players or of fantasyland cards (0: a normal hand)."""
    players = rules.players
    if not players.min <= player_count <= players.max:
        raise PositionError(
            "{rules} is played by {min} to {max} players, not {count}",
            rules=rules.name,
            min=players.min,
            max=players.max,
            count=player_count,
        )
    # Fantasyland by the first street is only a bonus: the hand is dealt as usual.
    allowed = () if rules.fantasyland.first_street else rules.fantasyland_cards()
    if fantasyland and fantasyland not in allowed:
        raise PositionError(
            "{rules} deals no fantasyland of {count} cards; allowed: {allowed}",
            rules=rules.name,
            count=fantasyland,
            allowed=", ".join(map(str, (0, *allowed))),
        )


def verify_fantasyland_size(count: int) -> None:
    """Raise PositionError if no variant has a fantasyland hand with this number of cards."""
    if count not in FANTASYLAND_SIZES:
        raise PositionError("a fantasyland hand has 13 to 17 cards, not {count}", count=count)


def verify_deal(street: Street, number: int, cards: Sequence[Card], unknown: CardSet) -> None:
    """Raise DealError if street ``number`` (from 1) cannot deal these cards; ``unknown`` are the cards not seen yet."""
    if len(cards) != street.deal:
        raise DealError(
            "street {street} deals {deal} cards, not {count}", street=number, deal=street.deal, count=len(cards)
        )
    _verify_free(cards, unknown)


def verify_placement(
    street: Street, number: int, hand: Sequence[Card], placed: Sequence[Card], discards: Sequence[Card]
) -> None:
    """Raise PlacementError if these cards cannot be placed and discarded from the hand on street ``number``."""
    in_hand = CardSet.from_cards(hand)
    used = CardSet.from_cards((*placed, *discards))
    if used - in_hand:
        raise PlacementError("not in hand: {cards}. In hand: {hand}", cards=used - in_hand, hand=format_cards(hand))
    if len(placed) != street.place:
        raise PlacementError(
            "street {street} places {place} cards, not {count}", street=number, place=street.place, count=len(placed)
        )
    discard = street.deal - street.place
    if len(discards) != discard:
        raise PlacementError(
            "street {street} discards {discard} cards, not {count}", street=number, discard=discard, count=len(discards)
        )
    if used != in_hand:
        raise PlacementError("not used: {cards}. Place or discard each card in hand once", cards=in_hand - used)


def verify_shown(cards: Sequence[Card], shown: CardSet, unknown: CardSet) -> None:
    """Raise DealError if an opponent cannot show these cards; cards that are already in ``shown`` may be repeated."""
    _verify_free(cards, unknown | shown)
    count = (shown | CardSet.from_cards(cards)).size
    if count > BOARD_SIZE:
        raise DealError("an opponent shows at most {size} cards, not {count}", size=BOARD_SIZE, count=count)


def verify_board_grew(shown: CardSet, before: PlayerArrangement | None, after: PlayerArrangement) -> None:
    """Raise DealError if a board lost a shown card or moved it to another row."""
    lost = shown - after.cards
    if before is not None:
        for old, new in zip(before.rows, after.rows, strict=True):
            lost |= CardSet(old.mask & ~new.mask)
    if lost:
        raise DealError("a shown card stays where it is: keep {cards} in place", cards=lost)


def _verify_free(cards: Sequence[Card], free: CardSet) -> None:
    """Raise DealError if a card appears twice or is not among the free ones."""
    seen = CardSet()
    for card in cards:
        if card in seen:
            raise DealError("the same card appears twice: {cards}", cards=card)
        seen = seen.add(card)
    if seen - free:
        raise DealError(
            "cannot be dealt any more: {cards}. They are known to be elsewhere, or are not in this deck",
            cards=seen - free,
        )
