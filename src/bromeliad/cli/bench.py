"""``bromeliad bench``."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bromeliad.cli.base import argument, command, json_option, option
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.evaluation.report import Section

__all__ = ["bench"]

RESULTS = Path("benchmarks/RESULTS.md")


@command(
    "bench",
    help="""Measure speed, side by side with other libraries. NAME is one of the benches, or all.

Every figure in the documentation is written by this command.""",
)
@argument("name")
@option("--quick", is_flag=True, help="Small sizes: to see that it runs, not to quote.")
@option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of all randomness.")
@option("--write", is_flag=True, help="Put the figures into benchmarks/RESULTS.md of the working directory.")
@json_option
def bench(name: str, quick: bool, seed: int, write: bool, as_json: bool) -> None:
    """Run one bench, or all of them."""
    from bromeliad.evaluation.bench import bench_names, get_bench
    from bromeliad.evaluation.report import to_json, write_results

    for each in bench_names() if name == "all" else (name,):
        run = get_bench(each)
        click.echo(tr("measuring {name} ...", name=each), err=True)
        sections = run(quick, seed)
        if as_json:
            click.echo(json.dumps(to_json(each, sections), ensure_ascii=False))
        else:
            for section in sections:
                _print(section)
        if write:
            quick_flag = " --quick" if quick else ""
            write_results(RESULTS, each, f"bromeliad bench {each} --seed {seed}{quick_flag}", sections)


def _print(section: "Section") -> None:
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
