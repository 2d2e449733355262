"""The plot of a learning curve."""

import sys
from pathlib import Path

import pytest

from bromeliad.cli.train import check_plot, plot_curve
from bromeliad.errors import InputError, UnsupportedError
from bromeliad.learning.run import Checkpoint

CURVE = (Checkpoint(1000, 1.5, 0.1, 0.3, 0.05), Checkpoint(2000, 2.5, 0.1, 0.2, 0.1))


@pytest.mark.parametrize(("name", "begins"), [("curve.png", b"\x89PNG\r\n"), ("curve.SVG", b"<?xml")])
def test_a_picture_is_written(tmp_path, name, begins):
    path = tmp_path / name
    check_plot(path)
    plot_curve(path, CURVE, "pineapple")
    assert path.read_bytes().startswith(begins)
    assert path.stat().st_size > 5000


@pytest.mark.parametrize("name", ["curve.jpg", "curve", "curve.png.txt"])
def test_other_kinds_are_refused(name):
    with pytest.raises(InputError, match=r"\.png or \.svg"):
        check_plot(Path(name))


def test_what_draws_may_be_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(UnsupportedError, match="pip install"):
        check_plot(Path("curve.png"))
