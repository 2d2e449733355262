"""Rule sets: every number of every preset, reading and writing, and the errors of wrong files."""

import pickle
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from bromeliad.errors import RulesError
from bromeliad.games.ofc.rules.files import (
    MAX_BYTES,
    HouseFile,
    dump_rules,
    load_rules,
    parse_rules,
    preset,
    preset_names,
)
from bromeliad.games.ofc.rules.rule_set import RuleSet, parse_rank
from bromeliad.games.ofc.rules.rule_tables import rule_tables
from support import run_python

PRESETS = ("pineapple", "deuce", "house", "progressive", "progressive-keep", "regular", "turbo", "ultimate")

# --- the numbers, typed from the rules document --------------------------------------------------------------------

PAIRS = {6: 1, 7: 2, 8: 3, 9: 4, 10: 5, 11: 6, 12: 7, 13: 8, 14: 9}
TRIPS = {2: 10, 3: 11, 4: 12, 5: 13, 6: 14, 7: 15, 8: 16, 9: 17, 10: 18, 11: 19, 12: 20, 13: 21, 14: 22}
MIDDLE = {"trips": 2, "straight": 4, "flush": 8, "full_house": 12, "quads": 20, "straight_flush": 30, "royal": 50}
BACK = {"straight": 2, "flush": 4, "full_house": 6, "quads": 10, "straight_flush": 15, "royal": 25}
HOUSE_ROW = {
    "pair": 1,
    "two_pair": 3,
    "trips": 6,
    "straight": 10,
    "flush": 15,
    "full_house": 25,
    "quads": 50,
    "straight_flush": 100,
    "royal": 150,
}
HOUSE_PAIRS = {2: 1, 3: 1, 4: 1, 5: 1, 6: 1, 7: 1, 8: 1, 9: 1, 10: 1, 11: 1, 12: 2, 13: 3, 14: 4}
HOUSE_TRIPS = {2: 3, 3: 3, 4: 3, 5: 3, 6: 3, 7: 3, 8: 3, 9: 3, 10: 3, 11: 3, 12: 6, 13: 9, 14: 12}
QUEENS_14 = [("top", "pair Q", 14)]
PROGRESSIVE = [("top", "pair Q", 14), ("top", "pair K", 15), ("top", "pair A", 16), ("top", "trips", 17)]
STAY = [("top", "trips"), ("back", "quads")]
STAY_B = [("top", "trips"), ("middle", "full_house"), ("back", "quads")]
PINEAPPLE_STREETS = [(5, 5), (3, 2), (3, 2), (3, 2), (3, 2)]


@pytest.mark.parametrize(
    ("name", "players", "jokers", "streets"),
    [
        ("pineapple", (2, 3), 0, PINEAPPLE_STREETS),
        ("progressive", (2, 3), 0, PINEAPPLE_STREETS),
        ("progressive-keep", (2, 3), 0, PINEAPPLE_STREETS),
        ("ultimate", (2, 3), 2, PINEAPPLE_STREETS),
        ("deuce", (2, 3), 0, PINEAPPLE_STREETS),
        ("house", (2, 3), 0, PINEAPPLE_STREETS),
        ("regular", (2, 4), 0, [(5, 5)] + [(1, 1)] * 8),
        ("turbo", (2, 3), 0, [(5, 5), (4, 4), (4, 4)]),
    ],
)
def test_players_cards_and_streets(name, players, jokers, streets):
    rules = preset(name)
    assert rules.name == name
    assert (rules.players.min, rules.players.max) == players
    assert rules.jokers.count == jokers
    assert rules.deck_size == 52 + jokers
    assert [(street.deal, street.place) for street in rules.streets] == streets
    assert rules.cards_per_player == sum(deal for deal, _ in streets)


@pytest.mark.parametrize("name", [name for name in PRESETS if name not in ("house", "deuce")])
def test_royalties(name):
    royalties = preset(name).royalties
    assert royalties.top.pair == PAIRS
    assert royalties.top.trips == TRIPS
    assert royalties.middle == MIDDLE
    assert royalties.back == BACK
    assert royalties.middle_low == {}


def test_royalties_of_deuce():
    royalties = preset("deuce").royalties
    assert (royalties.top.pair, royalties.top.trips, royalties.back) == (PAIRS, TRIPS, BACK)
    assert royalties.middle == {}
    assert royalties.middle_low == {"9": 1, "8": 2, "7": 4, "75432": 8}


def test_royalties_of_the_house():
    royalties = preset("house").royalties
    assert (royalties.top.pair, royalties.top.trips) == (HOUSE_PAIRS, HOUSE_TRIPS)
    assert royalties.middle == royalties.back == HOUSE_ROW


@pytest.mark.parametrize("name", PRESETS)
def test_points(name):
    scoring = preset(name).scoring
    points = (scoring.row_points.top, scoring.row_points.middle, scoring.row_points.back, scoring.scoop)
    assert points == ((1, 2, 3, 0) if name == "house" else (1, 1, 1, 3))


@pytest.mark.parametrize(
    ("name", "entry", "both", "stay", "stay_cards"),
    [
        ("pineapple", QUEENS_14, None, STAY, 14),
        ("progressive", PROGRESSIVE, None, STAY, 14),
        ("progressive-keep", PROGRESSIVE, None, STAY, "keep"),
        ("ultimate", PROGRESSIVE, None, STAY, "keep"),
        ("deuce", [("top", "pair K", 14), ("middle", "low 75432", 14)], 15, STAY, 14),
        ("house", [], None, [], 14),
        ("regular", [("top", "pair Q", 13)], None, STAY_B, 13),
        ("turbo", [("top", "pair Q", 13)], None, STAY, 13),
    ],
)
def test_fantasyland(name, entry, both, stay, stay_cards):
    land = preset(name).fantasyland
    assert [(c.row, c.at_least, c.cards) for c in land.entry] == entry
    assert land.entry_both == both
    assert [(c.row, c.at_least) for c in land.stay] == stay
    assert land.stay_cards == stay_cards
    assert land.bonus == (10 if name == "house" else 0)
    assert (land.first_street is not None) == (name == "house")
    assert land.commit == "first"
    assert land.button_moves_on_stay is False


@pytest.mark.parametrize("name", PRESETS)
def test_order(name):
    order = preset(name).order
    assert order.strict is False
    assert order.suits_break_ties is (name == "house")
    assert (order.low_middle.qualifier if order.low_middle else None) == (10 if name == "deuce" else None)


def test_cards_of_fantasyland():
    assert preset("progressive").fantasyland_cards() == (14, 15, 16, 17)
    assert preset("deuce").fantasyland_cards() == (14, 15)
    assert preset("progressive").stay_cards(17) == 14
    assert preset("progressive-keep").stay_cards(17) == 17


# --- reading and writing -------------------------------------------------------------------------------------------


def test_the_default_comes_first():
    assert preset_names() == PRESETS


@pytest.mark.parametrize("name", PRESETS)
def test_what_is_written_reads_back(name, tmp_path):
    rules = preset(name)
    assert parse_rules(dump_rules(rules)) == rules
    assert RuleSet.model_validate(rules.to_data()) == rules
    assert RuleSet.model_validate_json(rules.model_dump_json()) == rules
    path = tmp_path / "mine.yaml"
    path.write_text(dump_rules(rules), encoding="utf-8")
    assert load_rules(path) == rules == load_rules(name)
    assert hash(load_rules(path)) == hash(rules)


def test_a_file_may_change_a_preset():
    rules = parse_rules("base: progressive\nname: mine\nroyalties:\n  top:\n    pair: {A: 99}\nscoring: {scoop: 4}\n")
    assert rules.name == "mine"
    assert rules.royalties.top.pair == {14: 99}  # a table is replaced whole
    assert rules.royalties.top.trips == TRIPS  # a section is merged
    assert rules.scoring.scoop == 4
    assert rules.fantasyland == preset("progressive").fantasyland


HASHES = (
    "from bromeliad.games.ofc.rules.files import preset, preset_names\n"
    "print(*(f'{hash(preset(name))}:{preset(name).game_key}' for name in preset_names()))\n"
)


def test_presets_come_from_the_cache_as_they_were_checked(tmp_path):
    """A hash that is stored must be the same in every process."""
    told = {
        tuple(run_python(tmp_path, HASHES, BROMELIAD_CACHE_DIR=str(tmp_path / cache), PYTHONHASHSEED=seed))
        for cache, seed in (("one", "1"), ("one", "2"), ("two", "3"))
    }
    here = tuple(f"{hash(rules)}:{rules.game_key}" for rules in map(parse_whole, preset_names()))
    assert told == {here}


def parse_whole(name):
    """Read a preset anew, without the cache."""
    return parse_rules(dump_rules(preset(name)))


def test_a_rule_set_cannot_be_changed():
    with pytest.raises(ValidationError, match="frozen"):
        preset("pineapple").name = "other"


def test_ranks():
    assert [parse_rank(text) for text in (2, "9", "T", "t", "10", 10, "J", "A")] == [2, 9, 10, 10, 10, 10, 11, 14]
    for bad in ("1", "11", "", "AK", None, -2):
        with pytest.raises(ValueError, match="a rank is"):
            parse_rank(bad)


# --- the house format ----------------------------------------------------------------------------------------------

HOUSE_YAML = """\
region_lengths:
  top: 3      # 顶部区域牌数
  middle: 5   # 中部区域牌数
  bottom: 5   # 底部区域牌数
scoring:
  top_win: 1            # 顶部区域获胜得分
  middle_win: 2         # 中部区域获胜得分
  bottom_win: 3         # 底部区域获胜得分
  fantasyland_bonus: 10 # 幻想模式奖励得分
top_pair_scores:
  2: 1
  3: 1
  # ... 其他点数
  Q: 2
  K: 3
  A: 4
top_trips_scores:
  2: 3
  3: 3
  # ... 其他点数
  Q: 6
  K: 9
  A: 12
mcts:
  exploration_weight: 1.0  # 探索权重
  simulation_count: 1000   # 模拟次数
  temperature: 1.0         # 温度参数
"""


def test_the_house_file_as_printed_is_the_house_preset():
    assert parse_rules(HOUSE_YAML) == preset("house")


def test_the_house_file_round_trips():
    rules = parse_rules(HOUSE_YAML)
    written = dump_rules(HouseFile.from_rules(rules))
    assert written.startswith("region_lengths:")
    assert parse_rules(written) == rules


def test_a_house_file_keeps_just_what_it_was_given():
    data = {
        "region_lengths": {"top": 3, "middle": 5, "bottom": 5},
        "scoring": {"top_win": 2, "middle_win": 4, "bottom_win": 6, "fantasyland_bonus": 20},
        "top_pair_scores": {"A": 8},
        "top_trips_scores": {"A": 24},
        "mcts": {"exploration_weight": 2.0, "simulation_count": 10, "temperature": 0.5},
    }
    house = HouseFile.model_validate(data)
    assert HouseFile.model_validate(house.model_dump(mode="json")) == house
    rules = house.to_rules()
    assert parse_rules(dump_rules(house)) == rules
    assert rules.royalties.top.pair == {**HOUSE_PAIRS, 14: 8}
    assert rules.scoring.row_points.back == 6
    assert rules.fantasyland.bonus == 20
    assert rules.mcts.temperature == 0.5


# --- wrong files: line, field, what is allowed ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("base: pinapple", [r":1: base must be one of pineapple, deuce"]),
        ("base: pineapple\nplayers: {min: 0, max: 3}", [r":2: players.min must be 1 or more"]),
        ("base: pineapple\n\nscoop: 3", [r":3: scoop is not a known field; allowed: name, summary, players"]),
        (
            "base: pineapple\norder:\n  strict: maybe\n  suit: 1",
            [
                r":3: order.strict must be true or false",
                r":4: order.suit is not a known field; allowed: strict, suits_break_ties, low_middle$",
            ],
        ),
        (
            "base: pineapple\nroyalties:\n  middle:\n    triplets: 2",
            [r":4: royalties.middle.triplets must be one of high_card, pair, two_pair"],
        ),
        ("base: pineapple\nroyalties:\n  top:\n    pair: {1: 5}", [r":4: royalties.top.pair a rank is 2 to 10, T, J"]),
        ("base: deuce\nroyalties:\n  middle_low:\n    '75X': 5", [r":4: royalties.middle_low.75X must be a hand like"]),
        ("base: pineapple\nscoring:\n  scoop: many", [r":3: scoring.scoop must be a whole number"]),
        ("base: pineapple\nscoring:\n  scoop: 9999999999", [r":3: scoring.scoop must be 10000 or less"]),
        ("base: pineapple\nobjective: {foul_cost: .nan}", [r":2: objective.foul_cost must be a finite number"]),
        (
            "base: pineapple\nfantasyland:\n  commit: never\n  stay_cards: 99",
            [
                r":4: fantasyland.stay_cards must be 17 or less",
                r":4: fantasyland.stay_cards must be one of keep",
                r":3: fantasyland.commit must be one of first, turn, last",
            ],
        ),
        (
            "base: pineapple\nfantasyland:\n  entry:\n    - {row: top, at_least: pair Q, cards: 14}\n"
            "    - {row: front, at_least: aces, cards: 12}",
            [
                r":5: fantasyland.entry.1.row must be one of top, middle, back",
                r":5: fantasyland.entry.1.at_least must be a hand like pair Q",
                r":5: fantasyland.entry.1.cards must be 13 or more",
            ],
        ),
        (
            "base: deuce\nfantasyland:\n  stay:\n    - {row: back, at_least: low 7}",
            [r":4: fantasyland.stay.0 only the middle row can require a low hand"],
        ),
        (
            "base: pineapple\nstreets:\n- {deal: 5, place: 5}\n- {deal: 5, place: 6}",
            [r":4: streets.1 place may not be more than deal"],
        ),
        ("base: pineapple\nstreets: []", [r":2: streets must have at least 1 entries"]),
        ("base: pineapple\nstreets:\n- {deal: 5, place: 5}", [r": rules the streets place 5 cards, a board has 13"]),
        ("base: pineapple\nplayers: {min: 3, max: 2}", [r": rules players.min may not be more than players.max"]),
        ("base: pineapple\nplayers: {min: 2, max: 4}", [r": rules 4 players need more cards than the deck has"]),
        ("base: deuce\njokers: {count: 2}", [r": rules a deuce-to-seven middle is not played with jokers"]),
        ("base: deuce\norder: {low_middle: null}", [r": rules low hands need order.low_middle"]),
        ("base: pineapple\nplayers: 3", [r":2: players must be a section with fields; allowed: min, max"]),
        ("base: pineapple\nstreets: {deal: 3}", [r":2: streets must be a list"]),
        ("base: pineapple\nname: ''", [r":2: name may not be empty"]),
        (f"base: pineapple\nname: {'x' * 50}", [r":2: name may have at most 40 characters"]),
        ("base: pineapple\nsummary: 3", [r":2: summary must be text"]),
        ("base: pineapple\nname: a\nname: b", [r':3: found duplicate key "name"']),
        ("name: [1\nplayers: 3", [r":2: expected ',' or ']'"]),
        ("- a\n- b", [r": a rule file is a YAML mapping"]),
        ("", [r": a rule file is a YAML mapping"]),
        (
            "region_lengths: {top: 4, middle: 5, bottom: 5}",
            [r":1: region_lengths.top must be one of 3", *["missing"] * 4],
        ),
        (HOUSE_YAML.replace("  Q: 2", "  X: 2"), [r":10: top_pair_scores a rank is 2 to 10"]),
        (HOUSE_YAML.replace("1000 ", "0 "), [r":26: mcts.simulation_count must be 1 or more"]),
    ],
)
def test_a_wrong_file_is_told_line_field_and_what_is_allowed(text, problems):
    with pytest.raises(RulesError) as caught:
        parse_rules(text, source="my.yaml")
    found = [str(problem) for problem in caught.value.problems]
    assert caught.value is caught.value.problems[0]
    assert len(found) == len(problems), found
    for message, expected in zip(found, problems, strict=True):
        assert message.startswith("my.yaml:")
        assert re.search(expected, message), message


def test_a_file_without_a_base_must_be_complete():
    with pytest.raises(RulesError) as caught:
        parse_rules("name: x\nsummary: y")
    fields = ["players", "jokers", "streets", "order", "scoring", "royalties", "fantasyland", "objective"]
    assert [str(p) for p in caught.value.problems] == [
        f"rules: {field} is missing (or name a preset as base)" for field in fields
    ]


def test_a_single_problem_is_listed_too():
    with pytest.raises(RulesError) as caught:
        load_rules("no-such-file.yaml")
    assert [str(problem) for problem in caught.value.problems] == [str(caught.value)]
    assert "presets: pineapple" in str(caught.value)


def test_the_error_survives_pickling():
    with pytest.raises(RulesError) as caught:
        parse_rules("base: nope")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_files_that_cannot_be_read(tmp_path):
    large = tmp_path / "large.yaml"
    large.write_text("#" * (MAX_BYTES + 1))
    with pytest.raises(RulesError, match="too large"):
        load_rules(large)
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RulesError, match="cannot be read"):
        load_rules(binary)
    with pytest.raises(RulesError, match="no such file"):
        load_rules(tmp_path)
    with pytest.raises(RulesError, match="no such file"):
        load_rules(Path("x" * 5000))


# --- nothing but our errors ----------------------------------------------------------------------------------------


def parse_or_refuse(text):
    """Parse a text: accepted rules must also make tables, refused ones must have a reason."""
    refusal = None
    try:
        rule_tables.__wrapped__(parse_rules(text))
    except RulesError as error:
        refusal = error
    assert refusal is None or all(str(problem) for problem in refusal.problems)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 20_000,
        "{" * 20_000,
        "- " * 5_000,
        "? " * 5_000,
        "&a [*a]",
        "&a {b: *a}",
        "&a [? *a]",
        "base: &b pineapple\nroyalties: &r\n  top: *r",
        "base: pineapple\nname: &n [*n]",
        "a: &x 1\nb: &x 2",
        "a: !!int ''",
        "a: !!bool x",
        "a: !!float .",
        "a: !!timestamp 2001-99-99",
        "!!set ",
        "!!omap {a: 1}",
        "%YAML 1.1\n---\na: 1e3",
        "%YAML 9.9\n---\nbase: pineapple",
        "a: " + "9" * 5_000,
        "base: [pineapple]",
        "base: {a: b}",
        "base: pineapple\n1: 2\nnull: 3\n? [x]\n: 4",
        "base: pineapple\nname: '{}{0}{x}'\n'{foo}': 1",
        "base: pineapple\nobjective: {foul_cost: .inf, fantasyland_worth: {14: .nan}}",
        "<<: [1, 2]",
        "\x00",
        "\ud800",
        "--- a\n--- b",
    ],
    ids=lambda text: repr(text[:30]),
)
def test_odd_documents(text):
    parse_or_refuse(text)


@settings(deadline=None, max_examples=150, derandomize=True)
@given(st.text(max_size=200))
def test_any_text(text):
    parse_or_refuse(text)


KEYS = ["base", "name", "players", "min", "streets", "deal", "royalties", "top", "pair", "Q", "fantasyland", "entry"]
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.sampled_from([*PRESETS, *KEYS])
)
TREES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=4), inner, max_size=5)
    ),
    max_leaves=12,
)


@settings(deadline=None, max_examples=150, derandomize=True)
@given(st.dictionaries(st.sampled_from([*RuleSet.model_fields, "base", "region_lengths"]), TREES), st.booleans())
def test_any_tree(tree, with_base):
    parse_or_refuse(as_flow({**tree, "base": "pineapple"} if with_base else tree))


def as_flow(value):
    """Write plain data as YAML in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{as_flow(key)}: {as_flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(as_flow(inner) for inner in value) + "]"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return {"None": "null", "True": "true", "False": "false"}.get(repr(value), repr(value))


@settings(deadline=None, max_examples=100, derandomize=True)
@given(st.data())
def test_damaged_rule_files(data):
    text = dump_rules(preset(data.draw(st.sampled_from(PRESETS))))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        text = (
            text[:at]
            + data.draw(st.sampled_from("{}[]:-,&*!|>'\"%@`#?\n\t 0"))
            + text[at + data.draw(st.integers(0, 5)) :]
        )
    parse_or_refuse(text)
