"""Playouts at a table: the value of my placement when all seats play on from one deck.

First the hidden discards and hidden fantasyland boards are drawn from the deck. Then the seats play in turn. When only
my last street is left, the value is the mean over a few deals, each placed best. Playouts with the same number draw the
same cards for every placement, so differences between placements are paired.
"""

from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import CardSet
from bromeliad.core.jit import Floats, Ints, int64, kernel
from bromeliad.core.kernel_cache import warmup
from bromeliad.core.rng import Rng, reseed
from bromeliad.games.ofc.exact.settlement import Part
from bromeliad.games.ofc.fantasyland.front import answers_last
from bromeliad.games.ofc.hands.automaton import EMPTY_ROW, row_of_mask
from bromeliad.games.ofc.opponents.sampling import (
    Habits,
    card_weights,
    deal_fantasyland,
    draw_discard,
    fantasyland_bank,
    fantasyland_fronts,
)
from bromeliad.games.ofc.opponents.seat_values import (
    PLAYOUT_COUNTED_DEALS,
    PLAYOUT_MARGIN,
    best_by_value,
    choose_by_value,
    deal_with_luck,
    is_learned,
    opponents_alone,
    value_codes,
)
from bromeliad.games.ofc.opponents.seats import (
    CODES,
    PARTS,
    TOTALS,
    Banked,
    Seat,
    Seats,
    list_codes,
    new_seats,
    place,
    seat_count,
    unseen_by,
)
from bromeliad.games.ofc.opponents.settling import choose_last, play_ends, score_finished
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES, RuleSet
from bromeliad.games.ofc.rules.scoring import Scored
from bromeliad.games.ofc.spot import Spot, parse_spot
from bromeliad.games.ofc.values.hand_state import FOUL_COST, make_pay
from bromeliad.games.ofc.values.versus_learned import frozen
from bromeliad.games.ofc.values.weights import learned_for, versus_for

LAST_DEALS = 4, 4, 3
"""Deals of my last street per playout, by the number of my streets played before it: more take longer, and with fewer,
playouts scatter more."""


@kernel
def _play_round(theirs: Seats, own: int, rng: Rng) -> float:
    """Let the opponents play until it is my turn; return the luck of their deals."""
    v, count, luck = theirs.v, seat_count(theirs), 0.0
    for i in range(1, count):
        seat = (own + i) % count
        target = v[own, Seat.STREET] + int64(seat < own)
        while v[seat, Seat.HIDDEN] == 0 and v[seat, Seat.STREET] < target:
            luck += _play_street(theirs, seat, rng)
    return luck


@kernel
def _play_street(seats: Seats, seat: int, rng: Rng) -> float:
    """Deal a seat its next street and place it; return the luck of the deal."""
    street = seats.v[seat, Seat.STREET]
    hand, luck = deal_with_luck(seats, seat, rng)
    if 2 * street + 2 < seats.streets.size:
        place(seats, seat, hand, choose_by_value(seats, seat, hand, PLAYOUT_MARGIN, False))
    else:
        score_finished(seats)
        place(seats, seat, hand, seats.lists[CODES, choose_last(seats, seat, hand, rng)])
    return luck


@kernel
def _play_own_street(seats: Seats, own: int, rng: Rng) -> tuple[float, float]:
    """Deal me a street before the last one and place it by value; return the value and the luck of the deal."""
    hand, luck = deal_with_luck(seats, own, rng)
    unseen = unseen_by(seats, own, hand)
    best = best_by_value(seats, own, hand, unseen, PLAYOUT_MARGIN, False)
    value = seats.real[TOTALS, best] - opponents_alone(seats, own, unseen)
    place(seats, own, hand, seats.lists[CODES, best])
    return value, luck


@kernel
def _draw_hidden(seats: Seats, own: int, rng: Rng) -> None:
    """Take the cards of the drawn hidden boards out of the deck, and draw the discards of the other opponents."""
    v, count = seats.v, seat_count(seats)
    table = v[count]
    if seats.bank.shape[0] > 0:
        for i in range(seats.bank.shape[1]):
            table[Seat.DECK] &= ~seats.bank[table[Seat.DRAWN] - 1, i, Banked.CARDS]
    for seat in range(count):
        if seat == own or v[seat, Seat.HIDDEN]:
            continue
        discards = int64(0)
        for street in range(v[seat, Seat.STREET]):
            discards += seats.streets[2 * street] - seats.streets[2 * street + 1]
        for _ in range(discards):
            card = draw_discard(rng, table[Seat.DECK], seats.weights[seat])
            table[Seat.DECK] &= ~card
            v[seat, Seat.GONE] |= card


@kernel
def _play_on(seats: Seats, theirs: Seats, own: int, rng: Rng, steps: Floats) -> None:
    """Play a hand to its end after my placement; write its value in steps, and leave its parts in the scratch.

    The first step is the learned value after my next street. The others are the changes from there to the end. The luck
    of the deals is taken off the steps; it averages to zero.
    """
    streets = seats.streets.size // 2 - 1 - seats.v[own, Seat.STREET]
    _draw_hidden(seats, own, rng)
    luck, total = -_play_round(theirs, own, rng), 0.0  # since my last placement, and until then
    known = 0.0
    for i in range(streets):
        steps[i] = 0.0
        value, own_luck = _play_own_street(seats, own, rng)
        luck += (seat_count(seats) - 1) * own_luck
        if is_learned(seats):
            steps[i] = value - known - luck
            known, total, luck = value, total + luck, 0.0
        luck -= _play_round(theirs, own, rng)
    score_finished(seats)
    steps[streets] = play_ends(seats, theirs, own, LAST_DEALS[min(streets, 2)], rng) - known - luck
    seats.real[PARTS, Part.LUCK] += total + luck


@kernel
def play_out(
    root: Ints, seats: Seats, theirs: Seats, codes: Ints, seed: int, first: int, steps: Floats, parts: Floats
) -> None:
    """Play out each placement several times; the first playout has the number ``first``.

    The playouts meet the sampled boards of hidden opponents in turn.

    Parameters
    ----------
    root
        The table before my placement, in the form of ``seats.v``.
    theirs
        The same seats with the opponents' values: ``seats`` itself, or those that :func:`with_habits` returns.
    steps, parts
        [playout, placement, step] the value in steps (see :func:`count_steps`), and [playout, placement, offset in
        ``Part``] its parts.
    """
    table = root[seat_count(seats)]
    for i in range(steps.shape[0]):
        for k in range(codes.size):
            for row in range(root.shape[0]):
                for field in range(Seat.SIZE):
                    seats.v[row, field] = root[row, field]
            seats.v[seat_count(seats), Seat.DRAWN] = 1 + (first + i) % max(seats.bank.shape[0], 1)
            seats.v[seat_count(seats), Seat.COUNTED] = PLAYOUT_COUNTED_DEALS
            reseed(seats.rng, seed, first + i)
            place(seats, table[Seat.OWN], table[Seat.HAND], codes[k])
            _play_on(seats, theirs, table[Seat.OWN], seats.rng, steps[i, k])
            for part in range(Part.SIZE):
                parts[i, k, part] = seats.real[PARTS, part]


def count_steps(seats: Seats) -> int:
    """Return the number of steps of a playout's value: the end, and before it each of my streets but this and the last.

    The steps are changes of the learned value; without one, all but the last are zero.
    """
    return len(seats.streets) // 2 - 1 - int(seats.v[seats.v[-1, Seat.OWN], Seat.STREET])


@kernel
def value_placements(seats: Seats, codes: Ints, values: Floats) -> None:
    """Write the learned value of each of my placements."""
    table = seats.v[seat_count(seats)]
    own, hand = table[Seat.OWN], table[Seat.HAND]
    unseen = unseen_by(seats, own, hand)
    theirs = opponents_alone(seats, own, unseen)
    value_codes(seats, own, hand, unseen, np.inf, True, codes, values)
    for i in range(codes.size):
        values[i] -= theirs


def placements(seats: Seats) -> NDArray[np.int64]:
    """Return the codes of my placements."""
    own, hand = seats.v[-1, Seat.OWN], seats.v[-1, Seat.HAND]
    return seats.lists[CODES, : list_codes(seats, own, hand, seats.lists[CODES])].copy()


def seat_spot(spot: Spot, seed: int, samples: int, *, inferred: bool = True) -> Seats:
    """Return the seats of a spot against opponents who are still playing, for the search.

    Parameters
    ----------
    samples
        The number of sampled boards of opponents in fantasyland.
    inferred
        Draw hidden discards by how little was lost with them; otherwise all unseen cards are equally likely.
    """
    state = spot.to_search_state()
    before = [board for board, acts in zip(spot.opponents, spot.acts_before, strict=True) if acts]
    after = [board for board, acts in zip(spot.opponents, spot.acts_before, strict=True) if not acts]
    boards = [*before, spot.board, *after]
    count = len(boards) + len(spot.hidden)
    values = versus_for(spot.rules, spot.fantasyland_worth)
    seats = new_seats(state, count, values, *hidden_bank(spot, seed, samples))
    for seat, board in enumerate(boards):
        row = seats.v[seat]
        for i, mask in enumerate(board.masks):
            row[Seat.ROW + i] = row_of_mask(state.tables.hands, mask) if mask else EMPTY_ROW
            row[Seat.MASK + i] = mask
            row[Seat.FREE + i] = ROW_SIZES[i] - mask.bit_count()
        row[Seat.STREET] = _streets_placed(spot.rules, board.cards.size)
        if seat != len(before) and not board.is_complete:
            seats.weights[seat] = card_weights(spot, board, inferred=inferred)
    for i, cards in enumerate(spot.hidden):
        seats.v[len(boards) + i, Seat.HIDDEN] = 1 + i
        seats.v[len(boards) + i, Seat.FANTASYLAND] = cards
    seats.v[len(before), Seat.GONE] = spot.dead.mask
    table = seats.v[count]
    table[Seat.OWN] = len(before)
    table[Seat.HAND] = CardSet.from_cards(spot.cards).mask
    table[Seat.DECK] = spot.unseen.mask
    return seats


def with_habits(seats: Seats, rules: RuleSet, habits: Habits | None) -> Seats:
    """Return the same seats, with all memory shared, as players of these habits value them."""
    if habits is None:
        return seats
    worth = seats.worth * habits.fantasyland
    worth[FOUL_COST] = habits.foul_cost
    known = tuple((cards, float(worth[cards])) for cards in rules.objective.fantasyland_worth)
    values = seats.values._replace(solo=learned_for(rules, habits.foul_cost, known))
    pay = make_pay(rules, worth.tobytes())
    return seats._replace(worth=worth, pay=pay, values=frozen(values))


def _streets_placed(rules: RuleSet, cards: int) -> int:
    ends = [0, *accumulate(street.place for street in rules.streets)]
    return ends.index(cards)


def hidden_bank(spot: Spot, seed: int, samples: int) -> tuple[NDArray[np.int64] | None, NDArray[np.int64] | None]:
    """Return sampled hands of opponents in fantasyland, and their fronts if they set last; None if there are none."""
    if not spot.hidden:
        return None, None
    if answers_last(spot):
        return _answering_bank(spot, seed, samples)
    bank = np.zeros((samples, len(spot.hidden), Banked.SIZE), np.int64)
    for i, cards in enumerate(spot.hidden):
        bank[:, i, : Scored.SIZE] = fantasyland_bank(spot, cards, samples, seed + i + 1)
        bank[:, i, Banked.CARDS] = list(deal_fantasyland(spot.unseen, cards, samples, seed + i + 1))
        bank[:, i, Banked.NUMBER] = cards
    return bank, None


def _answering_bank(spot: Spot, seed: int, samples: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return sampled hands of opponents who see the other boards before setting, and the fronts of these hands."""
    fronts = [fantasyland_fronts(spot, cards, samples, seed + i + 1) for i, cards in enumerate(spot.hidden)]
    count = min(map(len, fronts))
    bank = np.zeros((count, len(fronts), Banked.SIZE), np.int64)
    first = 0
    for i, cards in enumerate(spot.hidden):
        hands = deal_fantasyland(spot.unseen, cards, count, seed + i + 1)
        fronts[i] = fronts[i][:count]  # every sample has a hand of each opponent
        for sample, (hand, front) in enumerate(zip(hands, fronts[i], strict=True)):
            bank[sample, i, : Scored.SIZE] = front[0]
            bank[sample, i, Banked.CARDS :] = hand, cards, first, len(front)
            first += len(front)
    return bank, np.concatenate([board for hands in fronts for board in hands])


def can_seat(spot: Spot) -> bool:
    """Return whether a learned value of two boards fits a spot: all opponents are still playing, at most one hidden."""
    if not (spot.opponents or spot.hidden) or len(spot.hidden) > 1:
        return False
    if any(board.is_complete for board in spot.opponents):
        return False
    return len(versus_for(spot.rules, spot.fantasyland_worth).layers) > 0


@warmup
def _warm_up() -> None:
    from bromeliad.games.ofc.rules.files import preset

    opponent = "- / 4c 4d / 7c 7d 7h"
    spot = parse_spot(preset("pineapple"), board="Qd / 9c 9s / As Ac", cards="Kc 8d 3s", opponents=[opponent])
    seats = seat_spot(spot, 1, 1)
    codes = placements(seats)
    value_placements(seats, codes, np.zeros(codes.size))
    play_out(
        seats.v.copy(),
        seats,
        seats,
        codes[:1],
        1,
        0,
        np.zeros((1, 1, count_steps(seats))),
        np.zeros((1, 1, Part.SIZE)),
    )
