"""Whatever is asked of a game state: legal hands run to their end, and a refused operation changes nothing."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bromeliad.core.cards import DECK_SIZE, JOKERS, Card, CardSet
from bromeliad.errors import DomainException
from bromeliad.games.ofc.hands.boards import PlayerArrangement, Position
from bromeliad.games.ofc.play.game_state import GamePhase, GameState, RoundCompleted
from bromeliad.games.ofc.rules.files import preset, preset_names
from bromeliad.games.ofc.rules.rule_set import BOARD_SIZE

QUICK = settings(max_examples=60, deadline=None)
PUBLIC = [name for name, value in vars(GameState).items() if isinstance(value, property)] + ["id", "domain_events"]

cards = st.builds(Card, st.integers(0, DECK_SIZE + JOKERS - 1))
card_lists = st.lists(cards, max_size=7)
placements = st.dictionaries(st.sampled_from(Position), card_lists, max_size=3)


@st.composite
def hands(draw):
    """A new hand of any preset, in or outside fantasyland."""
    rules = preset(draw(st.sampled_from(preset_names())))
    counts = () if rules.fantasyland.first_street else rules.fantasyland_cards()
    players = draw(st.integers(rules.players.min, rules.players.max))
    return GameState("g", players, rules, fantasyland=draw(st.sampled_from((0, 0, *counts))))


def snapshot(game):
    """Everything that can be seen of a game state."""
    seen = {name: getattr(game, name) for name in PUBLIC}
    return {**seen, "opponents": dict(game.opponents), "unknown": game.get_unknown_cards()}


def deal(game, rng):
    chosen = rng.sample(game.available_cards.to_list(), game.street.deal)
    (game.deal_initial_cards if game.phase is GamePhase.INITIAL_DEAL else game.deal_round_cards)(chosen)


def random_placement(game, rng):
    hand = list(game.dealt_cards)
    rng.shuffle(hand)
    places = [p for p in Position for _ in range(p.size - len(game.player_arrangement.row(p).cards))]
    rng.shuffle(places)
    rows = {position: [] for position in Position}
    for card, position in zip(hand[: game.street.place], places, strict=False):
        rows[position].append(card)
    return rows, hand[game.street.place :]


def advance(game, rng, steps):
    """Play some legal steps, opponents' cards among them."""
    for _ in range(steps):
        if game.phase is GamePhase.COMPLETED:
            return
        if game.phase is GamePhase.PLACEMENT:
            game.place_cards(*random_placement(game, rng))
        else:
            deal(game, rng)
        name = rng.choice(list(game.opponents))
        room = BOARD_SIZE - game.opponents[name].shown_cards.size
        reserve = game.available_cards.size - sum(street.deal for street in game.streets)
        shown = rng.sample(game.available_cards.to_list(), max(0, min(room, 2, reserve)))
        game.update_opponent_cards(name, shown)


def assert_conserved(game):
    """Each card of the deck is in exactly one place."""
    places = [game.placed_cards, game.discarded_cards, CardSet.from_cards(game.dealt_cards), game.get_unknown_cards()]
    places += [opponent.shown_cards for opponent in game.opponents.values()]
    assert sum(place.size for place in places) == game.deck.size
    assert CardSet(sum(place.mask for place in places)) == game.deck


@QUICK
@given(hands(), st.integers(0, 2**32))
def test_legal_hands_end_completed_with_a_full_board(game, seed):
    rng = random.Random(seed)
    while game.phase is not GamePhase.COMPLETED:
        advance(game, rng, 1)
        assert_conserved(game)
    assert game.player_arrangement.is_complete
    assert game.placed_cards.size == BOARD_SIZE
    assert game.discarded_cards.size == sum(street.deal - street.place for street in game.streets)
    rounds = [event for event in game.domain_events if isinstance(event, RoundCompleted)]
    assert [event.round_number for event in rounds] == list(range(len(game.streets)))
    assert [event.is_last for event in rounds] == [False] * (len(rounds) - 1) + [True]


def board_of(front, back):
    front = set(front[:3])
    return PlayerArrangement.of(front, (), set(back[:5]) - front)


def operations(game, rng):
    """Return a strategy of operations, legal or not, that lie near what the state expects."""
    near = st.lists(st.sampled_from(game.dealt_cards), max_size=7) if game.dealt_cards else card_lists
    some = st.one_of(card_lists, near, st.just(rng.sample(game.available_cards.to_list(), game.street.deal)))
    rows = st.one_of(placements, st.dictionaries(st.sampled_from(Position), near, max_size=3))
    discards = st.one_of(st.none(), cards, some)
    name = st.sampled_from(["opponent_0", "opponent_1", "nobody"])
    boards = st.builds(board_of, some, some)
    return st.one_of(
        st.tuples(st.just("deal_initial_cards"), st.tuples(some)),
        st.tuples(st.just("deal_round_cards"), st.tuples(some)),
        st.tuples(st.just("place_cards"), st.tuples(rows, discards)),
        st.tuples(st.just("place_cards"), st.just(random_placement(game, rng))),
        st.tuples(st.just("update_opponent_cards"), st.tuples(name, some)),
        st.tuples(st.just("update_opponent_arrangement"), st.tuples(name, boards)),
    )


@settings(max_examples=150, deadline=None)
@given(hands(), st.integers(0, 2**32), st.integers(0, 12), st.data())
def test_verify_can_and_do_agree_and_a_refusal_changes_nothing(game, seed, steps, data):
    rng = random.Random(seed)
    advance(game, rng, steps)
    for _ in range(3):
        if game.available_cards.size < game.street.deal:
            break
        operation, args = data.draw(operations(game, rng))
        before = snapshot(game)
        can = getattr(game, f"can_{operation}")(*args)
        assert snapshot(game) == before
        if can:
            getattr(game, operation)(*args)
        else:
            with pytest.raises(DomainException) as error:
                getattr(game, operation)(*args)
            assert str(error.value)
            assert snapshot(game) == before
        assert_conserved(game)
