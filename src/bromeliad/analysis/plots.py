"""Plots of a report as SVG, drawn without a display."""

import io
from typing import TYPE_CHECKING, Any

from bromeliad.analysis.report import Report
from bromeliad.errors import UnsupportedError
from bromeliad.games.ofc.hands.automaton import CATEGORIES
from bromeliad.games.ofc.rules.rule_set import Row
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bromeliad.analysis.trends import TrendPoint

_SHOWN = 5  # players in a plot
_METADATA = ("Creator", "Date", "Format", "Type")  # left out of the SVG
_STYLE: Any = {"svg.fonttype": "none", "svg.hashsalt": "bromeliad"}  # text stays text; equal plots have equal bytes


def check_plots() -> None:
    """Raise UnsupportedError unless plots can be drawn; called before the work starts."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise UnsupportedError("pictures need matplotlib: pip install 'bromeliad[plots]'") from error


def plots(report: Report) -> list[str]:
    """Return the plots of a report, each an SVG element."""
    import matplotlib

    names = [player.player for player in report.players[:_SHOWN]]
    trend = [point for point in report.trend if point.player in names]
    losses = [point for point in report.ev_trend if point.player in names]
    with matplotlib.rc_context(_STYLE):
        found = [_hand_types(report, names)]
        if any(point.first > 1 for point in trend):
            found.insert(0, _trend(trend, names, tr("points per hand")))
        if losses:
            found.append(_trend(losses, names, tr("EV lost per decision")))
        return [_svg(figure) for figure in found]


def _figure(width: float, height: float) -> "Figure":
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _svg(figure: "Figure") -> str:
    """Return a figure as an SVG element."""
    out = io.StringIO()
    figure.savefig(out, format="svg", transparent=True, metadata=dict.fromkeys(_METADATA))
    text = out.getvalue()
    return text[text.index("<svg") :]


def _trend(points: "list[TrendPoint]", names: list[str], label: str) -> "Figure":
    """Draw means over stretches of hands with 95 % intervals."""
    figure = _figure(9, 3.6)
    axes = figure.add_subplot()
    for name in names:
        mine = [point for point in points if point.player == name and point.mean.mean is not None]
        if not mine:
            continue
        middles = [(point.first + point.last) / 2 for point in mine]
        errors = [1.96 * (point.mean.stderr or 0.0) for point in mine]
        means = [point.mean.mean or 0.0 for point in mine]
        axes.errorbar(middles, means, yerr=errors, label=_plain(name), capsize=2, lw=1.2)
    axes.axhline(0.0, color="gray", lw=0.8)
    axes.set_xlabel(tr("hand"))
    axes.set_ylabel(label)
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)
    return figure


def _hand_types(report: Report, names: list[str]) -> "Figure":
    """Draw the hand types of each row, players side by side."""
    figure = _figure(9, 4.2)
    for number, row in enumerate(Row, start=1):
        axes = figure.add_subplot(1, len(Row), number)
        mine = [item for item in report.hand_types if item.row == row.value and item.player in names]
        kinds = [kind for kind in CATEGORIES if any(item.counts[kind] for item in mine)]
        height = 0.8 / max(len(mine), 1)
        for place, item in enumerate(mine):
            total = max(sum(item.counts.values()), 1)
            shares = [100 * item.counts[kind] / total for kind in kinds]
            places = [i - 0.4 + height * (place + 0.5) for i in range(len(kinds))]
            axes.barh(places, shares, height, label=_plain(item.player))
        axes.set_yticks(range(len(kinds)), [tr(kind) for kind in kinds], fontsize=8)
        axes.set_title(tr(row.value), fontsize=10)
        axes.set_xlabel("%")
        axes.grid(alpha=0.3, axis="x")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=_SHOWN, fontsize=8)
    return figure


def _plain(name: str) -> str:
    """Return a name that matplotlib shows as it is: not as a formula, and not omitted from the legend."""
    return name.replace("$", r"\$").lstrip("_") or "?"
