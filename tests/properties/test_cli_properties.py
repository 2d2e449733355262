"""No input makes the command line raise, or end with anything but an answer or one line of refusal."""

import contextlib
import io
import json

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bromeliad.cli.main import main

quick = settings(
    max_examples=300, deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)

BOARD = "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d"
CARDS = "Kc 9d 3s"

# Text that is nearly right finds more than noise does.
CARD_PARTS = [*"23456789TJQKAcdhs♠♥♦♣🃏", "10", "Jk", "joker", "Ks", "Kd", "As", "2c", "7h"]
SIGNS = [" ", " / ", "/", "-", "–", ",", "，", "=", "14=8", "15=", "nan", "1e999", "{", "}", "[/]"]
ODD = ["\0", "\n", "\ud800", "\u2028", "\u212a", "\u017f", "²", "１４＝８"]  # the Kelvin sign is no K, the long s no s
pieces = st.sampled_from([*CARD_PARTS, *SIGNS, *ODD])
nearly = st.lists(pieces, max_size=30).map("".join)
text = st.one_of(nearly, st.text(max_size=60))
options = ["--cards", "--board", "--dead", "--opponent", "--rules", "--objective", "--fantasyland-worth", "--foul-cost"]
options += ["--time", "--simulations", "--threads", "--seed", "--top", "--lang"]


def run(args):
    """Return the exit code and what was printed; whatever is raised fails the test."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(args)
    assert code in (0, 1, 2)
    if code == 2:
        assert out.getvalue() == ""
        assert err.getvalue().startswith("bromeliad: ")
        assert err.getvalue().count("\n") == 1
    return code, out.getvalue(), err.getvalue()


@quick
@given(st.sampled_from(["--cards", "--board", "--dead", "--opponent", "--rules", "--fantasyland-worth"]), text)
@example("--cards", "Kc 9d 3s")
@example("--rules", "x" * 5000)
@example("--rules", ".")
@example("--rules", "/dev/null")
@example("--fantasyland-worth", "14=8=9")
@example("--fantasyland-worth", "14=" + "9" * 400)
@example("--fantasyland-worth", "9" * 5000 + "=1")
@example("--board", "/ / /")
@example("--opponent", "- / - / -")
def test_any_text_in_any_option_of_solve(option, value):
    run(["solve", "--cards", CARDS, "--board", BOARD, option, value])


@quick
@given(st.lists(st.one_of(st.sampled_from([*options, "solve", "score", "rules", "check", "show", "--json"]), nearly)))
@example(["solve", "--", "--lang"])
@example(["--lang"])
@example(["--lang", "zh-TW", "--lang", "xx"])
@example(["solve", "--seed", "1" * 5000])
@example(["score", "--fantasyland", "²"])
@example(["rules", "check", ""])
@example(["rules", "show", "\0"])
def test_any_arguments(args):
    run([*args, *(["--time", "0.05"] if "solve" in args else [])])  # words are tried here, not long searches


@quick
@given(st.lists(text, min_size=1, max_size=3), st.one_of(st.none(), text))
@example(["As Ah Ad / Ks Kh Kd Kc Qs / 2s 3s 4s 5s 6s"], "1:١٤")
def test_any_boards_to_score(boards, fantasyland):
    run(["score", *(["--fantasyland", fantasyland] if fantasyland is not None else []), "--", *boards])


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), text),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(text, inner, max_size=4)),
    max_leaves=6,
)
keys = ["cards", "board", "dead", "opponents", "rules", "objective", "foul_cost", "fantasyland_worth", "fantasyland"]
keys += ["time", "simulations", "threads", "seed", "top"]
positions = st.one_of(
    st.dictionaries(st.sampled_from(keys), json_values, max_size=3).map(
        lambda data: json.dumps({"cards": CARDS, "board": BOARD, **data})
    ),
    json_values.map(json.dumps),
    st.text(max_size=60),
)


@quick
@given(line=positions)
@example(line='{"cards": "\\ud800"}')
@example(line='{"rules": "\\u0000"}')
@example(line='{"opponents": [null]}')
@example(line='{"fantasyland_worth": {"": null}}')
@example(line="\ufeff{}")
def test_any_line_of_positions(tmp_path_factory, line):
    path = tmp_path_factory.getbasetemp() / "positions.jsonl"
    with path.open("wb") as file:
        file.write(line.replace("\n", " ").replace("\r", " ").encode("utf-8", "surrogatepass") + b"\n")
    code, out, _ = run(["solve", "--positions", str(path), "--time", "0.05"])
    answers = [json.loads(answer) for answer in out.splitlines()]
    assert len(answers) <= 1  # a blank line is no question
    assert code == int(any("error" in answer for answer in answers))


RULE_LINES = """\
base: pineapple
base: house
name: x
streets:
  - {deal: 5, place: 5}
order: 3
royalties:
  top: {pair: {Q: 1}}
fantasyland: {bonus: .inf}
jokers: {count: 9}
scoring: {scoop: 1e99}
objective: {foul_cost: .nan}
players: !!python/object x
? [a]
region_lengths: {top: 3}
a: &a [*a]
- x
date: 2020-01-01
~: 1
"'
{""".splitlines()
rule_texts = st.one_of(st.text(max_size=80), st.lists(st.sampled_from(RULE_LINES), max_size=6).map("\n".join))


@quick
@given(content=rule_texts)
def test_any_rule_file(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "rules.yaml"
    path.write_bytes(content.encode("utf-8", "surrogatepass"))
    err = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(err):
        code = main(["rules", "check", str(path)])
    assert code in (0, 2)
    lines = err.getvalue().splitlines()
    assert bool(lines) == (code == 2)
    assert all(line.startswith("bromeliad: ") for line in lines)
