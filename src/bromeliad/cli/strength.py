"""The options of ``bromeliad bench strength``, and one measurement by them."""

import json
from collections.abc import Callable
from typing import Any

import click

from bromeliad.cli.base import option
from bromeliad.errors import InputError
from bromeliad.evaluation.levels import ALL_LEVELS

__all__ = ["STRENGTH_OPTIONS", "measure", "strength_options"]

DEFAULT_HANDS = 1000
DEFAULT_TIME = 0.1

_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    option("--hands", type=click.IntRange(min=1), help="strength: how many hands to play; 1000 by default."),
    option(
        "--level",
        type=click.Choice(ALL_LEVELS),
        help="strength: how to play; by default a search, exact on the last streets.",
    ),
    option(
        "--versus",
        type=click.Choice(ALL_LEVELS),
        help="strength: settle the hands against those of this level, dealt from the same deck.",
    ),
    option("--time", type=float, metavar="SECONDS", help="strength: time for a decision; 0.1 seconds by default."),
    option("--simulations", type=int, help="strength: simulations for a decision instead of time: reproducible."),
    option("--threads", type=int, help="strength: threads of the search; 1 by default."),
    option("--objective", type=click.Choice(("solo",)), help="strength: what is played for; solo."),
    option("--foul-cost", type=float, help="strength: what a foul costs; by default as the rule set says."),
    option(
        "--fantasyland-worth",
        metavar="14=8,15=...",
        help="strength: worth of fantasyland by its number of cards; by default as the rule set says.",
    ),
    option("--rules", metavar="NAME|FILE", help="strength: a preset or a rule file; pineapple by default."),
)
STRENGTH_OPTIONS = (
    "hands",
    "level",
    "versus",
    "time",
    "simulations",
    "threads",
    "objective",
    "foul_cost",
    "fantasyland_worth",
    "rules",
)


def strength_options(function: Any) -> Any:
    """Decorate a command with the options of a strength measurement."""
    for decorate in reversed(_OPTIONS):
        function = decorate(function)
    return function


def measure(given: dict[str, Any], seed: int) -> Any:
    """Return the result of the measurement that the options ask for, or of as much as Ctrl-C left of it."""
    from bromeliad.cli.compile_notice import prepare
    from bromeliad.cli.progress import progress_bar
    from bromeliad.evaluation.duel import measure_versus
    from bromeliad.evaluation.strength import measure_strength
    from bromeliad.solving.request import read_request

    level = given.pop("level", None) or "search"
    other = given.pop("versus", None)
    hands = given.pop("hands", None) or DEFAULT_HANDS
    searches = "search" in (level, other)
    if not searches and given.keys() & {"time", "simulations", "threads"}:
        raise InputError("--time, --simulations and --threads are for --level search")
    request = read_request({"objective": "solo", "seed": seed, **given})
    spot = request.to_spot()
    seconds = request.time if request.time or request.simulations or not searches else DEFAULT_TIME
    prepare(
        (
            "bromeliad.games.ofc.exact.earlier_streets",
            "bromeliad.games.ofc.exact.last_street",
            "bromeliad.games.ofc.luck.deals",
        )
    )
    with progress_bar() as watch:
        effort: dict[str, Any] = {
            "seed": seed,
            "seconds": seconds,
            "simulations": request.simulations,
            "threads": request.threads or 1,
            "on_progress": watch.report,
            "cancelled": watch.is_cancelled,
        }
        if other is not None:
            return measure_versus(spot, level, other, hands, **effort)
        return measure_strength(spot, level, hands, **effort)


def show(result: Any, as_json: bool) -> Any:
    """Return the result as a section; print it first where JSON is wanted."""
    from bromeliad.bench.strength import strength_section
    from bromeliad.bench.versus import versus_section
    from bromeliad.evaluation.duel import Versus

    if as_json:
        click.echo(json.dumps(result.to_json(), ensure_ascii=False))
    if isinstance(result, Versus):
        return versus_section([result])
    return strength_section("Strength alone against the deck", [result])
