"""``bromeliad solve``."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import command, json_option, one_line, option
from bromeliad.errors import BromeliadError, InputError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.sessions.answer import ActionAnswer, Answer

__all__ = ["solve"]

_BAR = 12
_EXPLAINED = 5  # placements
_WIDE = {"solo": 100, "versus": 120}  # columns of a terminal that has room for bars


@command(
    "solve",
    help="""Say what to do with these cards, what every alternative costs, and how sure it is.

Cards are written As, A♠, Td or 10d, a joker Jk. A board is written "top / middle / back", an empty row as -, for
example --board "Kd / 7c 2s / As Ah". EV is in points. Objective solo: royalties plus the worth of fantasyland, a foul
costs the foul cost. Objective versus: the settlement against the opponents given, plus the worth of fantasyland for
both sides.""",
)
@option("--cards", default="", help="The cards just dealt.")
@option("--board", default="", metavar='"TOP / MIDDLE / BACK"', help="Your board; empty by default.")
@option("--dead", default="", help="Your own discards and every other card known to be gone; none by default.")
@option(
    "--opponent",
    "opponents",
    multiple=True,
    metavar='"TOP / MIDDLE / BACK"',
    help="An opponent's board. May be given several times.",
)
@option("--rules", default="pineapple", show_default=True, metavar="NAME|FILE", help="A preset or a rule file.")
@option(
    "--objective",
    type=click.Choice(("solo", "versus")),
    help="What to maximise; by default versus if an opponent is given, else solo.",
)
@option("--foul-cost", type=float, help="What a foul costs under solo; by default as the rule set says.")
@option(
    "--fantasyland-worth",
    metavar="14=8,15=...",
    help="Worth of fantasyland by its number of cards; by default as the rule set says.",
)
@option("--fantasyland", is_flag=True, help="The hand is played in fantasyland (13 to 17 cards at once).")
@option("--time", type=float, metavar="SECONDS", help="How long to search; 5 seconds by default.")
@option("--simulations", type=int, help="Search by a number of simulations instead of time: reproducible.")
@option("--threads", type=int, help="Threads to search with; all cores by default.")
@option("--seed", type=int, default=1, show_default=True, help="Seed of all randomness.")
@option("--top", type=int, help="Show only the best K placements; all by default.", metavar="K")
@option(
    "--positions",
    metavar="FILE",
    help="Solve many: a JSON object a line (keys are the option names), or - for standard input; an answer a line.",
)
@option("--explain", is_flag=True, help="Say what the EVs of the best placements are made of, and the expected line.")
@json_option
@click.pass_context
def solve(ctx: click.Context, /, positions: str | None, explain: bool, as_json: bool, **options: Any) -> int:
    """Solve one spot, or many."""
    if positions is not None:
        return _solve_many(positions, _given(ctx, options))
    from bromeliad.cli.kernels import prepare
    from bromeliad.cli.watch import progress_bar
    from bromeliad.sessions.request import read_request
    from bromeliad.sessions.solve import kernels_for
    from bromeliad.sessions.solve import solve as run

    request = read_request({name: value for name, value in options.items() if value is not None})
    prepare(kernels_for(request))
    with progress_bar() as watch:
        answer = run(request, watch.report, watch.is_cancelled)
    if as_json:
        click.echo(answer.model_dump_json())
    else:
        _print(answer, request.top)
        if explain:
            _explain(answer)
    return 0


def _given(ctx: click.Context, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were typed: they are the defaults of every line of a batch."""
    typed = click.core.ParameterSource.COMMANDLINE
    return {name: value for name, value in options.items() if ctx.get_parameter_source(name) == typed}


def _solve_many(path: str, defaults: dict[str, Any]) -> int:
    """Answer every line in its order; a bad line gets an error in its place, and the exit code is 1."""
    from bromeliad.cli.main import EXIT_FAILURE, EXIT_INTERRUPTED
    from bromeliad.cli.watch import progress_bar

    failed = False
    total = sum(1 for _ in _lines(path)) if path != "-" else 0
    with progress_bar() as watch:
        for number, line in enumerate(_lines(path), start=1):
            try:
                answer = _solve_line(line, defaults)
            except BromeliadError as error:
                failed = True
                answer = json.dumps({"error": one_line(error.render(tr))}, ensure_ascii=False)
            click.echo(answer)
            if total:
                watch.report(number / total)
            if watch.is_cancelled():
                return EXIT_INTERRUPTED
    return EXIT_FAILURE if failed else 0


def _lines(path: str) -> Iterator[bytes]:
    try:
        with click.open_file(path, "rb") as file:
            yield from (line for line in file if line.strip())
    except OSError as error:
        raise InputError("{path}: cannot be read: {problem}", path=path, problem=error.strerror or str(error)) from None


def _solve_line(line: bytes, defaults: dict[str, Any]) -> str:
    from bromeliad.cli.kernels import prepare
    from bromeliad.sessions.request import read_request
    from bromeliad.sessions.solve import kernels_for
    from bromeliad.sessions.solve import solve as run

    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise InputError("not JSON: {line}", line=line[:60].decode("utf-8", "replace").strip()) from None
    request = read_request({**defaults, **data} if isinstance(data, dict) else data)
    prepare(kernels_for(request))
    return run(request).model_dump_json()


def _print(answer: "Answer", top: int | None) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    street = tr("fantasyland") if answer.street is None else tr("street {street}", street=answer.street)
    console.print(f"[bold]{escape(answer.rules)}[/], {street}, {tr('objective')} {tr(answer.objective)}")
    wide = console.width >= _WIDE[answer.objective]
    table = Table(box=None, pad_edge=False, padding=(0, 2 if wide else 1, 0, 0), header_style="dim")
    versus = answer.objective == "versus"
    columns = [tr("top"), tr("middle"), tr("back"), tr("discard"), tr("EV"), "±", tr("loss"), tr("foul %"), tr("FL %")]
    columns += [tr("royalties"), *([tr("rows"), tr("scoop %")] if versus else []), *([""] if wide else [])]
    for i, name in enumerate(columns):
        table.add_column(name, justify="left" if i < 4 or not name else "right", no_wrap=i >= 4)
    worst = max((action.ev_loss or 0.0 for action in answer.actions), default=0.0)
    for action in answer.actions[:top]:
        bar = ["█" * round(_BAR * _share(action, worst))] if wide else []
        table.add_row(*_cells(action, versus), *bar)
    console.print(table)
    console.print(_best_line(answer))


def _cells(action: "ActionAnswer", versus: bool) -> list[Any]:
    from bromeliad.cli.cards import card_text
    from bromeliad.core.cards import Card

    rows = (action.top, action.middle, action.back, action.discards)
    cells: list[Any] = [card_text(map(Card.from_string, row)) for row in rows]
    if action.ev is None:
        return [*cells, "-", tr("not searched"), *([""] * (6 if versus else 4))]
    label = tr("exact") if action.exact else f"{action.stderr:.3f}"
    cells += [f"{action.ev:.3f}", label, f"{action.ev_loss:.3f}"]
    cells += [_percent(action.p_foul), _percent(action.p_fantasyland), _number(action.royalties)]
    return [*cells, _number(action.row_points), _percent(action.p_scoop)] if versus else cells


def _share(action: "ActionAnswer", worst: float) -> float:
    """Return how full an action's bar is: 1 for the best, 0 for the worst."""
    if action.ev is None or action.ev_loss is None:
        return 0.0
    return 1.0 if worst == 0 else 1.0 - action.ev_loss / worst


def _explain(answer: "Answer") -> None:
    """Print the parts of the best EVs, and what a search expects to happen."""
    for number, action in enumerate(answer.actions[:_EXPLAINED], start=1):
        if action.ev is None or action.royalties is None or action.p_foul is None:
            continue
        foul = answer.foul_cost * action.p_foul if answer.objective == "solo" else 0.0
        rest = action.ev - action.royalties + foul
        parts = [tr("royalties {points}", points=f"{action.royalties:.2f}")]
        if answer.objective == "solo":
            parts.append(
                tr("fantasyland {points} ({share})", points=f"{rest:+.2f}", share=_share_text(action.p_fantasyland))
            )
            parts.append(tr("foul {points} ({share})", points=f"{-foul:+.2f}", share=_share_text(action.p_foul)))
        else:
            parts.append(tr("rows {points}", points=_number(action.row_points)))
            parts.append(
                tr(
                    "scoop, their royalties and both fantasylands {points}",
                    points=f"{rest - (action.row_points or 0.0):+.2f}",
                )
            )
        equals = "=" if action.exact else "≈"  # the parts of a sampled EV are sampled on their own
        click.echo(f"{number}. EV {action.ev:.3f} {equals} " + ", ".join(parts))
    if len(answer.line) > 1:
        click.echo(tr("Expected line: {line}", line=" → ".join(answer.line)))


def _share_text(value: float | None) -> str:
    return f"{_percent(value)} %"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _best_line(answer: "Answer") -> str:
    how = tr("exact") if answer.best.exact else tr("± {stderr} standard error", stderr=f"{answer.best.stderr:.3f}")
    return tr(
        "Best: {ev} points ({how}), found in {ms} ms",
        ev=f"[bold]{answer.value:.3f}[/]",
        how=how,
        ms=f"{1000 * answer.elapsed_s:.1f}",
    )
