"""``bromeliad rules list | show | check | worth``."""

import math
from typing import TYPE_CHECKING

import click

from bromeliad.cli.base import Group, argument, complain, json_option, option, print_json
from bromeliad.cli.batch import batch_options, open_batch
from bromeliad.cli.options import seed_option
from bromeliad.i18n import one_line, tr

if TYPE_CHECKING:
    from bromeliad.evaluation.results import Estimate
    from bromeliad.evaluation.worth import RulesWorth

rules = Group("rules", help="List, show and check rule sets; compute the worth of fantasyland.")


@rules.command("list", help="List the presets.")
@json_option
def list_rules(as_json: bool) -> None:
    """List the presets."""
    from bromeliad.games.ofc.rules.files import preset, preset_names

    presets = [preset(name) for name in preset_names()]
    if as_json:
        print_json([{"name": p.name, "summary": p.summary} for p in presets])
        return
    width = max(len(p.name) for p in presets)
    for p in presets:
        click.echo(f"{p.name:<{width}}  {tr(p.summary)}")


@rules.command(
    "show",
    help="Print a rule set as YAML: a preset, or a rule file completed with the fields of its base.",
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
    help="Check a rule file; every mistake is reported with its line, its field and the values allowed.",
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
            print_json({"ok": False, "problems": problems})
        for problem in problems:
            complain(problem)
        return 2
    if as_json:
        print_json({"ok": True, "name": found.name, "problems": []})
    else:
        click.echo(tr("{file}: no mistakes, rule set {name}", file=file, name=found.name))
    return 0


@rules.command(
    "worth",
    help="""Compute the worth of fantasyland under a rule set, for each number of cards, and the cost of a foul.

Hands are played and settled with the worths found so far until these no longer change. A final run gives the figures
with their standard errors, by the seat in which the hand is played, and their mean. NAME is a preset or a rule file;
pineapple by default.""",
    short_help="Compute the worth of fantasyland and the cost of a foul.",
)
@argument("name", default="pineapple")
@option(
    "--hands",
    type=click.IntRange(min=1),
    default=5000,
    show_default=True,
    help="Fantasyland hands of each size in the final run.",
)
@option(
    "--commit",
    type=click.Choice(("first", "turn", "last")),
    help="When fantasyland hands are set: last is after the other boards; by default as the rule set says.",
)
@seed_option
@batch_options
@json_option
def worth(
    name: str, hands: int, commit: str | None, seed: int, cluster: str, workers: int | None, as_json: bool
) -> None:
    """Compute the worth of fantasyland."""
    from bromeliad.cli.compile_notice import prepare
    from bromeliad.cli.progress import progress_bar
    from bromeliad.evaluation.worth import solve_worth, with_commit
    from bromeliad.evaluation.worth_rounds import KERNELS
    from bromeliad.games.ofc.rules.files import load_rules

    rules = with_commit(load_rules(name), commit)
    prepare(KERNELS)
    provenance = {"rules": rules.model_dump(mode="json"), "hands": hands, "seed": seed}
    with progress_bar() as progress, open_batch("worth", provenance, cluster, workers, progress) as batch:
        answer = solve_worth(
            rules, hands, seed=seed, batch=batch, on_progress=progress.report, cancelled=progress.cancel
        )
    if as_json:
        print_json(answer.to_json())
    else:
        _print_worth(answer)


def _print_worth(answer: "RulesWorth") -> None:
    from rich.console import Console

    from bromeliad.cli.table import plain_table

    console = Console()
    if answer.fantasyland:
        console.print(tr("Worth of fantasyland under {rules} rules, in points:", rules=answer.rules))
        columns = (tr("cards"), tr("worth"), tr("points"), tr("royalties"), tr("stay %"), tr("entry %"))
        rows = [
            (
                str(item.cards),
                *map(_estimate, (item.worth, item.points, item.royalties)),
                *map(_percent, (item.p_stay, item.p_entry)),
            )
            for item in answer.fantasyland
        ]
        console.print(plain_table(columns, rows))
        seats = [(str(item.cards), *map(_estimate, item.by_seat)) for item in answer.fantasyland]
        console.print(plain_table((tr("cards"), tr("in seat 1"), tr("in seat 2")), seats))
    else:
        console.print(tr("Under {rules} rules no board earns fantasyland.", rules=answer.rules))
    console.print(tr("A foul costs {cost} points, for rows and scoop.", cost=_estimate(answer.foul_cost)))
    console.print(_how_found(answer), style="dim")
    if answer.cancelled:
        console.print(tr("Stopped early: the errors are larger than those of a full run."), style="dim")


def _how_found(answer: "RulesWorth") -> str:
    """Describe how the figures were made."""
    by = {
        "versus": tr("the value of both boards"),
        "learned": tr("the learned evaluation"),
        "guide": tr("the heuristic evaluation, because no weights fit these rules"),
    }[answer.evaluation]
    return tr(
        "± is one standard error over {hands} rounds, seed {seed}. Normal hands are played by {evaluation}: "
        "royalties {royalties}, foul % {foul}.",
        hands=f"{answer.hands:,}",
        seed=answer.seed,
        evaluation=by,
        royalties=_estimate(answer.royalties),
        foul=_percent(answer.p_foul),
    )


def _estimate(estimate: "Estimate") -> str:
    """Format a mean and its error, ``-`` if no hand gave one."""
    return "-" if math.isnan(estimate.value) else f"{estimate.value:.2f} ± {estimate.stderr:.2f}"


def _percent(estimate: "Estimate") -> str:
    """Format a probability and its error in percent."""
    return f"{100 * estimate.value:.1f} ± {100 * estimate.stderr:.1f}"
