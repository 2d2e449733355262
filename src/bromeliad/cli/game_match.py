"""``bromeliad GAME match``."""

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import Command, argument, command, json_option, option, print_json
from bromeliad.cli.compile_notice import prepare
from bromeliad.cli.games import given, with_options
from bromeliad.core.playable import TurnGame, read_options
from bromeliad.errors import InputError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.matches.games import GameMatch, GameRecord, GamesResult
    from bromeliad.matches.sprt import Sprt


def make(game: TurnGame) -> Command:
    """Return the match command of a game."""
    model = game.match_setup or game.setup

    @argument("first")
    @argument("second")
    @option(
        "--games",
        type=click.IntRange(min=2),
        default=20,
        show_default=True,
        help="Number of games, two per deal or opening.",
    )
    @option(
        "--sprt",
        metavar="LOW,HIGH",
        help="Stop once it is clear whether FIRST is better by HIGH Elo or only by LOW.",
    )
    @partial(with_options, model=model)
    @json_option
    def match(first: str, second: str, games: int, sprt: str | None, as_json: bool, **options: Any) -> None:
        test = _read_sprt(sprt)
        setup = read_options(model, given(*options), "--")
        prepare(game.kernels)
        result = _play(game, (first, second), games + games % 2, setup, options["time"], test, as_json)
        if as_json:
            print_json(result.to_json())
        else:
            _summary(result)

    return command("match", help=game.match_help)(match)


def _read_sprt(text: str | None) -> "Sprt | None":
    from bromeliad.matches.sprt import Sprt

    if text is None:
        return None
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        low = high = 0.0
    if not low < high:
        raise InputError("--sprt needs two Elo differences, the lower one first: --sprt 0,50")
    return Sprt.of_elo(low, high)


def _play(
    game: TurnGame, names: tuple[str, str], games: int, setup: Any, clock: float, test: "Sprt | None", as_json: bool
) -> "GamesResult":
    """Play the match; for games with colours print each finished game, otherwise (or for JSON) show a progress bar."""
    from bromeliad.cli.progress import progress_bar
    from bromeliad.matches.players import open_match
    from bromeliad.matches.runner import play_match

    with (
        progress_bar(tr("playing, Ctrl-C for the score so far")) as progress,
        open_match(game, names, games, setup, clock) as match,
    ):
        if game.colours is not None and not as_json:
            return play_match(
                match, sprt=test, on_played=partial(_show_game, match, game.colours), cancel=progress.cancel
            )
        return play_match(
            match, sprt=test, on_progress=lambda done: progress.report(done.fraction), cancel=progress.cancel
        )


def _show_game(match: "GameMatch", colours: tuple[str, str], game: "GameRecord") -> None:
    """Print one line about a finished game."""
    outcome = {1.0: tr("won"), 0.5: tr("drawn"), 0.0: tr("lost")}[game.score]
    colour = tr(colours[0] if game.first_is_black else colours[1])
    won, drawn, lost = match.tally.counts
    click.echo(f"{len(match.tally):>4}  {colour}  {outcome}  +{won} ={drawn} -{lost}  ({game.reason})  {game.moves}")


def _summary(result: "GamesResult") -> None:
    won, drawn, lost = result.counts
    mean, error = result.score
    elo, low, high = (f"{value:+.0f}" for value in result.elo)
    click.echo(
        tr(
            "{first} against {second}: {won} won, {drawn} drawn, {lost} lost;"
            " score {score} ± {error}; Elo {elo} ({low} to {high})",
            first=result.first,
            second=result.second,
            won=won,
            drawn=drawn,
            lost=lost,
            score=f"{mean:.3f}",
            error=f"{error:.3f}",
            elo=elo,
            low=low,
            high=high,
        )
    )
    if result.verdict:
        click.echo(tr("Sequential test: {verdict}", verdict=tr(result.verdict)))
