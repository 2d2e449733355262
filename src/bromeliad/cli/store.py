"""``bromeliad store``."""

from typing import TYPE_CHECKING

from bromeliad.cli.base import command, json_option, print_json
from bromeliad.cli.options import store_option
from bromeliad.i18n import tr

if TYPE_CHECKING:
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
"""The names that users see for the tables of the store."""


@command(
    "store",
    help="""Show where the store is, what it holds, and how often it had the answer.

The store keeps the solver's answers, so that nothing is solved twice, and the hands that were played or imported. Set
the environment variable BROMELIAD_STORE to use another store than the one in your data directory.""",
)
@store_option(help="The store; by default in your data directory.")
@json_option
def store(store: str | None, as_json: bool) -> None:
    """Show the contents of the store."""
    from bromeliad.storage.store import open_store
    from bromeliad.storage.store_statistics import store_statistics

    with open_store(store) as opened:
        found = store_statistics(opened)
    if as_json:
        print_json(found.to_json())
    else:
        _print(found)


def _print(found: "StoreStatistics") -> None:
    from rich.console import Console
    from rich.text import Text

    from bromeliad.cli.table import plain_table

    console = Console()
    console.print(Text(f"{found.place}, {found.bytes / 1e6:,.1f} MB"))
    for name, count in found.rows.items():
        console.print(f"{tr(LABELS[name])}: {count:,}", highlight=False)
    results = found.results
    if results.hit_rate is None:
        console.print(tr("No question has been asked through the store yet."))
        return
    counts = {"hits": f"{results.hits:,}", "asked": f"{results.hits + results.misses:,}"}
    share = f"{100 * results.hit_rate:.1f}"
    console.print(tr("{hits} of {asked} questions answered from the store ({share} %)", share=share, **counts))
    rows = [
        (
            tr("fantasyland") if item.street is None else str(item.street),
            tr("exact") if item.exact else tr("sampled"),
            f"{item.results:,}",
            f"{item.hits:,}",
        )
        for item in results.streets
    ]
    console.print(plain_table((tr("street"), tr("kind"), tr("answers"), tr("uses")), rows))
