"""Batches with hostile lines: a bad line does not affect the others."""

import json

import pytest

from hostile import HOSTILE, changed, places
from played_hands import played_hands

LAST = {"cards": "Kc 9d 3s", "board": "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d"}


def test_a_hostile_line_does_not_end_a_batch(run, tmp_path):
    lines = [json.dumps(LAST), json.dumps({**LAST, "opponent_model": [10**400, 1]}), json.dumps(LAST)]
    lines += [json.dumps({**LAST, "opponents": hostile}) for hostile in HOSTILE]
    lines += ["[" * 100_000, "9" * 10_000, "\x00", '{"cards": "\\ud800"}', json.dumps(LAST)]
    file = tmp_path / "positions.jsonl"
    file.write_text("\n".join(lines) + "\n")
    done = run("solve", "--no-store", "--positions", str(file))
    assert done.code == 1
    assert len(done.lines) == len(lines)
    assert [("error" in done.lines[i]) for i in (0, 1, 2, -1)] == [False, True, False, False]


@pytest.mark.parametrize("command", [("report", "--json"), ("hands", "check"), ("hands", "show"), ("review", "--json")])
def test_hostile_hands_are_reported_by_line(run, tmp_path, command):
    record, _ = played_hands(1)[0]
    whole = json.loads(record.to_line())
    kept = [path for path in places(whole) if len(path) < 3 or path[1] in (0, 1, 12, 13)]
    lines = [json.dumps(changed(whole, path, hostile)) for path in kept[::3] for hostile in HOSTILE[::3]]
    file = tmp_path / "hands.jsonl"
    file.write_text("\n".join([record.to_line(), *lines, record.to_line()]) + "\n")
    extra = ("--simulations", "5") if command[0] == "review" else ()
    done = run(*command, *extra, str(file))
    assert done.code in (0, 1, 2)
    assert "Traceback" not in done.err
