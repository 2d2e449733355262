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

EXIT_FAILURE = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130

_COMMANDS = {
    "solve": ("bromeliad.cli.solve:solve", "Say what to do with these cards and what every alternative costs."),
    "book": ("bromeliad.cli.book:book", "The opening book: build it, check it, look first deals up."),
    "score": ("bromeliad.cli.score:score", "Score finished boards and settle them against each other."),
    "rules": ("bromeliad.cli.rules:rules", "List, show and check rule sets; solve what fantasyland is worth."),
    "match": ("bromeliad.cli.match:match", "Let strategies play against each other and say who is better."),
    "play": ("bromeliad.cli.play:play", "Play against the AI in the terminal."),
    "review": ("bromeliad.cli.review:review", "Say what every decision of some hands lost, and what was better."),
    "report": ("bromeliad.cli.report:report", "Say what hands tell about their players, and what is wrong with them."),
    "model": ("bromeliad.cli.model:model", "Say how a player plays, by recorded hands, for use against that player."),
    "hands": ("bromeliad.cli.hands:hands", "Show and check hand histories; read them into the store and write them."),
    "store": ("bromeliad.cli.store:store", "Say what is kept in the store, and how often it knew the answer."),
    "serve": ("bromeliad.cli.serve:serve", "Serve the page and the HTTP API."),
    "warmup": ("bromeliad.cli.warmup:warmup", "Compile every kernel now, so that no later command has to."),
    "train": ("bromeliad.cli.train:train", "Learn the value of unfinished boards for a rule set."),
    "bench": ("bromeliad.cli.bench:bench", "Measure speed, side by side with other libraries."),
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
    """All commands: those of one's own, and one for each game of the registry."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        from bromeliad import registry

        return [*super().list_commands(ctx), *registry.names()]

    def summaries(self, ctx: click.Context) -> list[tuple[str, str]]:
        """Return what each command and each game is."""
        from bromeliad import registry
        from bromeliad.cli.games import summary_of

        return [*super().summaries(ctx), *((name, tr(summary_of(name))) for name in registry.names())]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command, importing its module."""
        if name in self.lazy:
            return super().get_command(ctx, name)
        from bromeliad import registry
        from bromeliad.cli.games import game_group

        return game_group(name) if name in registry.names() else None


cli = _Bromeliad(
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
            ["--log"],
            type=click.Choice(("text", "json")),
            expose_value=False,
            callback=_show_logs,
            help="Tell on standard error what happens: in lines for people, or a JSON object a line for programs.",
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


def _globals_anywhere(args: list[str]) -> list[str]:
    """Move ``--lang X`` and ``--log X`` to the front, so that they may stand behind the command too."""
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
