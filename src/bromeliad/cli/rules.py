"""``bromeliad rules list | show | check | worth``."""

import json
import math
from typing import TYPE_CHECKING

import click

from bromeliad.cli.base import Command as _Command
from bromeliad.cli.base import Group, argument, command, json_option, one_line, option
from bromeliad.cli.batch import batch_options, open_batch
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.evaluation.results import Estimate
    from bromeliad.evaluation.worth import RulesWorth

_WORTH_HANDS = 5000
_COMMANDS = {"worth": ("bromeliad.cli.rules:worth", "Solve what fantasyland is worth and what a foul costs.")}
rules = Group("rules", help="List, show and check rule sets; solve what fantasyland is worth.", lazy=_COMMANDS)


@rules.command("list", cls=_Command, help="List the presets.", short_help="List the presets.")
@json_option
def list_rules(as_json: bool) -> None:
    """List the presets."""
    from bromeliad.games.ofc.rules.files import preset, preset_names

    presets = [preset(name) for name in preset_names()]
    if as_json:
        click.echo(json.dumps([{"name": p.name, "summary": p.summary} for p in presets], ensure_ascii=False))
        return
    width = max(len(p.name) for p in presets)
    for p in presets:
        click.echo(f"{p.name:<{width}}  {tr(p.summary)}")


@rules.command(
    "show",
    cls=_Command,
    help="Print a rule set as YAML: a preset, or a rule file with everything that its base fills in.",
    short_help="Print a rule set as YAML.",
)
@argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Print a rule set."""
    from bromeliad.games.ofc.rules.files import dump_rules, load_rules

    found = load_rules(name)
    click.echo(found.model_dump_json() if as_json else dump_rules(found), nl=as_json)


@rules.command(
    "check",
    cls=_Command,
    help="Check a rule file; every mistake is told by line, field and what is allowed.",
    short_help="Check a rule file.",
)
@argument("file")
@json_option
def check(file: str, as_json: bool) -> int:
    """Check a rule file."""
    from bromeliad.errors import RulesError
    from bromeliad.games.ofc.rules.files import load_rules

    try:
        found = load_rules(file)
    except RulesError as error:
        problems = [one_line(problem.render(tr)) for problem in error.problems]
        if as_json:
            click.echo(json.dumps({"ok": False, "problems": problems}, ensure_ascii=False))
        for problem in problems:
            click.echo(f"bromeliad: {problem}", err=True)
        return 2
    if as_json:
        click.echo(json.dumps({"ok": True, "name": found.name, "problems": []}))
    else:
        click.echo(tr("{file}: right, rule set {name}", file=file, name=found.name))
    return 0


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
    default=_WORTH_HANDS,
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
    with progress_bar() as progress, open_batch("worth", provenance, cluster, workers, progress) as batch:
        answer = solve_worth(
            rules, hands, seed=seed, batch=batch, on_progress=progress.report, cancelled=progress.is_cancelled
        )
    if as_json:
        click.echo(json.dumps(answer.to_json(), ensure_ascii=False))
    else:
        _print_worth(answer)


def _print_worth(answer: "RulesWorth") -> None:
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
                _estimate(item.worth),
                _estimate(item.points),
                _estimate(item.royalties),
                _percent(item.p_stay),
                _percent(item.p_entry),
            )
        console.print(table)
    else:
        console.print(tr("Under {rules} rules no board leads to a fantasyland hand.", rules=answer.rules))
    console.print(tr("A foul costs {cost} points of rows and scoop.", cost=_estimate(answer.foul_cost)))
    console.print(_how_found(answer), style="dim")
    if answer.cancelled:
        console.print(tr("Stopped early: the errors are larger than they would have been."), style="dim")


def _how_found(answer: "RulesWorth") -> str:
    """Say how the figures were made."""
    by = tr("the learned evaluation") if answer.evaluation == "learned" else tr("the guide, for want of weights")
    return tr(
        "± is one standard error over {hands} rounds, seed {seed}. Normal play, by {evaluation}: "
        "royalties {royalties}, foul % {foul}.",
        hands=f"{answer.hands:,}",
        seed=answer.seed,
        evaluation=by,
        royalties=_estimate(answer.royalties),
        foul=_percent(answer.p_foul),
    )


def _estimate(estimate: "Estimate") -> str:
    """Write a mean and its error, ``-`` if no hand showed it."""
    return "-" if math.isnan(estimate.value) else f"{estimate.value:.2f} ± {estimate.stderr:.2f}"


def _percent(estimate: "Estimate") -> str:
    """Write a probability and its error in percent."""
    return f"{100 * estimate.value:.1f} ± {100 * estimate.stderr:.1f}"
