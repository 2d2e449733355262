"""Click in three languages: commands and options whose help is translated when it is shown."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from bromeliad.i18n import tr

__all__ = ["Command", "Group", "argument", "command", "json_option", "option"]


class _Formatter(click.HelpFormatter):
    """Writes click's own headings in the reader's language."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, args, prefix or tr("Usage:") + " ")

    @contextmanager
    def section(self, name: str) -> Iterator[None]:
        with super().section(tr(name)):
            yield


class _Context(click.Context):
    formatter_class = _Formatter


class Option(click.Option):
    """An option whose help text is translated when it is shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        english, self.help = self.help, tr(self.help or "")
        try:
            return super().get_help_record(ctx)
        finally:
            self.help = english


class Command(click.Command):
    """A command whose help text is translated when it is shown."""

    context_class = _Context

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help text in the reader's language."""
        if self.help:
            formatter.write_paragraph()
            with formatter.indentation():
                for paragraph in tr(self.help).split("\n\n"):
                    formatter.write_text(" ".join(paragraph.split()))
                    formatter.write_paragraph()

    def get_short_help_str(self, limit: int = 45) -> str:
        """Return the first sentence of the help in the reader's language."""
        return tr(self.short_help or "")

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return ``--help``, described in the reader's language."""
        found = super().get_help_option(ctx)
        if found is not None:
            found.help = tr("Show this message and exit.")
        return found


class Group(Command, click.Group):
    """A group whose commands are modules, imported when one of them is called."""

    def __init__(self, *args: Any, lazy: dict[str, tuple[str, str]] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lazy = lazy or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return [*self.lazy, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command, importing its module."""
        if name in self.lazy:
            module, _, attribute = self.lazy[name][0].partition(":")
            return getattr(import_module(module), attribute)  # type: ignore[no-any-return]
        return super().get_command(ctx, name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing the lazy ones."""
        rows = [(name, tr(summary)) for name, (_, summary) in self.lazy.items()]
        for name in super().list_commands(ctx):
            found = super().get_command(ctx, name)
            rows.append((name, found.get_short_help_str() if found else ""))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def command(name: str, help: str, short_help: str = "") -> Callable[[Callable[..., Any]], Command]:
    """Decorate a function as a command."""
    return click.command(name, cls=Command, help=help, short_help=short_help)


def option(*names: str, help: str, **kwargs: Any) -> Callable[[Any], Any]:
    """Decorate a command with an option."""
    return click.option(*names, cls=Option, help=help, **kwargs)


def argument(name: str, **kwargs: Any) -> Callable[[Any], Any]:
    """Decorate a command with an argument."""
    return click.argument(name, **kwargs)


def json_option(function: Any) -> Any:
    """Decorate a command that prints a result with ``--json``."""
    return option("--json", "as_json", is_flag=True, help="Print the result as JSON.")(function)


def usage_message(error: click.UsageError) -> str:
    """Return what click has to say about a wrong call in the reader's language."""
    match error:
        case click.NoSuchOption(option_name=name, possibilities=near):
            hint = " " + tr("Did you mean {names}?", names=", ".join(near)) if near else ""
            return tr("there is no option {name}.", name=name) + hint
        case click.MissingParameter(param=param):
            return tr("{name} is missing.", name=_parameter_name(param))
        case click.NoSuchCommand(command_name=name):
            names = (
                error.ctx.command.list_commands(error.ctx) if error.ctx and isinstance(error.ctx.command, Group) else []
            )
            return tr("there is no command {name}; commands: {names}", name=name, names=", ".join(names))
        case click.BadParameter(param=param) if param is not None:
            return tr("{name} must be {kind}", name=_parameter_name(param), kind=_kind(param.type))
        case _:
            return error.format_message()


def _kind(kind: click.ParamType) -> str:
    """Say in words what a parameter of this type may be."""
    match kind:
        case click.Choice(choices=choices):
            return tr("one of {choices}", choices=", ".join(map(str, choices)))
        case click.IntRange(min=least) if least is not None:
            return tr("a whole number from {least} up", least=least)
        case click.types.IntParamType():
            return tr("a whole number")
        case click.types.FloatParamType():
            return tr("a number")
        case _:
            return kind.name


def _parameter_name(param: click.Parameter | None) -> str:
    names: Sequence[str] = param.opts if param else ()
    return names[0] if names and isinstance(param, click.Option) else (param.human_readable_name if param else "")
