"""``bromeliad score | rules | warmup | bench``, help and languages, run in this process."""

import json
import sys

import pytest
from rich.cells import cell_len

from bromeliad import __version__
from bromeliad.games.ofc.rules.files import parse_rules, preset, preset_names

FIRST = "Qs Qh 7d / 9c 9s 4h 4d 2c / As Ac Jd 7h 7s"  # queens 7, fantasyland
SECOND = "Jh 4s 3h / Ah 5c 4c 3c 2h / Kd Td 9d 8d 3d"  # nothing, wheel 4, flush 4
FOUL = "Ks Kh 6d / Qc Qd 8c 6s 5d / Js Jc 2d 3s 5h"


class TestScore:
    def test_one_board(self, run):
        result = run("score", FIRST, "--json").json
        assert result == {
            "game": "ofc",
            "rules": "pineapple",
            "players": [
                {
                    "board": FIRST.replace("9c 9s", "9s 9c").replace("7h 7s", "7s 7h"),
                    "foul": False,
                    "hands": ["pair", "two pair", "two pair"],
                    "row_royalties": [7, 0, 0],
                    "royalties": 7,
                    "fantasyland_cards": 14,
                    "points": 0,
                }
            ],
            "settlements": [],
        }

    def test_two_boards(self, run):
        result = run("score", FIRST, SECOND, "--json").json
        assert [player["points"] for player in result["players"]] == [-2, 2]
        expected = {"player": 1, "against": 2, "rows": [1, -1, -1], "scoop": 0, "royalties": -1, "total": -2}
        assert result["settlements"] == [expected]

    def test_three_boards_with_a_foul(self, run):
        result = run("score", FIRST, SECOND, FOUL, "--json").json
        assert [player["foul"] for player in result["players"]] == [False, False, True]
        assert result["players"][2]["royalties"] == 0
        assert result["players"][2]["fantasyland_cards"] == 0
        totals = {(pair["player"], pair["against"]): pair["total"] for pair in result["settlements"]}
        assert totals == {(1, 2): -2, (1, 3): 6 + 7, (2, 3): 6 + 8}
        assert [player["points"] for player in result["players"]] == [11, 16, -27]
        assert result["settlements"][1]["scoop"] == 3

    def test_staying_in_fantasyland(self, run):
        trips = "Qs Qh Qd / 9c 9s 9h 4d 4c / As Ac Ad 7h 7s"
        assert run("score", trips, "--fantasyland", "1", "--json").json["players"][0]["fantasyland_cards"] == 14
        # queens on top lead to fantasyland, but do not keep a player in it
        assert run("score", FIRST, "--fantasyland", "1", "--json").json["players"][0]["fantasyland_cards"] == 0
        kept = run("score", trips, "--rules", "progressive-keep", "--fantasyland", "1:16", "--json").json
        assert kept["players"][0]["fantasyland_cards"] == 16

    def test_house_fantasyland_is_a_bonus(self, run):
        without = run("score", FIRST, "--rules", "house", "--json").json["players"][0]["royalties"]
        bonus = run("score", FIRST, "--rules", "house", "--fantasyland", "1", "--json").json["players"][0]["royalties"]
        assert (without, bonus) == (2 + 3 + 3, 2 + 3 + 3 + 10)

    def test_a_low_middle_has_no_category(self, run):
        board = "Kd Kh 2h / 7c 5s 4h 3d 2c / As Ac Ad 7h 7d"
        player = run("score", board, "--rules", "deuce", "--json").json["players"][0]
        assert player["hands"] == ["pair", None, "full house"]
        assert player["row_royalties"] == [8, 8, 6]
        assert "low hand" in run("score", board, "--rules", "deuce").out

    def test_board_string(self, run):
        result = run("score", "Jh4s3h-As5c4c3c2h-KdJd9d7d3d", "--json").json
        assert result["players"][0]["row_royalties"] == [0, 4, 4]

    def test_jokers(self, run):
        result = run("score", "Qs Jk 7d / 9c 9s 4h 4d 2c / As Ac Jd 7h 7s", "--rules", "ultimate", "--json").json
        assert result["players"][0]["row_royalties"] == [7, 0, 0]

    def test_table(self, run):
        out = run("score", FIRST, SECOND, FOUL).out
        assert "Player 1: royalties 7, fantasyland with 14 cards, settlement +11" in out
        assert "Player 3: foul, settlement -27" in out
        assert "straight" in out

    @pytest.mark.parametrize(
        ("args", "expected"),
        [
            ([], "BOARD... is missing"),
            (["Qs / 9c / As"], "board 1 is not finished"),
            ([FIRST, FIRST], "twice"),
            ([FIRST, "Ks / - / -"], "board 2 is not finished"),
            ([FIRST, SECOND, FOUL, "8h 8s 6h / 6c Kc 2s Th Tc Ts / -"], "middle row holds 5 cards, not 6"),
            (["Qs Jk 7d / 9c 9s 4h 4d 2c / As Ac Jd 7h 7s"], "0 jokers"),
            ([FIRST, "--fantasyland", "2"], "no player 2"),
            ([FIRST, "--fantasyland", "0"], "no player 0"),
            ([FIRST, "--fantasyland", "x"], "write PLAYER or PLAYER:CARDS"),
            ([FIRST, "--fantasyland", "1:x"], "write PLAYER or PLAYER:CARDS"),
            ([FIRST, "--fantasyland", "1:" + "9" * 10_000], "write PLAYER or PLAYER:CARDS"),
            ([FIRST, "--fantasyland", "1:99"], "13 to 17 cards"),
            ([FIRST, "--rules", "nope"], "presets: pineapple"),
            ([FIRST * 10_000], "three rows"),
            (["hello"], "three rows, not 1"),
        ],
    )
    def test_bad_input(self, run, args, expected):
        assert expected in run("score", *args).problem

    def test_more_players_than_the_game_has(self, run):
        fourth = "8h 8s 2s / 6c 6h 5s 7c 9h / Tc Th Ts Kc Ad"
        assert "at most 3 players" in run("score", FIRST, SECOND, FOUL, fourth).problem
        assert run("score", FIRST, SECOND, FOUL, fourth, "--rules", "regular").code == 0


class TestRules:
    def test_list(self, run):
        lines = run("rules", "list").out.splitlines()
        assert [line.split()[0] for line in lines] == list(preset_names())
        assert lines[0].startswith("pineapple  ")

    def test_list_json(self, run):
        listed = run("rules", "list", "--json").json
        assert listed == [{"name": name, "summary": preset(name).summary} for name in preset_names()]

    @pytest.mark.parametrize("name", preset_names())
    def test_show_prints_what_can_be_read_again(self, run, name):
        assert parse_rules(run("rules", "show", name).out) == preset(name)
        assert run("rules", "show", name, "--json").json["name"] == name

    def test_show_fills_in_the_base(self, run, tmp_path):
        path = tmp_path / "mine.yaml"
        path.write_text("base: pineapple\nname: mine\nscoring: {scoop: 5}\n")
        shown = run("rules", "show", str(path), "--json").json
        assert shown["scoring"] == {"row_points": {"top": 1, "middle": 1, "back": 1}, "scoop": 5}

    def test_show_unknown(self, run):
        assert "presets: pineapple" in run("rules", "show", "nope").problem

    def test_check(self, run, tmp_path):
        path = tmp_path / "mine.yaml"
        path.write_text("base: pineapple\nname: mine\n")
        assert run("rules", "check", str(path)).out == f"{path}: no mistakes, rule set mine\n"
        assert run("rules", "check", str(path), "--json").json == {"ok": True, "name": "mine", "problems": []}

    def test_check_names_every_mistake_by_line_and_field(self, run, tmp_path):
        path = tmp_path / "bad.yaml"
        path.write_text("base: pineapple\nscoring:\n  scoop: many\nplayers: {min: 9}\ncolour: red\n")
        result = run("rules", "check", str(path))
        assert result.code == 2
        lines = result.err.splitlines()
        assert len(lines) == 3
        assert all(line.startswith(f"bromeliad: {path}:") for line in lines)
        assert {line.removeprefix(f"bromeliad: {path}:").split(":")[0] for line in lines} == {"3", "4", "5"}
        assert "scoring.scoop" in result.err
        assert "whole number" in result.err
        assert "4 or less" in result.err
        assert "allowed: name, summary" in result.err
        as_json = run("rules", "check", str(path), "--json")
        assert as_json.code == 2
        assert [f"bromeliad: {problem}" for problem in as_json.json["problems"]] == lines

    @pytest.mark.parametrize("language", ["zh-TW", "zh-CN"])
    def test_check_in_other_languages(self, run, tmp_path, language):
        path = tmp_path / "bad.yaml"
        path.write_text("base: pineapple\nstreets: [{deal: 2, place: 3}]\n")
        result = run("rules", "check", str(path), "--lang", language)
        assert {"zh-TW": "place 不能大於 deal", "zh-CN": "place 不能大于 deal"}[language] in result.err


class TestWorth:
    def test_prints_a_table(self, run):
        result = run("rules", "worth", "progressive", "--hands", "100")
        assert "Worth of fantasyland under progressive rules" in result.out
        assert [line.split()[0] for line in result.out.splitlines()[2:6]] == ["14", "15", "16", "17"]
        assert "A foul costs" in result.out

    def test_prints_json_and_repeats_itself(self, run):
        one, two = (run("rules", "worth", "--hands", "100", "--seed", "3", "--json").json for _ in range(2))
        assert one == two
        assert (one["rules"], one["hands"], one["seed"]) == ("pineapple", 100, 3)
        (item,) = one["fantasyland"]
        assert item["cards"] == 14
        assert item["worth"].keys() == {"value", "stderr"}
        assert item["worth"]["value"] == pytest.approx(sum(seat["value"] for seat in item["by_seat"]) / 2)
        assert (one["commit"], one["evaluation"]) == ("first", "versus")

    def test_fantasyland_may_be_set_last(self, run):
        answer = run("rules", "worth", "--hands", "100", "--commit", "last", "--json").json
        assert answer["commit"] == "last"
        assert answer["fantasyland"][0]["worth"]["value"] > 0.0

    def test_takes_a_file(self, run, tmp_path):
        path = tmp_path / "mine.yaml"
        path.write_text("base: house\nname: mine\n")
        assert "no board earns fantasyland" in run("rules", "worth", str(path), "--hands", "100").out

    def test_refuses(self, run):
        assert run("rules", "worth", "--hands", "99").problem == "99 hands are too few: give at least 100"
        assert "presets: pineapple" in run("rules", "worth", "nope").problem

    def test_in_chinese(self, run):
        assert "范特西的價值" in run("rules", "worth", "--hands", "100", "--lang", "zh-TW").out


class TestLanguages:
    @pytest.mark.parametrize(
        ("language", "usage", "twice"),
        [
            ("en", "Usage: ", "the same card appears twice: As"),
            ("zh-TW", "用法：", "同一張牌出現兩次：As"),
            ("zh-CN", "用法：", "同一张牌出现两次：As"),
        ],
    )
    def test_before_and_after_the_command(self, run, language, usage, twice):
        assert run("--lang", language, "--help").out.startswith(usage)
        assert run("solve", "--help", "--lang", language).out.startswith(usage)
        assert run("--lang", language, "solve", "--cards", "As As").problem == twice
        assert run("solve", "--cards", "As As", "--lang", language).problem == twice
        assert run("solve", f"--lang={language}", "--cards", "As As").problem == twice

    def test_one_call_leaves_no_language_behind(self, run):
        run("--lang", "zh-TW", "--help")
        assert run("--help").out.startswith("Usage: ")

    @pytest.mark.parametrize(
        ("locale", "expected"), [("zh_TW.UTF-8", "選項"), ("zh_CN.UTF-8", "选项"), ("de_DE.UTF-8", "Options")]
    )
    def test_from_the_locale(self, run, monkeypatch, locale, expected):
        monkeypatch.setenv("LANG", locale)
        assert expected in run("--help").out
        assert "Options" in run("--help", "--lang", "en").out

    def test_unknown_language(self, run):
        assert run("--lang", "xx").problem == "--lang must be one of en, zh-TW, zh-CN"
        assert run("solve", "--lang", "xx").problem == "--lang must be one of en, zh-TW, zh-CN"
        assert run("solve", "--lang").problem.startswith("there is no option --lang.")

    @pytest.mark.parametrize("command", [(), ("solve",), ("score",), ("rules",), ("rules", "check"), ("bench",)])
    @pytest.mark.parametrize("language", ["zh-TW", "zh-CN"])
    def test_help_fits_the_terminal_and_hides_no_english(self, run, command, language, monkeypatch):
        monkeypatch.setenv("COLUMNS", "80")
        out = run(*command, "--help", "--lang", language).out
        assert max(map(cell_len, out.splitlines())) <= 80
        assert "Show" not in out
        assert "default" not in out

    def test_tables(self, run):
        out = run("score", FIRST, SECOND, "--lang", "zh-TW").out
        assert "頭道" in out
        assert "順子" in out
        out = run("rules", "list", "--lang", "zh-CN").out
        assert "范特西" in out


class TestHelp:
    def test_version(self, run):
        assert run("--version").out == f"bromeliad {__version__}\n"

    @pytest.mark.parametrize("args", [("--help",), ("--lang", "en", "--help")])
    def test_help_lists_every_command(self, run, args):
        result = run(*args)
        assert result.code == 0
        for name in ("solve", "score", "rules", "warmup", "bench"):
            assert f"\n  {name} " in result.out

    def test_help_of_solve_states_every_default(self, run):
        out = " ".join(run("solve", "--help").out.split())
        for text in (
            "[default: pineapple]",
            "by default versus if an opponent is given, otherwise solo",
            "by default 5 seconds",
            "all cores by default",
            "[default: 1]",
            "by default from the rule set",
        ):
            assert text in out

    def test_a_group_alone_shows_its_help(self, run):
        assert "Check a rule file." in run("rules").out

    def test_unknown_command(self, run):
        assert run("resolve").problem.startswith("there is no command resolve; commands: solve, ")
        assert run("rules", "delete").problem == "there is no command delete; commands: check, list, show, worth"


class TestWarmup:
    def test_second_time_there_is_nothing_to_do(self, run):
        assert run("warmup").code == 0
        result = run("warmup")
        assert result.out == ""
        assert "kernel groups ready, 0 compiled now" in result.err


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of a library that another library imports
class TestBench:
    def test_json(self, run):
        result = run("bench", "evaluator", "--quick", "--json")
        assert "measuring evaluator ..." in result.err
        assert result.json["bench"] == "evaluator"
        rows = result.json["sections"][0]["rows"]
        assert [row["evaluator"].split()[0] for row in rows][:3] == ["bromeliad", "bromeliad", "eval7"]
        assert all(row["ns per board"] > 0 for row in rows)

    def test_a_library_that_is_not_installed(self, run, monkeypatch):
        monkeypatch.setitem(sys.modules, "eval7", None)
        out = run("bench", "evaluator", "--quick", "--json").out
        (section,) = json.loads(out, parse_constant=pytest.fail)["sections"]  # JSON has no NaN
        assert section["rows"][2]["ns per board"] is None

    def test_write_keeps_what_other_benches_wrote(self, run, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        results = tmp_path / "benchmarks" / "RESULTS.md"
        results.parent.mkdir()
        other = "<!-- bench other -->\n## other\nits figures\n<!-- end other -->\n"
        old = "<!-- bench evaluator -->\nold figures\n<!-- end evaluator -->\n"
        results.write_text(f"# Results\n\n{old}{other}")
        assert run("bench", "evaluator", "--quick", "--write").code == 0
        text = results.read_text()
        assert other in text
        assert "old figures" not in text
        assert text.count("<!-- bench evaluator -->") == 1
        assert "bromeliad bench evaluator --seed 1 --quick" in text
        assert text.index("bench evaluator") < text.index("bench other")

    def test_write_starts_the_file(self, run, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        run("bench", "evaluator", "--quick", "--write")
        assert (tmp_path / "benchmarks" / "RESULTS.md").read_text().startswith("# Results\n")

    def test_write_where_nothing_can_be_written(self, run, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "benchmarks").write_text("a file where the directory should be")
        result = run("bench", "evaluator", "--quick", "--json", "--write")
        assert result.code == 1
        assert result.err.splitlines()[-1].startswith("bromeliad: benchmarks")

    def test_unknown(self, run):
        assert run("bench", "nope").problem.startswith("there is no bench nope; benches: all, evaluator")
        assert run("bench", "evaluator", "--seed", "-1").problem == "--seed must be a whole number from 0 up"
        assert run("bench", "all", "--minutes", "-1").problem == "--minutes must be a number from 0 up"


class TestLogs:
    SPOT = ("solve", "--cards", "Kc 9d 3s", "--board", "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d", "--no-store", "--json")

    def test_events_go_to_standard_error(self, run):
        done = run(*self.SPOT, "--log", "json")
        first, last = [json.loads(line) for line in done.err.splitlines()]
        assert (first["event"], last["event"]) == ("solve started", "solve finished")
        assert last["value"] == done.json["value"]
        assert run(*self.SPOT).err == ""

    def test_the_environment_may_ask_too(self, run, monkeypatch):
        monkeypatch.setenv("BROMELIAD_LOG", "text")
        assert "solve finished value=34.9" in run(*self.SPOT).err
        monkeypatch.setenv("BROMELIAD_LOG", "loud")
        assert run(*self.SPOT).problem == "BROMELIAD_LOG must be one of text, json"
