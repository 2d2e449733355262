"""``bromeliad bench``."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import argument, command, json_option, option
from bromeliad.cli.batch import long_batch_options, open_batch
from bromeliad.cli.strength import STRENGTH_OPTIONS, measure, show, strength_options
from bromeliad.errors import InputError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.evaluation.report import Section

__all__ = ["bench", "print_section"]

RESULTS = Path("benchmarks/RESULTS.md")
STRENGTH_PAGE = Path("docs/strength.md")
_ON_STRENGTH_PAGE = (
    "solver",
    "regret",
    "regret-long",
    "policies",
    "calibration",
    "weights",
    "training",
    "published",
    "strength",
    "versus",
    "match",
    "model",
    "worth",
    "gomoku",
    "sequence",
    "sequence-ablation",
    "sequence-course",
)


@command(
    "bench",
    help="""Measure speed and strength, side by side with other libraries. NAME is one of the benches, or all.

Every figure in the documentation is written by this command. bench strength without options of its own plays every
level; with some of them it measures just that.""",
)
@argument("name")
@option("--quick", is_flag=True, help="Small sizes: to see that it runs, not to quote.")
@option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of all randomness.")
@option(
    "--write",
    is_flag=True,
    help="Put the figures into benchmarks/RESULTS.md of the working directory, those of strength into docs/ too.",
)
@strength_options
@long_batch_options
@json_option
def bench(
    name: str, quick: bool, seed: int, write: bool, cluster: str, workers: int | None, as_json: bool, **options: Any
) -> None:
    """Run one bench, or all of them."""
    from bromeliad.bench.registry import BATCHES, bench_names
    from bromeliad.evaluation.report import to_json

    given = {key: options[key] for key in STRENGTH_OPTIONS if options[key] is not None}
    if given:
        _one_measurement(name, quick, seed, write, as_json, given)
        return
    if name not in ("all", *BATCHES) and (workers is not None or cluster != "local"):
        raise InputError("--cluster and --workers are for the benches {names}", names=", ".join(BATCHES))
    for each in bench_names() if name == "all" else (name,):
        sections = _run(each, quick, seed, cluster, workers)
        if as_json:
            click.echo(json.dumps(to_json(each, sections), ensure_ascii=False))
        else:
            for section in sections:
                print_section(section)
        if write:
            quick_flag = " --quick" if quick else ""
            _write(each, each, f"bromeliad bench {each} --seed {seed}{quick_flag}", sections)


def _run(name: str, quick: bool, seed: int, cluster: str, workers: int | None) -> "list[Section]":
    from bromeliad.bench.registry import BATCHES, get_bench

    run = get_bench(name)
    click.echo(tr("measuring {name} ...", name=name), err=True)
    if name not in BATCHES:
        return run(quick, seed)
    with open_batch(f"bench-{name}", {"quick": quick, "seed": seed}, cluster, workers) as batch:
        return run(quick, seed, batch)


def _one_measurement(name: str, quick: bool, seed: int, write: bool, as_json: bool, given: dict[str, Any]) -> None:
    """Measure the strength of one level with the options given."""
    flags = {key: "--" + key.replace("_", "-") for key in given}
    if name != "strength":
        raise InputError("{options}: only bench strength has this", options=", ".join(flags.values()))
    typed = " ".join(f"{flags[key]} {value}" for key, value in given.items())
    hands = {"hands": 50} if quick else {}
    section = show(result := measure(hands | given, seed), as_json)
    if not as_json:
        print_section(section)
    if write:
        _write("strength", f"strength, {result.label}", f"bromeliad bench strength {typed} --seed {seed}", [section])


def _write(bench_name: str, label: str, command_line: str, sections: "list[Section]") -> None:
    from bromeliad.evaluation.report import write_results

    write_results(RESULTS, label, command_line, sections)
    if bench_name in _ON_STRENGTH_PAGE and STRENGTH_PAGE.exists():
        write_results(STRENGTH_PAGE, label, command_line, sections)


def print_section(section: "Section") -> None:
    """Print one table of a measurement with its notes."""
    from rich.console import Console
    from rich.table import Table

    from bromeliad.evaluation.report import cell

    table = Table(*section.columns, title=section.title)
    for row in section.rows:
        table.add_row(*(cell(value) for value in row))
    console = Console()
    console.print(table)
    for note in section.notes:
        console.print(note, style="dim")
