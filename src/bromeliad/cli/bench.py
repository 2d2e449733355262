"""``bromeliad bench``."""

import json
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from bromeliad.cli.base import argument, command, json_option, option
from bromeliad.cli.batch import long_batch_options, open_batch
from bromeliad.errors import BromeliadError, InputError
from bromeliad.evaluation import ALL_LEVELS
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.bench.registry import Bench
    from bromeliad.bench.results import Section

RESULTS = Path("benchmarks/RESULTS.md")
PAGES = Path("docs")
DEFAULT_HANDS = 1000
DEFAULT_TIME = 0.1

_KERNELS = (
    "bromeliad.games.ofc.exact.earlier_streets",
    "bromeliad.games.ofc.exact.last_street",
    "bromeliad.games.ofc.luck.deals",
)
_STRENGTH: dict[str, Callable[[Any], Any]] = {
    "hands": option("--hands", type=click.IntRange(min=1), help="strength: how many hands to play; 1000 by default."),
    "level": option(
        "--level",
        type=click.Choice(ALL_LEVELS),
        help="strength: how to play; by default a search, exact on the last streets.",
    ),
    "versus": option(
        "--versus",
        type=click.Choice(ALL_LEVELS),
        help="strength: settle the hands against those of this level, dealt from the same deck.",
    ),
    "time": option(
        "--time", type=float, metavar="SECONDS", help="strength: time for a decision; 0.1 seconds by default."
    ),
    "simulations": option(
        "--simulations", type=int, help="strength: simulations for a decision instead of time: reproducible."
    ),
    "threads": option("--threads", type=int, help="strength: threads of the search; 1 by default."),
    "objective": option("--objective", type=click.Choice(("solo",)), help="strength: what is played for; solo."),
    "foul_cost": option(
        "--foul-cost", type=float, help="strength: what a foul costs; by default as the rule set says."
    ),
    "fantasyland_worth": option(
        "--fantasyland-worth",
        metavar="14=8,15=...",
        help="strength: worth of fantasyland by its number of cards; by default as the rule set says.",
    ),
    "rules": option("--rules", metavar="NAME|FILE", help="strength: a preset or a rule file; pineapple by default."),
}

_SOLVER: dict[str, Callable[[Any], Any]] = {
    "iterations": option(
        "--iterations", type=click.IntRange(min=1), help="solver: positions of each scenario; 20 by default."
    ),
    "time_limit": option(
        "--time-limit",
        type=click.FloatRange(min=0.01),
        metavar="SECONDS",
        help="solver: time for a decision; 1 second by default.",
    ),
}


class _How(NamedTuple):
    """How to measure, and what becomes of the figures."""

    quick: bool
    write: bool
    cluster: str
    workers: int | None
    as_json: bool


def _own_options(function: Any) -> Any:
    """Decorate a command with the options of single benches."""
    for decorate in reversed((*_STRENGTH.values(), *_SOLVER.values())):
        function = decorate(function)
    return function


@command(
    "bench",
    help="""Measure speed and strength, side by side with other libraries. NAME is one of the benches, all or status.

Every figure in the documentation is written by this command, with a fingerprint of the code and the data behind it.
bench status says which figures are stale; with --write it marks them. bench strength without options of its own plays
every level; with some of them it measures just that.""",
)
@argument("name")
@option("--quick", is_flag=True, help="Small sizes: to see that it runs, not to quote.")
@option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of all randomness.")
@option(
    "--write",
    is_flag=True,
    help="Put the figures into benchmarks/RESULTS.md of the working directory, those of strength into docs/ too.",
)
@option("--stale", is_flag=True, help="all: measure and write what is stale, each with its seed, the quickest first.")
@option(
    "--minutes", type=click.FloatRange(min=0), metavar="N", help="all: begin no bench that would end after this time."
)
@_own_options
@long_batch_options
@json_option
def bench(
    name: str,
    quick: bool,
    seed: int,
    write: bool,
    stale: bool,
    minutes: float | None,
    cluster: str,
    workers: int | None,
    as_json: bool,
    **options: Any,
) -> int:
    """Run one bench, or all of them, or say which figures are stale."""
    given = {key: value for key, value in options.items() if value is not None}
    if name != "all" and (stale or minutes is not None):
        raise InputError("--stale and --minutes are for bench all")
    how = _How(quick, write or stale, cluster, workers, as_json)
    if name == "status":
        return _status(how)
    for owner, own in (("strength", _STRENGTH), ("solver", _SOLVER)):
        if name != owner and given.keys() & own.keys():
            flags = ", ".join(_flag(key) for key in given if key in own)
            raise InputError("{options}: only bench {name} has this", options=flags, name=owner)
    if given and name == "strength":
        return _one_measurement(name, seed, given, how)
    if name != "all":
        return _measure(_checked(name, how), seed, how, given)
    return _measure_all(seed, stale, minutes, how)


def _checked(name: str, how: _How) -> "Bench":
    """Return a bench that can be measured where it is asked for."""
    from bromeliad.bench.registry import find_benches, get_bench

    found = get_bench(name)
    if not found.batches and (how.workers is not None or how.cluster != "local"):
        names = ", ".join(each.name for each in find_benches() if each.batches)
        raise InputError("--cluster and --workers are for the benches {names}", names=names)
    return found


def _measure_all(seed: int, stale: bool, minutes: float | None, how: _How) -> int:
    """Measure all benches, or the stale ones; one that cannot be measured here does not keep the others from it."""
    from bromeliad.bench.registry import find_benches

    waiting = list(_stale_benches()) if stale else [(found, seed) for found in find_benches()]
    end = math.inf if minutes is None else time.monotonic() + 60.0 * minutes
    code = 0
    while waiting and time.monotonic() + 60.0 * waiting[0][0].minutes <= end:
        found, own_seed = waiting.pop(0)
        try:
            _measure(found, own_seed, how)
        except BromeliadError as error:
            code = 1
            click.echo(f"bromeliad: {found.name}: {error.render(tr)}", err=True)
    if waiting:
        click.echo(
            tr("not enough time left for {names}", names=", ".join(found.name for found, _ in waiting)), err=True
        )
    return code


def _stale_benches() -> "Iterator[tuple[Bench, int]]":
    """Yield benches whose figures are not of the present code, and the seeds that they were measured with."""
    from bromeliad.bench.registry import find_benches, state_of
    from bromeliad.bench.results import read_blocks

    blocks = {block.label: block for block in read_blocks(RESULTS)}
    for found in find_benches():
        if found.name in blocks and state_of(blocks[found.name]) != "fresh":
            yield found, blocks[found.name].seed


def _flag(key: str) -> str:
    return "--" + key.replace("_", "-")


def _measure(found: "Bench", seed: int, how: _How, given: dict[str, Any] | None = None) -> int:
    from bromeliad.bench.results import to_json
    from bromeliad.cli.table import print_section

    click.echo(tr("measuring {name} ...", name=found.name), err=True)
    if found.batches:
        about = {"quick": how.quick, "seed": seed}
        with open_batch(f"bench-{found.name}", about, how.cluster, how.workers) as batch:
            sections = found.run(how.quick, seed, batch)
    else:
        sections = found.run(how.quick, seed, **(given or {}))
    if how.as_json:
        click.echo(json.dumps(to_json(found.name, sections), ensure_ascii=False))
    else:
        for section in sections:
            print_section(section)
    if how.write:
        typed = "".join(f" {_flag(key)} {value}" for key, value in (given or {}).items())
        label = f"{found.name},{typed}" if typed else found.name
        _write(found, label, f"{found.name}{typed} --seed {seed}{' --quick' if how.quick else ''}", sections)
    return 0


def _one_measurement(name: str, seed: int, given: dict[str, Any], how: _How) -> int:
    """Measure the strength of one level with the options given."""
    from bromeliad.bench.registry import get_bench
    from bromeliad.bench.strength import strength_section, versus_section
    from bromeliad.cli.table import print_section
    from bromeliad.evaluation.duel import Versus

    typed = " ".join(f"{_flag(key)} {value}" for key, value in given.items())
    result = _measure_level(({"hands": 50} if how.quick else {}) | given, seed)
    section = versus_section([result]) if isinstance(result, Versus) else strength_section([result])
    if how.as_json:
        click.echo(json.dumps(result.to_json(), ensure_ascii=False))
    else:
        print_section(section)
    if how.write:
        _write(get_bench(name), f"{name}, {result.label}", f"{name} {typed} --seed {seed}", [section])
    return 0


def _measure_level(given: dict[str, Any], seed: int) -> Any:
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
    prepare(_KERNELS)
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


def _write(found: "Bench", label: str, arguments: str, sections: "list[Section]") -> None:
    """Write figures where they are shown; what could not be measured here stays as it was."""
    from bromeliad.bench.results import write_results

    if any(section.rows for section in sections):
        page = PAGES / f"{found.page}.md"
        for path in (RESULTS, page) if found.page and page.exists() else (RESULTS,):
            write_results(path, label, found.fingerprint, f"bromeliad bench {arguments}", sections)


def _status(how: _How) -> int:
    """List the figures of all documents and whether they are of the present code; mark the stale ones if asked to."""
    from bromeliad.bench.registry import find_benches, state_of
    from bromeliad.bench.results import Section, mark_blocks, read_blocks
    from bromeliad.cli.table import print_section

    pages = sorted({found.page for found in find_benches() if found.page})
    found: list[dict[str, str]] = []
    for path in (RESULTS, *(PAGES / f"{page}.md" for page in pages)):
        if how.write:
            mark_blocks(path, state_of)
        blocks = [(block, state_of(block)) for block in read_blocks(path)]
        found += [
            {"document": str(path), "block": block.label, "state": state, "measured": block.measured,
             "command": block.command, "code": block.code}
            for block, state in blocks
        ]  # fmt: skip
        if blocks and not how.as_json:
            columns = (tr("figures"), tr("state"), tr("measured"), tr("command"))
            rows: list[tuple[object, ...]] = [
                (block.label, tr(state), block.measured or "-", block.command) for block, state in blocks
            ]
            print_section(Section(str(path), columns, rows, []))
    if how.as_json:
        click.echo(json.dumps({"blocks": found}, ensure_ascii=False))
    return 0
