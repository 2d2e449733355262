"""``bromeliad GAME solve``."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import (
    EXIT_FAILURE,
    EXIT_INTERRUPTED,
    Command,
    command,
    input_lines,
    json_option,
    option,
    parse_json,
    print_json,
)
from bromeliad.cli.compile_notice import prepare
from bromeliad.cli.games import given, with_options
from bromeliad.cli.progress import progress_bar
from bromeliad.core.playable import Context, TurnGame, read_options
from bromeliad.errors import BromeliadError, InputError
from bromeliad.i18n import one_line, tr

if TYPE_CHECKING:
    from bromeliad.core.budget import Cancel


def make(game: TurnGame) -> Command:
    """Return the solve command of a game."""
    is_text = game.request.model_fields["position"].annotation is str

    def solve(position: str | None, positions: str | None, as_json: bool, show: bool = False, **options: Any) -> int:
        options = game.local | given(*options)
        if positions is not None and position is None:
            return _solve_many(game, positions, options)
        if positions is not None or (is_text and position is None):
            raise InputError("give either --position or --positions")
        if position is not None:
            options["position"] = position if is_text else _read_data(position)
        return _solve_one(game, options, show, as_json)

    function: Callable[..., Any] = json_option(solve)
    if not is_text:
        function = option("--show", is_flag=True, help="Print the position as JSON without solving it.")(function)
    function = with_options(function, game.request, "position", **game.local)
    function = option(
        "--positions",
        metavar="FILE",
        help="Solve many positions: one JSON object per line, - for standard input; prints one answer per line.",
    )(function)
    field = game.request.model_fields["position"]
    function = option("--position", metavar=field.title, help=field.description or "")(function)
    return command("solve", help=game.solve_help)(function)


def _solve_one(game: TurnGame, options: dict[str, Any], show: bool, as_json: bool) -> int:
    request = read_options(game.request, options, "--")
    prepare(game.kernels)
    if show:
        print_json(game.show(request))
        return 0
    with progress_bar() as progress:
        answer = game.think(request, Context(lambda done: progress.report(done.fraction), progress.cancel))
    if as_json:
        print_json({"game": game.name} | answer)
    else:
        click.echo(game.in_words(answer))
    return 0


def _solve_many(game: TurnGame, path: str, options: dict[str, Any]) -> int:
    read_options(game.setup, {name: options[name] for name in options if name in game.setup.model_fields}, "--")
    prepare(game.kernels)

    def answer(data: object, cancel: "Cancel") -> None:
        if not isinstance(data, dict):
            raise InputError("a position is a JSON object, like {example}", example='{"position": "", "seed": 1}')
        request = read_options(game.request, options | dict(game.from_line(data)))
        print_json({"game": game.name} | game.think(request, Context(cancel=cancel)))

    return answer_lines(path, answer)


def answer_lines(path: str, answer: Callable[[Any, "Cancel"], None]) -> int:
    """Print the answers to the lines of a file in order; a bad line gets an error instead, and the exit code is 1."""
    failed = False
    total = sum(1 for _ in input_lines(path)) if Path(path).is_file() else 0  # a pipe can be read only once
    with progress_bar() as progress:
        for number, line in enumerate(input_lines(path), start=1):
            try:
                answer(parse_json(line), progress.cancel)
            except BromeliadError as error:
                failed = True
                print_json({"error": one_line(error.render(tr))})
            if total:
                progress.report(number / total)
            if progress.cancel.cancelled:
                return EXIT_INTERRUPTED
    return EXIT_FAILURE if failed else 0


def _read_data(text: str) -> object:
    """Return the data of a position, given as JSON, as the name of a JSON file, or as - for standard input."""
    if not text.lstrip().startswith(("{", "[")):
        try:
            text = sys.stdin.read() if text == "-" else Path(text).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError("{path}: cannot be read: {problem}", path=text, problem=error) from None
    return parse_json(text.encode("utf-8", "replace"))
