"""``bromeliad train``: output, files, Ctrl-C, resumed runs, and errors before the work."""

import signal
from functools import partial

import pytest

from bromeliad.games.ofc.values.weights import ErrorModel, read_weights
from bromeliad.learning import train as training
from bromeliad.learning.run import Plan
from bromeliad.learning.train import unfinished


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Measure and calibrate less: both take minutes, even for a run of few hands."""
    monkeypatch.setattr("bromeliad.learning.run.Plan", partial(Plan, checkpoints=2, test_hands=100, calibration=0))


@pytest.fixture
def train(run, tmp_path):
    """Return a function that trains and writes the weights to a file."""

    def call(name, *options):
        return run("train", "--hands", "1000", "--output", str(tmp_path / name), *options)

    return call


@pytest.fixture
def ctrl_c(monkeypatch):
    """Press Ctrl-C during the first hands of the training."""
    learn = training.SoloRun.learn

    def interrupted(self, count):
        monkeypatch.setattr(training.SoloRun, "learn", learn)
        learn(self, count)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(training.SoloRun, "learn", interrupted)


def test_json(train, tmp_path):
    result = train("a.npz", "--seed", "3", "--foul-cost", "2", "--fantasyland-worth", "14=9", "--json")
    assert (result.code, result.err) == (0, "")
    answer = result.json
    assert list(answer) == ["output", "finished", "hands", "provenance", "curve"]
    assert (answer["output"], answer["finished"], answer["hands"]) == (str(tmp_path / "a.npz"), True, 1000)
    assert [point["hands"] for point in answer["curve"]] == [500, 1000]
    assert answer["curve"][-1].keys() == {"hands", "mean", "stderr", "p_foul", "p_fantasyland"}
    header = read_weights(tmp_path / "a.npz").provenance
    assert (header.rules, header.hands, header.seed) == ("pineapple", 1000, 3)
    assert (header.foul_cost, header.fantasyland_worth) == (2.0, {14: 9.0})
    assert answer["provenance"]["sha256"] == header.sha256


def test_words_and_a_picture(train, tmp_path):
    picture = tmp_path / "curve.png"
    result = train("a.npz", "--plot", str(picture))
    assert result.code == 0
    first, last, written = result.out.splitlines()
    assert first.startswith("500 hands: ")
    assert last.startswith("1,000 hands: ")
    assert written == f"Written to {tmp_path / 'a.npz'}."
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_stopped_and_gone_on_with(train, tmp_path, ctrl_c):
    stopped = train("a.npz", "--json")
    assert stopped.code == 130
    assert stopped.json["finished"] is False
    assert stopped.json["provenance"] is None
    assert 0 < stopped.json["hands"] < 1000
    assert not (tmp_path / "a.npz").exists()
    assert unfinished(tmp_path / "a.npz").exists()
    finished, whole = train("a.npz", "--json"), train("b.npz", "--json")
    assert finished.code == whole.code == 0
    assert finished.json["curve"] == whole.json["curve"]
    assert not unfinished(tmp_path / "a.npz").exists()
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_a_stopped_run_says_how_to_go_on(train, ctrl_c):
    stopped = train("a.npz")
    assert stopped.code == 130
    assert "Stopped after 150 hands; run the same command again to continue." in stopped.out
    other = train("a.npz", "--seed", "2")
    assert other.code != 0
    assert "other settings" in other.err


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--plot", "curve.jpg"], "curve.jpg: a plot must be .png or .svg"),
        (["--hands", "999"], "--hands must be"),
        (["--hands", "many"], "--hands must be"),
        (["--seed", "-1"], "--seed must be"),
        (["--rules", "nope"], "no such preset"),
        (["--rules", "house"], "values cannot be learned if the first deal decides"),
        (["--foul-cost", "nan"], "foul_cost: must be a finite number"),
        (["--output", "."], "--output must be"),
    ],
)
def test_refuses_before_the_work(train, tmp_path, options, problem):
    assert problem in train("a.npz", *options).problem
    assert not list(tmp_path.iterdir())


def test_errors_are_fitted_anew_and_the_weights_stay(train, tmp_path, monkeypatch):
    train("a.npz")
    before = read_weights(tmp_path / "a.npz")
    monkeypatch.setattr(training, "sample_misses", lambda spot, street, positions, seed, **batch: street)
    monkeypatch.setattr(training, "fit_errors", lambda street: ErrorModel(0.1 * street, street))
    result = train("a.npz", "--calibrate", "--json")
    assert (result.code, result.json["finished"]) == (0, True)
    after = read_weights(tmp_path / "a.npz")
    assert [error.dropped for error in after.provenance.errors] == [1, 2, 3]
    assert after.provenance.sha256 == before.provenance.sha256
    assert (after.parts == before.parts).all()
