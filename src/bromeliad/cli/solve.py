"""``bromeliad solve``."""

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import command, json_option, option
from bromeliad.cli.cached import StoreOnDemand
from bromeliad.cli.options import no_store_option, objective_options, store_option
from bromeliad.errors import InputError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.core.budget import Cancel
    from bromeliad.core.playable import Context
    from bromeliad.solving.answer import ActionAnswer, Answer, EvParts
    from bromeliad.solving.request import SolveRequest

_EXPLAINED = 5  # most placements to explain


@command(
    "solve",
    help="""Find the best placement of these cards, the cost of every alternative, and how certain both are.

Write cards as As, A♠, Td or 10d, a joker as Jk. Write a board as "top / middle / back", an empty row as -, for example
--board "Kd / 7c 2s / As Ah". EV is in points. Objective solo: royalties plus the worth of fantasyland; a foul costs the
foul cost. Objective versus: the settlement against the opponents given, plus the worth of fantasyland for both
sides.""",
)
@option("--cards", default="", help="The cards just dealt.")
@option("--board", default="", metavar='"TOP / MIDDLE / BACK"', help="Your board; empty by default.")
@option("--dead", default="", help="Your own discards and every other card known to be gone; none by default.")
@option(
    "--opponent",
    "opponents",
    multiple=True,
    metavar='"TOP / MIDDLE / BACK"',
    help="An opponent's board, or fantasyland:14 for a hidden hand of 14 cards. May be given several times.",
)
@option(
    "--discards",
    type=click.Choice(("inferred", "uniform")),
    help="How to draw opponents' hidden discards: by the value of each card to its owner (the default), or uniformly.",
)
@option(
    "--opponent-model",
    metavar="PLAYER|COST,TIMES",
    help="How opponents play: like this player of the store, or by a foul cost and a multiple of the worth"
    " of fantasyland.",
)
@option("--players", type=int, help="Number of players; by default you and the opponents given.")
@option("--seat", type=int, help="Your place in the order of play, from 1; checked against the boards.")
@option(
    "--objective",
    type=click.Choice(("solo", "versus")),
    help="What to maximise; by default versus if an opponent is given, otherwise solo.",
)
@objective_options
@option("--fantasyland", is_flag=True, help="The hand is played in fantasyland (13 to 17 cards at once).")
@option(
    "--time",
    type=float,
    metavar="SECONDS",
    help="Search time; by default 5 seconds, or none if the opening book knows the hand.",
)
@option("--simulations", type=int, help="Limit simulations instead of time (reproducible).")
@option(
    "--no-early-stop",
    "early_stop",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Use all of the time or simulations, even if more search cannot improve the answer.",
)
@option(
    "--policy",
    type=click.Choice(("halving", "puct", "uct")),
    help="Search method: sequential halving (the default), or a tree with PUCT (the default for rules with"
    " an mcts section) or UCT.",
)
@option("--threads", type=int, help="Threads to search with; all cores by default.")
@option("--memory", type=float, metavar="MB", help="Most megabytes that a search may use; 256 by default.")
@option("--seed", type=int, default=1, show_default=True, help="Seed of all randomness.")
@option(
    "--no-book",
    "book",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Search first deals too; by default the opening book answers those that it knows, unless a budget is given.",
)
@option("--top", type=int, help="Show only the best K placements; all by default.", metavar="K")
@option(
    "--positions",
    metavar="FILE",
    help="Solve many spots: one JSON object per line (keys are the option names), - for standard input;"
    " prints one answer per line.",
)
@option(
    "--explain", is_flag=True, help="Show the parts of the EVs of the best placements, and a possible continuation."
)
@store_option(help="Where answers are kept and looked up; by default in your data directory.")
@no_store_option(help="Do not look the answer up in the store, and do not keep it there.")
@option("--deeper", is_flag=True, help="Solve again unless the stored answer is exact, and keep the better answer.")
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
    from bromeliad.cli.compile_notice import prepare
    from bromeliad.core.playable import Context

    options["opponent_model"] = _model(options["opponent_model"], store, options["rules"])
    with closing(StoreOnDemand(store, use=not no_store)) as kept:
        context = Context(ready=prepare, store=kept.get, deeper=deeper, on_problem=kept.give_up, once=positions is None)
        if positions is not None:
            return _solve_many(positions, _given(ctx, options), context)
        return _solve_one(options, context, explain, as_json)


def _solve_one(options: dict[str, Any], context: "Context", explain: bool, as_json: bool) -> int:
    from bromeliad.cli.progress import progress_bar
    from bromeliad.solving.request import read_request

    request = read_request({name: value for name, value in options.items() if value is not None})
    with progress_bar() as progress:
        try:
            answer = _think(request, replace(context, on_progress=progress.show, cancel=progress.cancel))
        except InputError:
            if progress.cancel.cancelled:  # before anything was found
                raise KeyboardInterrupt from None
            raise
    if as_json:
        click.echo(answer.model_dump_json())
    else:
        _print(answer, request.top)
        if explain:
            _explain(answer)
    return 0


def _model(text: str | None, store: str | None, rules: str) -> str | None:
    """Return the opponent model for a request; a player's model is made from the hands in the store."""
    if text is None or all(part.strip().replace(".", "", 1).isdecimal() for part in text.split(",")):
        return text
    from bromeliad.cli.model import find_model

    return find_model(text, (), store, rules).option


def _given(ctx: click.Context, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that the user typed: the defaults for every line of a file of positions."""
    typed = click.core.ParameterSource.COMMANDLINE
    return {name: value for name, value in options.items() if ctx.get_parameter_source(name) == typed}


def _solve_many(path: str, defaults: dict[str, Any], context: "Context") -> int:
    from bromeliad.cli.game_solve import answer_lines
    from bromeliad.solving.request import read_request

    def answer(data: object, cancel: "Cancel") -> None:
        request = read_request({**defaults, **data} if isinstance(data, dict) else data)
        click.echo(_think(request, replace(context, cancel=cancel)).model_dump_json())

    return answer_lines(path, answer)


def _think(request: "SolveRequest", context: "Context") -> "Answer":
    from bromeliad import registry

    answer: Answer = registry.playable("ofc").think(request, context)
    return answer


def _print(answer: "Answer", top: int | None) -> None:
    from rich.console import Console
    from rich.markup import escape

    from bromeliad.cli.table import placements_table

    console = Console()
    street = tr("fantasyland") if answer.street is None else tr("street {street}", street=answer.street)
    console.print(f"[bold]{escape(answer.rules)}[/], {street}, {tr('objective')} {tr(answer.objective)}")
    console.print(placements_table(answer.actions, answer.objective, console.width, top))
    if answer.method != "exact" and (unsearched := sum(action.ev is None for action in answer.actions[:top])):
        console.print(tr("not searched: {count}", count=unsearched), style="dim")
    console.print(_best_line(answer))
    if close := _close_line(answer):
        console.print(close)
    if answer.opponent_values == "own board":
        console.print(
            tr("No learned values of both boards could be used: opponents were simulated by their own boards alone")
        )


def _explain(answer: "Answer") -> None:
    """Print the parts of the best EVs, and a possible continuation."""
    from bromeliad.cli.table import percent_text
    from bromeliad.games.ofc.search_spot import SPLIT_PLAYOUTS

    for number, action in enumerate(answer.actions[:_EXPLAINED], start=1):
        if action.ev is None or action.royalties is None or action.p_foul is None:
            continue
        if answer.objective == "versus":
            click.echo(f"{number}. EV {action.ev:.3f}: " + ", ".join(_both_ways(action)))
            if action.parts is not None:
                click.echo(f"   EV {action.ev:.3f} = " + ", ".join(_points(action.parts)))
            continue
        foul = answer.foul_cost * action.p_foul
        rest = action.ev - action.royalties + foul
        parts = [tr("royalties {points}", points=f"{action.royalties:.2f}")]
        entered, fouled = (f"{percent_text(share)} %" for share in (action.p_fantasyland, action.p_foul))
        if not action.exact:
            parts += [tr("fantasyland {share}", share=entered), tr("foul {share}", share=fouled)]
            by_book = tr("(parts from the learned evaluation)")
            sampled = tr("(parts from up to {count} playouts)", count=SPLIT_PLAYOUTS)
            parts[-1] += " " + (by_book if answer.method == "book" else sampled)
            click.echo(f"{number}. EV {action.ev:.3f}: " + ", ".join(parts))
            continue
        parts.append(tr("fantasyland {points} ({share})", points=f"{rest:+.2f}", share=entered))
        parts.append(tr("foul {points} ({share})", points=f"{-foul:+.2f}", share=fouled))
        click.echo(f"{number}. EV {action.ev:.3f} = " + ", ".join(parts))
    if len(answer.line) > 1:
        click.echo(tr("A possible continuation: {line}", line=" → ".join(answer.line)))


def _points(parts: "EvParts") -> list[str]:
    """Return the parts of a versus EV in points."""

    def both(mine: float, theirs: float | None) -> str:
        return f"{mine:+.2f} {theirs:+.2f}"

    return [
        tr("rows {points}", points=f"{parts.rows:+.2f}"),
        tr("scoop {points}", points=f"{parts.scoop:+.2f}"),
        tr("royalties {points}", points=both(parts.royalties, parts.opponent_royalties)),
        tr("foul {points}", points=f"{parts.foul:+.2f}"),
        tr("fantasyland {points}", points=both(parts.fantasyland, parts.opponent_fantasyland)),
    ]


def _both_ways(action: "ActionAnswer") -> list[str]:
    """Return the figures behind a versus EV: the player's, then those of all opponents together."""
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


def _close_line(answer: "Answer") -> str:
    """Return a line about the loss of the second-best placement and its error; empty if it is exact or unknown."""
    from bromeliad.cli.table import CLOSE
    from bromeliad.solving.entry import is_close

    second = answer.actions[1] if len(answer.actions) > 1 else answer.best
    if second.ev_loss is None or not second.ev_loss_stderr:
        return ""
    line = tr(
        "The second-best placement is {loss} ± {stderr} behind",
        loss=f"{second.ev_loss:.3f}",
        stderr=f"{second.ev_loss_stderr:.3f}",
    )
    if any(map(is_close, answer.actions)):
        line += "; " + tr("{mark} marks losses that are too close to call", mark=CLOSE)
    return line


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
        line += "\n" + tr(
            "Stopped early: {valued} of {all} placements have a value", valued=valued, all=len(answer.actions)
        )
    return line
