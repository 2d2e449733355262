"""``bromeliad model``."""

from typing import TYPE_CHECKING

import click

from bromeliad.cli.base import argument, command, json_option, option
from bromeliad.cli.options import store_option
from bromeliad.errors import InputError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.analysis.opponent_model import OpponentModel

_NAMES = {
    "foul": "hands that foul",
    "fantasyland": "hands that reach fantasyland",
    "early rows": "rows full after street 3",
}


@command(
    "model",
    help="""Model a player from recorded hands: how often they foul and reach fantasyland, how early they fill rows.

With few hands the model stays close to a default player. Pass the result to bromeliad solve as --opponent-model, or to
the strategy solver as model=COST,TIMES.""",
)
@argument("player")
@argument("files", nargs=-1, metavar="[FILE]...")
@store_option(help="The store to read if no file is given; by default in your data directory.")
@option(
    "--rules", default="pineapple", show_default=True, metavar="NAME|FILE", help="Only hands played under these rules."
)
@json_option
def model(player: str, files: tuple[str, ...], store: str | None, rules: str, as_json: bool) -> None:
    """Print the model of a player."""
    if files and store:
        raise InputError("give either files or a store, not both")
    found = find_model(player, files, store, rules)
    if as_json:
        click.echo(found.model_dump_json())
    else:
        _print(found)


def find_model(player: str, files: tuple[str, ...], store: str | None, rules: str) -> "OpponentModel":
    """Return the model of a player from the hands in files or, without files, in a store."""
    from bromeliad.analysis.opponent_model import model_of
    from bromeliad.analysis.sources import from_files
    from bromeliad.analysis.stored import from_store
    from bromeliad.cli.compile_notice import prepare
    from bromeliad.games.ofc.rules.files import load_rules
    from bromeliad.storage.store import open_store

    own = load_rules(rules)
    prepare(["bromeliad.analysis.scan"])
    if files:
        return model_of(player, from_files(files), own)
    with open_store(store) as opened:
        return model_of(player, from_store(opened), own)


def _print(found: "OpponentModel") -> None:
    from rich.console import Console
    from rich.text import Text

    from bromeliad.analysis.pages import Row, Table
    from bromeliad.cli.table import print_table

    rows = [
        Row(
            (
                tr(_NAMES[item.name]),
                "–" if item.share is None else f"{100 * item.share:.1f}",
                f"{100 * item.default:.1f}",
                f"{100 * item.shrunk:.1f} ± {100 * item.stderr:.1f}",
                f"{100 * fitted:.1f}",
            )
        )
        for item, fitted in zip(found.tendencies, found.fitted, strict=True)
    ]
    title = tr("{player}: {hands} hands under {rules} rules", player=found.player, hands=found.hands, rules=found.rules)
    columns = (tr("share in %"), tr("seen"), tr("default"), tr("estimated"), tr("model"))
    console = Console()
    print_table(console, Table(title, columns, tuple(rows)))
    text = tr(
        "The model: fouls cost {cost} points, fantasyland counts {times} times its worth (--opponent-model {option}).",
        cost=f"{found.foul_cost:.1f}",
        times=f"{found.fantasyland:.2f}",
        option=found.option,
    )
    console.print(Text(text))
