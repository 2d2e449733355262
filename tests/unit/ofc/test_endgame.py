"""The last street: every value against an enumeration by the plain scorer, for all presets."""

import random
from itertools import permutations

import pytest

from bromeliad.core.cards import parse_cards
from bromeliad.core.jit import JIT
from bromeliad.errors import UnsupportedError
from bromeliad.games.ofc.exact.last_street import solve_last_street
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.rules.files import parse_rules, preset, preset_names
from bromeliad.games.ofc.spot import parse_spot
from oracles import ofc_scorer as oracle

pytestmark = pytest.mark.kernel

SPOTS = 26 if JIT else 13  # a preset and an objective: 8 * 26 = 208 each
WORTH = {13: 7.5, 14: 8.25, 15: 12.5, 16: 20.0, 17: 30.75}
FOUL_COST = 5.5
ROW_NAMES = ("top", "middle", "back")


def random_position(rng, rules):
    """Return (rows, cards, rest of the deck): a board before its last street, often a good one."""
    deck = [*oracle.DECK, *[oracle.JOKER] * rules["jokers"]["count"]]
    rng.shuffle(deck)
    street = rules["streets"][-1]
    free = rng.sample([row for row, size in enumerate((3, 5, 5)) for _ in range(size)], street["place"])
    sizes = [size - free.count(row) for row, size in enumerate((3, 5, 5))]
    if rng.random() < 0.6:  # strong cards below, so that not everything fouls
        front = deck[: 2 * sum(sizes)]
        front.sort(key=lambda card: oracle.RANKS.index(card[0]) if card != oracle.JOKER else 13)
        deck[: 2 * sum(sizes)] = front[::2] + front[1::2]
    rows, at = [], 0
    for size in sizes:
        rows.append(deck[at : at + size])
        at += size
    return rows, deck[at : at + street["deal"]], deck[at + street["deal"] :]


def fillings(rows, cards, place):
    """Return every filled board as rows of names, by the cards of each row and the discards."""
    free = [row for row, (have, size) in enumerate(zip(rows, (3, 5, 5), strict=True)) for _ in range(size - len(have))]
    found = {}
    for chosen in permutations(cards, place):
        board = [list(row) for row in rows]
        added = [[], [], []]
        for card, row in zip(chosen, free, strict=True):
            board[row].append(card)
            added[row].append(card)
        left = list(cards)
        for card in chosen:
            left.remove(card)
        found[tuple(tuple(sorted(group)) for group in (*added, left))] = board
    return found


def names_of(action):
    return tuple(tuple(sorted(map(str, group))) for group in (action.top, action.middle, action.back, action.discards))


def text(rows):
    return " / ".join(" ".join(row) or "-" for row in rows)


def first_cards(rules, reached):
    """Return first cards that reach the house fantasyland, or none."""
    return ["9c", "8d", "7h", "6s", "5c"] if reached else []


def judged(board, rules, seen, first):
    finished = oracle.finish(board, rules, first=first, seen=seen)
    return finished, WORTH.get(finished.fantasyland, 0.0)


def compare(rules, rows, cards, boards, reached, objective):
    data = rules.model_dump(mode="json")
    spot = parse_spot(
        rules,
        board=text(rows),
        cards=" ".join(cards),
        opponents=[text(board) for board in boards],
        objective=objective,
        foul_cost=FOUL_COST,
        fantasyland_worth=WORTH,
        fantasyland=reached,
    )
    answer = solve_last_street(spot)
    expected = fillings(rows, cards, data["streets"][-1]["place"])
    found = {names_of(Action.from_code(spot.cards, int(code))): i for i, code in enumerate(answer.codes)}
    assert found.keys() == expected.keys()
    assert len(found) == len(answer.codes)
    assert (answer.value[:-1] >= answer.value[1:]).all()
    first = first_cards(data, reached)
    for key, board in expected.items():
        i = found[key]
        others = [card for other in boards for row in other for card in row]
        mine, worth = judged(board, data, others, first)
        if objective == "solo":
            value = -FOUL_COST if mine.foul else mine.worth + worth
        else:
            value = worth * len(boards)  # every opponent pays for it
            for theirs in boards:
                seen = [card for other in (board, *boards) if other is not theirs for row in other for card in row]
                opponent, their_worth = judged(theirs, data, seen, ())
                value += oracle.settle_pair(mine, opponent, data) - their_worth
        assert answer.value[i] == pytest.approx(value, abs=1e-9)
        assert answer.foul[i] == mine.foul
        assert answer.royalties[i] == mine.worth
        assert answer.cards[i] == mine.fantasyland


def random_boards(rng, rest, count):
    """Return finished boards; half of them in an order that is less likely to foul."""
    boards = []
    for _ in range(count):
        cards, rest = rest[:13], rest[13:]
        if rng.random() < 0.5:
            cards = sorted(cards, key=lambda card: (oracle.RANKS + "J").index(card[0]))
        boards.append([cards[:3], cards[3:8], cards[8:]])
    return boards


@pytest.mark.parametrize("objective", ["solo", "versus"])
@pytest.mark.parametrize("name", preset_names())
def test_every_value_equals_the_enumeration(name, objective):
    rules = preset(name)
    data = rules.model_dump(mode="json")
    rng = random.Random(f"{name} {objective}")
    house = rules.fantasyland.first_street is not None
    for number in range(SPOTS):
        rows, cards, rest = random_position(rng, data)
        boards = random_boards(rng, rest, 1 + number % 2) if objective == "versus" else []
        compare(rules, rows, cards, boards, house and rng.random() < 0.5, objective)


@pytest.mark.parametrize("objective", ["solo", "versus"])
def test_jokers_that_may_not_copy_what_is_seen(objective):
    """Every joker's card, the opponent's too, depends on the card that is placed now."""
    rules = parse_rules("base: ultimate\nname: strict jokers\njokers: {may_copy_seen: false}\n")
    data = rules.model_dump(mode="json")
    rng = random.Random(7)
    done = 0
    while done < (8 if JIT else 1):
        rows, cards, rest = random_position(rng, data)
        boards = random_boards(rng, rest, 1) if objective == "versus" else []
        jokers = [sum(row.count(oracle.JOKER) for row in board) for board in ([*rows, cards], *boards)]
        if max(jokers) == 1:  # the oracle takes seconds for two
            compare(rules, rows, cards, boards, False, objective)
            done += 1


def test_an_answer_by_hand():
    """With queens on top and a flush below, the king fills the top and fantasyland is reached."""
    spot = parse_spot(
        preset("pineapple"),
        board="Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d",
        cards="Kc 9d 3s",
        dead="2c 5d 6s",
    )
    answer = solve_last_street(spot)
    best = Action.from_code(spot.cards, int(answer.codes[0]))
    # middle full house 12, back full house 6, queens 7, fantasyland 9.9
    assert best.middle == parse_cards("9d")
    assert answer.value[0] == pytest.approx(12 + 6 + 7 + 9.9)
    assert len(answer.codes) == 6
    assert answer.value[0] == answer.value[1]  # king or trey on top is the same


def test_versus_counts_the_worth_of_both_sides_next_fantasyland():
    board = "Qd Qh 2c / 9c 9s 4h 4d 2d / As Ac Ad"
    theirs = "Kd Kh 2s / Ts Th 5h 5d 2h / Js Jc Jh 7s 7c"
    question = {"board": board, "cards": "7h 7d 6c", "opponents": [theirs]}
    with_worth = solve_last_street(parse_spot(preset("pineapple"), **question))
    without = solve_last_street(parse_spot(preset("pineapple"), **question, fantasyland_worth={14: 0.0}))
    assert with_worth.value == pytest.approx(without.value)  # both reach it: its worth goes both ways
    small = solve_last_street(
        parse_spot(preset("pineapple"), **(question | {"board": board.replace("Qd Qh", "Qd 3h")}))
    )
    assert small.cards[0] == 0
    assert small.value[0] < without.value[0] - 10


def test_fantasyland_hands_are_listed_too():
    """Thirteen cards at once: all arrangements have a value, and the best has the royal flush in the back."""
    if not JIT:
        return
    cards = "As Ks Qs Js Ts 9h 9d 9c 4h 4d Ah Ad 2c"
    answer = solve_last_street(parse_spot(preset("regular"), cards=cards, fantasyland=True, fantasyland_worth={13: 8}))
    assert len(answer.codes) == 72_072
    # royal 25, nines full 12, aces on top 9, and a full house in the middle stays: 8
    assert answer.value[0] == 25 + 12 + 9 + 8
    assert answer.cards[0] == 13


def test_what_is_too_much_to_list_is_refused():
    deck = " ".join(oracle.DECK[:17])
    with pytest.raises(UnsupportedError, match="171531360 placements"):
        solve_last_street(parse_spot(preset("progressive"), cards=deck, fantasyland=True))
