"""``bromeliad solve``: the contract of its answer, its defaults, and its errors."""

import pytest
from rich.cells import cell_len

BOARD = "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d"
CARDS = "Kc 9d 3s"
SPOT = ("solve", "--cards", CARDS, "--board", BOARD)
OPPONENT = "2c 3d 5s / 6h 6d Th Td 9h / Ks Kd Kh 3c 3h"

ANSWER = {
    "game": str,
    "rules": str,
    "street": int,
    "objective": str,
    "foul_cost": float,
    "fantasyland_worth": dict,
    "seed": int,
    "threads": int,
    "elapsed_s": float,
    "simulations": int,
    "method": str,
    "stop_reason": str,
    "value": float,
    "best": dict,
    "actions": list,
    "confidence": float,  # these four are additions to the contract
    "line": list,
    "opponent_values": type(None),
    "stored": bool,
}
ACTION = {
    "top": list,
    "middle": list,
    "back": list,
    "discards": list,
    "ev": float,
    "ev_loss": float,
    "stderr": float,
    "exact": bool,
    "visits": int,
    "p_foul": float,
    "p_fantasyland": float,
    "royalties": float,
    "p_scoop": type(None),
    "row_points": type(None),
    "opponent_royalties": type(None),  # these three are additions to the contract
    "opponent_p_foul": type(None),
    "opponent_p_fantasyland": type(None),
    "ev_loss_stderr": float,  # these four are additions to the contract
    "parts": dict,
    "parts_stderr": dict,
    "guess": type(None),
}
PARTS = ["rows", "scoop", "royalties", "opponent_royalties", "foul", "fantasyland", "opponent_fantasyland"]


class TestContract:
    def test_keys_order_and_types(self, run):
        answer = run(*SPOT, "--json").json
        assert {key: type(value) for key, value in answer.items()} == ANSWER
        assert list(answer) == list(ANSWER)
        for action in (answer["best"], *answer["actions"]):
            assert list(action) == list(ACTION)
            assert {key: type(value) for key, value in action.items()} == ACTION
            assert list(action["parts"]) == list(action["parts_stderr"]) == PARTS

    def test_versus_fills_what_solo_leaves_null(self, run):
        answer = run(*SPOT, "--opponent", OPPONENT, "--json").json
        assert all(type(action["p_scoop"]) is float for action in answer["actions"])
        assert all(type(action["row_points"]) is float for action in answer["actions"])
        for action in answer["actions"]:
            assert sum(action["parts"].values()) == pytest.approx(action["ev"], abs=1e-9)

    @pytest.mark.parametrize(("rules", "values"), [("deuce", "own board"), ("pineapple", "both boards")])
    def test_says_if_opponents_played_by_their_own_boards(self, run, rules, values):
        spot = ("--cards", "Kh 7d 3s", "--board", "Qd / 2c 4s / As Ac", "--opponent", "Kd / 6h 7c / Ks Kc")
        asked = ("solve", *spot, "--rules", rules, "--simulations", "100", "--threads", "1")
        assert run(*asked, "--json").json["opponent_values"] == values
        noted = "No learned values of both boards could be used" in " ".join(run(*asked).out.split())
        assert noted == (values == "own board")

    def test_defaults(self, run):
        answer = run(*SPOT, "--json").json
        assert answer["game"] == "ofc"
        assert answer["rules"] == "pineapple"
        assert answer["street"] == 5
        assert answer["objective"] == "solo"
        assert answer["foul_cost"] == 6
        assert answer["fantasyland_worth"] == {"14": 9.9}
        assert answer["seed"] == 1
        assert answer["method"] == "exact"
        assert answer["simulations"] == 0

    def test_an_opponent_makes_it_versus(self, run):
        assert run(*SPOT, "--opponent", OPPONENT, "--json").json["objective"] == "versus"
        assert run(*SPOT, "--opponent", OPPONENT, "--objective", "solo", "--json").json["objective"] == "solo"

    def test_all_actions_best_first(self, run):
        answer = run(*SPOT, "--json").json
        evs = [action["ev"] for action in answer["actions"]]
        assert evs == sorted(evs, reverse=True)
        assert answer["best"] == answer["actions"][0]
        assert answer["value"] == evs[0]
        assert [action["ev_loss"] for action in answer["actions"]] == [evs[0] - ev for ev in evs]
        assert len(answer["actions"]) == 6
        for action in answer["actions"]:  # the rows have only the cards that are added
            used = action["top"] + action["middle"] + action["back"] + action["discards"]
            assert sorted(used) == sorted(CARDS.split())
            assert len(action["discards"]) == 1

    def test_top_is_for_people_and_json_has_all(self, run):
        assert len(run(*SPOT, "--top", "2", "--json").json["actions"]) == 6
        table = run(*SPOT, "--top", "2").out
        assert table.count("exact") == 3  # two placements and the last line

    def test_what_is_given_comes_back(self, run):
        answer = run(*SPOT, "--seed", "7", "--foul-cost", "3.5", "--fantasyland-worth", "14=9,15=20", "--json").json
        assert answer["seed"] == 7
        assert answer["foul_cost"] == 3.5
        assert answer["fantasyland_worth"] == {"14": 9, "15": 20}
        assert answer["value"] == 25 + 9

    def test_same_question_same_answer(self, run):
        first, second = (run(*SPOT, "--opponent", OPPONENT, "--json").json for _ in range(2))
        assert {**first, "elapsed_s": 0} == {**second, "elapsed_s": 0}

    def test_ways_to_write_cards(self, run):
        other = run("solve", "--cards", "K♣,9♦ 3♠", "--board", "QdQh/9c9s4h4d/AsAcAd7h7d", "--json").json
        assert other["actions"] == run(*SPOT, "--json").json["actions"]

    def test_table(self, run):
        result = run(*SPOT)
        assert result.code == 0
        assert "K♣" in result.out
        assert "34.900" in result.out
        assert "pineapple, street 5, objective solo" in result.out

    @pytest.mark.parametrize("width", [80, 100, 120, 200])
    @pytest.mark.parametrize("language", ["en", "zh-TW", "zh-CN"])
    def test_tables_fit_the_terminal(self, run, monkeypatch, width, language):
        monkeypatch.setenv("COLUMNS", str(width))
        for options in ([], ["--opponent", OPPONENT]):
            result = run(*SPOT, *options, "--lang", language)
            assert result.code == 0
            assert "…" not in result.out
            assert max(map(cell_len, result.out.splitlines())) <= width

    def test_a_rule_file_with_an_odd_name_is_printed_as_it_is(self, run, tmp_path):
        path = tmp_path / "odd.yaml"
        path.write_text("base: pineapple\nname: '[/odd] :smile:'\n")
        assert "[/odd]" in run(*SPOT, "--rules", str(path)).out
        board = "Qs Qh 7d / 9c 9s 4h 4d 2c / As Ac Jd 7h 7s"
        assert "[/odd]" in run("score", board, "--rules", str(path)).out


WRONG = {
    "not a card": (["--cards", "Kc 9x 3s"], "9x"),
    "several bad cards, all named": (["--cards", "Kc 9x Zs"], "9x, Zs"),
    "too few cards": (["--cards", "Kc 9d"], "street 5 deals 3 cards, not 2"),
    "too many cards": (["--cards", "Kc 9d 3s 2s"], "street 5 deals 3 cards, not 4"),
    "row too long": (["--board", "Qd Qh 2h 3h / 9c 9s 4h 4d / As Ac Ad 7h 7d"], "top row holds 3 cards, not 4"),
    "back too long": (["--board", "Qd Qh / 9c 9s 4h / As Ac Ad 7h 7d 8d"], "back row holds 5 cards, not 6"),
    "two rows": (["--board", "Qd Qh / 9c 9s 4h 4d"], "three rows, not 2"),
    "no street begins so": (["--board", "Qd / 9c / As"], "0, 5, 7, 9, 11"),
    "full board": (["--board", "Qd Qh Kh / 9c 9s 4h 4d 2d / As Ac Ad 7h 7d"], "bromeliad score"),
    "twice in hand": (["--cards", "Kc Kc 3s"], "twice: Kc"),
    "hand and board": (["--cards", "Kc 9c 3s"], "twice: 9c"),
    "hand and dead": (["--dead", "Kc"], "twice: Kc"),
    "board and opponent": (["--opponent", "2c 3d 5s / 6h 6d Th Td 9h / Ks Kd Kh As 3h"], "twice: As"),
    "twice among opponents": (["--opponent", OPPONENT, "--opponent", OPPONENT], "twice"),
    "unknown rules": (["--rules", "nope"], "presets: pineapple"),
    "missing rule file": (["--rules", "nope/nope.yaml"], "no such file"),
    "joker without jokers": (["--cards", "Kc 9d Jk"], "0 jokers"),
    "three jokers": (["--rules", "ultimate", "--cards", "Jk Jk Jk"], "twice: Jk"),
    "nan cost": (["--foul-cost", "nan"], "foul_cost: must be a finite number"),
    "infinite cost": (["--foul-cost", "inf"], "foul_cost: must be a finite number"),
    "huge cost": (["--foul-cost", "1e300"], "foul_cost: must be"),
    "cost in words": (["--foul-cost", "six"], "--foul-cost must be a number"),
    "nan worth": (["--fantasyland-worth", "14=nan"], "fantasyland_worth.14: must be a finite number"),
    "worth without =": (["--fantasyland-worth", "14"], "write it like 14=8,15=12"),
    "worth in words": (["--fantasyland-worth", "14=much"], "fantasyland_worth.14: must be a number"),
    "worth of words": (["--fantasyland-worth", "many=8"], "fantasyland_worth.many: must be a whole number"),
    "worth of 12 cards": (["--fantasyland-worth", "12=8"], "13 to 17 cards, not 12"),
    "objective": (["--objective", "both"], "one of solo, versus"),
    "versus nobody": (["--objective", "versus"], "needs an opponent"),
    "three opponents": (["--opponent", "- / - / -"] * 3, "at most 2 opponents"),
    "too many opponents": (["--opponent", "- / - / -"] * 9, "at most 3 entries"),
    "time and simulations": (["--time", "1", "--simulations", "9"], "not both"),
    "no time": (["--time", "0"], "time: must be 0.01 or more"),
    "nan time": (["--time", "nan"], "time: must be"),
    "no simulations": (["--simulations", "0"], "simulations: must be 1 or more"),
    "half a thread": (["--threads", "0.5"], "--threads must be a whole number"),
    "no thread": (["--threads", "0"], "threads: must be 1 or more"),
    "negative seed": (["--seed", "-1"], "seed: must be 0 or more"),
    "huge seed": (["--seed", str(2**63)], "seed: must be less than"),
    "no best placements": (["--top", "0"], "top: must be 1 or more"),
    "huge text": (["--cards", "As " * 100_000], "cards: may have at most 400 characters"),
    "huge rules name": (["--rules", "x" * 100_000], "rules: may have at most"),
    "name that no file can have": (["--rules", "x" * 1000], "no such file"),
    "nul": (["--rules", "a\0b"], "no such file"),
    "line breaks": (["--rules", "a\nb\r\nc"], "no such file"),
    "unknown option": (["--card", "As"], "there is no option --card. Did you mean --cards"),
    "option without value": (["--dead"], "--dead needs a value"),
    "flag with value": (["--json=yes"], "--json takes no value"),
    "loose cards": (["As", "Ah"], "not expected here: As Ah"),
    "fantasyland with a board": (["--fantasyland"], "leave the board empty"),
    "positions that are not there": (["--positions", "nope.jsonl"], "nope.jsonl: cannot be read"),
    "positions from a directory": (["--positions", "."], ".: cannot be read"),
}


@pytest.mark.parametrize(("args", "expected"), WRONG.values(), ids=WRONG)
def test_bad_input_is_one_line_and_exit_code_2(run, args, expected):
    assert expected in run(*SPOT, *args).problem


def test_a_deck_that_runs_out(run):
    board = "- / - / As Ac Ad 7h 7d"
    rest = [rank + suit for suit in "cdhs" for rank in "23456789TJQKA"]
    dead = [card for card in rest if card not in ("As", "Ac", "Ad", "7h", "7d", "Kc", "9d", "3s")][:40]
    problem = run("solve", "--board", board, "--cards", "Kc 9d 3s", "--dead", " ".join(dead)).problem
    assert "only 4 cards are left in the deck, but 9 must still be dealt" in problem


@pytest.mark.parametrize("command", ["solve", "check"])
def test_files_that_are_no_rule_files(run, tmp_path, command):
    garbage = {
        "binary": bytes(range(256)) * 4,
        "empty": b"",
        "a list": b"- 1\n- 2\n",
        "broken": b"a: [1, 2\nb: }",
        "tabs": b"\t\tname: x",
        "huge": b"# x\n" * 100_000,
        "wrong base": b"base: nope\n",
        "a bomb": b"a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nbase: pineapple\n",
        "deep": b"[" * 20_000,
    }
    for name, content in garbage.items():
        path = tmp_path / name
        path.write_bytes(content)
        result = run(*SPOT, "--rules", str(path)) if command == "solve" else run("rules", "check", str(path))
        assert result.code == 2, name
        assert result.err.startswith(f"bromeliad: {path}"), name
        assert result.out == ""
