"""The entry point ``bromeliad``: picks the language, finds the command, turns errors into one line and an exit code."""

import os
import sys
from io import TextIOWrapper
from typing import Any, NoReturn

import click

from bromeliad import __version__
from bromeliad.cli.base import Group, Option, one_line, usage_message
from bromeliad.errors import BromeliadError, InputError
from bromeliad.i18n import LANGUAGES, detect_language, tr, use_language

__all__ = ["EXIT_FAILURE", "EXIT_INTERRUPTED", "EXIT_USAGE", "cli", "main", "run"]

EXIT_FAILURE = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130

_COMMANDS = {
    "solve": ("bromeliad.cli.solve:solve", "Say what to do with these cards and what every alternative costs."),
    "score": ("bromeliad.cli.score:score", "Score finished boards and settle them against each other."),
    "rules": ("bromeliad.cli.rules:rules", "List, show and check rule sets; solve what fantasyland is worth."),
    "match": ("bromeliad.cli.match:match", "Let strategies play against each other and say who is better."),
    "play": ("bromeliad.cli.play:play", "Play against the AI in the terminal."),
    "hands": ("bromeliad.cli.hands:hands", "Show and check hand histories."),
    "gomoku": ("bromeliad.cli.gomoku:gomoku", "Gomoku: play, solve positions, let engines play each other, learn."),
    "sequence": ("bromeliad.cli.sequence:sequence", "Sequence: play, solve positions, let strategies play each other."),
    "warmup": ("bromeliad.cli.warmup:warmup", "Compile every kernel now, so that no later command has to."),
    "train": ("bromeliad.cli.train:train", "Learn the value of unfinished boards for a rule set."),
    "bench": ("bromeliad.cli.bench:bench", "Measure speed, side by side with other libraries."),
}


def _set_language(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    use_language(value or detect_language(os.environ))


def _show_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        click.echo(f"bromeliad {__version__}")
        ctx.exit()


cli = Group(
    "bromeliad",
    lazy=_COMMANDS,
    help="Open-face Chinese poker: what to do with these cards, what every alternative costs, and how sure it is.",
    params=[
        Option(
            ["--lang"],
            type=click.Choice(LANGUAGES),
            is_eager=True,
            expose_value=False,
            callback=_set_language,
            help="Language of all messages; by default that of the locale.",
        ),
        Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_version,
            help="Show the version and exit.",
        ),
    ],
)


def _language_anywhere(args: list[str]) -> list[str]:
    """Move ``--lang X`` to the front, so that it may stand behind the command too."""
    for i, arg in enumerate(args):
        if arg == "--lang" and i + 1 < len(args):
            return ["--lang", args[i + 1], *args[:i], *args[i + 2 :]]
        if arg.startswith("--lang="):
            return [arg, *args[:i], *args[i + 1 :]]
    return args


def main(args: list[str]) -> int:
    """Run the command line with these arguments; return the exit code."""
    use_language(detect_language(os.environ))
    try:
        result: Any = cli.main(_language_anywhere(args), prog_name="bromeliad", standalone_mode=False)
    except click.UsageError as error:
        return _fail(usage_message(error), EXIT_USAGE)
    except click.ClickException as error:
        return _fail(error.format_message(), EXIT_USAGE)
    except click.exceptions.Exit as error:
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _fail(tr("interrupted"), EXIT_INTERRUPTED)
    except BromeliadError as error:
        return _fail(error.render(tr), EXIT_USAGE if isinstance(error, InputError) else EXIT_FAILURE)
    except SystemExit:  # how click and rich end when the reader of a pipe has gone
        return EXIT_FAILURE
    except OSError as error:
        return _fail(tr("{path}: {problem}", path=error.filename or "-", problem=error.strerror), EXIT_FAILURE)
    return result if isinstance(result, int) else 0


def _fail(message: str, code: int) -> int:
    click.echo(f"bromeliad: {one_line(message)}", err=True)
    return code


def run() -> NoReturn:
    """Run the command line of this process."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that cannot show ♠ gets a ? for it
            stream.reconfigure(errors="replace")
    sys.exit(main(sys.argv[1:]))
