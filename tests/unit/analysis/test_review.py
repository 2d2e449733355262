"""Reviews: the view of each seat, the losses of its decisions, and their sums."""

import math

import pytest

from bromeliad.analysis.decision_judge import Judges
from bromeliad.analysis.decisions import decisions_of
from bromeliad.analysis.review import review, summarise
from bromeliad.analysis.review_page import error_words, reasons
from bromeliad.errors import InputError
from bromeliad.games.ofc.play.history import parse_record, record_of
from bromeliad.games.ofc.play.replay import replay
from bromeliad.games.ofc.play.strategies import HeuristicStrategy, RandomStrategy
from bromeliad.games.ofc.play.table import Table
from bromeliad.games.ofc.rules.files import preset
from bromeliad.playing.grading import grade
from bromeliad.solving.solve import solve
from support import changed

NAMES = ("one", "two")


class Noting(HeuristicStrategy):
    """Collects every view that it was shown, and its action."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def decide_placement(self, view):
        action = super().decide_placement(view)
        self.seen.append((view, action))
        return action


def hands(rules="pineapple", count=1, seed=1, strategies=None):
    table = Table(preset(rules) if isinstance(rules, str) else rules, strategies or [RandomStrategy()] * 2, seed=seed)
    return [table.play_hand() for _ in range(count)]


def decisions(played, streets=range(6), number=1):
    record = parse_record(record_of(played, NAMES).to_line())
    found = decisions_of(number, record, replay(record))
    return [item for item in found if (item.street or 0) in streets]


class TestDecisions:
    @pytest.mark.parametrize("rules", ["pineapple", "progressive", "house"])
    def test_have_the_views_and_actions_of_the_seats(self, rules):
        one, two = Noting(), Noting()
        found = [item for played in hands(rules, 12, strategies=[one, two]) for item in decisions(played)]
        for name, strategy in zip(NAMES, (one, two), strict=True):
            mine = [item for item in found if item.player == name]
            assert [(item.view, item.action) for item in mine] == strategy.seen
        assert any(item.street is None for item in found) or rules == "house"

    def test_have_no_hidden_cards(self):
        (played,) = hands(seed=5)
        last = decisions(played)[-2].view  # the first seat on the last street
        assert all(len(opponent.board.cards) == 11 for opponent in last.opponents)
        theirs = [card for turn in played.hand.turns if turn.seat == 2 for card in turn.action.discards]
        assert theirs
        assert not set(theirs) & {*last.cards, *last.board.cards, *last.discards}


class TestReview:
    @pytest.mark.parametrize("objective", ["solo", "versus"])
    def test_the_best_placement_is_that_of_the_solver(self, objective):
        """A review, a grade and the solver agree on the best placement of the same position with the same budget."""
        found = decisions(hands(seed=3)[0])
        with Judges(simulations=150, objective=objective, threads=1) as judges:
            reviewed = review(found, judges)
            for item, decision in zip(reviewed, found, strict=True):
                answer = solve(judges(decision).request(decision.view))
                graded = grade(judges(decision), decision.view, decision.action)
                assert item.best == graded.answer.best == answer.best == answer.actions[0]
                assert item.best_ev == answer.value

    def test_losses_are_those_of_the_solver(self):
        played = hands(seed=2)[0]
        late = decisions(played, streets=(4, 5))
        with Judges(simulations=100, objective="solo", threads=1) as judges:
            found = review(late, judges)
            for item, decision in zip(found, late, strict=True):
                answer = solve(judges(decision).request(decision.view))
                assert item.best_ev == answer.value
                assert item.ev == item.chosen.ev
                assert item.ev_loss == pytest.approx(item.best_ev - item.ev)
                assert (item.exact, item.stderr) == (True, 0.0)
                assert item.placed.top == item.chosen.top
        assert sum(item.ev_loss for item in found) > 1

    def test_against_opponents_who_still_play_losses_have_errors(self):
        late = decisions(hands(seed=2)[0], streets=(4, 5))
        with Judges(simulations=100, threads=1) as judges:
            found = review(late, judges)
        early, last = ([item for item in found if item.street == street] for street in (4, 5))
        for item in last:  # one deal to the opponent is still to come for the first seat, none for the second
            assert item.exact
            assert item.objective == "versus"
            assert item.chosen.row_points is not None
        assert not any(item.exact for item in early)
        lost = [item for item in early if item.ev_loss > 0]
        assert lost
        assert all(item.stderr > 0 for item in lost)

    def test_a_placement_that_the_search_left_out_has_a_value_and_reasons(self):
        first = decisions(hands(seed=2)[0], streets=(1,))
        with Judges(simulations=50, threads=1) as judges:
            found = review(first, judges)
        lost = [item for item in found if item.ev_loss > 0]
        assert lost
        for item in lost:
            assert item.objective == "versus"
            assert item.chosen.ev == pytest.approx(item.best.ev - item.ev_loss)
            names = [reason.rsplit(" ", 3)[0].split()[0] for reason in reasons(item)]
            assert names == ["royalties", "row", "foul", "fantasyland", "scoop"]
            assert error_words(item) == f"± {item.stderr:.2f}"

    def test_a_loss_within_its_error_is_no_mistake(self):
        first = decisions(hands(seed=2)[0], streets=(1,))
        with Judges(simulations=50, threads=1) as judges:
            found = review(first, judges)
        changed_losses = [(0.03, 0.0), (0.03, 0.61), (1.0, 0.61), (1.3, 0.61), (1.0, None)]
        items = [found[0].model_copy(update={"ev_loss": loss, "stderr": error}) for loss, error in changed_losses]
        summary = summarise("here", 1, len(items), items)
        assert [item.ev_loss for item in summary.mistakes] == [1.3]
        assert [item.ev_loss for item in summary.unclear] == [1.0, 1.0, 0.03, 0.03]
        assert summary.sums[-1].mistakes == 1
        assert [value.ev_loss for value in summary.values] == [loss for loss, _ in changed_losses]
        assert {value.best_ev for value in summary.values} == {found[0].best_ev}

    def test_a_cancelled_run_has_the_reviews_so_far(self):
        late = decisions(hands(seed=2)[0], streets=(5,))
        shown = []
        with Judges(simulations=100, objective="solo", threads=1) as judges:
            found = review(late, judges, shown.append, lambda: len(shown) == 1)
        assert len(found) == 1
        assert shown == [0.5]

    def test_hands_are_judged_by_their_own_rules(self):
        rules = changed("pineapple", objective={"foul_cost": 50}).model_copy(update={"name": "mine"})
        late = decisions(hands(rules, seed=2)[0], streets=(5,))
        with Judges(simulations=100, objective="solo", threads=1) as judges:
            found = review(late, judges)
        assert min(item.ev for item in found) == -50.0  # a random hand fouls

    def test_wrong_budgets_are_refused(self):
        with pytest.raises(InputError, match="not both"):
            Judges(seconds=1.0, simulations=5)


def test_sums_and_order():
    late = decisions(hands(seed=2)[0], streets=(4, 5))
    with Judges(simulations=100, objective="solo", threads=1) as judges:
        reviewed = review(late, judges)
    found = summarise("here", 1, len(late), reviewed)
    losses = [item.ev_loss for item in found.mistakes]
    assert losses == sorted(losses, reverse=True)
    assert all(loss > 0 for loss in losses)
    for name in NAMES:
        mine = [item for item in reviewed if item.player == name]
        by_street = {item.street: item for item in found.sums if item.player == name and not item.of_all}
        (whole,) = [item for item in found.sums if item.player == name and item.of_all]
        assert set(by_street) == {4, 5}
        assert whole.ev_loss == pytest.approx(sum(item.ev_loss for item in mine))
        assert whole.ev_loss == pytest.approx(sum(item.ev_loss for item in by_street.values()))
        assert whole.decisions == len(mine) == sum(item.decisions for item in by_street.values())
        assert whole.stderr == math.sqrt(sum(item.stderr**2 for item in mine))
