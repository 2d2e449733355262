"""``bromeliad sequence match``."""

import json
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import argument, command, json_option, option
from bromeliad.cli.games import prepared, setup_options
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.matches.gomoku_match import MatchResult

__all__ = ["match"]


@command(
    "match",
    help="""Let two strategies play each other, each deal twice with sides swapped.

    A strategy is random, greedy (the move that looks best) or mcts (the agent; mcts:document is the one with all of the
    founding document's numbers). Ctrl-C shows the score so far.""",
)
@argument("first")
@argument("second")
@option("--games", type=click.IntRange(min=2), default=20, show_default=True, help="Games, two for each deal.")
@setup_options("sequence")
@json_option
def match(first: str, second: str, games: int, as_json: bool, **options: Any) -> None:
    """Play the match."""
    from bromeliad.cli.progress import progress_bar
    from bromeliad.matches.sequence_match import play_match

    games += games % 2
    playable, setup = prepared("sequence")
    game = playable.game(setup)
    pair = [playable.strategy(name, setup) for name in (first, second)]
    with progress_bar(tr("playing, Ctrl-C for the score so far")) as watch:
        result = play_match(
            game,
            pair[0],
            pair[1],
            games,
            seed=options["seed"],
            seconds=setup.budget.seconds or 0.0,
            on_game=lambda played: watch.report(len(played.games) / games),
            cancelled=watch.is_cancelled,
        )
    if as_json:
        click.echo(json.dumps(result.to_json() | {"score": result.score, "counts": result.counts}))
    else:
        _summary(result)


def _summary(result: "MatchResult") -> None:
    won, drawn, lost = result.counts
    mean, error = result.score
    click.echo(
        tr(
            "{first} against {second}: {won} won, {drawn} drawn, {lost} lost; score {score} ± {error}",
            first=result.first,
            second=result.second,
            won=won,
            drawn=drawn,
            lost=lost,
            score=f"{mean:.3f}",
            error=f"{error:.3f}",
        )
    )
