"""Click in three languages: commands and options whose help is translated when it is shown."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from bromeliad.core.files import reading
from bromeliad.errors import InputError
from bromeliad.i18n import tr

NUMBER = click.IntRange(min=1, max=2**31 - 1)
"""The number of a game or a hand in the store."""


_WIDE = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_CLOSING = "，。、；：！？）」』】"
_OPENING = "（「『【"
# A word; or one wide character with the punctuation that may not be parted from it.
_PIECE = re.compile(rf"\s+|[{_OPENING}]*(?:[{_WIDE}]|[^\s{_WIDE}]+)[{_CLOSING}]*")


def _cells(text: str) -> int:
    """Return how many columns a text takes in a terminal."""
    from rich.cells import cell_len  # only where help is shown: commands that answer need not load it

    return cell_len(text)


def _wrap(text: str, width: int) -> list[str]:
    """Break a text into lines of at most ``width`` columns, unless one word alone is wider.

    A Chinese character takes two columns, and needs no space before or after it.
    """
    lines = [""]
    for piece in _PIECE.findall(text):
        space = piece.isspace()
        if lines[-1] and _cells(lines[-1]) + _cells(piece) > width and not space:
            lines.append("")
        if lines[-1] or not space:
            lines[-1] += " " if space else piece
    return [line.rstrip() for line in lines]


class _Formatter(click.HelpFormatter):
    """Writes click's own headings in the reader's language."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, args, prefix or tr("Usage:") + " ")

    def write_text(self, text: str) -> None:
        for line in _wrap(text, self.width - self.current_indent):
            self.write(f"{'':{self.current_indent}}{line}\n")

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        rows = list(rows)
        first = min(max(_cells(name) for name, _ in rows), col_max)
        indent = self.current_indent + first + col_spacing
        for name, text in rows:
            head, *rest = _wrap(text, self.width - indent)
            gap = first - _cells(name)
            self.write(f"{'':{self.current_indent}}{name}")
            self.write(f"{'':{gap + col_spacing}}{head}\n" if gap >= 0 else f"\n{'':{indent}}{head}\n")
            for line in rest:
                self.write(f"{'':{indent}}{line}\n")

    @contextmanager
    def section(self, name: str) -> Iterator[None]:
        with super().section(tr(name)):
            yield


class _Context(click.Context):
    formatter_class = _Formatter


class Option(click.Option):
    """An option whose help text is translated when it is shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the names of the option and its help in the reader's language."""
        extra = self.get_help_extra(ctx)
        default = "  " + tr("[default: {value}]", value=extra["default"]) if "default" in extra else ""
        return self._names(ctx), tr(self.help or "") + default

    def _names(self, ctx: click.Context) -> str:
        names = ", ".join(self.opts)
        return names if self.is_flag else f"{names} {self.make_metavar(ctx=ctx)}"


class Command(click.Command):
    """A command whose help text is translated when it is shown."""

    context_class = _Context

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, and say in the reader's language what is too much."""
        ctx.allow_extra_args = True
        try:
            rest = super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise
        if rest and not self.allow_extra_args:
            message = tr("not expected here: {arguments} (put quotes around cards)", arguments=" ".join(rest))
            raise click.UsageError(message, ctx)
        return rest

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help text in the reader's language."""
        if self.help:
            for paragraph in tr(self.help).split("\n\n"):
                formatter.write_paragraph()
                with formatter.indentation():
                    formatter.write_text(" ".join(paragraph.split()))

    def get_short_help_str(self, limit: int = 45) -> str:
        """Return the first sentence of the help in the reader's language."""
        return tr(self.short_help or "")

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return ``--help``, described in the reader's language."""
        found = super().get_help_option(ctx)
        if found is not None:
            found.help = tr("Show this message and exit.")
        return found


@click.pass_context
def _help_if_alone(ctx: click.Context) -> None:
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


class Group(Command, click.Group):
    """A group whose commands are modules, imported when one of them is called."""

    def __init__(self, *args: Any, lazy: dict[str, tuple[str, str]] | None = None, **kwargs: Any) -> None:
        kwargs |= {
            "invoke_without_command": True,
            "callback": _help_if_alone,
            "subcommand_metavar": "COMMAND [ARGS]...",
        }
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

    def summaries(self, ctx: click.Context) -> list[tuple[str, str]]:
        """Return what each command does in a few words, without importing the lazy ones."""
        rows = [(name, tr(summary)) for name, (_, summary) in self.lazy.items()]
        for name in super().list_commands(ctx):
            found = super().get_command(ctx, name)
            rows.append((name, found.get_short_help_str() if found else ""))
        return rows

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands."""
        with formatter.section("Commands"):
            formatter.write_dl(self.summaries(ctx))


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


def stored_number(text: str) -> int:
    """Return the number of a game or a hand that an argument gives, or raise InputError."""
    try:
        return int(NUMBER.convert(text, None, None))  # type: ignore[arg-type]
    except click.BadParameter:
        raise InputError("{name} must be {kind}", name=text[:40], kind=_kind(NUMBER)) from None


def objective_options(function: Any) -> Any:
    """Decorate a command with the rules, and with what a foul costs and fantasyland is worth if not as they say."""
    rules = option(
        "--rules", metavar="NAME|FILE", default="pineapple", show_default=True, help="A preset or a rule file."
    )
    cost = option("--foul-cost", type=float, help="What a foul costs under solo; by default as the rule set says.")
    worth = option(
        "--fantasyland-worth",
        metavar="14=8,15=...",
        help="Worth of fantasyland by its number of cards; by default as the rule set says.",
    )
    return rules(cost(worth(function)))


def input_lines(path: str) -> Iterator[bytes]:
    """Yield the lines of a file that are not empty; ``-`` is standard input."""
    with reading(path), click.open_file(path, "rb") as file:
        yield from (line for line in file if line.strip())


def parse_json(line: bytes) -> Any:
    """Return what a line of JSON says."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise InputError("not JSON: {line}", line=line[:60].decode("utf-8", "replace").strip()) from None


def one_line(text: str) -> str:
    """Return a message with a space for whatever would break its line: it may quote what was typed."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def usage_message(error: click.UsageError) -> str:
    """Return what click has to say about a wrong call in the reader's language."""
    match error:
        case click.NoSuchOption(option_name=name, possibilities=near):
            hint = " " + tr("Did you mean {names}?", names=", ".join(near)) if near else ""
            return tr("there is no option {name}.", name=name) + hint
        case click.BadOptionUsage(option_name=name):
            flags = error.ctx.command.params if error.ctx else ()
            is_flag = any(name in param.opts and getattr(param, "is_flag", False) for param in flags)
            return tr("{name} takes no value", name=name) if is_flag else tr("{name} needs a value", name=name)
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


def _kind(kind: click.ParamType[Any]) -> str:
    """Say in words what a parameter of this type may be."""
    match kind:
        case click.Choice(choices=choices):
            return tr("one of {choices}", choices=", ".join(map(str, choices)))
        case click.IntRange(min=least, max=most) if most is not None:
            return tr("a whole number from {least} to {most}", least=least, most=most)
        case click.IntRange(min=least) if least is not None:
            return tr("a whole number from {least} up", least=least)
        case click.types.IntParamType():
            return tr("a whole number")
        case click.types.FloatParamType():
            return tr("a number")
        case _:
            return kind.name  # no other type is in use


def _parameter_name(param: click.Parameter | None) -> str:
    names: Sequence[str] = param.opts if param else ()
    return names[0] if names and isinstance(param, click.Option) else (param.human_readable_name if param else "")
