"""``bromeliad GAME``: the commands of every game that the registry knows, with options made of its models."""

from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import click

from bromeliad.cli.base import Group, option

if TYPE_CHECKING:
    from pydantic import BaseModel


_SOLVE, _PLAY, _MATCH = (f"bromeliad.cli.game_{command}:make" for command in ("solve", "play", "match"))
"""Functions that make a command of a game."""

_COMMANDS = {
    "play": (_PLAY, "Play a game in the terminal."),
    "solve": (_SOLVE, "Find the best move of a position."),
    "match": (_MATCH, "Let strategies play each other."),
}
"""What a game has if nothing else is said."""

_OWN_COMMANDS = {
    "ofc": {
        "solve": ("bromeliad.cli.solve:solve", "Say what to do with these cards and what every alternative costs."),
        "play": ("bromeliad.cli.play:play", "Play against the AI in the terminal."),
        "match": ("bromeliad.cli.match:match", "Let strategies play against each other and say who is better."),
    },
    "gomoku": {
        "solve": (_SOLVE, "Find forced wins, or the best move."),
        "match": (_MATCH, "Let engines play each other."),
        "train": ("bromeliad.cli.gomoku_train:train", "Learn what shapes are worth by self-play."),
    },
    "sequence": {
        "solve": (_SOLVE, "Find the best move by what one seat knows."),
    },
}
"""What games of this package have in its place, or besides."""

_SUMMARIES = {
    "ofc": "Open-face Chinese poker, which is meant where no game is named: solve, play, match.",
    "gomoku": "Gomoku: play, solve positions, let engines play each other, learn.",
    "sequence": "Sequence: play, solve positions, let strategies play each other.",
}
_OTHER = "A game of another package: play, solve positions, let strategies play each other."


def summary_of(name: str) -> str:
    """Return what a game is, in a few words."""
    return _SUMMARIES.get(name, _OTHER)


class _GameGroup(Group):
    """The commands of one game."""

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command of its own, or one that is made of the game."""
        found: Any = super().get_command(ctx, name)
        if found is None or isinstance(found, click.Command):
            return found
        from bromeliad import registry

        made: click.Command = found(registry.playable(self.name or ""))
        return made


def game_group(name: str) -> Group:
    """Return the commands of a game."""
    return _GameGroup(name, lazy=_COMMANDS | _OWN_COMMANDS.get(name, {}), help=summary_of(name))


# --- options ----------------------------------------------------------------------------------------------------------


def with_options(function: Any, model: "type[BaseModel]", *without: str, **defaults: Any) -> Any:
    """Decorate a command with an option for each field of a model; ``defaults`` are shown in place of the model's."""
    from bromeliad.core.playable import DEFAULT_TIME

    for name, field in reversed(model.model_fields.items()):
        if name in without:
            continue
        default = DEFAULT_TIME if name == "time" else defaults.get(name, field.default)
        add = option(
            f"--{name.replace('_', '-')}",
            help=field.description or "",
            metavar=field.title,
            default=default,
            show_default=default is not False and default not in (None, ""),
            **_kind(field.annotation),
        )
        function = add(function)
    return function


def _kind(annotation: Any) -> dict[str, Any]:
    """Return how click reads a field of this type; the model checks ranges."""
    (kind,) = (
        [part for part in get_args(annotation) if part is not NoneType] if _is_optional(annotation) else [annotation]
    )
    if get_origin(kind) is Literal:
        return {"type": click.Choice(get_args(kind))}
    if kind is bool:
        return {"is_flag": True}
    return {"type": kind if kind in (int, float) else str}


def _is_optional(annotation: Any) -> bool:
    return get_origin(annotation) is not Literal and NoneType in get_args(annotation)


def given(*names: str) -> dict[str, Any]:
    """Return the options of this call that were typed, of these names or of all; simulations count before time."""
    ctx = click.get_current_context()
    typed = {
        name: value
        for name, value in ctx.params.items()
        if ctx.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE and name in (names or ctx.params)
    }
    if "simulations" in typed:
        typed.pop("time", None)
    return typed
