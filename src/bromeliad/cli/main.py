"""The entry point ``bromeliad``: picks the language, runs the command, turns errors into one line and an exit code."""

import os
import sys
from io import TextIOWrapper
from typing import Any

import click

from bromeliad import __version__
from bromeliad.cli.base import EXIT_FAILURE, EXIT_INTERRUPTED, EXIT_USAGE, Group, Option, complain, usage_message
from bromeliad.cli.games import OFC_COMMANDS, game_group, summary_of
from bromeliad.errors import BromeliadError, InputError
from bromeliad.i18n import LANGUAGES, detect_language, tr, use_language

_BOARD = "Qd / 9c 9s 4h / As Ac Ad 7h 7d"  # for an example

_COMMANDS = {
    "solve": OFC_COMMANDS["solve"],
    "book": ("bromeliad.cli.book:book", "Build, check and read the opening book."),
    "score": ("bromeliad.cli.score:score", "Score finished boards and settle them against each other."),
    "rules": ("bromeliad.cli.rules:rules", "List, show and check rule sets; compute the worth of fantasyland."),
    "match": OFC_COMMANDS["match"],
    "engine": ("bromeliad.cli.engine:engine", "Speak the engine protocol: play for other programs, line by line."),
    "play": OFC_COMMANDS["play"],
    "review": ("bromeliad.cli.review:review", "Review played hands: what each decision lost and what was better."),
    "report": ("bromeliad.cli.report:report", "Report on played hands: results, patterns, trends and anomalies."),
    "model": ("bromeliad.cli.model:model", "Model a player from recorded hands, for use against that player."),
    "hands": (
        "bromeliad.cli.hands:hands",
        "Show and check hand histories; import them into the store and export them.",
    ),
    "store": ("bromeliad.cli.store:store", "Show what the store holds and how often it had the answer."),
    "serve": ("bromeliad.cli.serve:serve", "Serve the web page and the HTTP API."),
    "doctor": ("bromeliad.cli.doctor:doctor", "Check the installation."),
    "completion": ("bromeliad.cli.completion:completion", "Print a script for completion by the Tab key."),
    "warmup": ("bromeliad.cli.warmup:warmup", "Compile every kernel now, so that no later command has to."),
    "train": ("bromeliad.cli.train:train", "Train the evaluation of unfinished boards for a rule set."),
    "bench": ("bromeliad.cli.bench:bench", "Measure speed and strength, side by side with other libraries."),
}


def _set_language(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    use_language(value or detect_language(os.environ))


def _show_logs(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    kind = value or os.environ.get("BROMELIAD_LOG") or None
    if kind is not None or "bromeliad.logs" in sys.modules:
        from bromeliad.logs import KINDS, show_logs

        if kind not in (None, *KINDS):
            raise InputError("BROMELIAD_LOG must be one of {choices}", choices=", ".join(KINDS))
        show_logs(kind)


def _show_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        click.echo(f"bromeliad {__version__}")
        ctx.exit()


class _Bromeliad(Group):
    """The top level: the commands above, and a group for every registered game."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return [*super().list_commands(ctx), *self._games()]

    def summaries(self, ctx: click.Context) -> list[tuple[str, str]]:
        """Return one line about each command and each game."""
        return [*super().summaries(ctx), *((name, tr(summary_of(name))) for name in self._games())]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command, importing its module, or the group of a game; None if there is neither."""
        if name in self.lazy:
            return super().get_command(ctx, name)
        return game_group(name) if name in self._games() else None

    def _games(self) -> list[str]:
        """Return the names of the registered games; a game cannot replace a command of the same name."""
        from bromeliad import registry

        return [name for name in registry.names() if name not in self.lazy]


@click.pass_context
def _welcome(ctx: click.Context) -> None:
    """Print examples and the next steps if no command is given."""
    if ctx.invoked_subcommand is not None:
        return
    examples = {
        'bromeliad solve --cards "As Ah Kd 7c 2s"': tr("a first deal, from the opening book"),
        f'bromeliad solve --cards "Kc 9d 3s" --board "{_BOARD}"': tr("street 4, every future deal counted"),
        "bromeliad play": tr("a game against the AI in the terminal"),
    }
    click.echo(tr(cli.help or ""))
    click.echo()
    for line, text in examples.items():
        click.echo(f"  {line}\n      {text}")
    click.echo()
    click.echo(tr("`bromeliad serve` opens a page with all of this in your browser."))
    click.echo(tr("`bromeliad --help` lists every command, `bromeliad doctor` checks the installation."))


cli = _Bromeliad(
    "bromeliad",
    lazy=_COMMANDS,
    help="A solver for open-face Chinese poker: the best placement, the cost of every other one, and how"
    " certain both are.",
    params=[
        Option(
            ["--lang"],
            type=click.Choice(LANGUAGES),
            is_eager=True,
            expose_value=False,
            callback=_set_language,
            help="Language of all messages; by default the language of the locale.",
        ),
        Option(
            ["--log"],
            type=click.Choice(("text", "json")),
            expose_value=False,
            callback=_show_logs,
            help="Log to standard error: lines of text for people, or one JSON object per line for programs.",
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
cli.callback = _welcome


def _globals_anywhere(args: list[str]) -> list[str]:
    """Move ``--lang X`` and ``--log X`` to the front, so that they may also follow the command."""
    front, rest = [], list(args)
    for name in ("--lang", "--log"):
        for i, arg in enumerate(rest):
            if arg == name and i + 1 < len(rest):
                front += rest[i : i + 2]
                del rest[i : i + 2]
                break
            if arg.startswith(f"{name}="):
                front.append(rest.pop(i))
                break
    return [*front, *rest]


def main(args: list[str]) -> int:
    """Run the command line with these arguments; return the exit code."""
    use_language(detect_language(os.environ))
    try:
        result: Any = cli.main(_globals_anywhere(args), prog_name="bromeliad", standalone_mode=False)
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
    except SystemExit:  # raised by click and rich when the reader of a pipe has gone
        return EXIT_FAILURE
    except OSError as error:
        return _fail(tr("{path}: {problem}", path=error.filename or "-", problem=error.strerror), EXIT_FAILURE)
    return result if isinstance(result, int) else 0


def _fail(message: str, code: int) -> int:
    complain(message)
    return code


def run() -> int:
    """Run the command line of this process; return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that cannot show ♠ gets a ? instead
            stream.reconfigure(errors="replace")
    return main(sys.argv[1:])
