"""The last street of each seat at a table, and the value of the end of a hand.

A seat finishes with the board that settles best for it. Finished boards of opponents count exactly. The others are
sampled: the last deals of opponents who act later, each placed best for the opponent; hidden boards; and hidden hands
that are set last, each as the best answer to the other boards.
"""

from bromeliad.core.jit import Ints, int64, kernel
from bromeliad.core.rng import Rng, below
from bromeliad.games.ofc.exact.settlement import POINTS as POINT_PARTS
from bromeliad.games.ofc.exact.settlement import Part, split_settlement
from bromeliad.games.ofc.opponents.seat_values import has_luck, luck_of_deal, mean_next_deal
from bromeliad.games.ofc.opponents.seats import (
    CARDS,
    CODES,
    COUNTS,
    ENDS,
    LATER,
    PARTS,
    POINTS,
    REPLIES,
    SAMPLED,
    SPLIT,
    TOTALS,
    Banked,
    Seat,
    Seats,
    board_cards,
    deal,
    list_cards,
    list_codes,
    masks_with,
    rows_with,
    seat_count,
)
from bromeliad.games.ofc.rules.rule_tables import Flag
from bromeliad.games.ofc.rules.scoring import Scored, score_rows, settle
from bromeliad.games.ofc.values.hand_state import FOUL_COST


@kernel
def list_ends(seats: Seats, seat: int, hand: int, codes: Ints, ends: Ints) -> int:
    """Score the boards that a seat can finish with its last cards; return the number of boards.

    A foul is never better than a board that does not foul, so fouls are left out; if every board fouls, one is kept.
    """
    row = seats.v[seat]
    count = list_codes(seats, seat, hand, codes)
    cards = list_cards(hand, seats.lists[CARDS])
    seen, kept = int64(0), 0
    for other in range(seat_count(seats)):
        seen |= board_cards(seats.v, other)
    for i in range(count):
        rows = rows_with(seats, seat, cards, codes[i])
        masks = masks_with(seats, seat, cards, codes[i])
        open_cards = seen | masks[0] | masks[1] | masks[2]
        score_rows(seats.tables, rows, masks, row[Seat.FANTASYLAND], open_cards, ends[kept])
        codes[kept] = codes[i]
        kept += int64(ends[kept, Scored.FOUL] == 0)
    return max(kept, 1)


@kernel
def score_seat(seats: Seats, seat: int) -> None:
    """Score a finished board into ``seats.boards``."""
    row, seen = seats.v[seat], int64(0)
    for other in range(seat_count(seats)):
        seen |= board_cards(seats.v, other)
    rows = (row[Seat.ROW], row[Seat.ROW + 1], row[Seat.ROW + 2])
    masks = (row[Seat.MASK], row[Seat.MASK + 1], row[Seat.MASK + 2])
    score_rows(seats.tables, rows, masks, row[Seat.FANTASYLAND], seen, seats.boards[seat])


@kernel(inline=True)
def net(seats: Seats, mine: Ints, theirs: Ints) -> float:
    """Return the value of a finished board against another: the settlement and both sides' next fantasyland."""
    worth = seats.worth[mine[Scored.NEXT_CARDS]] - seats.worth[theirs[Scored.NEXT_CARDS]]
    return settle(seats.tables, mine, theirs, seats.lists[POINTS]) + worth


@kernel(inline=True)
def is_finished(seats: Seats, seat: int) -> bool:
    """Return whether a seat has placed its last street."""
    return 2 * seats.v[seat, Seat.STREET] == seats.streets.size


@kernel
def list_replies(seats: Seats, seat: int, samples: int, rng: Rng) -> None:
    """Deal a seat its last street several times, and score every board that it can finish with each deal."""
    table = seats.v[seat_count(seats)]
    deck, found = table[Seat.DECK], 0
    for i in range(samples):
        hand = deal(seats, seats.v[seat, Seat.STREET], rng)
        table[Seat.DECK] = deck
        seats.lists[COUNTS, i] = list_ends(seats, seat, hand, seats.lists[LATER], seats.boards[REPLIES + found :])
        found += seats.lists[COUNTS, i]


@kernel
def best_reply(seats: Seats, mine: Ints, first: int, count: int) -> int:
    """Return the reply, from ``first`` on, that settles best for an opponent who acts after seeing a board."""
    best, best_value = first, -1e300
    for k in range(first, first + count):
        value = net(seats, seats.boards[REPLIES + k], mine)
        if value > best_value:
            best, best_value = k, value
    return best


@kernel(inline=True)
def _alone(seats: Seats, board: Ints) -> float:
    """Return the part of a finished board's value that does not depend on the opponent's board."""
    return board[Scored.ROYALTIES] + seats.worth[board[Scored.NEXT_CARDS]]


@kernel(inline=True)
def _is_seen(seats: Seats, seat: int, other: int) -> bool:
    """Return whether another seat has a finished, open board."""
    return other != seat and seats.v[other, Seat.HIDDEN] == 0 and is_finished(seats, other)


@kernel
def best_answer(seats: Seats, seat: int, mine: Ints, hand: Ints) -> int:
    """Return the board of a hidden hand's front that settles best against a seat's new board and all finished ones.

    A front begins with the boards that are worth most by themselves. The loop ends once a board could not be best even
    if it won every row and scoop.
    """
    flags, boards, theirs = seats.tables.flags, 1, _alone(seats, mine)
    for other in range(seat_count(seats)):
        if _is_seen(seats, seat, other):
            boards += 1
            theirs += _alone(seats, seats.boards[other])
    most = flags[Flag.ROW_POINTS] + flags[Flag.ROW_POINTS + 1] + flags[Flag.ROW_POINTS + 2] + flags[Flag.SCOOP]
    best, best_value = hand[Banked.FIRST], -1e300
    for k in range(hand[Banked.FIRST], hand[Banked.FIRST] + hand[Banked.COUNT]):
        answer = seats.fronts[k]
        if boards * (_alone(seats, answer) + most) - theirs <= best_value:
            break
        value = net(seats, answer, mine)
        for other in range(seat_count(seats)):
            if _is_seen(seats, seat, other):
                value += net(seats, answer, seats.boards[other])
        if value > best_value:
            best, best_value = k, value
    return best


@kernel
def _add_hidden(seats: Seats, seat: int, other: int, count: int, rng: Rng) -> None:
    """Add the mean value of the mover's boards against a hidden opponent, whose cards are unknown until the end."""
    for _ in range(SAMPLED):
        board = seats.bank[below(rng, seats.bank.shape[0]), seats.v[other, Seat.HIDDEN] - 1]
        for i in range(count):
            mine = seats.boards[ENDS + i]
            if board[Banked.COUNT]:
                theirs = seats.fronts[best_answer(seats, seat, mine, board)]
                seats.real[TOTALS, i] += net(seats, mine, theirs) / SAMPLED
            else:
                seats.real[TOTALS, i] += net(seats, mine, board) / SAMPLED


@kernel
def _add_later(seats: Seats, other: int, count: int, rng: Rng) -> None:
    """Add the mean value of the mover's boards against a later opponent, who replies best to each of them."""
    list_replies(seats, other, SAMPLED, rng)
    for i in range(count):
        first = 0
        for k in range(SAMPLED):
            reply = best_reply(seats, seats.boards[ENDS + i], first, seats.lists[COUNTS, k])
            seats.real[TOTALS, i] += net(seats, seats.boards[ENDS + i], seats.boards[REPLIES + reply]) / SAMPLED
            first += seats.lists[COUNTS, k]


@kernel
def choose_last(seats: Seats, seat: int, hand: int, rng: Rng) -> int:
    """Return the number of the board in ``seats.boards[ENDS:]`` that is worth most to a seat with its last cards.

    Finished boards must be in ``seats.boards``. Later opponents are dealt from the deck.
    """
    count = list_ends(seats, seat, hand, seats.lists[CODES], seats.boards[ENDS:])
    for i in range(count):
        seats.real[TOTALS, i] = 0.0
    for other in range(seat_count(seats)):
        if other == seat:
            continue
        if seats.v[other, Seat.HIDDEN]:
            _add_hidden(seats, seat, other, count, rng)
        elif is_finished(seats, other):
            for i in range(count):
                seats.real[TOTALS, i] += net(seats, seats.boards[ENDS + i], seats.boards[other])
        else:
            _add_later(seats, other, count, rng)
    best = 0
    for i in range(1, count):
        if seats.real[TOTALS, i] > seats.real[TOTALS, best]:
            best = i
    return best


# --- the end of a hand ------------------------------------------------------------------------------------------------


@kernel
def _add_parts(seats: Seats, mine: Ints, theirs: Ints, weight: float) -> None:
    """Add the weighted parts of a settlement to the parts of the hand's value."""
    real = seats.real
    split_settlement(seats.tables, seats.worth, mine, theirs, seats.lists[POINTS], real[SPLIT])
    for i in range(Part.SIZE):
        real[PARTS, i] += weight * real[SPLIT, i]


@kernel
def score_finished(seats: Seats) -> None:
    """Score the finished boards; hidden boards are those that were drawn."""
    drawn = seats.v[seat_count(seats), Seat.DRAWN] - 1
    for other in range(seat_count(seats)):
        hidden = seats.v[other, Seat.HIDDEN]
        if hidden:
            for i in range(Scored.SIZE):
                seats.boards[other, i] = seats.bank[drawn, hidden - 1, i]
        elif is_finished(seats, other):
            score_seat(seats, other)


@kernel
def _best_alone(seats: Seats, first: int, count: int) -> float:
    """Return the highest solo value of a later seat's replies to one deal."""
    best = -1e300
    for k in range(first, first + count):
        board = seats.boards[REPLIES + k]
        best = max(best, -seats.worth[FOUL_COST] if board[Scored.FOUL] else _alone(seats, board))
    return best


@kernel
def _mean_later(seats: Seats, seat: int) -> float:
    """Return the sum of the mean solo values of later seats over their last deals."""
    total = 0.0
    for other in range(seat_count(seats)):
        if other != seat and seats.v[other, Seat.HIDDEN] == 0 and not is_finished(seats, other):
            total += mean_next_deal(seats, other)
    return total


@kernel
def play_ends(seats: Seats, theirs: Seats, seat: int, deals: int, rng: Rng) -> float:
    """Return the mean value of a seat's last street over some deals; its parts are left in the scratch.

    Later opponents reply by their own values: ``theirs`` is ``seats`` itself or the same seats with other values.
    Finished boards must be scored. For the value, later opponents are dealt new cards, so that a choice that was lucky
    in its own sample is not overrated. The luck of the deals is taken off the value, and is one of the parts.
    """
    table, parts, luck, mean = seats.v[seat_count(seats)], seats.real[PARTS], 0.0, 0.0
    deck, drawn, counted = table[Seat.DECK], table[Seat.DRAWN] - 1, has_luck(seats, seat)
    times = seat_count(seats) - 1
    if counted:
        luck += _mean_later(seats, seat)
        mean = mean_next_deal(seats, seat)
    for i in range(Part.SIZE):
        parts[i] = 0.0
    for _ in range(deals):
        hand = deal(seats, seats.v[seat, Seat.STREET], rng)
        if counted:
            luck += times * luck_of_deal(seats, deck, hand, mean) / deals
        mine = seats.boards[ENDS + choose_last(seats, seat, hand, rng)]
        for other in range(seat_count(seats)):
            if other == seat:
                continue
            hidden = seats.v[other, Seat.HIDDEN]
            if hidden and seats.bank[drawn, hidden - 1, Banked.COUNT]:
                answer = best_answer(seats, seat, mine, seats.bank[drawn, hidden - 1])
                _add_parts(seats, mine, seats.fronts[answer], 1.0 / deals)
                continue
            if hidden or is_finished(seats, other):
                _add_parts(seats, mine, seats.boards[other], 1.0 / deals)
                continue
            list_replies(seats, other, SAMPLED, rng)
            first = 0
            for k in range(SAMPLED):
                reply = best_reply(theirs, mine, first, seats.lists[COUNTS, k])
                _add_parts(seats, mine, seats.boards[REPLIES + reply], 1.0 / (deals * SAMPLED))
                if counted:
                    luck -= _best_alone(seats, first, seats.lists[COUNTS, k]) / (deals * SAMPLED)
                first += seats.lists[COUNTS, k]
        table[Seat.DECK] = deck
    total = 0.0
    for i in range(POINT_PARTS):
        total += parts[i]
    parts[Part.LUCK] = luck
    return total - luck
