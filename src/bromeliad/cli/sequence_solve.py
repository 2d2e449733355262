"""``bromeliad sequence solve``."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import command, json_option, option
from bromeliad.cli.sequence import game_options, make_budget, make_game
from bromeliad.errors import InputError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.games.sequence.game import Sequence
    from bromeliad.games.sequence.state import SequenceState

__all__ = ["solve"]


@command(
    "solve",
    help="""Find the best move by what one seat knows: its hand, the board, the face-up cards and what others took.

    A position is JSON with board (ten rows of ten letters: r b g chips, R B G in sequences, # corners, _ empty), seat,
    hand, and if they matter draft, discards, known (cards that a seat was seen to take), sequences, traded. With --deal
    the first turn of a deal is solved; --show prints a position.""",
)
@option("--position", metavar="JSON|FILE|-", help="The position: JSON, a file of it, or - for standard input.")
@option("--deal", type=click.IntRange(min=0), help="Instead of a position: the first turn of this deal.")
@option("--show", is_flag=True, help="Print the position as JSON, and do not solve it.")
@game_options
@json_option
def solve(position: str | None, deal: int | None, show: bool, as_json: bool, **options: Any) -> None:
    """Solve one position."""
    if (position is None) == (deal is None):
        raise InputError("give --position or --deal, one of them")
    budget = make_budget(options["seconds"], options["simulations"])
    data = None if position is None else _read(position)
    game = make_game(options["rules"], options["players"], options["teams"])
    from bromeliad.cli.progress import progress_bar
    from bromeliad.games.sequence.evaluators import Evaluators
    from bromeliad.games.sequence.player import Player
    from bromeliad.games.sequence.report import answer_data
    from bromeliad.search import Cancel

    state = _state(game, data, deal)
    if show:
        click.echo(_shown(game, state))
        return
    cancel = Cancel()
    with progress_bar() as watch:

        def report(progress: Any) -> None:
            watch.report(progress.fraction)
            if watch.is_cancelled():
                cancel.cancel()

        answer = Player(game, seed=options["seed"]).think(state, budget, on_progress=report, cancel=cancel)
    found = answer_data(game, state, answer, Evaluators())
    click.echo(json.dumps(found) if as_json else _in_words(found))


def _read(text: str) -> object:
    """Return the data of a position from JSON, a file or standard input."""
    if not text.lstrip().startswith(("{", "[")):
        try:
            text = sys.stdin.read() if text == "-" else Path(text).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError("{path}: cannot be read: {problem}", path=text, problem=error) from None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("not JSON: {line}", line=text[:60].strip()) from None


def _state(game: "Sequence", data: object, deal: int | None) -> "SequenceState":
    from bromeliad.games.sequence.position import Position
    from bromeliad.games.sequence.table import SequenceTable

    if deal is not None:
        return SequenceTable(game, deal).state
    return Position.from_data(game.rules, data).to_state(game.new_state())


def _shown(game: "Sequence", state: "SequenceState") -> str:
    from bromeliad.games.sequence.position import Position

    return json.dumps(Position.of(game.rules, state).to_data())


def _in_words(found: dict[str, Any]) -> str:
    lines = [
        tr("Best is {best}, value {value}: {line}", best=" ".join(found["turn"]), value=f"{found['value']:+.3f}",
           line=" ".join(found["line"])),
        tr("{count} simulations in {seconds} s", count=f"{found['simulations']:,}", seconds=f"{found['seconds']:.2f}"),
    ]  # fmt: skip
    for item in found["candidates"]:
        error = "" if item["error"] is None else f" ± {item['error']:.3f}"
        lines.append(f"{item['move']:<8}{item['visits']:>9,}  {item['value']:+.3f}{error}  {item['points']:>7,}")
    return "\n".join(lines)
