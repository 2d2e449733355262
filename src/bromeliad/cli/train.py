"""``bromeliad train``."""

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import command, json_option, objective_options, option
from bromeliad.cli.batch import batch_options, open_batch
from bromeliad.errors import InputError, UnsupportedError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.games.ofc.spot import Spot
    from bromeliad.learning.train import Checkpoint, TrainingResult

HANDS = 8_000_000
_PICTURES = (".png", ".svg")


@command(
    "train",
    help="""Learn the value of unfinished boards by playing hands against the deck, for a rule set and an objective.

    What was learned is found by later commands of itself. A run that is stopped with Ctrl-C is kept: the same command
    goes on with it, and comes to the same weights.""",
)
@objective_options
@option("--hands", type=click.IntRange(min=1000), default=HANDS, show_default=True, help="Hands to learn from.")
@option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of all randomness.")
@option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for the weights; by default one in the user's data directory, where solve finds it.",
)
@option(
    "--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw the learning curve into this PNG or SVG file."
)
@option(
    "--calibrate",
    is_flag=True,
    help="Learn nothing: fit the errors that searches state with the weights in --output anew.",
)
@batch_options
@json_option
def train(
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
    """Train, with a progress bar, and say what came of it."""
    from bromeliad.cli.compile_notice import prepare
    from bromeliad.cli.progress import progress_bar
    from bromeliad.games.ofc.values.weights import weights_directory
    from bromeliad.learning.train import Plan, TrainingResult
    from bromeliad.learning.train import calibrate as fit
    from bromeliad.learning.train import train as learn
    from bromeliad.solving.request import read_request

    if plot is not None:
        check_plot(plot)
    request = read_request({"objective": "solo", **{name: value for name, value in given.items() if value is not None}})
    spot = request.to_spot()
    output = output or weights_directory() / _default_name(spot, seed)
    prepare(("bromeliad.learning.td",))
    open_it = partial(open_batch, "train", _provenance(spot, hands, seed, output if calibrate else None))
    if calibrate:
        with (
            progress_bar(tr("comparing searches with references")) as watch,
            open_it(cluster, workers, watch) as batch,
        ):
            found = fit(spot, output, seed, watch.report, watch.is_cancelled, batch)
        result = TrainingResult(found, (), found.hands if found else 0)
        click.echo(json.dumps(_as_data(result, output), ensure_ascii=False) if as_json else _in_words(result, output))
        return 0 if found else 130
    with (
        progress_bar(tr("learning, Ctrl-C keeps what is done")) as watch,
        open_it(cluster, workers, watch) as batch,
    ):
        result = learn(
            spot, Plan(hands, seed), output, lambda share, curve: watch.report(share), watch.is_cancelled, batch
        )
    if plot is not None and result.curve:
        plot_curve(plot, result.curve, spot.rules.name)
    click.echo(json.dumps(_as_data(result, output), ensure_ascii=False) if as_json else _in_words(result, output))
    return 0 if result.provenance else 130


def _provenance(spot: "Spot", hands: int, seed: int, weights: Path | None) -> dict[str, Any]:
    """Return what decides the positions and the searches with which stated errors are fitted."""
    from bromeliad.games.ofc.values.weights import read_header

    return {
        "rules": spot.rules.model_dump(mode="json"),
        "foul_cost": spot.foul_cost,
        "fantasyland_worth": spot.fantasyland_worth,
        "hands": hands,
        "seed": seed,
        "weights": read_header(weights).sha256 if weights else None,
    }


def _default_name(spot: "Spot", seed: int) -> str:
    """Return a file name that tells rules, objective and seed apart, whatever the rules are called."""
    rules = "".join(letter if letter.isalnum() or letter == "-" else "_" for letter in spot.rules.name)
    worth = "".join(f"-{cards}x{value:g}" for cards, value in spot.fantasyland_worth)
    return f"{rules}-{spot.foul_cost:g}{worth}-{seed}.npz"


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
        tr("{hands} hands: {mean} ± {error} points a hand", hands=f"{point.hands:,}", mean=f"{point.mean:.3f}",
           error=f"{point.stderr:.3f}")
        for point in result.curve
    ]  # fmt: skip
    if result.provenance:
        lines.append(tr("Written to {path}.", path=output))
    else:
        lines.append(tr("Stopped after {hands} hands; the same command goes on with them.", hands=f"{result.done:,}"))
    return "\n".join(lines)


def check_plot(path: Path) -> None:
    """Raise InputError unless a picture can be drawn into this file: before the work, not after it."""
    if path.suffix.lower() not in _PICTURES:
        raise InputError("{path}: a picture is .png or .svg", path=path)
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise UnsupportedError("pictures need matplotlib: pip install 'bromeliad[plots]'") from error


def plot_curve(path: Path, curve: "Sequence[Checkpoint]", title: str) -> None:
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
