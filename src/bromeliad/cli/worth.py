"""``bromeliad rules worth``."""

import json
import math
from typing import TYPE_CHECKING

import click

from bromeliad.cli.base import argument, command, json_option, option
from bromeliad.cli.batch import batch_options, open_batch
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.evaluation.results import Estimate
    from bromeliad.evaluation.worth import RulesWorth

__all__ = ["worth"]

DEFAULT_HANDS = 5000


@command(
    "worth",
    help="""Solve what fantasyland is worth under a rule set, by its number of cards, and what a foul costs.

Hands are played and settled under the worths found so far until these no longer change; a last run gives the
figures, each with its standard error. NAME is a preset or a rule file; pineapple by default.""",
)
@argument("name", default="pineapple")
@option(
    "--hands",
    type=click.IntRange(min=1),
    default=DEFAULT_HANDS,
    show_default=True,
    help="Fantasyland hands of each size in the last run.",
)
@option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of all randomness.")
@batch_options
@json_option
def worth(name: str, hands: int, seed: int, cluster: str, workers: int | None, as_json: bool) -> None:
    """Solve the worth of fantasyland."""
    from bromeliad.cli.compile_notice import prepare
    from bromeliad.cli.progress import progress_bar
    from bromeliad.evaluation.worth import solve_worth
    from bromeliad.evaluation.worth_rounds import KERNELS
    from bromeliad.games.ofc.rules.files import load_rules

    rules = load_rules(name)
    prepare(KERNELS)
    provenance = {"rules": rules.model_dump(mode="json"), "hands": hands, "seed": seed}
    with progress_bar() as watch, open_batch("worth", provenance, cluster, workers, watch) as batch:
        answer = solve_worth(
            rules, hands, seed=seed, batch=batch, on_progress=watch.report, cancelled=watch.is_cancelled
        )
    if as_json:
        click.echo(json.dumps(answer.to_json(), ensure_ascii=False))
    else:
        _print(answer)


def _print(answer: "RulesWorth") -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    if answer.fantasyland:
        console.print(tr("Worth of fantasyland under {rules} rules, in points:", rules=answer.rules))
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        for column in (tr("cards"), tr("worth"), tr("points"), tr("royalties"), tr("stay %"), tr("entry %")):
            table.add_column(column, justify="right", no_wrap=True)
        for item in answer.fantasyland:
            table.add_row(
                str(item.cards),
                _text(item.worth),
                _text(item.points),
                _text(item.royalties),
                _percent(item.p_stay),
                _percent(item.p_entry),
            )
        console.print(table)
    else:
        console.print(tr("Under {rules} rules no board leads to a fantasyland hand.", rules=answer.rules))
    console.print(tr("A foul costs {cost} points of rows and scoop.", cost=_text(answer.foul_cost)))
    console.print(_play_text(answer), style="dim")
    if answer.cancelled:
        console.print(tr("Stopped early: the errors are larger than they would have been."), style="dim")


def _play_text(answer: "RulesWorth") -> str:
    """Say how the figures were made."""
    by = tr("the learned evaluation") if answer.evaluation == "learned" else tr("the guide, for want of weights")
    return tr(
        "± is one standard error over {hands} rounds, seed {seed}. Normal play, by {evaluation}: "
        "royalties {royalties}, foul % {foul}.",
        hands=f"{answer.hands:,}",
        seed=answer.seed,
        evaluation=by,
        royalties=_text(answer.royalties),
        foul=_percent(answer.p_foul),
    )


def _text(estimate: "Estimate") -> str:
    """Write a mean and its error, ``-`` if no hand showed it."""
    return "-" if math.isnan(estimate.value) else f"{estimate.value:.2f} ± {estimate.stderr:.2f}"


def _percent(estimate: "Estimate") -> str:
    """Write a probability and its error in percent."""
    return f"{100 * estimate.value:.1f} ± {100 * estimate.stderr:.1f}"
