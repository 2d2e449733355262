"""``bromeliad gomoku match``."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import argument, command, json_option, option
from bromeliad.cli.games import prepared, setup_options
from bromeliad.errors import InputError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.games.gomoku.game import Gomoku
    from bromeliad.matches.gomoku_engines import MatchPlayer
    from bromeliad.matches.gomoku_match import MatchResult, Sprt

__all__ = ["match"]

_OWN = "bromeliad"


@command(
    "match",
    help="""Let two engines play each other, each opening twice with colours swapped.

    An engine is bromeliad, bromeliad:MODEL (default, plain, seed or a file), or the command of any program that speaks
    the Gomocup protocol. Without an opening file, balanced openings are drawn by the seed.""",
)
@argument("first")
@argument("second")
@option("--games", type=click.IntRange(min=2), default=20, show_default=True, help="Games, two for each opening.")
@option("--time", "seconds", type=float, default=1.0, show_default=True, help="Seconds a move.")
@option("--simulations", type=click.IntRange(min=1), help="What bromeliad plays by, instead of time: reproducible.")
@option("--openings", type=click.Path(dir_okay=False, path_type=Path), help="A file with an opening a line.")
@option("--sprt", metavar="LOW,HIGH", help="Stop when it is clear whether FIRST is better by HIGH Elo or only by LOW.")
@option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of all randomness.")
@setup_options("gomoku", "time", "simulations", "seed")
@json_option
def match(first: str, second: str, games: int, seconds: float, as_json: bool, **options: Any) -> None:
    """Play the match."""
    from bromeliad.matches.gomoku_match import play_match
    from bromeliad.matches.gomoku_openings import match_openings

    test = _sprt(options["sprt"])
    if not 0.0 < seconds <= 3600.0:
        raise InputError("--time must be more than 0 seconds and at most an hour")
    playable, setup = prepared("gomoku")
    game = playable.game(setup)
    players: list[MatchPlayer] = []
    try:
        for name in (first, second):
            players.append(_engine(name, game, options["simulations"], options["seed"]))
        openings = match_openings(game, options["openings"], games // 2, options["seed"])
        result = play_match(
            game, players[0], players[1], openings, seconds, sprt=test, on_game=None if as_json else _tell
        )
    finally:
        for player in players:
            player.close()
    if as_json:
        data = result.to_json() | {"score": result.score, "elo": [_finite(value) for value in result.elo]}
        click.echo(json.dumps(data, ensure_ascii=False))
    else:
        _summary(result)


def _finite(value: float) -> float | None:
    return value if abs(value) < 1e9 else None


def _sprt(text: str | None) -> "Sprt | None":
    from bromeliad.matches.gomoku_match import Sprt

    if text is None:
        return None
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        low = high = 0.0
    if not low < high:
        raise InputError("--sprt takes two differences in Elo, the lower one first: --sprt 0,50")
    return Sprt(low, high)


def _engine(name: str, game: "Gomoku", simulations: int | None, seed: int) -> "MatchPlayer":
    from bromeliad.games.gomoku.game import Gomoku
    from bromeliad.games.gomoku.model import named_model
    from bromeliad.games.gomoku.player import Player
    from bromeliad.matches.gomoku_engines import ExternalEngine, OwnEngine

    own, colon, model = name.partition(":")
    if own != _OWN:
        return ExternalEngine(name)
    if colon:
        game = Gomoku(game.size, game.rules, named_model(model))
    return OwnEngine(Player(game, seed=seed), name, simulations)


def _tell(result: "MatchResult") -> None:
    """Print a line for the game that is over."""
    game = result.games[-1]
    outcome = {1.0: tr("won"), 0.5: tr("drawn"), 0.0: tr("lost")}[game.score]
    colour = tr("black") if game.first_is_black else tr("white")
    won, drawn, lost = result.counts
    click.echo(f"{len(result.games):>4}  {colour}  {outcome}  +{won} ={drawn} -{lost}  ({game.reason})  {game.moves}")


def _summary(result: "MatchResult") -> None:
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
