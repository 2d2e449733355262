"""``bromeliad GAME``: the commands of every registered game, with options made from its models."""

from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import click

from bromeliad.cli.base import Group, option

if TYPE_CHECKING:
    from pydantic import BaseModel


_SOLVE, _PLAY, _MATCH = (f"bromeliad.cli.game_{command}:make" for command in ("solve", "play", "match"))
"""Functions that make a command for any game."""

_COMMANDS = {
    "play": (_PLAY, "Play a game in the terminal."),
    "solve": (_SOLVE, "Find the best move in a position."),
    "match": (_MATCH, "Play strategies against each other."),
}
"""The default commands of a game."""

OFC_COMMANDS = {
    "solve": ("bromeliad.cli.solve:solve", "Find the best placement and the cost of every other one."),
    "play": ("bromeliad.cli.play:play", "Play against the AI in the terminal."),
    "match": ("bromeliad.cli.match:match", "Play strategies against each other and report which is better."),
}
"""The commands of the default game, which need no name of a game before them."""

_OWN_COMMANDS = {
    "ofc": OFC_COMMANDS,
    "gomoku": {
        "solve": (_SOLVE, "Find forced wins, or the best move."),
        "match": (_MATCH, "Play engines against each other."),
        "train": ("bromeliad.cli.gomoku_train:train", "Train the model by self-play."),
    },
    "sequence": {
        "solve": (_SOLVE, "Find the best move for a seat, from what it knows."),
    },
}
"""Commands of this package's games that replace the default ones or add to them."""

_SUMMARIES = {
    "ofc": "Open-face Chinese poker, the default game: solve, play, match.",
    "gomoku": "Gomoku: play, solve positions, play engines against each other, train.",
    "sequence": "Sequence: play, solve positions, play strategies against each other.",
}
_OTHER = "A game of another package: play, solve positions, play strategies against each other."


def summary_of(name: str) -> str:
    """Return one line about a game."""
    return _SUMMARIES.get(name, _OTHER)


class _GameGroup(Group):
    """The commands of one game."""

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command; a default one is made for the game."""
        found: Any = super().get_command(ctx, name)
        if found is None or isinstance(found, click.Command):
            return found
        from bromeliad import registry

        made: click.Command = found(registry.playable(self.name or ""))
        return made


def game_group(name: str) -> Group:
    """Return the command group of a game."""
    return _GameGroup(name, lazy=_COMMANDS | _OWN_COMMANDS.get(name, {}), help=summary_of(name))


def with_options(function: Any, model: "type[BaseModel]", *without: str, **defaults: Any) -> Any:
    """Decorate a command with an option per field of a model, except ``without``; ``defaults`` replace the model's."""
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
    """Return the arguments of a click option for a field of this type; the model checks ranges."""
    kind = annotation
    if get_origin(annotation) is not Literal and NoneType in get_args(annotation):
        (kind,) = (part for part in get_args(annotation) if part is not NoneType)
    if get_origin(kind) is Literal:
        return {"type": click.Choice(get_args(kind))}
    if kind is bool:
        return {"is_flag": True}
    return {"type": kind if kind in (int, float) else str}


def given(*names: str) -> dict[str, Any]:
    """Return the options that the user typed, all or only those in ``names``; simulations override time."""
    ctx = click.get_current_context()
    typed = {
        name: value
        for name, value in ctx.params.items()
        if ctx.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE and name in (names or ctx.params)
    }
    if "simulations" in typed:
        typed.pop("time", None)
    return typed
