"""The last street against opponents with one deal to come: every EV and its parts against plain enumeration."""

import random

import numpy as np
import pytest

from bromeliad.core.budget import Cancel
from bromeliad.core.cards import Card
from bromeliad.core.jit import JIT
from bromeliad.games.ofc.exact.replies import _likelihood, can_list_deals
from bromeliad.games.ofc.opponents.sampling import card_weights, hidden_discards
from bromeliad.games.ofc.rules.files import parse_rules, preset, preset_names
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.solving.plan import plan
from bromeliad.solving.request import SolveRequest
from bromeliad.solving.solve import solve
from ofc_spots import text
from oracles import ofc_scorer
from oracles.ofc_replies import PARTS, Opponent, fillings

pytestmark = pytest.mark.kernel

SPOTS = 25 if JIT else 2  # of each preset: 8 * 25 = 200
WORTH = {13: 7.5, 14: 8.25, 15: 12.5, 16: 20.0, 17: 30.75}
ORDER = ofc_scorer.RANKS + "J"


def unfinished(rng, deck, place):
    """Deal a board before its last street from a deck; it is often a good board."""
    free = rng.sample([row for row, size in enumerate((3, 5, 5)) for _ in range(size)], place)
    sizes = [size - free.count(row) for row, size in enumerate((3, 5, 5))]
    cards = [deck.pop() for _ in range(sum(sizes))]
    if rng.random() < 0.7:  # strong cards below, so that not everything fouls
        cards.sort(key=lambda card: ORDER.index(card[0]))
    rows = []
    for size in sizes:
        rows.append(cards[:size])
        cards = cards[size:]
    return rows


class Position:
    """A last street with a small deck of unseen cards."""

    def __init__(self, rng, rules, players, unseen):
        self.rules, self.data = rules, rules.model_dump(mode="json")
        deck = [*ofc_scorer.DECK, *[ofc_scorer.JOKER] * rules.jokers.count]
        rng.shuffle(deck)
        street = rules.streets[-1]
        self.rows = unfinished(rng, deck, street.place)
        self.opponents = []
        for number in range(players - 1):
            done = number == 1 and rng.random() < 0.5
            self.opponents.append(unfinished(rng, deck, 0 if done else street.place))
        self.cards = [deck.pop() for _ in range(street.deal)]
        least = street.deal + sum(s.deal - s.place for s in rules.streets[:-1])
        unseen = min(max(unseen, least), len(deck))
        self.unseen, self.dead = deck[:unseen], deck[unseen:]

    def request(self, **more):
        return SolveRequest(
            rules=self.rules.name,
            board=text(self.rows),
            cards=" ".join(self.cards),
            dead=" ".join(self.dead),
            opponents=tuple(map(text, self.opponents)),
            fantasyland_worth=WORTH,
            **more,
        )

    def expected(self, spot, discards):
        """Return the parts of each board's EV, by the oracle."""
        models = []
        for number, rows in enumerate(self.opponents):
            others = [card for other in self.opponents if other is not rows for row in other for card in row]
            hidden = hidden_discards(spot, spot.opponents[number]) if discards == "inferred" else 0
            hidden = 0 if spot.opponents[number].is_complete else hidden
            weights = card_weights(spot, spot.opponents[number]) if hidden else np.ones(54)
            by_card = [float(weights[value]) for value in values_of(self.unseen, spot)]
            models.append(Opponent(rows, self.unseen, self.data, WORTH, others, hidden, by_card))
        found = {}
        for board in fillings(self.rows, self.cards):
            name = tuple(tuple(sorted(row)) for row in board)
            if name not in found:
                means = [model.mean(board) for model in models]
                found[name] = {part: sum(mean[part] for mean in means) for part in PARTS}
        return found


def values_of(names, spot):
    """Return the numbers of cards given by name; unseen jokers get the numbers that are left."""
    jokers = [card.value for card in spot.unseen if card.is_joker]
    return [jokers.pop(0) if name == ofc_scorer.JOKER else Card.from_string(name).value for name in names]


def check(position, discards):
    request = position.request(discards=discards)
    answer, spot = solve(request), plan(request).spot
    expected = position.expected(spot, discards)
    assert (answer.method, answer.stop_reason, answer.best.exact) == ("exact", "exact", True)
    assert answer.best == answer.actions[0]
    evs = [action.ev for action in answer.actions]
    assert evs == sorted(evs, reverse=True)
    assert len(expected) == len(answer.actions)
    for action in answer.actions:
        rows = (action.top, action.middle, action.back)
        board = [[*have, *more] for have, more in zip(position.rows, rows, strict=True)]
        parts = expected[tuple(tuple(sorted(row)) for row in board)]
        assert action.ev == pytest.approx(sum(parts.values()), abs=1e-9)
        assert action.parts.model_dump() == pytest.approx(parts, abs=1e-9)
        assert sum(action.parts.model_dump().values()) == pytest.approx(action.ev, abs=1e-9)
        assert (action.exact, action.stderr, action.ev_loss_stderr) == (True, 0.0, 0.0)
        assert set(action.parts_stderr.model_dump().values()) == {0.0}


@pytest.mark.parametrize("name", preset_names())
def test_every_ev_equals_the_enumeration(name):
    rng = random.Random(f"replies {name}")
    for number in range(SPOTS):
        position = Position(rng, preset(name), 2 + number % 2, unseen=rng.randint(5, 10))
        check(position, ("uniform", "inferred")[number // 2 % 2])


@pytest.mark.skipif(not JIT, reason="plain kernels take minutes")
@pytest.mark.parametrize("name", ["pineapple", "ultimate", "regular", "deuce", "house"])
@pytest.mark.parametrize("discards", ["uniform", "inferred"])
def test_a_whole_deck(name, discards):
    rng = random.Random(f"whole {name} {discards}")
    check(Position(rng, preset(name), 2, unseen=52 if discards == "uniform" else 20), discards)


def test_jokers_that_may_not_copy_what_is_seen(tmp_path):
    """My joker's card depends on the card that the opponent places, and the other way round."""
    text_of_rules = "base: ultimate\nname: strict jokers\njokers: {may_copy_seen: false}\n"
    path = tmp_path / "strict.yaml"
    path.write_text(text_of_rules)
    rules = parse_rules(text_of_rules).model_copy(update={"name": str(path)})
    rng = random.Random(3)
    done = 0
    while done < (3 if JIT else 1):
        position = Position(rng, rules, 2, unseen=6)
        jokers = [
            sum(row.count("Jk") for row in rows) for rows in ([*position.rows, position.cards], position.opponents[0])
        ]
        if sum(jokers) == 1 and "Jk" in position.dead:
            check(position, "uniform")
            done += 1


def test_deals_are_as_likely_as_drawing_says():
    """Inclusion and exclusion gives the same as a simulation of drawing discards one by one."""
    rng = np.random.default_rng(1)
    weights = rng.uniform(0.05, 1.0, 7)
    deals = np.array([(a, b, c) for a in range(7) for b in range(a + 1, 7) for c in range(b + 1, 7)])
    counts = dict.fromkeys(map(tuple, deals), 0)
    rounds = 20_000
    for _ in range(rounds):
        gone = rng.choice(7, 3, replace=False, p=weights / weights.sum())
        left = np.setdiff1d(np.arange(7), gone)
        counts[tuple(sorted(int(card) for card in rng.choice(left, 3, replace=False)))] += 1
    likely = _likelihood(deals, weights, 3)
    assert likely.sum() == pytest.approx(1.0)
    shares = np.array(list(counts.values())) / rounds
    assert np.abs(shares - likely).max() < 5 * 0.5 / np.sqrt(rounds)


LAST = {"cards": "Kc 9d 3s", "board": "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d"}


@pytest.mark.skipif(not JIT, reason="plain kernels take minutes")
class TestSampled:
    """Opponents with more than one deal to come, or in fantasyland."""

    def answer(self, opponent, **more):
        return solve(SolveRequest(**LAST, opponents=(opponent,), **{"simulations": 100, **more}))

    @pytest.mark.parametrize("opponent", ["2c / 6h 6d 6s / Ks Kh 8c 8d 8s", "fantasyland:14"])
    def test_errors_are_stated(self, opponent):
        answer = self.answer(opponent)
        assert answer.method == answer.stop_reason == "sampled opponents"
        for action in answer.actions:
            assert not action.exact
            assert action.stderr > 0.0
            assert min(action.parts_stderr.model_dump().values()) > 0.0
            assert sum(action.parts.model_dump().values()) == pytest.approx(action.ev, abs=1e-9)
            assert (action.ev_loss_stderr > 0.0) == (action != answer.best)

    def test_more_time_gives_smaller_errors(self):
        short, long = (self.answer("2c / 6h 6d 6s / Ks Kh 8c 8d 8s", simulations=None, time=t) for t in (0.25, 4.0))
        assert long.best.stderr < 0.5 * short.best.stderr

    def test_without_an_early_stop_the_whole_time_is_used(self, monkeypatch):
        """Opponents are sampled again and again; the rounds are pooled."""
        monkeypatch.setattr("bromeliad.solving.versus.bank_size", lambda seconds: 200)
        opponent = "2c / 6h 6d 6s / Ks Kh 8c 8d 8s"
        once = self.answer(opponent, simulations=None, time=3.0)
        long = self.answer(opponent, simulations=None, time=3.0, early_stop=False)
        assert (once.stop_reason, long.stop_reason) == ("sampled opponents", "time")
        assert long.elapsed_s > 1.5
        assert long.best.stderr < 0.7 * once.best.stderr
        for action in long.actions:
            assert sum(action.parts.model_dump().values()) == pytest.approx(action.ev, abs=1e-9)
            assert (action.ev_loss_stderr > 0.0) == (action != long.best)
        assert [action.ev for action in long.actions] == sorted((action.ev for action in long.actions), reverse=True)

    def test_a_cancelled_sampling_says_so(self):
        asked = []
        request = SolveRequest(
            **LAST, opponents=("2c / 6h 6d 6s / Ks Kh 8c 8d 8s",), time=600.0, threads=1, early_stop=False
        )
        answer = solve(request, on_progress=asked.append, cancel=Cancel(lambda: len(asked) > 0))
        assert answer.stop_reason == "cancelled"
        assert 0.0 < asked[0].fraction < 1.0
        assert answer.best.stderr > 0.0

    def test_the_sample_agrees_with_all_deals(self, monkeypatch):
        """One deal to come is sampled as if there were too many deals to list."""
        opponent = "2c 2d / 6h 6d 6s 5s / Ks Kh 8c 8d 8s"
        exact = self.answer(opponent)
        assert exact.best.exact
        monkeypatch.setattr("bromeliad.games.ofc.exact.replies.MOST_CHOICES", 10)
        sampled = self.answer(opponent)
        assert not sampled.best.exact
        evs = {(action.top, action.middle, action.back): action.ev for action in exact.actions}
        for action in sampled.actions:
            assert abs(action.ev - evs[action.top, action.middle, action.back]) < 4.0 * action.stderr


def test_one_unseen_card():
    """Four players under regular rules: nothing is left to sample."""
    rng = random.Random(4)
    for unseen in (1, 2, 3):
        check(Position(rng, preset("regular"), 4, unseen), "inferred")


@pytest.mark.skipif(not JIT, reason="plain kernels take minutes")
def test_the_position_whose_scoops_were_rounded():
    """On street 4 every row of mine beats every possible row of the opponent, so only my own deals matter."""
    answer = solve(
        SolveRequest(
            cards="Js Tc 5d",
            board="Th / Qd Qh 8s / Kh Ks Qc Jh 4s",
            dead="6h 8d",
            opponents=("6d / Ts 8h 5h / Kc Jc 9d 7d 4d",),
            time=0.5,
        )
    )
    assert answer.value == pytest.approx(10.9956, abs=max(1e-3, 4.0 * answer.best.stderr))
    assert answer.best.stderr > 0.0


def test_what_is_too_much_to_list():
    rules = parse_rules("base: pineapple\nname: chinese\nstreets: [{deal: 13, place: 13}]\n")
    spot = parse_spot(rules, cards="As Ah Ad Kc Kd Qs Qh 9d 8d 7d 6d 5d 2c", opponents=["- / - / -"])
    assert not can_list_deals(spot, spot.opponents[0], 0)
