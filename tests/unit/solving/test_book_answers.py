"""The opening book: which questions it answers, and its answer through every interface."""

import pytest

from bromeliad.core.cards import CardSet
from bromeliad.games.ofc.book.file import open_book
from bromeliad.games.ofc.book.shelf import find_books, look_up
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.solving.plan import plan
from bromeliad.solving.request import SolveRequest
from bromeliad.solving.solve import solve
from bromeliad.solving.solver import Solver
from bromeliad.storage import open_store
from bromeliad.storage.cached import solve_stored
from opening_books import ABOUT, HAND, PLACEMENTS, made_up_book, record
from serving import Client, serving


@pytest.mark.usefixtures("book")
class TestWhen:
    def test_a_first_deal_alone(self):
        request = SolveRequest(cards=HAND)
        assert plan(request).is_immediate
        assert plan(request).kernels == ()
        assert solve(request).method == "book"

    @pytest.mark.parametrize(
        "other",
        [
            {"dead": "2s"},
            {"opponents": ("- / - / -",)},
            {"opponents": ("- / - / -",), "objective": "solo"},
            {"opponents": ("2s / 3s 5s / 7s 8s",)},
            {"players": 2},
            {"foul_cost": 5.0},
            {"fantasyland_worth": {14: 8.0}},
            {"fantasyland_worth": {15: 1.0}},
            {"rules": "ultimate"},
            {"rules": "regular"},
            {"time": 1.0},
            {"simulations": 500},
            {"book": False},
            {"cards": "2c 3d 4h 5s 7c"},  # not in this book
            {"cards": "Kc 8d 3s", "board": "Qd / 9c 9s / As Ac"},
        ],
    )
    def test_nothing_else(self, other):
        request = SolveRequest(**{"cards": HAND, **other})
        assert not plan(request).is_immediate
        assert plan(request).kernels

    def test_rules_that_only_settle_otherwise_have_the_same_book(self, tmp_path):
        rules = tmp_path / "mine.yaml"
        rules.write_text("name: mine\nbase: pineapple\nscoring: {row_points: {top: 2, middle: 1, back: 1}, scoop: 5}\n")
        assert plan(SolveRequest(cards=HAND, rules=str(rules))).is_immediate

    def test_who_wants_it_deeper_gets_a_search(self, own_store):
        with open_store(own_store) as store:
            answer = solve_stored(SolveRequest(cards=HAND), store)
            assert answer.method == "book"
            assert not answer.stored
            deeper = SolveRequest(cards=HAND, simulations=300, threads=1)
            assert solve_stored(deeper, store).method == "halving"
            assert solve_stored(deeper.without_book(), store).stored


def test_no_book_no_answer(monkeypatch):
    monkeypatch.setenv("BROMELIAD_BOOK", "")
    assert not plan(SolveRequest(cards=HAND)).is_immediate


def test_a_named_file_that_is_no_book_is_an_error(monkeypatch, tmp_path):
    (tmp_path / "no.book").write_text("no")
    monkeypatch.setenv("BROMELIAD_BOOK", str(tmp_path / "no.book"))
    with pytest.raises(Exception, match=r"no\.book is not an opening book"):
        plan(SolveRequest(cards=HAND))


def test_the_users_own_book_comes_first_and_a_damaged_one_is_passed_over(tmp_path, monkeypatch):
    monkeypatch.delenv("BROMELIAD_BOOK", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    own = tmp_path / "bromeliad" / "books"
    made_up_book(own / "z.book")
    (own / "a.book").write_text("torn")
    spot = SolveRequest(cards=HAND).to_spot()
    about = spot.rules, spot.foul_cost, spot.fantasyland_worth
    assert [book.path.name for book in find_books(*about)] == ["z.book", "pineapple.book"]
    (own / "z.book").unlink()
    assert [book.path.name for book in find_books(*about)] == ["pineapple.book"]
    monkeypatch.setenv("BROMELIAD_BOOK", "")
    assert find_books(*about) == ()


def test_what_an_own_book_does_not_know_is_answered_by_the_one_that_ships(tmp_path, monkeypatch):
    monkeypatch.delenv("BROMELIAD_BOOK", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    shipped = look_up(SolveRequest(cards=HAND).to_spot())
    made_up_book(tmp_path / "bromeliad" / "books" / "one.book")
    assert look_up(SolveRequest(cards=HAND).to_spot()) != shipped
    assert look_up(SolveRequest(cards="As Ah Kd 7c 2s").to_spot())


@pytest.mark.usefixtures("book")
class TestAnswer:
    def test_has_every_placement_the_known_ones_first(self):
        answer = solve(SolveRequest(cards=HAND))
        known = [action for action in answer.actions if action.ev is not None]
        assert len(answer.actions) == 232
        assert len({(action.top, action.middle, action.back) for action in answer.actions}) == 232
        assert answer.actions[: len(known)] == tuple(known)
        assert len(known) == len(PLACEMENTS)
        assert all(len(action.top) <= 3 for action in answer.actions)
        assert answer.best.top == ("Kc",)
        assert answer.best.back == ("Td", "4h", "4d")

    def test_labels_every_number(self):
        answer = solve(SolveRequest(cards=HAND))
        assert (answer.method, answer.stop_reason, answer.simulations) == ("book", "book", 600)
        assert [round(action.ev_loss, 2) for action in answer.actions[:3]] == [0.0, 0.56, 0.72]
        assert not any(action.exact for action in answer.actions)
        assert answer.actions[1].stderr == pytest.approx(0.2, rel=1e-3)
        assert answer.actions[3].ev is answer.actions[3].stderr is None
        assert 0.9 < answer.confidence < 1.0

    def test_is_the_same_in_other_suits(self):
        turned = str.maketrans("cdhs", "shcd")
        one, two = solve(SolveRequest(cards=HAND)), solve(SolveRequest(cards=HAND.translate(turned)))
        assert two.value == one.value
        for a, b in zip(one.actions[:3], two.actions[:3], strict=True):
            assert {card.translate(turned) for card in a.back} == set(b.back)

    def test_by_python_and_by_http(self, tmp_path):
        expected = solve(SolveRequest(cards=HAND))
        assert Solver().answer(cards=HAND).actions == expected.actions
        solution = Solver().solve(cards=HAND)
        assert solution.arrangement == PlayerArrangement.parse(PLACEMENTS[0])
        with serving(tmp_path / "store.sqlite", workers=1) as address, Client(address) as client:
            answer = client.wait(client.job({"cards": HAND}))["answer"]
        assert answer["method"] == "book"
        assert answer["actions"] == expected.model_dump(mode="json")["actions"]


def test_two_jokers_are_one_placement(tmp_path, monkeypatch):
    """Under rules with jokers, placements that only swap the jokers are listed once."""
    from bromeliad.games.ofc.rules.files import preset

    rules = preset("ultimate")
    about = ABOUT.model_copy(
        update={
            "rules": rules.name,
            "game": rules.game_key,
            "foul_cost": rules.objective.foul_cost,
            "fantasyland_worth": dict(rules.objective.fantasyland_worth),
            "jokers": 2,
        }
    )
    hand = "2c 3c 4c Jk Jk"
    path = tmp_path / "jokers.book"
    made_up_book(path, record(hand, ("Jk / Jk / 2c 3c 4c",)), about=about)
    monkeypatch.setenv("BROMELIAD_BOOK", str(path))
    spot = SolveRequest(cards=hand, rules="ultimate").to_spot()
    assert len(open_book(path).find(CardSet.from_cards(spot.cards).mask)) == len(look_up(spot)) == 1
    actions = solve(SolveRequest(cards=hand, rules="ultimate")).actions
    assert len({(action.top, action.middle, action.back) for action in actions}) == len(actions)
