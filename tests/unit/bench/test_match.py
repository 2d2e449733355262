"""The match bench: a table of three players."""

import pytest

from bromeliad.bench import match
from bromeliad.core.jit import JIT
from bromeliad.matches.ofc import OfcMatch
from bromeliad.matches.runner import play_match

pytestmark = [pytest.mark.kernel, pytest.mark.skipif(not JIT, reason="whole hands take too long in plain Python")]


def test_three_players_are_one_table():
    result = play_match(OfcMatch(("heuristic", "random", "random"), 6, seed=2))
    section = match.three_section([result])
    (row,) = (dict(zip(section.columns, row, strict=True)) for row in section.rows)
    assert (row["strategy"], row["versus"], row["hands"]) == ("heuristic", "random random", 6)
    assert row["points"] == pytest.approx(-sum(player.mean for player in result.players[1:]))
    assert row["points"] > 0.0
