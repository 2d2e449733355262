"""The ablation bench: a log of games that another run continues, and interrupted runs."""

import pytest

from bromeliad.bench import sequence_ablation as ablation
from bromeliad.bench.sequence_ablation import Log, agent_fingerprint
from bromeliad.errors import InputError

OF = ("C", "0.3", 0.1, 1)


def test_played_games_are_found_again_by_the_same_agent_only(tmp_path):
    path = tmp_path / "games.jsonl"
    Log(path, "one").add(OF, [1.0, 0.5])
    Log(path, "one").add(OF, [0.0, 1.0])
    assert Log(path, "one").scores(OF) == [1.0, 0.5, 0.0, 1.0]
    assert Log(path, "other").scores(OF) == []
    assert Log(path, "one").scores((*OF[:3], 2)) == []
    assert Log(None, "one").scores(OF) == []


def test_agents_are_told_apart_by_their_parameters():
    assert agent_fingerprint(1) == agent_fingerprint(1) != agent_fingerprint(2)


@pytest.mark.parametrize("text", ["nonsense", "{}", "[1]"])
def test_another_file_is_refused(tmp_path, text):
    path = tmp_path / "games.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match="not a log"):
        Log(path, "one")


def test_the_ablation_goes_on_and_prints_each_row(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("BROMELIAD_SEQUENCE_LOG", str(tmp_path / "games.jsonl"))
    monkeypatch.setattr(ablation, "VARIANTS", ablation.VARIANTS[:1] + ablation.VARIANTS[9:10])
    first = ablation.ablation_bench(True, 1)[0].rows
    printed = capsys.readouterr().err
    assert "time by phase: 40/60/80 %, 90 % when critical: 2 games" in printed
    assert [row[3] for row in first] == [2, 0, 2]
    assert ablation.ablation_bench(True, 1)[0].rows == first
    assert capsys.readouterr().err == ""


def test_an_interrupted_ablation_shows_what_it_has(monkeypatch, capsys):
    def play(variant, already, games, seconds, seed):
        if variant.what == "UCB form":
            raise KeyboardInterrupt
        return [0.5] * games

    monkeypatch.setattr(ablation, "_play", play)
    rows = ablation.ablation_bench(True, 1)[0].rows
    assert "interrupted" in capsys.readouterr().err
    assert [row[0] for row in rows if row[2] == "no"] == ["time by phase", "iterations", "early stop at 70 %"]
