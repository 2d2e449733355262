"""``bromeliad sequence``: its commands."""

from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import Group, option
from bromeliad.errors import InputError

if TYPE_CHECKING:
    from bromeliad.core.budget import Budget
    from bromeliad.games.sequence.game import Sequence

__all__ = ["game_options", "make_budget", "make_game", "sequence"]

_COMMANDS = {
    "play": ("bromeliad.cli.sequence_play:play", "Play a game in the terminal."),
    "solve": ("bromeliad.cli.sequence_solve:solve", "Find the best move by what one seat knows."),
    "match": ("bromeliad.cli.sequence_match:match", "Let strategies play each other."),
}

sequence = Group("sequence", lazy=_COMMANDS, help="Sequence: play, solve positions, let strategies play each other.")


def game_options(function: Any) -> Any:
    """Decorate a command with the options that say which game is played, and how long is thought."""
    for add in (
        option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of all randomness."),
        option("--simulations", type=click.IntRange(min=1), help="Count simulations instead of time: reproducible."),
        option("--time", "seconds", type=float, default=1.0, show_default=True, help="Seconds a turn."),
        option("--teams", type=int, help="Teams, 2 or 3; by default 2 if the players can make them."),
        option("--players", type=int, default=2, show_default=True, help="Players: 2, 3, 4, 6, 8, 9, 10 or 12."),
        option(
            "--rules",
            type=click.Choice(("course", "official")),
            default="course",
            show_default=True,
            help="The course variant with a draft, or the official rules.",
        ),
    ):
        function = add(function)
    return function


def make_game(rules: str, players: int, teams: int | None) -> "Sequence":
    """Make kernels ready and return the game."""
    from bromeliad.cli.compile_notice import prepare
    from bromeliad.games.sequence.game import Sequence
    from bromeliad.games.sequence.rules import rules_named

    chosen = rules_named(rules, players, teams)
    prepare(("bromeliad.games.sequence.game",))
    return Sequence(chosen)


def make_budget(seconds: float, simulations: int | None) -> "Budget":
    """Return what a turn may cost."""
    from bromeliad.core.budget import Budget

    if not 0.0 < seconds <= 3600.0:
        raise InputError("--time must be more than 0 seconds and at most an hour")
    return Budget(None, simulations) if simulations else Budget(seconds)
