"""The learning curve as a picture."""

from collections.abc import Sequence
from pathlib import Path

from bromeliad.errors import InputError, UnsupportedError
from bromeliad.learning.train import Checkpoint

__all__ = ["check_plot", "plot_curve"]

_KINDS = (".png", ".svg")


def check_plot(path: Path) -> None:
    """Raise InputError unless a picture can be drawn into this file: before the work, not after it."""
    if path.suffix.lower() not in _KINDS:
        raise InputError("{path}: a picture is .png or .svg", path=path)
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise UnsupportedError("pictures need matplotlib: pip install 'bromeliad[plots]'") from error


def plot_curve(path: Path, curve: Sequence[Checkpoint], title: str) -> None:
    """Draw the points a hand over the hands that were learned from."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    hands = [point.hands / 1e6 for point in curve]
    axes.errorbar(hands, [point.mean for point in curve], yerr=[1.96 * point.stderr for point in curve], capsize=3)
    axes.set_xlabel("hands learned from (millions)")
    axes.set_ylabel("points a hand, last street exact (95 %)")
    axes.set_title(title)
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)
