"""Scoring: finished boards of every variant against the plain-Python scorer, and known hands by name."""

import os
import random
from collections import Counter

import numpy as np
import pytest

from bromeliad.core.jit import JIT
from bromeliad.games.ofc.hands.automaton import HandType, hand_types
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.rules.rule_tables import rule_tables
from bromeliad.games.ofc.rules.scoring import Scored, settle
from oracles import ofc_scorer as oracle
from support import changed, masks_of, score_tables

PRESETS = ("pineapple", "progressive", "progressive-keep", "ultimate", "regular", "deuce", "turbo", "house")
NO_JOKERS = tuple(name for name in PRESETS if name != "ultimate")
CHUNK = 20_000
NEXT_SUIT = {"c": "d", "d": "h", "h": "s", "s": "c"}


RULES = {
    **{name: preset(name) for name in PRESETS},
    "strict": changed("pineapple", order={"strict": True}),
    "strict deuce": changed("deuce", order={"strict": True}),
    "suits": changed("regular", order={"suits_break_ties": True}),
    "no copies": changed("ultimate", jokers={"may_copy_seen": False}),
    "strict jokers": changed("ultimate", order={"strict": True}),
    "strict no copies": changed("ultimate", order={"strict": True}, jokers={"may_copy_seen": False}),
}


# --- deals: random ones, and ones rich in the hands that random ones lack ------------------------------------------


def random_pack(rng, size):
    """Return ``size`` cards: from the whole deck, from few ranks, or from few suits."""
    kind = rng.random()
    if kind < 0.4:
        return rng.sample(oracle.DECK, size)
    if kind < 0.7:
        ranks = rng.sample(oracle.RANKS, (size + 3) // 4)
        return rng.sample([card for card in oracle.DECK if card[0] in ranks], size)
    suits = rng.sample(oracle.SUITS, (size + 12) // 13)
    return rng.sample([card for card in oracle.DECK if card[1] in suits], size)


def random_board(rng, cards, low):
    """Set thirteen cards: at random, or so that a foul is unlikely."""
    if rng.random() < 0.2:
        return [cards[:3], cards[3:8], cards[8:]]
    if rng.random() < 0.5:
        part = rng.randrange(2)  # keep ranks, or suits, together
        cards = sorted(cards, key=lambda card: card[part])
    if low:
        return low_board(rng, cards)
    middle, back = sorted((cards[:5], cards[5:10]), key=likely_strength)
    if rng.random() < 0.05 and "Jk" not in back:
        middle = twin_row(back, middle.count("Jk"))
    return [cards[10:], middle, back]


def twin_row(row, jokers):
    """Return a row of the same ranks in other suits, with this number of cards replaced by jokers."""
    return ["Jk"] * jokers + [card[0] + NEXT_SUIT[card[1]] for card in row[jokers:]]


def likely_strength(row):
    return (1,) if "Jk" in row else (0, oracle.strength(row))


def low_board(rng, cards):
    """Set a board whose middle has the five lowest different ranks, if there are five."""
    by_rank = sorted({card[0]: card for card in cards}.values(), key=oracle.rank_of)
    middle = by_rank[:5] if len(by_rank) >= 5 else cards[:5]
    rest = [card for card in cards if card not in middle]
    rng.shuffle(rest)
    return [rest[:3], middle, rest[3:]]


def random_deals(rng, count, players, jokers, low):
    """Yield tables of boards, with one joker or up to ``jokers`` of them in each deal if there are any."""
    for _ in range(count // players):
        pack = random_pack(rng, 13 * players)
        spread = 13 * players if rng.random() < 0.5 else 13
        for place in rng.sample(range(spread), jokers and rng.randint(1, jokers)):
            pack[place] = "Jk"
        table = [random_board(rng, pack[13 * i : 13 * i + 13], low) for i in range(players)]
        if not jokers and rng.random() < 0.1:
            table[1] = in_other_suits(rng, table[0])
        yield table


def in_other_suits(rng, board):
    """Return a board of the same ranks: every row ties, or differs only in suits."""
    suits = dict(zip(oracle.SUITS, rng.sample(oracle.SUITS, 4), strict=True))
    return [[card[0] + suits[card[1]] for card in row] for row in board]


def compare_with_oracle(rules, seed, boards, players, jokers=0):
    """Score ``boards`` random boards both ways; return the number of boards of each kind."""
    rng = random.Random(seed)
    data = rules.model_dump(mode="json")
    met = Counter()
    for start in range(0, boards, CHUNK):
        deals = list(random_deals(rng, min(CHUNK, boards - start), players, jokers, bool(data["order"]["low_middle"])))
        extra = [extras(rng, table, data) for table in deals]
        ours = run_kernels(rules, deals, extra, players)
        for at, (table, others) in enumerate(zip(deals, extra, strict=True)):
            expected = [oracle.finish(board, data, *more) for board, more in zip(table, others, strict=True)]
            check_table(table, expected, data, *(part[at * players : (at + 1) * players] for part in ours))
            met.update(kind for pair in zip(table, expected, strict=True) for kind in kinds(*pair))
    return met


def extras(rng, table, data):
    """Return (fantasyland cards now, first five cards, cards seen elsewhere) for each board of a table."""
    first_street = bool(data["fantasyland"]["first_street"])
    rows = []
    for board in table:
        cards = sorted({card for row in board for card in row})  # a twin row may repeat a card
        first = (board[rng.randint(1, 2)] if rng.random() < 0.5 else rng.sample(cards, 5)) if first_street else ()
        current = 0 if first_street or rng.random() < 0.5 else rng.randint(13, 17)
        seen = [card for other in table if other is not board for row in other for card in row if card != "Jk"]
        rows.append((current, first, seen))
    return rows


def run_kernels(rules, deals, extra, players):
    boards = [masks_of(board) for table in deals for board in table]
    data = rules.model_dump(mode="json")
    current = [now or int(oracle.reaches_by_first(first, data)) for table in extra for now, first, _ in table]
    by_table = np.bitwise_or.reduce(np.array(boards, np.int64).reshape(len(deals), -1), axis=1)
    scored, totals = score_tables(rule_tables(rules), boards, players, current, np.repeat(by_table, players))
    return scored.tolist(), totals.tolist()


def check_table(table, expected, data, scored, totals):
    assert totals == oracle.settle(expected, data), table
    for board, finished, out in zip(table, expected, scored, strict=True):
        assert bool(out[Scored.FOUL]) == finished.foul, board
        royalties = (0, 0, 0) if finished.foul else finished.royalties
        assert tuple(out[Scored.ROW_ROYALTIES : Scored.ROW_ROYALTIES + 3]) == royalties, board
        assert out[Scored.ROYALTIES] == finished.worth, board
        assert out[Scored.NEXT_CARDS] == finished.fantasyland, board
        if not finished.foul:
            check_strengths(board, finished, data, out)


def check_strengths(board, finished, data, out):
    for row in (0, 2) if data["order"]["low_middle"] else (0, 1, 2):
        category, ranks = finished.rows[row]
        kind = HandType(category, tuple(rank for rank in ranks if rank))
        assert hand_types()[out[Scored.STRENGTH + row]] == kind, (board, row)


def kinds(board, finished):
    """Return the kinds of a board, so that a run can prove that it had the rare ones."""
    found = ["joker"] if any("Jk" in row for row in board) else []
    found += ["equal rows"] if finished.rows[1] == finished.rows[2] else []
    if finished.foul:
        return [*found, "foul"]
    found += [f"{row} royalty" for row, points in zip(oracle.ROWS, finished.royalties, strict=True) if points]
    found += ["fantasyland"] if finished.fantasyland else []
    return [*found, "legal", *(["bonus"] if finished.bonus else [])]


def assert_met(found, boards, names):
    """Assert that a run had boards of every kind: otherwise it proves nothing about the missing kinds."""
    missing = [name for name in ("foul", "legal", *names) if found[name] < boards // 200]
    assert not missing, found


def run_size(normal, plain):
    """Return the number of boards to score: fewer in the runs without the JIT or with bounds checks."""
    if not JIT:
        return plain
    return min(normal, 1_002) if os.environ.get("NUMBA_BOUNDSCHECK") == "1" else normal


# --- agreement -----------------------------------------------------------------------------------------------------

CASES = [(name, players) for name in (*NO_JOKERS, "strict", "strict deuce", "suits") for players in (2, 3)]
JOKER_CASES = [(name, players) for name in RULES if RULES[name].jokers.count for players in (2, 3)]
ROYALTIES = ["top royalty", "middle royalty", "back royalty"]


def must_meet(name):
    """Return the kinds of boards that a run over these rules must have."""
    if name == "house":
        return [*ROYALTIES, "bonus", "equal rows"]
    return [*ROYALTIES, "fantasyland", *([] if "deuce" in name else ["equal rows"])]


@pytest.mark.kernel
@pytest.mark.parametrize(("name", "players"), CASES)
def test_random_boards_agree_with_the_oracle(name, players):
    boards = run_size(5_004, 252)
    met = compare_with_oracle(RULES[name], 20 + players, boards, players)
    assert_met(met, boards, must_meet(name) if JIT else [])


@pytest.mark.kernel
@pytest.mark.parametrize(("name", "players"), JOKER_CASES)
def test_boards_with_jokers_agree_with_the_oracle(name, players):
    boards = run_size(510, 60 if RULES[name].jokers.may_copy_seen else 6)
    met = compare_with_oracle(RULES[name], 30 + players, boards, players, jokers=2)
    assert met["joker"] >= boards // 3


@pytest.mark.accept
@pytest.mark.parametrize(("name", "players"), CASES)
def test_a_million_random_boards_agree_with_the_oracle(name, players):
    boards = 50_004  # in each of twenty cases
    met = compare_with_oracle(RULES[name], 40 + players, boards, players)
    assert_met(met, boards, must_meet(name))


@pytest.mark.accept
@pytest.mark.parametrize(("name", "players"), JOKER_CASES)
def test_twenty_thousand_boards_with_jokers_agree_with_the_oracle(name, players):
    boards = 9_000
    met = compare_with_oracle(RULES[name], 50 + players, boards, players, jokers=2)
    assert met["joker"] >= 2_500  # in each of eight cases
    assert_met(met, boards, must_meet(name))


# --- known hands ---------------------------------------------------------------------------------------------------

BEST = "Qc Qd 7h / 2c 2d 2h 5s 6c / Ah Kh 9h 8h 3h"  # royalties 7, 2 and 4
WEAK = "Js 9c 8c / Ks Kc 3d 4d 6d / Ad Ac 9s 6s 7c"
FOUL = "As Jd 3c / 5c 5d 7s 8d Ts / Kd Qh Js 9d 4c"
WHEEL = "Kc Qd 2s / 3c 3s 7d 9h Jc / 5h 4c 3h 2h Ac"  # royalty 2


def score(name, *boards, current=0):
    """Score boards written as ``top / middle / back`` at one table; return (scored, totals)."""
    rows = [[row.split() for row in board.split("/")] for board in boards]
    masks = [masks_of(board) for board in rows]
    seen = int(np.bitwise_or.reduce(np.array(masks, np.int64), axis=None))
    return score_tables(rule_tables(RULES[name]), masks, len(boards), [current] * len(boards), [seen] * len(boards))


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("one", "two", "points"),
    [
        (BEST, WEAK, 3 + 3 + 13),  # every row, so the scoop, and the royalties
        (BEST, FOUL, 6 + 13),
        (FOUL, BEST, -6 - 13),
        (FOUL, WEAK, -6),
        (FOUL, FOUL, 0),
        (WEAK, WEAK, 0),
        (WHEEL, WEAK, 1 - 1 + 1 + 2),
        (WHEEL, BEST, -1 - 1 - 1 - 3 + 2 - 13),  # royalties count on lost rows
    ],
)
def test_settlement_of_two(one, two, points):
    _, totals = score("pineapple", one, two)
    assert totals.tolist() == [points, -points]


@pytest.mark.kernel
def test_settlement_of_three_is_pairwise():
    _, totals = score("pineapple", BEST, WEAK, FOUL)
    assert totals.tolist() == [19 + 19, -19 + 6, -19 - 6]


@pytest.mark.kernel
def test_the_parts_of_a_settlement():
    scored, _ = score("pineapple", WHEEL, BEST)
    points = np.zeros(4, np.int64)
    assert settle(rule_tables(preset("pineapple")), scored[0], scored[1], points) == -6 + 2 - 13
    assert points.tolist() == [-1, -1, -1, -3]


@pytest.mark.kernel
def test_house_settlement_is_the_difference_of_scores():
    """Rows are worth 1, 2 and 3; a foul scores 0; the bonus comes with the first five cards."""
    _, totals = score("house", WHEEL, WEAK)
    assert totals[0] == 1 - 2 + 3 + (1 + 10) - (1 + 1)
    _, totals = score("house", WHEEL, FOUL)
    assert totals[0] == 6 + 11
    _, totals = score("house", WHEEL, FOUL, current=1)
    assert totals[0] == 6 + 11 + 10


@pytest.mark.kernel
def test_house_suits_break_ties():
    hearts = "Kh Qd 2c / 3h 3d 7c 9d Jd / 5h 4c 3c 2d Ac"
    spades = "Ks Qd 2c / 3h 3d 7c 9d Js / 5s 4c 3c 2d Ac"
    assert score("house", spades, hearts)[1].tolist() == [6, -6]
    assert score("pineapple", spades, hearts)[1].tolist() == [0, 0]


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("board", "foul"),
    [
        ("Qc Qd 7h / Qh Qs 6c 5d 4h / Ac Ad 9h 8h 3h", True),  # the missing kicker counts as nothing
        ("Kc Kd Ah / Kh Ks Qc 7d 3h / Ac Ad 9h 8h 3s", True),
        ("Qc Qd 7h / Qh Qs 8c 5d 4h / Ac Ad 9h 8s 3h", False),
        ("Ac Kd Qh / 3c 2d 2h 5s 6c / Ah Kh 9h 8h 3h", False),
        ("Ah Kh Qh / 9c 8d 7h 5s 3c / As Ks 9s 8s 2s", True),  # no straights nor flushes on top, yet ace high
        ("Ac 2d 3h / Ah 2c 3s 4d 5h / 6c 2h 3d 4s 5c", False),  # the wheel is the lowest straight
        ("Kc Qd 3h / Ah 2c 3s 4d 5h / Ts Th Td 4s 5c", True),
    ],
)
def test_fouls(board, foul):
    scored, _ = score("pineapple", board)
    assert bool(scored[0, Scored.FOUL]) is foul


@pytest.mark.kernel
def test_equal_rows_foul_only_where_the_rules_are_strict():
    board = "2c 3d 4h / Ac Kd 9h 8s 3h / Ah Ks 9c 8d 3s"
    assert score("pineapple", board)[0][0, Scored.FOUL] == 0
    assert score("strict", board)[0][0, Scored.FOUL] == 1


QUADS = "3c 3d 4h / 5c 5d 5h 8s 3h / Ah As Ac Ad 3s"
TRIPS = "2c 2d 2h / 5c 5d 5h 8s 3h / Ah As Ac 4d 3s"
FULL = "2c 3d 4h / 5c 5d 5h 8s 8h / Ah As Ac 4d 4s"
QUEENS, KINGS, ACES = (f"{r}c {r}d 4h / 5c 5d 5h 8s 3h / 7h 7s 7c 9d 3s" for r in "QKA")
NUMBER_ONE = "2c 3d 4h / 7c 5d 4c 3s 2h / Ah As 9c 9d 3h"
BOTH = "Kc Kd 4h / 7c 5d 4c 3s 2h / Ah As 9c 9d 3h"
NO_LOW = "2c 3d 4h / Jc 5d 4c 3s 2h / Ah As 9c 9d 3h"


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("name", "board", "current", "cards"),
    [
        ("pineapple", QUEENS, 0, 14),
        ("pineapple", ACES, 0, 14),
        ("pineapple", TRIPS, 0, 14),
        ("pineapple", QUADS, 0, 0),
        ("pineapple", QUEENS, 14, 0),
        ("pineapple", QUADS, 14, 14),
        ("pineapple", TRIPS, 14, 14),
        ("pineapple", FULL, 14, 0),
        ("pineapple", FOUL, 14, 0),
        ("progressive", QUEENS, 0, 14),
        ("progressive", KINGS, 0, 15),
        ("progressive", ACES, 0, 16),
        ("progressive", TRIPS, 0, 17),
        ("progressive", TRIPS, 16, 14),
        ("progressive-keep", QUADS, 16, 16),
        ("ultimate", QUADS, 17, 17),
        ("ultimate", "Qc Jk 4h / 5c 5d 5h 8s 3h / 7h 7s 7c 9d 3s", 0, 14),
        ("ultimate", "Ac Jk Jk / 5c 5d 5h 8s 3h / 7h 7s 7c 9d 3s", 0, 16),
        ("regular", QUEENS, 0, 13),
        ("regular", FULL, 13, 13),
        ("regular", QUADS, 13, 13),
        ("turbo", KINGS, 0, 13),
        ("turbo", FULL, 13, 0),
        ("turbo", TRIPS, 13, 13),
        ("deuce", NUMBER_ONE, 0, 14),
        ("deuce", BOTH, 0, 15),
        ("deuce", BOTH, 14, 0),
        ("deuce", NO_LOW, 0, 0),
        ("deuce", NUMBER_ONE.replace("2c 3d 4h", "2c 2d 2s").replace("9c 9d 3h", "Ac Ad 3h"), 15, 14),
        ("house", TRIPS, 0, 0),
    ],
)
def test_fantasyland(name, board, current, cards):
    scored, _ = score(name, board, current=current)
    assert scored[0, Scored.NEXT_CARDS] == cards


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("middle", "royalty"),
    [("7c 5d 4c 3s 2h", 8), ("7c 6d 4c 3s 2h", 4), ("8c 5d 4c 3s 2h", 2), ("9c 5d 4c 3s 2h", 1), ("Tc 5d 4c 3s 2h", 0)],
)
def test_low_royalties(middle, royalty):
    scored, _ = score("deuce", f"2c 3d 4h / {middle} / Ah As 9c 9d 3h")
    assert not scored[0, Scored.FOUL]
    assert scored[0, Scored.ROYALTIES] == royalty


@pytest.mark.kernel
@pytest.mark.parametrize(
    "middle", ["6c 5d 4c 3s 2h", "7c 5c 4c 3c 2c", "7c 7d 4c 3s 2h", "Ac 5d 4c 3s 2h", "Jc 5d 4c 3s 2h"]
)
def test_lows_that_do_not_qualify_foul(middle):
    scored, _ = score("deuce", f"2c 3d 4h / {middle} / Ah As 9c 9d 3h")
    assert scored[0, Scored.FOUL]


@pytest.mark.kernel
def test_a_low_condition_of_one_card_takes_every_such_low():
    """``low 9`` is any nine-low or better, not only what is better than every nine-low."""
    entry = [{"row": "middle", "at_least": "low 9", "cards": 14}]
    rules = changed("deuce", fantasyland={"entry": entry, "entry_both": None})
    by_strength = rule_tables(rules).entry[1]
    data = rules.model_dump(mode="json")
    for middle, cards in (
        ("9c 8d 7c 6s 4h", 14),
        ("9c 5d 4c 3s 2h", 14),
        ("8c 5d 4c 3s 2h", 14),
        ("Tc 5d 4c 3s 2h", 0),
    ):
        board = [["2c", "3d", "4h"], middle.split(), ["Ah", "As", "9c", "9d", "3h"]]
        scored, _ = score_tables(rule_tables(rules), [masks_of(board)], 1, [0], [0])
        assert scored[0, Scored.NEXT_CARDS] == by_strength[scored[0, Scored.STRENGTH + 1]] == cards
        assert oracle.finish(board, data).fantasyland == cards


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("name", "board", "foul", "types"),
    [
        # the back is made as strong as it can be, the middle not above it, the top not above that
        ("ultimate", "Qc Jk 4h / 5c 5d 6h 8s 3h / 7h 7s 7c 9d Jk", False, ["pair", "pair", "four of a kind"]),
        ("ultimate", "2c 3d 4h / Kc Kd Kh 8s Jk / 7h 7s 7c 9d 3s", True, None),
        ("ultimate", "2c 3d 4h / Kc Jk 9h 8s 3h / 7h 7s Tc 9d 3s", False, ["high card", "pair", "pair"]),
        ("ultimate", "2c 3d 4h / Ah Kh Qh Jh Jk / As Ks Qs Js Jk", False, ["high card", "royal flush", "royal flush"]),
        ("strict jokers", "2c 3d 4h / Ah Kh Qh Jh Jk / As Ks Qs Js Jk", False, ["high card", "flush", "royal flush"]),
        ("no copies", "2c 3d Th / Ah Kh Qh Jh Jk / As Ks Qs Js Jk", False, ["high card", "flush", "royal flush"]),
    ],
)
def test_jokers(name, board, foul, types):
    scored, _ = score(name, board)
    assert bool(scored[0, Scored.FOUL]) is foul
    if types:
        strengths = scored[0, Scored.STRENGTH : Scored.STRENGTH + 3]
        assert [hand_types()[strength].name for strength in strengths] == types
