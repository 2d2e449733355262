"""``bromeliad doctor``: checks the installation and suggests how to repair it."""

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

import click

from bromeliad.cli.base import command, json_option, print_json
from bromeliad.errors import BromeliadError
from bromeliad.i18n import one_line, tr

State = Literal["ok", "note", "problem"]
_SIGNS: dict[State, str] = {"ok": "✓", "note": "!", "problem": "✗"}
_QUESTION = {"cards": "Jc Ac 7d Jd 2s", "simulations": 3000, "threads": 1, "book": False, "early_stop": False}
_REFERENCE = 5000.0  # simulations per second for this question, measured on one core of a busy machine


class Finding(NamedTuple):
    """The result of a check."""

    what: str
    state: State
    text: str


@command(
    "doctor",
    help="Check the installation: kernels, cache, store, page, opening book, weights and speed. The exit code is 1 if"
    " something does not work.",
)
@json_option
def doctor(as_json: bool) -> int:
    """Run all checks."""
    found = []
    for finding in _findings():
        found.append(finding)
        if not as_json:
            click.echo(f"{_SIGNS[finding.state]} {finding.what}: {one_line(finding.text)}")
    wrong = any(finding.state == "problem" for finding in found)
    if as_json:
        print_json({"ok": not wrong, "checks": [finding._asdict() for finding in found]})
    else:
        click.echo(tr("Something does not work: see ✗ above.") if wrong else tr("Everything works."))
    return 1 if wrong else 0


def _findings() -> Iterator[Finding]:
    checks: tuple[tuple[str, Callable[[], tuple[State, str]]], ...] = (
        (tr("program"), _program),
        (tr("cache"), _cache),
        (tr("kernels"), _kernels),
        (tr("store"), _store),
        (tr("page"), _page),
        (tr("opening book"), _book),
        (tr("weights"), _weights),
        (tr("speed"), _speed),
    )
    for what, check in checks:
        try:
            yield Finding(what, *check())
        except BromeliadError as error:
            yield Finding(what, "problem", error.render(tr))
        except OSError as error:
            yield Finding(what, "problem", error.strerror or str(error))


def _program() -> tuple[State, str]:
    import sys
    from importlib.metadata import version

    from bromeliad import __version__
    from bromeliad.core.machine import cores

    parts = (f"{name} {version(name)}" for name in ("numba", "numpy"))
    python = ".".join(map(str, sys.version_info[:3]))
    text = tr(
        "bromeliad {version}, Python {python}, {parts}", version=__version__, python=python, parts=", ".join(parts)
    )
    return "ok", f"{text}; {tr('{count} cores', count=cores())}"


def _cache() -> tuple[State, str]:
    from bromeliad.core.kernel_cache import cache_directory
    from bromeliad.core.machine import fresh_directory

    directory = cache_directory()
    size = sum(file.stat().st_size for file in directory.iterdir() if file.is_file())
    if directory.is_relative_to(fresh_directory()):
        return "note", tr("no directory is writable by you alone, so every run compiles again: set BROMELIAD_CACHE_DIR")
    return "ok", tr("{path}, {size} MB", path=directory, size=f"{size / 2**20:.0f}")


def _kernels() -> tuple[State, str]:
    from bromeliad.core import kernel_cache

    groups = kernel_cache.warmups()
    cold = sum(map(kernel_cache.is_cold, groups))
    if cold:
        return "note", tr(
            "{cold} of {count} groups are compiled when they are first used; `bromeliad warmup` does it now",
            cold=cold,
            count=len(groups),
        )
    return "ok", tr("all {count} groups are compiled", count=len(groups))


def _store() -> tuple[State, str]:
    from bromeliad.storage.database import store_url
    from bromeliad.storage.store import Store, open_store

    place = Store(store_url())
    if place.file is not None and not place.file.exists():
        return "ok", tr("{path} will be created when it is first needed", path=str(place))
    with open_store() as store:
        answers = store.results.statistics().results
        return "ok", tr("{path}, {count} answers", path=str(store), count=f"{answers:,}")


def _page() -> tuple[State, str]:
    from bromeliad.service.pages import page_folder

    if page_folder() is None:
        return "note", tr("the page is not built: run `make page`, then restart serve")
    return "ok", tr("built; `bromeliad serve` opens it")


def _book() -> tuple[State, str]:
    from bromeliad.games.ofc.book.shelf import find_books
    from bromeliad.games.ofc.rules.files import preset
    from bromeliad.solving.request import SolveRequest

    spot = SolveRequest(cards=str(_QUESTION["cards"])).to_spot()
    books = find_books(preset("pineapple"), spot.foul_cost, spot.fantasyland_worth)
    if not books:
        return "problem", tr("there is no opening book: install the package again")
    return "ok", tr("{count} first deals", count=f"{books[0].header.hands:,}")


def _weights() -> tuple[State, str]:
    from bromeliad.games.ofc.rules.files import preset, preset_names
    from bromeliad.games.ofc.values.weights import find_weights, read_weights
    from bromeliad.solving.request import SolveRequest

    known = []
    for name in preset_names():
        spot = SolveRequest(cards=str(_QUESTION["cards"]), rules=name, objective="solo").to_spot()
        found = find_weights(preset(name), spot.foul_cost, spot.fantasyland_worth)
        if found is not None:
            read_weights(found[0])
            known.append(name)
    if not known:
        return "problem", tr("there are no learned weights: install the package again")
    return "ok", ", ".join(known)


def _speed() -> tuple[State, str]:
    from bromeliad.core import kernel_cache
    from bromeliad.solving.plan import plan
    from bromeliad.solving.request import read_request
    from bromeliad.solving.solve import solve

    planned = plan(read_request(_QUESTION))
    if any(map(kernel_cache.is_cold, planned.kernels)):
        return "note", tr("not measured, because kernels are not compiled yet: run `bromeliad warmup` first")
    kernel_cache.ensure(planned.kernels)
    answer = solve(planned)
    speed = (answer.simulations or 0) / max(answer.elapsed_s, 1e-9)
    return "ok", tr(
        "{speed} simulations per second on one core, {share} % of the reference machine",
        speed=f"{speed:,.0f}",
        share=f"{100 * speed / _REFERENCE:.0f}",
    )
