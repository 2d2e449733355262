"""``bromeliad bench``."""

import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from bromeliad.cli.base import argument, command, complain, json_option, option, print_json
from bromeliad.cli.batch import long_batch_options, open_batch
from bromeliad.cli.options import seed_option, solo_request
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
_OWNERS = {"iterations": "solver", "time_limit": "solver"}  # all other bench-specific options belong to strength


class _How(NamedTuple):
    """How to measure, and where the figures go."""

    quick: bool
    write: bool
    cluster: str
    workers: int | None
    as_json: bool


@command(
    "bench",
    help="""Measure speed and strength, side by side with other libraries. NAME is a bench, all, status or readme.

This command writes every figure in the documentation, with a fingerprint of the code and data behind it. bench status
lists which figures are stale; with --write it marks them. bench readme prints the figures of the READMEs; with --write
it writes them and their chart into the READMEs. bench strength plays every level; with any of its options it measures
only what they describe.""",
)
@argument("name")
@option("--quick", is_flag=True, help="Use small sizes: a test run whose figures must not be quoted.")
@seed_option
@option(
    "--write",
    is_flag=True,
    help="Write the figures to benchmarks/RESULTS.md here, and to docs/ if they are shown there.",
)
@option(
    "--stale", is_flag=True, help="all: measure and write only stale figures, with their seeds, the quickest first."
)
@option(
    "--minutes", type=click.FloatRange(min=0), metavar="N", help="all: start no bench that would end after N minutes."
)
@option("--hands", type=click.IntRange(min=1), help="strength: number of hands; 1000 by default.")
@option("--level", type=click.Choice(ALL_LEVELS), help="strength: the level of play; search by default.")
@option(
    "--versus", type=click.Choice(ALL_LEVELS), help="strength: settle against this level, dealt from the same deck."
)
@option("--time", type=float, metavar="SECONDS", help="strength: time per decision; 0.1 seconds by default.")
@option("--simulations", type=int, help="strength: simulations per decision instead of time, for reproducible results.")
@option("--threads", type=int, help="strength: threads of the search; 1 by default.")
@option("--objective", type=click.Choice(("solo",)), help="strength: the objective; always solo.")
@option("--foul-cost", type=float, help="strength: cost of a foul; by default from the rule set.")
@option(
    "--fantasyland-worth",
    metavar="14=8,15=...",
    help="strength: worth of fantasyland by its number of cards; by default from the rule set.",
)
@option("--rules", metavar="NAME|FILE", help="strength: a preset or a rule file; pineapple by default.")
@option("--iterations", type=click.IntRange(min=1), help="solver: positions per scenario; 20 by default.")
@option(
    "--time-limit",
    type=click.FloatRange(min=0.01),
    metavar="SECONDS",
    help="solver: time per decision; 1 second by default.",
)
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
    """Run one bench or all, or list which figures are stale."""
    given = {key: value for key, value in options.items() if value is not None}
    if name != "all" and (stale or minutes is not None):
        raise InputError("--stale and --minutes are only for bench all")
    how = _How(quick, write or stale, cluster, workers, as_json)
    if name == "status":
        return _status(how)
    if name == "readme":
        return _readme(how)
    for key in given:
        owner = _OWNERS.get(key, "strength")
        if owner != name:
            raise InputError("{option} is only for bench {name}", option=_flag(key), name=owner)
    if given and name == "strength":
        return _measure_strength(seed, given, how)
    if name != "all":
        return _measure(_checked(name, how), seed, how, given)
    return _measure_all(seed, stale, minutes, how)


def _checked(name: str, how: _How) -> "Bench":
    """Return the bench; raise InputError if workers are asked for and it cannot use them."""
    from bromeliad.bench.registry import find_benches, get_bench

    found = get_bench(name)
    if not found.batches and (how.workers is not None or how.cluster != "local"):
        names = ", ".join(each.name for each in find_benches() if each.batches)
        raise InputError("--cluster and --workers are only for the benches {names}", names=names)
    return found


def _measure_all(seed: int, stale: bool, minutes: float | None, how: _How) -> int:
    """Measure all benches or the stale ones, and return the exit code; a failing bench does not stop the others."""
    from bromeliad.bench.registry import find_benches

    waiting = list(_stale_benches()) if stale else [(found, seed) for found in find_benches()]
    end = math.inf if minutes is None else time.monotonic() + 60.0 * minutes
    code = 0
    while waiting and time.monotonic() + 60.0 * waiting[0][0].minutes <= end:
        found, own_seed = waiting.pop(0)
        try:
            _measure(found, own_seed, how, {})
        except BromeliadError as error:
            code = 1
            complain(f"{found.name}: {error.render(tr)}")
    if waiting:
        names = ", ".join(found.name for found, _ in waiting)
        click.echo(tr("not enough time left for {names}", names=names), err=True)
    return code


def _stale_benches() -> "Iterator[tuple[Bench, int]]":
    """Yield the benches with stale figures, and the seeds of these figures."""
    from bromeliad.bench.registry import find_benches, state_of
    from bromeliad.bench.results import read_blocks

    blocks = {block.label: block for block in read_blocks(RESULTS)}
    for found in find_benches():
        if found.name in blocks and state_of(blocks[found.name]) != "fresh":
            yield found, blocks[found.name].seed


def _flag(key: str) -> str:
    return "--" + key.replace("_", "-")


def _measure(found: "Bench", seed: int, how: _How, given: dict[str, Any]) -> int:
    from bromeliad.bench.results import to_json
    from bromeliad.cli.table import print_section

    click.echo(tr("measuring {name} ...", name=found.name), err=True)
    if found.batches:
        about = {"quick": how.quick, "seed": seed}
        with open_batch(f"bench-{found.name}", about, how.cluster, how.workers) as batch:
            sections = found.run(how.quick, seed, batch)
    else:
        sections = found.run(how.quick, seed, **given)
    if how.as_json:
        print_json(to_json(found.name, sections))
    else:
        for section in sections:
            print_section(section)
    if how.write:
        typed = "".join(f" {_flag(key)} {value}" for key, value in given.items())
        label = f"{found.name},{typed}" if typed else found.name
        _write(found, label, f"{found.name}{typed} --seed {seed}{' --quick' if how.quick else ''}", sections)
    return 0


def _measure_strength(seed: int, given: dict[str, Any], how: _How) -> int:
    """Measure the strength of one level, or of two against each other, with the given options."""
    from bromeliad.bench.registry import get_bench
    from bromeliad.bench.strength import strength_section, versus_section
    from bromeliad.cli.table import print_section
    from bromeliad.evaluation.duel import Versus

    typed = " ".join(f"{_flag(key)} {value}" for key, value in given.items())
    result = _measure_level(({"hands": 50} if how.quick else {}) | given, seed)
    section = versus_section([result]) if isinstance(result, Versus) else strength_section([result])
    if how.as_json:
        print_json(result.to_json())
    else:
        print_section(section)
    if how.write:
        _write(get_bench("strength"), f"strength, {result.label}", f"strength {typed} --seed {seed}", [section])
    return 0


def _measure_level(given: dict[str, Any], seed: int) -> Any:
    """Measure one level, or two against each other; Ctrl-C ends early."""
    from bromeliad.cli.compile_notice import prepare
    from bromeliad.cli.progress import progress_bar
    from bromeliad.evaluation.duel import measure_versus
    from bromeliad.evaluation.strength import measure_strength

    level, other = given.pop("level", "search"), given.pop("versus", None)
    hands = given.pop("hands", DEFAULT_HANDS)
    searches = "search" in (level, other)
    if not searches and given.keys() & {"time", "simulations", "threads"}:
        raise InputError("--time, --simulations and --threads are only for --level search")
    request = solo_request({"seed": seed, **given})
    spot = request.to_spot()
    seconds = request.time if request.time or request.simulations or not searches else DEFAULT_TIME
    prepare(_KERNELS)
    with progress_bar() as progress:
        effort: dict[str, Any] = {
            "seed": seed,
            "seconds": seconds,
            "simulations": request.simulations,
            "threads": request.threads or 1,
            "on_progress": progress.report,
            "cancelled": progress.cancel,
        }
        if other is not None:
            return measure_versus(spot, level, other, hands, **effort)
        return measure_strength(spot, level, hands, **effort)


def _write(found: "Bench", label: str, arguments: str, sections: "list[Section]") -> None:
    """Write figures to the files that show them; figures not measured in this run stay as they were."""
    from bromeliad.bench.results import write_results

    if any(section.rows for section in sections):
        page = PAGES / f"{found.page}.md"
        for path in (RESULTS, page) if found.page and page.exists() else (RESULTS,):
            write_results(path, label, found.fingerprint, f"bromeliad bench {arguments}", sections)


def _readme(how: _How) -> int:
    """Print the figures of the READMEs; with --write, write them there, and the chart."""
    from bromeliad.bench.readme import Figures, block, write

    if how.write:
        write(Path(), RESULTS)
    click.echo(block(Figures(RESULTS), "en"))
    return 0


def _status(how: _How) -> int:
    """List the figures of all files and whether they are stale; with --write, mark the stale ones."""
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
            rows = [(block.label, tr(state), block.measured or "-", block.command) for block, state in blocks]
            print_section(Section(str(path), columns, rows, []))
    if how.as_json:
        print_json({"blocks": found})
    return 0
