"""The learned value of two boards against plain numpy, and the meaning of its inputs."""

from itertools import combinations

import numpy as np
import pytest

from bromeliad.core.cards import CardSet
from bromeliad.core.jit import JIT
from bromeliad.core.rng import new_rng
from bromeliad.errors import WeightsError
from bromeliad.games.ofc.exact.next_deal import next_deal_value
from bromeliad.games.ofc.exact.settlement import POINTS, Part
from bromeliad.games.ofc.hands.automaton import hand_tables
from bromeliad.games.ofc.hands.row_classes import CARDS, CATEGORY, row_classes
from bromeliad.games.ofc.opponents import seat_values
from bromeliad.games.ofc.opponents import seats as at
from bromeliad.games.ofc.opponents.playouts import count_steps, placements, play_out, seat_spot, with_habits
from bromeliad.games.ofc.opponents.sampling import Habits
from bromeliad.games.ofc.opponents.settling import _best_alone, list_ends
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.games.ofc.values import versus_learned as net
from bromeliad.games.ofc.values import weights
from bromeliad.games.ofc.values.learned import learned_scale, learned_value
from bromeliad.learning.versus_td import _move, _note, new_versus_memory
from bromeliad.learning.versus_train import first_layers
from oracles.ofc_expectation import Brute

pytestmark = pytest.mark.kernel

RULES = preset("pineapple")


WORTH = dict(parse_spot(RULES).fantasyland_worth)


def random_values(seed=1, rules=RULES):
    """Return values of two boards with a random network, and the state of a hand before its first deal."""
    state = parse_spot(rules).to_search_state()
    rows, layers = net.versus_shapes(rules)
    random = np.random.default_rng(seed)
    parts = random.uniform(0, 0.05, (state.learned.weights.size, 3)).astype(np.float32)
    numbers = random.normal(0, 0.3, rows).astype(np.float32)
    return state, net.new_versus(rules, state.learned, parts, {14: 9.9}, numbers, first_layers(layers, seed))


def seated(players, values, state, streets=2, seed=5):
    """Deal and place some streets of all seats at random."""
    seats, rng = at.new_seats(state, players, values), new_rng(seed)
    for street in range(streets):
        for seat in range(players):
            hand = at.deal(seats, street, rng)
            count = at.list_codes(seats, seat, hand, seats.lists[at.CODES])
            at.place(seats, seat, hand, int(seats.lists[at.CODES, (7 * seat + 3) % count]))
    return seats, rng


def network_by_numpy(values, stage, inputs):
    layer = values.layers[stage].astype(np.float64)
    first = np.maximum(layer[: net.WIDTH] + values.rows[list(inputs)].astype(np.float64).sum(axis=0), 0)
    dense = layer[net.DENSE : net.DENSE_BIAS].reshape(net.WIDTH, net.WIDTH)
    second = np.maximum(first @ dense + layer[net.DENSE_BIAS : net.OUT], 0)
    return layer[net.OUT : net.OUT_BIAS] @ second + layer[net.OUT_BIAS]


@pytest.mark.parametrize("players", [2, 3])
def test_values_are_those_of_plain_numpy(players):
    """Alone plus, for every opponent, the network of all inputs of both boards."""
    state, values = random_values()
    seats, rng = seated(players, values._replace(counted=1), state)
    mover, stage = 0, 2
    hand = at.deal(seats, stage, rng)
    unseen = at.unseen_by(seats, mover, hand)
    codes = seats.lists[at.CODES, : at.list_codes(seats, mover, hand, seats.lists[at.CODES])].copy()[:4]
    out = np.zeros(codes.size)
    best = seat_values.value_codes(seats, mover, hand, unseen, 1e9, True, codes, out)
    assert best == out.argmax()
    scale = learned_scale(values.solo, stage, unseen)
    for code, value in zip(codes, out, strict=True):
        rows = at.rows_with(seats, mover, at.list_cards(hand, seats.lists[at.CARDS]), code)
        mine = net.board_prospects(values, stage + 1, scale, *rows, unseen)
        expected = 0.0
        for other in range(1, players):
            theirs = tuple(int(row) for row in seats.v[other, at.Seat.ROW : at.Seat.ROW + 3])
            prospects = seat_values.prospects_of(seats, other, unseen)
            inputs = (
                *net.board_inputs(values, stage, 0, scale, *rows, unseen, mine),
                *seat_values.their_inputs(seats, other, stage, unseen, prospects),
                *net.meeting_inputs(values, stage, rows, theirs, mine, prospects),
                net.kind_input(values, stage, net.ACTS_AFTER),
            )
            assert len(set(inputs)) == net.INPUTS
            expected += learned_value(values.solo, stage, scale, *rows, unseen) + network_by_numpy(
                values, stage, inputs
            )
        assert value == pytest.approx(expected, abs=1e-4)


def valued(seats, street, rng):
    """Deal the first seat a street; return the rows, masks, unseen cards and value of its first two placements."""
    hand = at.deal(seats, street, rng)
    unseen = at.unseen_by(seats, 0, hand)
    codes = seats.lists[at.CODES, : at.list_codes(seats, 0, hand, seats.lists[at.CODES])].copy()[:2]
    out = np.zeros(codes.size)
    seat_values.value_codes(seats, 0, hand, unseen, 1e9, True, codes, out)
    cards = at.list_cards(hand, seats.lists[at.CARDS])
    boards = [(at.rows_with(seats, 0, cards, code), at.masks_with(seats, 0, cards, code)) for code in codes]
    return [(*board, unseen, value) for board, value in zip(boards, out, strict=True)]


@pytest.mark.parametrize(
    ("trained", "allowed", "counted"), [(4, 4, [4, 3, 2, 1]), (2, 4, [0, 0, 2, 1]), (4, 1, [0, 0, 0, 1])]
)
def test_next_deals_are_counted_as_far_as_the_network_was_trained_so(trained, allowed, counted):
    state, values = random_values()
    values = values._replace(layers=np.zeros_like(values.layers), counted=trained)
    seats, rng = seated(2, values, state)
    seats.v[-1, at.Seat.COUNTED] = allowed
    assert [seat_values.counted_deals(seats, stage, at.unseen_by(seats, 0, 0)) for stage in range(4)] == counted
    for rows, masks, unseen, value in valued(seats, 2, rng):
        free = tuple(size - int(mask).bit_count() for size, mask in zip(ROW_SIZES, masks, strict=True))
        scale = learned_scale(values.solo, 2, unseen)
        expected = learned_value(values.solo, 2, scale, *rows, unseen)
        if counted[2]:
            expected = next_deal_value(values.solo, seats.tables.hands, 3, rows, free, unseen, seats.pairs)
        assert value == pytest.approx(expected, abs=1e-6)


def test_larger_decks_than_the_scratch_are_not_counted():
    state, values = random_values(rules=preset("ultimate"))
    seats = at.new_seats(state, 2, values)
    deck = int(seats.v[-1, at.Seat.ALL])
    assert seat_values.counted_deals(seats, 0, deck & ~0x1F) == 0  # 49 cards
    assert seat_values.counted_deals(seats, 0, deck & ~0x3F) == 4


def test_the_best_placement_is_one_whose_next_deals_were_counted():
    state, values = random_values()
    seats, rng = seated(2, values, state, streets=1)
    hand = at.deal(seats, 1, rng)
    unseen = at.unseen_by(seats, 0, hand)
    codes = seats.lists[at.CODES, : at.list_codes(seats, 0, hand, seats.lists[at.CODES])].copy()
    quick, play, root = np.zeros((3, codes.size))
    seats.v[-1, at.Seat.COUNTED] = 0
    seat_values.value_codes(seats, 0, hand, unseen, 1e9, False, codes, quick)
    seats.v[-1, at.Seat.COUNTED] = 4
    best = seat_values.value_codes(seats, 0, hand, unseen, np.inf, False, codes, play)
    seat_values.value_codes(seats, 0, hand, unseen, np.inf, True, codes, root)
    counted = np.flatnonzero(play != quick)
    assert sorted(counted) == sorted(np.argsort(-quick, kind="stable")[: seat_values.COUNTED_PLACEMENTS[3]])
    assert (root != quick).sum() == 3 * seat_values.COUNTED_PLACEMENTS[3]
    assert abs(root).max() < 1e3
    assert best == counted[play[counted].argmax()]


@pytest.mark.parametrize("streets", [2, 3, 4])
def test_the_luck_of_all_deals_averages_to_zero(streets):
    """Of a deck with few cards, before the third, the fourth and the last street."""
    state, values = random_values()
    seats, _ = seated(2, values, state, streets=streets)
    table = seats.v[-1]
    cards = [card for card in range(52) if table[at.Seat.DECK] >> card & 1][:: 1 if JIT else 3]
    deck = sum(1 << card for card in cards)
    table[at.Seat.DECK] = deck
    mean = seat_values.mean_next_deal(seats, 0)
    hands = [sum(1 << card for card in deal) for deal in combinations(cards, 3)]
    luck = [seat_values.luck_of_deal(seats, deck, hand, mean) for hand in hands]
    assert np.std(luck) > 0.5
    assert np.mean(luck) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("name", ["pineapple", "ultimate"])
def test_the_best_boards_of_all_last_deals_have_the_counted_mean(name):
    """The luck of later opponents is measured by their boards, its mean by counting."""
    board, opponent = "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d", "Kd 2c / 6h 6d 6s 5s / Ts Th 8c 8d 8s"
    seats = seat_spot(parse_spot(preset(name), board=board, cards="Kc 9d 3s", opponents=[opponent]), 1, 1)
    table = seats.v[-1]
    live = [card for card in range(54) if table[at.Seat.DECK] >> card & 1]
    cards = [*live[:: 1 if JIT else 5], *live[-2:]]
    table[at.Seat.DECK] = sum(1 << card for card in set(cards))
    mean, best = seat_values.mean_next_deal(seats, 1), []
    for deal in combinations(sorted(set(cards)), 3):
        hand = sum(1 << card for card in deal)
        count = list_ends(seats, 1, hand, seats.lists[at.LATER], seats.boards[at.REPLIES :])
        best.append(_best_alone(seats, 0, count))
    assert np.std(best) > 0.0
    assert np.mean(best) == pytest.approx(mean, abs=1e-9)


def test_opponents_with_habits_value_fantasyland_by_their_own_worth():
    spot = parse_spot(RULES, board="Qd / 9c 9s / As Ac", cards="Kc 8d 3s", opponents=["- / 4c 4d / 7c 7d 7h"])
    seats = seat_spot(spot, 1, 1)
    theirs = with_habits(seats, RULES, Habits(RULES.objective.foul_cost, 0.5))
    less = seats.pay - theirs.pay
    assert set(np.unique(less.round(9))) == {0.0, round(0.5 * WORTH[14], 9)}
    assert theirs.pay.flags.writeable == seats.pay.flags.writeable


@pytest.mark.skipif(not JIT, reason="thousands of playouts take minutes without compiled kernels")
@pytest.mark.parametrize("opponents", [["- / 4c 4d / 7c 7d 7h"], ["- / 4c 4d / 7c 7d 7h", "Kd / 6h 5h / 2s 2h"]])
def test_playouts_without_luck_have_the_same_mean(opponents):
    """The steps of a playout are without the luck of the deals, its parts are with it."""
    spot = parse_spot(RULES, board="Qd / 9c 9s / As Ac", cards="Kc 8d 3s", opponents=opponents)
    seats, count = seat_spot(spot, 1, 1), 6000
    steps, parts = np.zeros((count, 1, count_steps(seats))), np.zeros((count, 1, Part.SIZE))
    play_out(seats.v.copy(), seats, seats, placements(seats)[:1], 1, 0, steps, parts)
    without, raw = steps.sum(axis=2)[:, 0], parts[:, 0, :POINTS].sum(axis=1)
    luck = parts[:, 0, Part.LUCK]
    assert np.allclose(without, raw - luck)
    assert abs(luck.mean()) < 4 * luck.std() / np.sqrt(count)
    assert without.std() < 0.6 * raw.std()


def test_opponents_on_other_streets_are_counted_by_their_own_deals():
    state, values = random_values()
    seats, rng = seated(2, values._replace(layers=np.zeros_like(values.layers)), state)
    hand = at.deal(seats, 2, rng)
    at.list_codes(seats, 1, hand, seats.lists[at.CODES])
    at.place(seats, 1, hand, int(seats.lists[at.CODES, 0]))  # the opponent has two deals left, I have three
    unseen = at.unseen_by(seats, 0, 0)
    rows = tuple(int(row) for row in seats.v[1, at.Seat.ROW : at.Seat.ROW + 3])
    free = tuple(int(places) for places in seats.v[1, at.Seat.FREE : at.Seat.FREE + 3])
    counted = next_deal_value(values.solo, seats.tables.hands, 3, rows, free, unseen, seats.pairs)
    assert seat_values.opponents_alone(seats, 0, unseen) == pytest.approx(counted, abs=1e-9)


def test_playouts_count_only_the_last_deals():
    spot = parse_spot(RULES, board="Qd / 9c 9s / As Ac", cards="Kc 8d 3s", opponents=["- / 4c 4d / 7c 7d 7h"])
    seats = seat_spot(spot, 1, 1)
    root, codes, count = seats.v.copy(), placements(seats)[:1], count_steps(seats)
    assert root[-1, at.Seat.COUNTED] > 1
    play_out(root, seats, seats, codes, 1, 0, np.zeros((1, 1, count)), np.zeros((1, 1, Part.SIZE)))
    assert seats.v[-1, at.Seat.COUNTED] == seat_values.PLAYOUT_COUNTED_DEALS == 1


def test_the_last_street_but_one_counts_all_deals():
    """The own part of a value before the last deal is the exact solo mean, whatever the solo tables say."""
    state, values = random_values()
    values = values._replace(layers=np.zeros_like(values.layers))  # a network that says nothing
    seats, rng = seated(2, values, state, streets=3)
    oracle = Brute(RULES.model_dump(mode="json"), WORTH, RULES.objective.foul_cost)
    for _, masks, unseen, value in valued(seats, 3, rng):
        board = [list(map(str, CardSet(int(mask)))) for mask in masks]
        assert value == pytest.approx(oracle.mean(board, list(map(str, CardSet(int(unseen))))).value, abs=1e-9)


def test_inputs_stay_inside_their_street():
    """For any boards, the rows of inputs belong to the network of the street."""
    state, values = random_values()
    size = len(values.rows) // 4
    for seed in range(20 if JIT else 3):
        seats, rng = seated(2, values, state, streets=3, seed=seed)
        unseen = at.unseen_by(seats, 0, at.deal(seats, 3, rng))
        for other in (0, 1):
            prospects = seat_values.prospects_of(seats, other, unseen)
            inputs = np.array(seat_values.their_inputs(seats, other, 3, unseen, prospects))
            assert (inputs >= 3 * size).all()
            assert (inputs < 4 * size).all()


def test_placements_far_behind_alone_are_not_looked_at():
    state, values = random_values()
    seats, rng = seated(2, values, state)
    hand = at.deal(seats, 2, rng)
    unseen = at.unseen_by(seats, 0, hand)
    codes = seats.lists[at.CODES, : at.list_codes(seats, 0, hand, seats.lists[at.CODES])].copy()
    alone, near = np.zeros(codes.size), np.zeros(codes.size)
    seat_values.value_codes(seats, 0, hand, unseen, -1.0, False, codes, alone)
    seat_values.value_codes(seats, 0, hand, unseen, 1.0, False, codes, near)
    far = alone < alone.max() - 1.0
    assert far.any()
    assert (near[far] == alone[far]).all()
    assert (near[~far] != alone[~far]).all()


def test_held_hands_of_full_rows_order_as_their_strengths():
    """A full row with the higher category or first rank is the stronger one; every row knows its number of cards."""
    classes, strength = row_classes(False), hand_tables().strength
    random = np.random.default_rng(3)
    full = [entry for entry in range(len(strength)) if classes.held_hands[entry] >> CARDS == 5 and strength[entry] > 0]
    for a, b in random.choice(full, (3000, 2)):
        one, two = int(classes.held_hands[a]), int(classes.held_hands[b])
        if one >> 4 & 0xFF != two >> 4 & 0xFF:
            assert ((one & 0xFFF) > (two & 0xFFF)) == (strength[a] > strength[b])
    assert {int(held) >> CATEGORY & 15 for held in classes.held_hands} == set(range(10))


def test_leads_are_told_apart_and_mirrored():
    """Swapping two rows of equal size swaps who is ahead; a better row never leads by less."""
    pairs = [0x0C0, 0x0D0, 0x0D1, 0x0D7, 0x110, 0x1D0, 0x2D1, 0x310, 0x7D1, 0x9D0]
    size = 5 << CARDS
    leads = [[net._lead(size | a, size | b) // net._SIZES**2 for b in pairs] for a in pairs]
    for i in range(len(pairs)):
        assert leads[i][i] == leads[0][0]
        for k in range(i):
            assert leads[i][k] != leads[k][i]
            assert leads[i][k] != leads[0][0]
    assert len({lead for row in leads for lead in row}) > 20
    assert all(0 <= lead < net._LEADS for row in leads for lead in row)


def test_learning_moves_a_value_to_its_target():
    """A board that is met again and again with the same result comes to be worth it."""
    state, values = random_values()
    values.rows[:] = 0.0
    seats, rng = seated(2, values, state)
    rows, layers = net.versus_shapes(RULES)
    memory = new_versus_memory(rows[0], layers)
    hand = at.deal(seats, 2, rng)
    unseen = at.unseen_by(seats, 0, hand)
    at.list_codes(seats, 0, hand, seats.lists[at.CODES])
    cards, code = at.list_cards(hand, seats.lists[at.CARDS]), int(seats.lists[at.CODES, 0])
    _note(seats, memory, 0, 0, cards, code, unseen)
    for _ in range(400 if JIT else 3):
        before = values.rows.copy()
        _move(seats, memory, 0, 3.0, 1.0)
    assert (values.rows != before).any(axis=1).sum() <= net.INPUTS
    if JIT:
        value = network_by_numpy(values, 2, memory.inputs[0]) + memory.base[0]
        assert value == pytest.approx(3.0, abs=0.2)


def test_a_network_is_written_and_read(tmp_path, monkeypatch):
    _, values = random_values()
    path, header = weights.find_weights(RULES, 6.0, ((14, 9.9),))
    about = header.model_dump(exclude={"format", "units", "sha256", "errors"})
    about |= {"layout": weights.layout_key(RULES, "versus"), "objective": "versus", "solo": header.sha256}
    file = tmp_path / "own.npz"
    weights.save_network(file, about, values.rows, values.layers)
    read = weights.read_network(file, RULES)
    assert np.abs(read[1] - values.rows).max() <= 1 / 4096
    assert (read[2] == values.layers).all()
    with pytest.raises(WeightsError, match="damaged"):
        weights.read_network(file, preset("ultimate"))
    monkeypatch.setattr(weights, "_files", lambda: [file])
    weights._forget()
    try:
        assert len(weights.versus_for(RULES, ((14, 9.9),)).layers) == 0  # its solo weights are missing
        monkeypatch.setattr(weights, "_files", lambda: [file, path])
        weights._forget()
        once, twice = weights.versus_for(RULES, ((14, 9.9),)), weights.versus_for(RULES, ((14, 19.8),))
    finally:
        weights._forget()
    assert (twice.solo.weights != once.solo.weights).any()  # the solo values follow the worth
    assert (twice.layers == once.layers).all()
