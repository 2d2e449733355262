"""Games and quizzes over HTTP."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from bromeliad.core.cards import parse_cards
from bromeliad.games.ofc.play.history import parse_record
from bromeliad.games.ofc.play.replay import check
from bromeliad.service.game_views import view_game, view_now
from bromeliad.service.games import GameOptions, Games
from bromeliad.solving.request import read_request
from bromeliad.solving.solve import solve
from bromeliad.storage import open_store
from serving import API, Client, play_hand, sensible, serving, start, step


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("games") / "store.sqlite") as address:
        yield address


@pytest.fixture
def client(address):
    with Client(address) as client:
        yield client


class TestGame:
    def test_to_the_end_with_fantasyland(self, client):
        game = start(client, rules="pineapple", hands=3, seed=29)
        lands = 0
        for number in range(1, 4):
            assert game["hand"] == number
            lands += game["you"]["fantasyland"] > 0
            game = play_hand(client, game)
            assert len(game["score_sheet"]) == number
            if number < 3:
                game = step(client, game, "next")
        assert lands == 2
        assert game["over"]
        assert game["totals"] == [sum(row["points"][i] for row in game["score_sheet"]) for i in (0, 1)]
        assert sum(game["totals"]) == 0
        assert step(client, game, "next", status=409)["status"] == 409
        lines = client.get(f"{API}/games/{game['id']}/history").text.splitlines()
        assert [check(parse_record(line)) for line in lines] == [[]] * 3
        assert [row["next_fantasyland"][0] for row in game["score_sheet"]] == [
            dict(zip([p.name for p in r.players], r.events[-1].next_fantasyland, strict=True))["you"]
            for r in map(parse_record, lines)
        ]

    def test_shows_what_one_may_know(self, client):
        game = start(client, opponents=["heuristic", "random"], seed=11)
        assert [side["name"] for side in game["opponents"]] == ["heuristic", "random"]
        assert game["street"] == 1
        assert len(game["you"]["cards"]) == 5
        game = play_hand(client, game)
        assert game["you"]["cards"] == []
        boards = game["showdown"]["boards"]
        assert len(boards) == 3
        assert all(len(parse_cards(board.replace("/", " "))) == 13 for board in boards)

    def test_undo_gives_the_same_cards_back(self, client):
        game = start(client, seed=5)
        assert not game["can_undo"]
        after = step(client, game, "place", sensible(game))
        assert after["can_undo"]
        back = step(client, after, "undo")
        assert back == game
        assert step(client, back, "undo", status=409)["detail"]

    def test_is_shown_while_a_move_is_thought_about(self, tmp_path):
        with open_store(tmp_path / "store.sqlite") as store:
            games = Games(store)
            sitting = games.start("pineapple", ("random",), 5, None, GameOptions(grade=False, grade_time=1.0))
            before = view_game(sitting)
            cards = tuple(before.you.cards)
            with ThreadPoolExecutor(1) as pool:
                with games.changing(sitting):
                    sitting.place((cards[:1], cards[1:3], cards[3:], ()), store)
                    assert pool.submit(view_now, sitting).result(timeout=60) == before
                after = pool.submit(view_now, sitting).result(timeout=60)
            assert after.can_undo
            assert after == view_game(sitting)

    def test_grades(self, client):
        game = start(client, grade=True, grade_time=0.2, seed=5)
        worst = {"top": game["you"]["cards"][:3], "middle": game["you"]["cards"][3:4], "back": game["you"]["cards"][4:]}
        grade = step(client, game, "place", worst)["last_grade"]
        assert grade["ev_loss"] > 0
        assert grade["best"]["ev"] is not None
        assert grade["stderr"] > 0  # the loss has an error even if the search did not value the placement
        assert grade["exact"] is False

    @pytest.mark.parametrize(
        ("placement", "status"),
        [
            ({"top": ["Zz"]}, 422),
            ({"top": ["As", "As", "As"]}, 422),
            ({}, 422),
            ({"top": ["As", "As", "As", "As"]}, 422),
            ({"nowhere": []}, 422),
        ],
    )
    def test_refuses_a_wrong_placement_and_changes_nothing(self, client, placement, status):
        game = start(client, seed=5)
        assert step(client, game, "place", placement, status=status)["detail"]
        assert client.get(f"{API}/games/{game['id']}").json() == game

    @pytest.mark.parametrize(
        ("options", "field"),
        [
            ({"opponents": ["nobody"]}, "opponents.0"),
            ({"opponents": ["random", "solver:999"]}, "opponents.1"),
            ({"opponents": ["mcts:99999999sims"]}, "opponents.0"),
            ({"opponents": ["solver:8e4"]}, "opponents.0"),
            ({"opponents": ["solver:+86400"]}, "opponents.0"),
            ({"opponents": ["solver:86_400"]}, "opponents.0"),
            ({"opponents": ["solver: 86400"]}, "opponents.0"),
            ({"opponents": ["mcts:0.1:8e4"]}, "opponents.0"),
            ({"opponents": []}, "opponents"),
            ({"rules": "../presets/pineapple"}, "rules"),
            ({"grade_time": 100}, "grade_time"),
            ({"hands": 0}, "hands"),
        ],
    )
    def test_refuses_what_cannot_be_played(self, client, options, field):
        assert start(client, status=422, **options)["field"] == field


def test_games_are_there_after_a_restart(tmp_path):
    store = tmp_path / "store.sqlite"
    with serving(store) as address, Client(address) as client:
        game = play_hand(client, start(client, seed=3, opponents=["random"]))
        game = step(client, game, "next")
        game = step(client, game, "place", sensible(game))
    with serving(store) as address, Client(address) as client:
        assert client.get(f"{API}/games/{game['id']}").json() == game
        assert play_hand(client, game)["hand_over"]
        assert client.get(f"{API}/games/nothing").status_code == 404


class TestQuiz:
    def ask(self, client, **options):
        answer = client.post(f"{API}/quiz", json={"street": 5, "seed": 4, **options})
        assert answer.status_code == 201, answer.text
        return answer.json()

    def answer(self, client, quiz, placement, status=200):
        answer = client.post(f"{API}/quiz/{quiz['id']}/answer", json=placement)
        assert answer.status_code == status, answer.text
        return answer.json()

    def rows(self, action):
        return {row: action[row] for row in ("top", "middle", "back", "discards")}

    def test_the_best_answer_loses_nothing(self, client):
        quiz = self.ask(client)
        best = solve(read_request(quiz["request"])).best.model_dump(mode="json")
        grade = self.answer(client, quiz, self.rows(best))
        assert grade["ev_loss"] == 0.0
        assert grade["grade"] == "best"
        assert grade["mistake"] is None
        assert self.answer(client, quiz, self.rows(best), status=409)["detail"]

    def test_a_mistake_comes_back_until_it_is_solved(self, client):
        quiz = self.ask(client, street=4, seed=9, difficulty="easy", objective="solo")
        answer = solve(read_request(quiz["request"]))
        worst = answer.actions[-1].model_dump(mode="json")
        grade = self.answer(client, quiz, self.rows(worst))
        assert grade["ev_loss"] == pytest.approx(worst["ev_loss"])
        assert grade["exact"] is (worst["exact"] and grade["best"]["exact"])
        assert grade["stderr"] == 0.0 if grade["exact"] else grade["stderr"] > 0
        parts = grade["explanation"]
        total = parts["royalties"] + parts["foul"] + parts["fantasyland"]
        assert total == pytest.approx(grade["ev_loss"])
        listed = client.get(f"{API}/mistakes", params={"threshold": 0.1}).json()
        assert grade["mistake"] in [item["id"] for item in listed]
        again = client.post(f"{API}/mistakes/{grade['mistake']}/retry").json()
        assert again["request"] == quiz["request"]
        assert self.answer(client, again, self.rows(grade["best"]))["ev_loss"] == 0.0
        (mended,) = [item for item in client.get(f"{API}/mistakes").json() if item["id"] == grade["mistake"]]
        assert mended["solved"]
        assert mended["retried"] == 1
        assert client.post(f"{API}/mistakes/999999/retry").status_code == 404

    @pytest.mark.parametrize(("difficulty", "least", "most"), [("easy", 9.0, 1e9), ("hard", 0.3, 3.0)])
    def test_difficulty_is_the_lead_of_the_best(self, client, difficulty, least, most):
        quiz = self.ask(client, street=5, difficulty=difficulty, seed=21)
        losses = [item.ev_loss for item in solve(read_request(quiz["request"])).actions if item.ev_loss > 1e-6]
        assert least <= losses[0] <= most

    def test_progress_and_wrong_answers(self, client):
        quiz = self.ask(client, seed=30)
        before = client.get(f"{API}/quiz/progress").json()
        assert self.answer(client, quiz, {"top": ["Zz"]}, status=422)["detail"]
        best = solve(read_request(quiz["request"])).best.model_dump(mode="json")
        self.answer(client, quiz, self.rows(best))
        after = client.get(f"{API}/quiz/progress").json()
        assert after[:-1] == before
        assert after[-1]["street"] == 5
        assert self.answer(client, {"id": "none"}, {}, status=404)["detail"]
        assert client.post(f"{API}/quiz", json={"street": 9}).status_code == 422


class TestBoards:
    def test_deal(self, client):
        dead = "As Ah Kd"
        cards = client.post(f"{API}/deal", json={"dead": dead, "count": 49, "seed": 1}).json()["cards"]
        assert len(set(cards)) == 49
        assert not set(cards) & set(dead.split())
        assert len(client.post(f"{API}/deal", json={"street": 1}).json()["cards"]) == 5
        jokers = client.post(f"{API}/deal", json={"rules": "ultimate", "count": 54}).json()["cards"]
        assert jokers.count("Jk") == 2

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({}, "count"),
            ({"count": 1, "street": 1}, "count"),
            ({"count": 54}, "count"),
            ({"street": 6}, "street"),
            ({"count": 1, "dead": "Zz"}, "dead"),
            ({"count": 1, "rules": "none"}, "rules"),
        ],
    )
    def test_wrong_deals(self, client, body, field):
        answer = client.post(f"{API}/deal", json=body)
        assert answer.status_code == 422
        assert answer.json()["field"] == field

    def test_gomoku(self, client):
        board = client.post(f"{API}/gomoku/position", json={"position": "H8I9", "size": 15}).json()
        assert board["to_move"] == 1
        assert board["stones"] == [["H8", 1], ["I9", 2]]
        assert len(board["legal"]) == 223
        over = client.post(f"{API}/gomoku/position", json={"position": "A1A2B1B2C1C2D1D2E1", "size": 15}).json()
        assert over["over"]
        assert over["winner"] == 1
        assert over["legal"] == []
        wrong = client.post(f"{API}/gomoku/position", json={"position": "A1A1"})
        assert wrong.status_code == 422
        assert wrong.json()["field"] == "position"


def test_rules_are_told_whole(client):
    listed = client.get(f"{API}/rules", headers={"Accept-Language": "zh-TW"}).json()
    assert next(rules["name"] for rules in listed) == "pineapple"
    assert listed[0]["streets"] == [{"deal": 5, "place": 5}] + [{"deal": 3, "place": 2}] * 4
    assert listed[0]["fantasyland"] == {"cards": [14]}
    assert listed[0]["players"]["max"] == 3
    whole = client.get(f"{API}/rules/pineapple").json()
    assert whole["fantasyland"]["entry"]
    assert client.get(f"{API}/rules/none").status_code == 404


def test_metrics_are_what_prometheus_reads(client):
    client.get(f"{API}/nothing")
    text = client.get(f"{API}/metrics").text
    values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert float(values['bromeliad_http_responses_total{status="404"}']) >= 1
    assert float(values['bromeliad_jobs{state="running"}']) >= 0
    assert all(float(value) >= 0 for value in values.values())
