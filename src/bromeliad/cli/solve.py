"""``bromeliad solve``."""

import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import command, input_lines, json_option, one_line, option, parse_json
from bromeliad.cli.storing import Library, no_store_option, store_option
from bromeliad.errors import BromeliadError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.core.budget import Cancel
    from bromeliad.solving.answer import ActionAnswer, Answer

_EXPLAINED = 5  # placements


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
    help="An opponent's board, or fantasyland:14 for a hidden hand of so many cards. May be given several times.",
)
@option(
    "--discards",
    type=click.Choice(("inferred", "uniform")),
    help="Draw opponents' hidden discards by what they would have been worth to them (the default), or any alike.",
)
@option(
    "--opponent-model",
    metavar="PLAYER|COST,TIMES",
    help="Opponents play like this player of the store, or as a foul cost and a multiple of fantasyland's worth say.",
)
@option("--players", type=int, help="How many play; by default you and the opponents given.")
@option("--seat", type=int, help="Your place in the order of play, from 1; checked against the boards.")
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
@option(
    "--time",
    type=float,
    metavar="SECONDS",
    help="How long to search; by default 5 seconds, or not at all where the opening book knows the hand.",
)
@option("--simulations", type=int, help="Search by a number of simulations instead of time: reproducible.")
@option(
    "--policy",
    type=click.Choice(("halving", "puct", "uct")),
    help="How to search: sequential halving (the default), or a tree by PUCT (the default where the rules have a"
    " section mcts) or by UCT.",
)
@option("--threads", type=int, help="Threads to search with; all cores by default.")
@option("--memory", type=float, metavar="MB", help="Megabytes that a search may fill; 256 by default.")
@option("--seed", type=int, default=1, show_default=True, help="Seed of all randomness.")
@option(
    "--no-book",
    "book",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Search first deals too; by default the opening book answers those that it knows, if no budget is given.",
)
@option("--top", type=int, help="Show only the best K placements; all by default.", metavar="K")
@option(
    "--positions",
    metavar="FILE",
    help="Solve many: a JSON object a line (keys are the option names), or - for standard input; an answer a line.",
)
@option(
    "--explain", is_flag=True, help="Say what the EVs of the best placements are made of, and how the hand may go on."
)
@store_option(help="Where answers are kept and looked up; by default in your data directory.")
@no_store_option(help="Neither look the answer up nor keep it.")
@option("--deeper", is_flag=True, help="Solve again what is not known exactly, and keep the better answer.")
@json_option
@click.pass_context
def solve(
    ctx: click.Context,
    /,
    positions: str | None,
    explain: bool,
    store: str | None,
    no_store: bool,
    deeper: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Solve one spot, or many."""
    options["opponent_model"] = _model(options["opponent_model"], store, options["rules"])
    library = Library(store, use=not no_store, deeper=deeper)
    with closing(library):
        if positions is not None:
            return _solve_many(positions, _given(ctx, options), library)
        return _solve_one(options, library, explain, as_json)


def _solve_one(options: dict[str, Any], library: Library, explain: bool, as_json: bool) -> int:
    from bromeliad.cli.progress import progress_bar
    from bromeliad.solving.request import read_request

    request = read_request({name: value for name, value in options.items() if value is not None})
    with progress_bar() as watch:
        answer = library.solve(request, watch.show, watch.cancel)
    if as_json:
        click.echo(answer.model_dump_json())
    else:
        _print(answer, request.top)
        if explain:
            _explain(answer)
    return 0


def _model(text: str | None, store: str | None, rules: str) -> str | None:
    """Return a model of opponents as a request takes it; a player's name is looked up."""
    if text is None or all(part.strip().replace(".", "", 1).isdecimal() for part in text.split(",")):
        return text
    from bromeliad.cli.model import find_model

    return find_model(text, (), store, rules).option


def _given(ctx: click.Context, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were typed: they are the defaults of every line of a batch."""
    typed = click.core.ParameterSource.COMMANDLINE
    return {name: value for name, value in options.items() if ctx.get_parameter_source(name) == typed}


def _solve_many(path: str, defaults: dict[str, Any], library: Library) -> int:
    """Answer every line in its order; a bad line gets an error in its place, and the exit code is 1."""
    from bromeliad.cli.main import EXIT_FAILURE, EXIT_INTERRUPTED
    from bromeliad.cli.progress import progress_bar

    failed = False
    total = sum(1 for _ in input_lines(path)) if Path(path).is_file() else 0  # a pipe can be read only once
    with progress_bar() as watch:
        for number, line in enumerate(input_lines(path), start=1):
            try:
                answer = _solve_line(line, defaults, library, watch.cancel)
            except BromeliadError as error:
                failed = True
                answer = json.dumps({"error": one_line(error.render(tr))}, ensure_ascii=False)
            click.echo(answer)
            if total:
                watch.report(number / total)
            if watch.is_cancelled():
                return EXIT_INTERRUPTED
    return EXIT_FAILURE if failed else 0


def _solve_line(line: bytes, defaults: dict[str, Any], library: Library, cancel: "Cancel") -> str:
    from bromeliad.solving.request import read_request

    data = parse_json(line)
    request = read_request({**defaults, **data} if isinstance(data, dict) else data)
    return library.solve(request, None, cancel).model_dump_json()


def _print(answer: "Answer", top: int | None) -> None:
    from rich.console import Console
    from rich.markup import escape

    from bromeliad.cli.table import placements_table

    console = Console()
    street = tr("fantasyland") if answer.street is None else tr("street {street}", street=answer.street)
    console.print(f"[bold]{escape(answer.rules)}[/], {street}, {tr('objective')} {tr(answer.objective)}")
    console.print(placements_table(answer.actions, answer.objective, console.width, top))
    console.print(_best_line(answer))


def _explain(answer: "Answer") -> None:
    """Print the parts of the best EVs, and what a search expects to happen."""
    from bromeliad.cli.table import percent_text
    from bromeliad.games.ofc.search_spot import SPLIT_PLAYOUTS

    for number, action in enumerate(answer.actions[:_EXPLAINED], start=1):
        if action.ev is None or action.royalties is None or action.p_foul is None:
            continue
        if answer.objective == "versus":
            click.echo(f"{number}. EV {action.ev:.3f}: " + ", ".join(_both_ways(action)))
            continue
        foul = answer.foul_cost * action.p_foul
        rest = action.ev - action.royalties + foul
        parts = [tr("royalties {points}", points=f"{action.royalties:.2f}")]
        entered, fouled = (f"{percent_text(share)} %" for share in (action.p_fantasyland, action.p_foul))
        if not action.exact:
            parts += [tr("fantasyland {share}", share=entered), tr("foul {share}", share=fouled)]
            by_book = tr("(parts by the learned evaluation)")
            sampled = tr("(parts by {count} playouts)", count=SPLIT_PLAYOUTS)
            parts[-1] += " " + (by_book if answer.method == "book" else sampled)
            click.echo(f"{number}. EV {action.ev:.3f}: " + ", ".join(parts))
            continue
        parts.append(tr("fantasyland {points} ({share})", points=f"{rest:+.2f}", share=entered))
        parts.append(tr("foul {points} ({share})", points=f"{-foul:+.2f}", share=fouled))
        click.echo(f"{number}. EV {action.ev:.3f} = " + ", ".join(parts))
    if len(answer.line) > 1:
        click.echo(tr("How it may go on: {line}", line=" → ".join(answer.line)))


def _both_ways(action: "ActionAnswer") -> list[str]:
    """Return the parts of an EV against opponents: mine, and in the mean theirs."""
    from bromeliad.cli.table import number_text, percent_text

    def shares(mine: float | None, theirs: float | None) -> str:
        return f"{percent_text(mine)} % / {percent_text(theirs)} %"

    royalties = f"{number_text(action.royalties)} / {number_text(action.opponent_royalties)}"
    return [
        tr("rows {points}", points=number_text(action.row_points)),
        tr("scoop {share}", share=f"{percent_text(action.p_scoop)} %"),
        tr("royalties mine / theirs {points}", points=royalties),
        tr("foul mine / theirs {shares}", shares=shares(action.p_foul, action.opponent_p_foul)),
        tr(
            "fantasyland mine / theirs {shares}",
            shares=shares(action.p_fantasyland, action.opponent_p_fantasyland),
        ),
    ]


def _best_line(answer: "Answer") -> str:
    from bromeliad.cli.table import error_text

    error = error_text(answer.best)
    how = error if answer.best.exact else tr("± {stderr} standard error", stderr=error)
    values = {"ev": f"[bold]{answer.value:.3f}[/]", "how": how, "ms": f"{1000 * answer.elapsed_s:.1f}"}
    if answer.method == "book":
        line = tr("Best: {ev} points ({how}), from the opening book; --time 5 searches instead", **values)
    elif answer.stored:
        line = tr("Best: {ev} points ({how}), from the store; it was found in {ms} ms", **values)
    else:
        line = tr("Best: {ev} points ({how}), found in {ms} ms", **values)
    valued = sum(action.ev is not None for action in answer.actions)
    if answer.method == "exact" and valued < len(answer.actions):
        line += "\n" + tr("Cut short: {valued} of {all} placements valued", valued=valued, all=len(answer.actions))
    return line
