"""``bromeliad train``."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from bromeliad.cli.base import EXIT_INTERRUPTED, command, file_name, json_option, option, print_json
from bromeliad.cli.batch import batch_options, open_batch
from bromeliad.cli.options import FILE, objective_options, seed_option, solo_request
from bromeliad.errors import InputError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.games.ofc.spot import Spot
    from bromeliad.learning.run import Checkpoint
    from bromeliad.learning.train import TrainingResult


@command(
    "train",
    help="""Train the evaluation of unfinished boards for a rule set and an objective, by playing hands.

    Later commands find the weights by themselves. If you stop a run with Ctrl-C, the same command resumes it and
    produces the same weights.""",
)
@objective_options
@option(
    "--objective",
    type=click.Choice(["solo", "versus"]),
    default="solo",
    show_default=True,
    help="solo: values of a board alone. versus: values of both boards, starting from the solo weights.",
)
@option("--hands", type=click.IntRange(min=1000), default=8_000_000, show_default=True, help="Hands to train on.")
@seed_option
@option("--output", type=FILE, help="File of the weights; by default in your data directory, where solve finds it.")
@option("--plot", type=FILE, help="Plot the learning curve to this PNG or SVG file.")
@option(
    "--calibrate", is_flag=True, help="Do not train; refit the stated errors of searches with the weights in --output."
)
@batch_options
@json_option
def train(
    objective: Literal["solo", "versus"],
    hands: int,
    seed: int,
    output: Path | None,
    plot: Path | None,
    calibrate: bool,
    cluster: str,
    workers: int | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Train, with a progress bar, and print the learning curve."""
    from bromeliad.cli.compile_notice import prepare
    from bromeliad.cli.progress import progress_bar
    from bromeliad.games.ofc.values.weights import weights_directory
    from bromeliad.learning.run import Plan
    from bromeliad.learning.train import TrainingResult
    from bromeliad.learning.train import calibrate as fit
    from bromeliad.learning.train import train as learn

    if plot is not None:
        check_plot(plot)
    spot = solo_request(given).to_spot()
    output = output or weights_directory() / _default_name(spot, seed, objective)
    prepare((f"bromeliad.learning.{'td' if objective == 'solo' else 'versus_train'}",))
    about = _provenance(spot, hands, seed, output if calibrate else None)
    text = (
        tr("comparing searches with references") if calibrate else tr("training, Ctrl-C stops and keeps the work done")
    )
    with progress_bar(text) as progress, open_batch("train", about, cluster, workers, progress) as batch:
        if calibrate:
            found = fit(spot, output, seed, progress.report, progress.cancel, batch)
            result = TrainingResult(found, (), found.hands if found else 0)
        else:
            plan = Plan(hands, seed, objective=objective)
            result = learn(spot, plan, output, lambda share, curve: progress.report(share), progress.cancel, batch)
    if plot is not None and result.curve:
        plot_curve(plot, result.curve, spot.rules.name)
    if as_json:
        print_json(_as_data(result, output))
    else:
        click.echo(_in_words(result, output))
    return 0 if result.provenance else EXIT_INTERRUPTED


def _provenance(spot: "Spot", hands: int, seed: int, weights: Path | None) -> dict[str, Any]:
    """Return everything that determines the searches to which stated errors are fitted."""
    from bromeliad.games.ofc.values.weights import read_header

    return {
        "rules": spot.rules.model_dump(mode="json"),
        "foul_cost": spot.foul_cost,
        "fantasyland_worth": spot.fantasyland_worth,
        "hands": hands,
        "seed": seed,
        "weights": read_header(weights).sha256 if weights else None,
    }


def _default_name(spot: "Spot", seed: int, objective: str) -> str:
    """Return a file name that is unique to the rules, objective and seed."""
    worth = "".join(f"-{cards}x{value:g}" for cards, value in spot.fantasyland_worth)
    versus = "-versus" if objective == "versus" else ""
    return f"{file_name(spot.rules.name)}-{spot.foul_cost:g}{worth}-{seed}{versus}.npz"


def _as_data(result: "TrainingResult", output: Path) -> dict[str, Any]:
    return {
        "output": str(output),
        "finished": result.provenance is not None,
        "hands": result.done,
        "provenance": result.provenance.model_dump() if result.provenance else None,
        "curve": [point._asdict() for point in result.curve],
    }


def _in_words(result: "TrainingResult", output: Path) -> str:
    lines = [
        tr("{hands} hands: {mean} ± {error} points per hand", hands=f"{point.hands:,}", mean=f"{point.mean:.3f}",
           error=f"{point.stderr:.3f}")
        for point in result.curve
    ]  # fmt: skip
    if result.provenance:
        lines.append(tr("Written to {path}.", path=output))
    else:
        lines.append(
            tr("Stopped after {hands} hands; run the same command again to continue.", hands=f"{result.done:,}")
        )
    return "\n".join(lines)


def check_plot(path: Path) -> None:
    """Raise InputError, before any work, if the plot cannot be drawn."""
    from bromeliad.analysis.plots import check_plots

    if path.suffix.lower() not in (".png", ".svg"):
        raise InputError("{path}: a plot must be .png or .svg", path=path)
    check_plots()


def plot_curve(path: Path, curve: "Sequence[Checkpoint]", title: str) -> None:
    """Write a plot of points per hand against training hands."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    hands = [point.hands / 1e6 for point in curve]
    axes.errorbar(hands, [point.mean for point in curve], yerr=[1.96 * point.stderr for point in curve], capsize=3)
    axes.set_xlabel("training hands (millions)")
    axes.set_ylabel("points per hand, last street exact (95 %)")
    axes.set_title(title)
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)
