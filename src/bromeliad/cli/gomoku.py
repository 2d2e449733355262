"""``bromeliad gomoku``: its commands."""

from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import Group, option

if TYPE_CHECKING:
    from bromeliad.games.gomoku.game import Gomoku

__all__ = ["game_options", "gomoku", "make_game"]

_COMMANDS = {
    "play": ("bromeliad.cli.gomoku_play:play", "Play a game in the terminal."),
    "solve": ("bromeliad.cli.gomoku_solve:solve", "Find forced wins, or the best move."),
    "match": ("bromeliad.cli.gomoku_match:match", "Let engines play each other."),
    "train": ("bromeliad.cli.gomoku_train:train", "Learn what shapes are worth by self-play."),
}

gomoku = Group("gomoku", lazy=_COMMANDS, help="Gomoku: play, solve positions, let engines play each other, learn.")


def game_options(function: Any) -> Any:
    """Decorate a command with the options that say which game is played."""
    for add in (
        option(
            "--model",
            default="default",
            show_default=True,
            metavar="NAME|FILE",
            help="What shapes are worth: default, plain, seed or a file.",
        ),
        option(
            "--rule",
            type=click.Choice(("freestyle", "exact", "renju", "caro")),
            default="freestyle",
            show_default=True,
            help="Which rows win, and what black may not do.",
        ),
        option("--size", type=int, default=15, show_default=True, help="Rows and columns, 5 to 20."),
    ):
        function = add(function)
    return function


def make_game(size: int, rule: str, model: str) -> "Gomoku":
    """Make kernels ready and return the game."""
    from bromeliad.cli.compile_notice import prepare
    from bromeliad.games.gomoku.game import Gomoku
    from bromeliad.games.gomoku.model import named_model
    from bromeliad.games.gomoku.proof import threats  # registers its kernels

    prepare(threats.KERNELS)
    return Gomoku(size, rule, named_model(model))
