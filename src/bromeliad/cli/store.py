"""``bromeliad store``."""

import json
from typing import TYPE_CHECKING

import click

from bromeliad.cli.base import command, json_option
from bromeliad.cli.storing import store_option
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.storage.results import StreetResults
    from bromeliad.storage.store_statistics import StoreStatistics

LABELS = {
    "games": "games",
    "hands": "hands",
    "decisions": "decisions",
    "sessions": "solver sessions",
    "events": "events",
    "mistakes": "training mistakes",
    "jobs": "jobs of the service",
}
"""What the tables are called."""


@command(
    "store",
    help="""Say where the store is, what is in it, and how often it knew the answer.

The store keeps the answers of the solver, so that nothing is solved twice, and the hands that were played or imported.
The environment variable BROMELIAD_STORE names another one than that in your data directory.""",
)
@store_option(help="The store; by default in your data directory.")
@json_option
def store(store: str | None, as_json: bool) -> None:
    """Show what is in the store."""
    from bromeliad.storage.store import open_store
    from bromeliad.storage.store_statistics import store_statistics

    with open_store(store) as opened:
        found = store_statistics(opened)
    if as_json:
        click.echo(json.dumps(found.to_json(), ensure_ascii=False))
    else:
        _print(found)


def _print(found: "StoreStatistics") -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    console.print(Text(f"{found.place}, {found.bytes / 1e6:,.1f} MB"))
    for name, count in found.rows.items():
        console.print(f"{tr(LABELS[name])}: {count:,}", highlight=False)
    results = found.results
    if results.hit_rate is None:
        console.print(tr("No question has been asked by way of the store yet."))
        return
    asked = results.hits + results.misses
    console.print(
        tr(
            "{hits} of {asked} questions answered from the store ({share} %)",
            hits=f"{results.hits:,}",
            asked=f"{asked:,}",
            share=f"{100 * results.hit_rate:.1f}",
        )
    )
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in (tr("street"), tr("kind"), tr("answers"), tr("uses")):
        table.add_column(column, justify="right")
    for street in results.streets:
        table.add_row(*_cells(street))
    console.print(table)


def _cells(found: "StreetResults") -> tuple[str, ...]:
    street = tr("fantasyland") if found.street is None else str(found.street)
    return street, tr("exact") if found.exact else tr("sampled"), f"{found.results:,}", f"{found.hits:,}"
