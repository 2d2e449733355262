"""One suite for every game: what the search relies on holds for each game that is registered, and each OFC preset."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bromeliad import registry
from bromeliad.core import game as core
from bromeliad.core.cards import DECK_SIZE
from bromeliad.core.game import CHANCE, TERMINAL, Game, apply, clone, copy_into, legal_actions, outcome, state_key
from bromeliad.core.jit import JIT, kernel
from bromeliad.core.rng import below, new_rng
from bromeliad.errors import InputError
from bromeliad.games.gomoku.game import Gomoku
from bromeliad.games.gomoku.rules import RULES
from bromeliad.games.ofc.game import OfcGame
from bromeliad.games.ofc.hands.automaton import EMPTY_ROW, row_of_mask
from bromeliad.games.ofc.rules.files import preset, preset_names
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES
from bromeliad.games.ofc.values.hand_state import Field, HandState
from bromeliad.games.sequence.game import Sequence
from bromeliad.games.sequence.rules import rules_named
from bromeliad.search.params import SearchParams
from bromeliad.search.searcher import Searcher
from bromeliad_games.connect4 import ConnectFour
from bromeliad_games.tictactoe import TicTacToe

pytestmark = pytest.mark.kernel

GAMES = {"tictactoe": TicTacToe(), "connect4": ConnectFour()}  # registered games take their places
GAMES |= {name: registry.get(name) for name in registry.names()}
GAMES |= {f"ofc {name}": OfcGame(preset(name)) for name in preset_names()}
GAMES |= {f"gomoku {name}": Gomoku(7, name) for name in RULES}
GAMES |= {"gomoku without patterns": Gomoku(9, patterns=False)}
GAMES |= {"sequence official": Sequence(rules_named("official", 3))}
GENERICS = [found for found in vars(core).values() if hasattr(found, "provided_by")]
MANY = 300 if JIT else 40
SOME = 40 if JIT else 10
DISTINCT = 4000 if JIT else 1000
MOST_PAIRS = 60 if JIT else 10  # of moves of one game that change places
GARBAGE = ["", " ", "garbage", "\0", "-", "/", "(", "As As", "a0", "As Ks Qs Js Ts 9s", "- / - / - (", "9" * 400, "🂡"]


@pytest.fixture(params=GAMES)
def game(request):
    return GAMES[request.param]


def content(state):
    """Return what a state holds, to compare it with another of its class; tables are not part of it."""
    return tuple(part.tobytes() for part in state if isinstance(part, np.ndarray) and part.flags.writeable)


def everything(state):
    return tuple(everything(part) if isinstance(part, tuple) else part.tobytes() for part in state)


def listed(game, state):
    actions = np.full(game.info.max_actions, -7, np.int64)
    return [int(action) for action in actions[: legal_actions(state, actions)]]


def advance(game, state, rng):
    """Play one random move from Python; return the action."""
    if core.to_play(state) == CHANCE:
        action = int(core.sample_chance(state, rng))
    else:
        actions = listed(game, state)
        action = actions[below(rng, len(actions))]
    apply(state, action)
    return action


def play_in_python(game, state, rng, limit):
    count = 0
    while count < limit and core.to_play(state) != TERMINAL:
        advance(game, state, rng)
        count += 1
    return count


def finish(game, state, rng):
    """Play on to the end in a kernel; return how many moves that took."""
    return core.play_randomly(state, np.zeros(game.info.max_actions, np.int64), rng, game.info.max_length)


def states(game, count, seed):
    """Yield random states, each from a generator of its own, with that generator."""
    for i in range(count):
        rng = new_rng(seed * 1_000_003 + i)
        yield game.random_state(rng), rng


def decisions(game, count, seed):
    for state, rng in states(game, count, seed):
        while core.to_play(state) == CHANCE:
            advance(game, state, rng)
        if core.to_play(state) != TERMINAL:
            yield state, rng


def check(game, state):
    """Fail if a state contradicts itself."""
    mover = core.to_play(state)
    if mover == TERMINAL:
        values = [outcome(state, player) for player in range(game.info.players)]
        assert all(map(math.isfinite, values))
        assert not game.info.zero_sum or abs(sum(values)) < 1e-9
    elif mover != CHANCE:
        assert 0 <= mover < game.info.players
        assert listed(game, state)
    if isinstance(state, HandState):
        check_hand(game.rules, state)


def check_hand(rules, state):
    """Fail if the fields of an OFC hand do not fit together."""
    v = [int(value) for value in state.v]
    masks = v[Field.MASK : Field.MASK + 3]
    groups = [*masks, v[Field.HAND], v[Field.DECK]]
    together = 0
    for group in groups:
        assert not together & group
        together |= group
    assert together < 1 << (DECK_SIZE + rules.jokers.count)
    placed = sum(street.place for street in rules.streets[: v[Field.STREET]])
    assert sum(mask.bit_count() for mask in masks) == placed
    assert v[Field.HAND].bit_count() in (0, (rules.streets + rules.streets[-1:])[v[Field.STREET]].deal)
    dealt = sum(street.deal for street in rules.streets[: v[Field.STREET]]) + v[Field.HAND].bit_count()
    assert v[Field.DECK].bit_count() == rules.deck_size - dealt
    for row, mask in enumerate(masks):
        assert v[Field.FREE + row] == ROW_SIZES[row] - mask.bit_count() >= 0
        expected = row_of_mask(state.tables.hands, np.int64(mask)) if mask else EMPTY_ROW
        assert v[Field.ROW + row] == expected


def test_provides_what_the_search_asks_for(game):
    assert isinstance(game, Game)
    info = game.info
    assert info.name
    assert info.players >= 1
    assert info.max_actions >= 1
    assert info.max_length >= 1
    cls = type(game.new_state())
    assert [function.__name__ for function in GENERICS if function.required and not function.provided_by(cls)] == []


def test_a_copy_is_independent(game):
    other = game.new_state()
    for state, rng in states(game, SOME, 1):
        copy_into(other, state)
        assert content(other) == content(state)
        assert content(clone(state)) == content(state)
        before, key = content(state), state_key(state)
        copies = other, clone(state)
        if core.to_play(state) == TERMINAL:
            continue
        for copy in copies:
            advance(game, copy, rng)
            assert content(copy) != before
            assert content(state) == before
        after = content(other)
        advance(game, state, rng)
        assert content(other) == after
        copy_into(other, state)  # nothing of what it held before is left
        assert content(other) == content(state)
        assert key != state_key(state) or key == 0


def test_legal_actions_are_distinct_and_always_in_the_same_order(game):
    for state, _ in decisions(game, MANY, 2):
        before = content(state)
        actions = listed(game, state)
        assert 1 <= len(actions) <= game.info.max_actions
        assert len(set(actions)) == len(actions)
        assert listed(game, state) == actions
        assert listed(game, clone(state)) == actions
        assert content(state) == before


def test_every_legal_action_leaves_a_sound_state(game):
    child = game.new_state()
    for state, rng in decisions(game, SOME, 3):
        check(game, state)
        for action in listed(game, state):
            copy_into(child, state)
            apply(child, action)
            check(game, child)
            if core.to_play(child) == CHANCE:
                advance(game, child, rng)
                check(game, child)


def test_a_random_game_ends_in_time_with_finite_outcomes(game):
    for seed in range(MANY):
        state = game.new_state()
        assert 1 <= finish(game, state, new_rng(seed)) <= game.info.max_length
        assert core.to_play(state) == TERMINAL
        check(game, state)


def test_every_step_of_a_random_game_is_sound(game):
    for seed in range(SOME):
        state, rng = game.new_state(), new_rng(seed)
        while core.to_play(state) != TERMINAL:
            check(game, state)
            advance(game, state, rng)
        check(game, state)


def test_chance_is_a_function_of_the_generator_and_of_nothing_else(game):
    provided = core.sample_chance.provided_by(type(game.new_state()))
    for state, rng in states(game, MANY, 4):
        if core.to_play(state) != CHANCE:
            continue
        assert provided
        before, same = content(state), rng.copy()
        drawn = core.sample_chance(state, rng)
        assert drawn == core.sample_chance(clone(state), same)
        assert np.array_equal(rng, same)
        assert content(state) == before
        apply(state, drawn)
        assert content(state) != before
        check(game, state)


def test_a_kernel_plays_the_same_games_as_plain_python(game):
    for seed in range(SOME):
        compiled, plain = game.new_state(), game.new_state()
        one, two = new_rng(seed), new_rng(seed)
        limit = seed % (game.info.max_length + 1)
        actions = np.zeros(game.info.max_actions, np.int64)
        assert core.play_randomly(compiled, actions, one, limit) == play_in_python(game, plain, two, limit)
        assert content(compiled) == content(plain)
        assert np.array_equal(one, two)
        assert state_key(compiled) == key_in_kernel(plain) == state_key(plain)
        if core.to_play(plain) == TERMINAL:
            assert outcome_in_kernel(compiled, 0) == outcome(plain, 0)


@kernel
def key_in_kernel(state):
    return state_key(state)


@kernel
def outcome_in_kernel(state, player):
    return outcome(state, player)


@kernel
def moves_in_kernel(state, actions, rng, picks):
    picks[0] = core.random_action(state, actions, rng)
    picks[1] = core.playout_action(state, actions, rng)


def test_policies_pick_legal_moves_compiled_or_not(game):
    buffer, picks = np.zeros(game.info.max_actions, np.int64), np.zeros(2, np.int64)
    for state, rng in decisions(game, SOME, 5):
        before, same = content(state), rng.copy()
        moves_in_kernel(state, buffer, rng, picks)
        assert picks[0] == core.random_action(state, buffer, same)
        assert picks[1] == core.playout_action(state, buffer, same)
        assert set(picks.tolist()) <= set(listed(game, state))
        assert content(state) == before


def test_what_a_game_may_add_is_within_its_promise(game):
    players = game.info.players
    cls = type(game.new_state())
    for state, rng in decisions(game, SOME, 6):
        before = content(state)
        actions = listed(game, state)
        if core.score_actions.provided_by(cls):
            scores = np.full(len(actions), np.nan)
            core.score_actions(state, np.array(actions, np.int64), len(actions), scores)
            assert np.isfinite(scores).all()
        assert all(core.is_hopeless(state, action) in (True, False) for action in actions)
        assert all(math.isfinite(core.estimate(state, player)) for player in range(players))
        assert 0.0 <= core.value_scale(state) < math.inf
        assert core.phase(state) in (0, 1, 2)
        assert core.is_critical(state) in (True, False)
        values = np.full(players, np.nan)
        assert not core.leaf_value(state, values) or np.isfinite(values).all()
        bounds = [core.upper_bound(state, player) for player in range(players)]
        assert content(state) == before
        finish(game, state, rng)
        assert all(outcome(state, player) <= bounds[player] + 1e-9 for player in range(players))


def test_hiding_changes_nothing_that_the_mover_sees(game):
    if not core.determinize.provided_by(type(game.new_state())):
        assert core.information_key(game.new_state()) == 0
        return
    for state, rng in decisions(game, SOME, 7):
        mover, actions, key = core.to_play(state), listed(game, state), core.information_key(state)
        core.determinize(state, rng, mover)
        assert core.to_play(state) == mover
        assert listed(game, state) == actions
        assert core.information_key(state) == key
        check(game, state)


def same_future(game, one, two):
    """Say whether two states go on alike, whatever the dice say."""
    for seed in range(5):
        a, b = clone(one), clone(two)
        if finish(game, a, new_rng(seed)) != finish(game, b, new_rng(seed)):
            return False
        if any(outcome(a, player) != outcome(b, player) for player in range(game.info.players)):
            return False
    return True


def test_keys_tell_states_apart(game):
    """No two of thousands of different states share a key, unless they differ in nothing that is still to come."""
    found = {}
    keyless = key_in_kernel(game.new_state()) == 0
    seed = 0
    last = 0  # small games run out of states
    least = 200 if JIT or not keyless else 5
    while len(found) < DISTINCT and (seed < least or len(found) > last):
        last = len(found) if seed % least == 0 else last
        state, rng = game.new_state(), new_rng(seed)
        seed += 1
        while core.to_play(state) != TERMINAL:
            advance(game, state, rng)
            key, now = int(key_in_kernel(state)), content(state)
            assert (key == 0) == keyless
            known = found.setdefault(key, (now, clone(state)))
            assert keyless or known[0] == now or same_future(game, known[1], state)
    assert keyless or len(found) > 100


def test_equal_states_have_equal_keys_however_they_came_about(game):
    """Two moves of one player change places; where that leads to the same state, the key is the same."""
    met = 0
    for seed in range(SOME // 2):
        state, rng = game.new_state(), new_rng(seed)
        history = []
        while core.to_play(state) != TERMINAL and len(history) < 40:
            history.append((core.to_play(state), advance(game, state, rng)))
        pairs = [(i, j) for i in range(len(history)) for j in range(i + 1, len(history))]
        pairs = [(i, j) for i, j in pairs if history[i][0] == history[j][0] != CHANCE]
        for i, j in pairs[:: 1 + len(pairs) // MOST_PAIRS]:
            swapped = [action for _, action in history]
            swapped[i], swapped[j] = swapped[j], swapped[i]
            other = replay(game, swapped)
            if other is not None and content(other) == content(state):
                assert state_key(other) == state_key(state)
                met += 1
    assert met or core.sample_chance.provided_by(type(game.new_state()))


def replay(game, actions):
    """Return the state after these actions, or None if one of them is not legal."""
    state = game.new_state()
    for action in actions:
        mover = core.to_play(state)
        if mover == TERMINAL or (mover != CHANCE and action not in listed(game, state)):
            return None
        if mover == CHANCE and isinstance(state, HandState) and action & ~int(state.v[Field.DECK]):
            return None
        apply(state, action)
    return state


@pytest.mark.parametrize("name", preset_names())
def test_streets_in_another_order_have_the_same_key(name):
    """Two later streets of one size change places with all that was placed and discarded in them."""
    game = OfcGame(preset(name))
    for seed in range(SOME):
        state, rng = game.new_state(), new_rng(seed)
        actions = [advance(game, state, rng) for _ in range(6)]
        actions[2:4], actions[4:6] = actions[4:6], actions[2:4]
        other = replay(game, actions)
        if other is not None:
            assert content(other) == content(state)
            assert state_key(other) == state_key(state)
            assert same_future(game, other, state)


def test_actions_can_be_written_and_read_back(game):
    for state, rng in states(game, SOME, 8):
        if core.to_play(state) == CHANCE:
            drawn = int(core.sample_chance(state, rng))
            assert game.action_from_string(state, game.action_to_string(state, drawn)) == drawn
            apply(state, drawn)
        if core.to_play(state) in (CHANCE, TERMINAL):
            continue
        before = content(state)
        actions = listed(game, state)
        texts = [game.action_to_string(state, action) for action in actions]
        assert len(set(texts)) == len(texts)
        assert [game.action_from_string(state, text) for text in texts[:60]] == actions[:60]
        assert content(state) == before


def test_what_is_no_action_is_refused(game):
    for state, rng in states(game, SOME, 9):
        while True:
            for text in GARBAGE:
                with pytest.raises(InputError):
                    game.action_from_string(state, text)
            if core.to_play(state) == TERMINAL:
                break
            finish(game, state, rng)
    for state, rng in decisions(game, SOME, 10):  # what was legal before is not legal after the end
        text = game.action_to_string(state, advance(game, clone(state), rng))
        finish(game, state, rng)
        with pytest.raises(InputError):
            game.action_from_string(state, text)


PARAMS = SearchParams(simulations=200 if JIT else 20, memory_mb=8, early_stop="never")
SHARED = Searcher(PARAMS)  # one for all games, as a service has it


@pytest.mark.parametrize("threads", [{"threads": 1}, {"threads": 2, "parallel": "tree"}])
def test_searching_a_state_never_changes_it(game, threads):
    for state, _ in decisions(game, 3, 11):
        before = everything(state)
        answer = SHARED.search(game.info, state, PARAMS.but(**threads))
        assert everything(state) == before
        assert answer.simulations >= PARAMS.simulations
        assert {item.action for item in answer.actions} <= set(listed(game, state))
        assert math.isfinite(answer.value)


def test_an_answer_does_not_depend_on_what_was_searched_before(game):
    """The same position and seed give the same answer, whichever games, rules and objectives came before."""
    for state, _ in decisions(game, 2, 12):
        fresh = Searcher(PARAMS).search(game.info, state)
        for other in GAMES.values():
            found = next(decisions(other, 5, 13))[0]
            SHARED.search(other.info, found)
        again = SHARED.search(game.info, state)
        assert again.actions == fresh.actions
        assert again.variation == fresh.variation


@settings(max_examples=60 if JIT else 15, derandomize=True, deadline=None)
@given(text=st.text(max_size=30) | st.text("AKQ2cdhs10Jk /-(),abc123", max_size=40), seed=st.integers(0, 20))
@pytest.mark.parametrize("name", sorted({"tictactoe", "connect4", *registry.names(), "ofc ultimate"}))
def test_no_text_breaks_the_reader(name, text, seed):
    game = GAMES[name]
    state = game.random_state(new_rng(seed))
    try:
        action = game.action_from_string(state, text)
    except InputError:
        return
    if core.to_play(state) != CHANCE:
        assert action in listed(game, state)
    apply(state, action)
    check(game, state)
