"""``bromeliad gomoku train``."""

from pathlib import Path

import click

from bromeliad.cli.base import command, option
from bromeliad.cli.compile_notice import prepare
from bromeliad.cli.games import given, with_options
from bromeliad.cli.options import FILE, seed_option
from bromeliad.core.playable import read_options
from bromeliad.games.gomoku.playable import GomokuPlayable, GomokuSetup
from bromeliad.i18n import tr


@command(
    "train",
    help="""Train the model by self-play: the player plays itself, and the model is fitted to the games.

    Training starts from --model. Ctrl-C keeps the finished rounds.""",
)
@option("--rounds", type=click.IntRange(min=1), default=4, show_default=True, help="Rounds of playing and fitting.")
@option("--games", type=click.IntRange(min=1), default=1000, show_default=True, help="Games per round.")
@option("--simulations", type=click.IntRange(min=1), default=200, show_default=True, help="Simulations per move.")
@seed_option
@option("--output", type=FILE, required=True, help="File of the model (.npz).")
@lambda function: with_options(function, GomokuSetup, "time", "simulations", "seed")
def train(rounds: int, games: int, simulations: int, seed: int, output: Path, size: int, rule: str, model: str) -> None:
    """Train, with a progress bar."""
    from bromeliad.cli.progress import progress_bar
    from bromeliad.games.gomoku.model import save_model
    from bromeliad.learning.gomoku import Plan, train_model

    game, setup = GomokuPlayable(), read_options(GomokuSetup, given("size", "rule", "model"), "--")
    prepare(game.kernels)
    start = game.game(setup).model
    plan = Plan(rounds, games, simulations)
    with progress_bar(tr("training")) as progress:
        learned = train_model(start, plan, size, rule, seed, progress.report, progress.cancel)
    save_model(output, learned)
    click.echo(tr("Written to {path}.", path=output))
