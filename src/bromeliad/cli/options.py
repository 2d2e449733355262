"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import option

if TYPE_CHECKING:
    from bromeliad.solving.request import SolveRequest

FILE = click.Path(dir_okay=False, path_type=Path)
"""The type of an option that names a file."""

rules_option = option(
    "--rules", metavar="NAME|FILE", default="pineapple", show_default=True, help="A preset or a rule file."
)


def seed_option(function: Any, most: int | None = None) -> Any:
    """Decorate a command with ``--seed``, at most ``most``."""
    kind = click.IntRange(min=0, max=most)
    return option("--seed", type=kind, default=1, show_default=True, help="Seed of all randomness.")(function)


def store_option(help: str) -> Callable[[Any], Any]:
    """Decorate a command with ``--store``."""
    return option("--store", metavar="PATH|URL", help=help)


def no_store_option(help: str) -> Callable[[Any], Any]:
    """Decorate a command with ``--no-store``."""
    return option("--no-store", is_flag=True, help=help)


def objective_options(function: Any) -> Any:
    """Decorate a command with the options of the solo objective: rules, foul cost, worth of fantasyland."""
    cost = option("--foul-cost", type=float, help="Cost of a foul under solo; by default from the rule set.")
    worth = option(
        "--fantasyland-worth",
        metavar="14=8,15=...",
        help="Worth of fantasyland by its number of cards; by default from the rule set.",
    )
    return rules_option(cost(worth(function)))


def solo_request(given: dict[str, Any]) -> "SolveRequest":
    """Return the solo request for a command's options; options that are None were not given."""
    from bromeliad.solving.request import read_request

    return read_request({"objective": "solo"} | {name: value for name, value in given.items() if value is not None})
