"""``bromeliad solve --positions``: many spots, one answer per line, in the order of the questions."""

import json
import subprocess
import sys

import pytest

BOARD = "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d"
CARDS = "Kc 9d 3s"
GOOD = {"cards": CARDS, "board": BOARD}


def lines_of(*positions):
    return "".join((p if isinstance(p, str) else json.dumps(p)) + "\n" for p in positions)


@pytest.fixture
def solve(run, tmp_path):
    """Return a function that solves positions from a file."""

    def call(*positions, options=()):
        path = tmp_path / "positions.jsonl"
        path.write_text(lines_of(*positions), encoding="utf-8")
        return run("solve", "--positions", str(path), *options)

    return call


def test_order_is_kept(solve):
    result = solve(*({**GOOD, "seed": seed} for seed in (5, 3, 9, 1)))
    assert result.code == 0
    assert [answer["seed"] for answer in result.lines] == [5, 3, 9, 1]


def test_the_answer_is_that_of_a_single_question(solve, run):
    single = run("solve", "--cards", CARDS, "--board", BOARD, "--json").json
    (answer,) = solve(GOOD).lines
    assert {**answer, "elapsed_s": 0} == {**single, "elapsed_s": 0}


def test_every_key(solve):
    (answer,) = solve(
        {
            **GOOD,
            "dead": "2c 5d",
            "opponents": ["2h 3d 5s / 6h 6d Th Td 9h / Ks Kd Kh 3c 3h"],
            "rules": "progressive",
            "objective": "versus",
            "foul_cost": 7,
            "fantasyland_worth": {"14": 5, "15": 6.5},
            "fantasyland": False,
            "time": 0.5,
            "threads": 1,
            "seed": 4,
            "top": 3,
        }
    ).lines
    assert answer["rules"] == "progressive"
    assert answer["objective"] == "versus"
    assert answer["foul_cost"] == 7
    assert answer["fantasyland_worth"] == {"14": 5, "15": 6.5, "16": 20.0, "17": 26.1}
    assert answer["seed"] == 4
    assert answer["value"] == 6 + 25 - 6 + 5


def test_options_are_defaults_of_every_line(solve):
    result = solve(GOOD, {**GOOD, "rules": "pineapple"}, options=("--rules", "progressive", "--seed", "3"))
    assert [(answer["rules"], answer["seed"]) for answer in result.lines] == [("progressive", 3), ("pineapple", 3)]


def test_standard_input(run_process):
    result = run_process("solve", "--positions", "-", stdin=lines_of(GOOD, "nonsense", GOOD))
    assert result.code == 1
    assert ["error" in answer for answer in result.lines] == [False, True, False]


def test_blank_lines_are_no_questions(solve):
    assert len(solve(GOOD, "", "   ", GOOD).lines) == 2


def test_no_question_no_answer(solve):
    result = solve()
    assert (result.code, result.out) == (0, "")


BAD = {
    "not JSON": ("{", "not JSON: {"),
    "a number": ("1", "a JSON object"),
    "a list": ([1], "a JSON object"),
    "null": ("null", "a JSON object"),
    "unknown key": ({**GOOD, "colour": 1}, "there is no option colour; options: cards"),
    "cards as a list": ({**GOOD, "cards": ["Kc", "9d", "3s"]}, "cards: must be text"),
    "one opponent as text": ({**GOOD, "opponents": "- / - / -"}, "opponents: must be a list"),
    "an opponent as a number": ({**GOOD, "opponents": [3]}, "opponents.0: must be text"),
    "a bad card": ({**GOOD, "cards": "Kc 9d XX"}, "XX"),
    "the same card twice": ({**GOOD, "dead": "Kc"}, "twice: Kc"),
    "objective": ({**GOOD, "objective": "both"}, "objective: must be one of solo, versus"),
    "NaN": ('{"cards": "Kc 9d 3s", "foul_cost": NaN}', "foul_cost: must be a finite number"),
    "infinity": ('{"cards": "Kc 9d 3s", "foul_cost": Infinity}', "foul_cost: must be"),
    "worth as a list": ({**GOOD, "fantasyland_worth": [8]}, "fantasyland_worth: must be"),
    "worth in words": ({**GOOD, "fantasyland_worth": {"14": "x"}}, "fantasyland_worth.14: must be a number"),
    "a huge number": ('{"seed": 1' + "0" * 5000 + "}", "not JSON"),
    "a large number": ('{"seed": 1' + "0" * 100 + "}", "seed: must be less than"),
    "half a surrogate": ('{"cards": "\\ud800"}', "cards: must be text"),
    "half a surrogate as a key": ('{"\\ud800": 1}', "position: must be text"),
    "too deep": ("[" * 100_000, "not JSON"),
    "a true seed": ({**GOOD, "seed": 1.5}, "seed: must be a whole number"),
    "fantasyland in words": ({**GOOD, "fantasyland": "perhaps"}, "fantasyland: must be true or false"),
    "rules as a number": ({**GOOD, "rules": 3}, "rules: must be text"),
    "unknown rules": ({**GOOD, "rules": "nope"}, "no such preset"),
}


@pytest.mark.parametrize(("position", "expected"), BAD.values(), ids=BAD)
def test_a_bad_line_gets_an_error_in_its_place(solve, position, expected):
    result = solve(GOOD, position, GOOD)
    assert result.code == 1
    assert result.err == ""
    first, bad, last = result.lines
    assert list(bad) == ["error"]
    assert expected in bad["error"]
    assert first["value"] == last["value"] == 34.9


def test_errors_speak_the_language(solve):
    result = solve({**GOOD, "dead": "Kc"}, options=("--lang", "zh-TW"))
    assert result.lines == [{"error": "同一張牌出現兩次：Kc"}]


def test_bytes_that_are_no_text(run, tmp_path):
    path = tmp_path / "positions.jsonl"
    path.write_bytes(bytes(range(128, 256)) + b"\n" + lines_of(GOOD).encode())
    result = run("solve", "--positions", str(path))
    assert result.code == 1
    assert "error" in result.lines[0]
    assert result.lines[1]["value"] == 34.9


# --- streams -------------------------------------------------------------------------------------------------------

STREAM = [sys.executable, "-m", "bromeliad", "solve", "--no-store", "--positions", "-"]


def test_answers_come_before_the_input_ends():
    with subprocess.Popen(STREAM, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        for seed in (5, 3):
            process.stdin.write(json.dumps({**GOOD, "seed": seed}) + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["seed"] == seed
        process.stdin.close()
        assert process.wait(60) == 0


@pytest.mark.accept
def test_a_million_lines_take_no_more_memory_than_a_few(tmp_path):
    """Most lines are invalid, because these are quick; one in ten thousand is valid."""
    many, peaks = 1_000_000, []
    for count in (10_000, many):
        path = tmp_path / f"{count}.jsonl"
        with path.open("w") as file:
            for number in range(count):
                file.write((json.dumps(GOOD) if number % 10_000 == 0 else f'{{"cards": {number}}}') + "\n")
        code = (
            "import resource, sys; from bromeliad.cli.main import main; code = main(sys.argv[1:]);"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr); sys.exit(code)"
        )
        command = [sys.executable, "-c", code, "solve", "--no-store", "--positions", str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert sum(1 for _ in process.stdout) == count
            peaks.append(int(process.stderr.read().split()[-1]))
            assert process.wait() == 1
    assert peaks[1] < 1.1 * peaks[0], peaks
