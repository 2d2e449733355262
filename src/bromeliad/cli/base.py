"""Click in three languages: commands and options whose help is translated when it is shown."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from bromeliad.core.files import reading
from bromeliad.errors import InputError
from bromeliad.i18n import one_line, tr

EXIT_FAILURE = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130

NUMBER = click.IntRange(min=1, max=2**31 - 1)
"""The type of the number of a game or a hand in the store."""

argument = click.argument

_WIDE = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_CLOSING = "，。、；：！？）」』】"
_OPENING = "（「『【"
# Whitespace, or a word or one wide character with the punctuation that must stay beside it.
_PIECE = re.compile(rf"\s+|[{_OPENING}]*(?:[{_WIDE}]|[^\s{_WIDE}]+)[{_CLOSING}]*")


def _cells(text: str) -> int:
    """Return the width of a text in terminal columns."""
    from rich.cells import cell_len  # imported late: only help needs it

    return cell_len(text)


def _wrap(text: str, width: int) -> list[str]:
    """Break a text into lines of at most ``width`` columns.

    A Chinese character takes two columns; a line may break before each of them.
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
    """Writes click's headings in the reader's language, and wraps text by its width on the terminal."""

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
        """Parse the arguments; report superfluous ones in the reader's language."""
        ctx.allow_extra_args = True
        try:
            rest = super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise
        if rest and not self.allow_extra_args:
            message = tr("not expected here: {arguments} (put quotes around a list)", arguments=" ".join(rest))
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
        """Return one line about the command in the reader's language."""
        return tr(self.short_help or self.help or "")

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
    """A group of commands; those in ``lazy`` (name to "module:function" and summary) are imported when called."""

    command_class = Command

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
        """Return a command, importing its module; None if there is no such command."""
        if name in self.lazy:
            module, _, attribute = self.lazy[name][0].partition(":")
            return getattr(import_module(module), attribute)  # type: ignore[no-any-return]
        return super().get_command(ctx, name)

    def summaries(self, ctx: click.Context) -> list[tuple[str, str]]:
        """Return one line about each command, without importing the lazy ones."""
        rows = [(name, tr(summary)) for name, (_, summary) in self.lazy.items()]
        for name in super().list_commands(ctx):
            found = super().get_command(ctx, name)
            rows.append((name, found.get_short_help_str() if found else ""))
        return rows

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one line about each command."""
        with formatter.section("Commands"):
            formatter.write_dl(self.summaries(ctx))


def command(name: str, help: str) -> Callable[[Callable[..., Any]], Command]:
    """Decorate a function as a command."""
    return click.command(name, cls=Command, help=help)


def option(*names: str, help: str, **kwargs: Any) -> Callable[[Any], Any]:
    """Decorate a command with an option."""
    return click.option(*names, cls=Option, help=help, **kwargs)


json_option = option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


def print_json(data: Any) -> None:
    """Print data as one line of JSON."""
    click.echo(json.dumps(data, ensure_ascii=False))


def complain(text: str) -> None:
    """Print a problem on standard error, as one line."""
    click.echo(f"bromeliad: {one_line(text)}", err=True)


def stored_number(text: str) -> int:
    """Return the number of a game or a hand, or raise InputError."""
    try:
        return int(NUMBER.convert(text, None, None))  # type: ignore[arg-type]
    except click.BadParameter:
        raise InputError("{name} must be {kind}", name=text[:40], kind=_kind(NUMBER)) from None


def input_lines(path: str) -> Iterator[bytes]:
    """Yield the non-empty lines of a file; ``-`` is standard input."""
    with reading(path), click.open_file(path, "rb") as file:
        yield from (line for line in file if line.strip())


def parse_json(line: bytes) -> Any:
    """Return the value of a line of JSON, or raise InputError."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise InputError("not JSON: {line}", line=line[:60].decode("utf-8", "replace").strip()) from None


def file_name(text: str) -> str:
    """Return a text as part of a file name: letters, digits and hyphens stay, others become underscores."""
    return "".join(letter if letter.isalnum() or letter == "-" else "_" for letter in text)


def usage_message(error: click.UsageError) -> str:
    """Return click's error message in the reader's language."""
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
            group = error.ctx.command if error.ctx else None
            names = group.list_commands(error.ctx) if error.ctx and isinstance(group, Group) else []
            return tr("there is no command {name}; commands: {names}", name=name, names=", ".join(names))
        case click.BadParameter(param=param) if param is not None:
            return tr("{name} must be {kind}", name=_parameter_name(param), kind=_kind(param.type))
        case _:
            return error.format_message()


def _kind(kind: click.ParamType[Any]) -> str:
    """Describe the values of a parameter type."""
    match kind:
        case click.Choice(choices=choices):
            return tr("one of {choices}", choices=", ".join(map(str, choices)))
        case click.IntRange(min=least, max=most) if most is not None:
            return tr("a whole number from {least} to {most}", least=least, most=most)
        case click.IntRange(min=least) if least is not None:
            return tr("a whole number from {least} up", least=least)
        case click.FloatRange(min=least, max=most) if most is not None:
            return tr("a number from {least} to {most}", least=least, most=most)
        case click.FloatRange(min=least) if least is not None:
            return tr("a number from {least} up", least=least)
        case click.types.IntParamType():
            return tr("a whole number")
        case click.types.FloatParamType():
            return tr("a number")
        case _:
            return kind.name  # such as click.Path


def _parameter_name(param: click.Parameter | None) -> str:
    if isinstance(param, click.Option):
        return param.opts[0]
    return param.human_readable_name if param else ""
