"""``bromeliad play``."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING

import click

from bromeliad.cli.base import EXIT_INTERRUPTED, command, option
from bromeliad.cli.cached import open_or_warn, warn
from bromeliad.cli.options import no_store_option, rules_option, store_option
from bromeliad.errors import InputError, StoreError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from rich.console import Console

    from bromeliad.cli.human_player import HumanPlayer
    from bromeliad.games.ofc.play.dealer import Dealer, Turn
    from bromeliad.games.ofc.play.history import HistoryWriter
    from bromeliad.games.ofc.play.table import Table, TableHand
    from bromeliad.storage.recording import GameRecorder

_MOST_CHIPS = 100_000_000  # keeps the numbers in hand histories below their limit


@command(
    "play",
    help="""Play against the AI in the terminal.

Type help at the table to see the commands: placements, undo, hints, grades, the score sheet.""",
)
@option(
    "--opponent",
    "opponents",
    multiple=True,
    metavar="STRATEGY",
    help="An opponent, named as in bromeliad match; solver:1 by default. May be given several times.",
)
@rules_option
@option("--hands", type=click.IntRange(min=1), help="Number of hands to play; by default until you quit.")
@option(
    "--stack",
    type=click.IntRange(min=1, max=_MOST_CHIPS),
    help="Chips that each player starts with; unlimited by default.",
)
@option("--hint-time", type=float, default=2.0, show_default=True, help="Seconds for a hint or a grade.")
@option("--grades", is_flag=True, help="Grade every decision as you make it.")
@option("--seed", type=click.IntRange(min=0), help="Seed of the cards; random by default.")
@option("--histories", metavar="FILE", help="Write the hands to this file.")
@store_option(help="The store that keeps the hands; by default in your data directory.")
@no_store_option(help="Do not store the hands.")
def play(
    opponents: tuple[str, ...],
    rules: str,
    hands: int | None,
    stack: int | None,
    hint_time: float,
    grades: bool,
    seed: int | None,
    histories: str | None,
    store: str | None,
    no_store: bool,
) -> int:
    """Play against the AI."""
    from bromeliad.cli.compile_notice import prepare
    from bromeliad.cli.human_player import Leave
    from bromeliad.games.ofc.play.history import HistoryWriter
    from bromeliad.playing.strategies import STRATEGY_KERNELS

    if not 0.01 <= hint_time <= 86400.0:
        raise InputError("--hint-time must be from 0.01 to 86400 seconds")
    names = opponents or ("solver:1",)
    table, human, sheet = _sit_down(names, rules, stack, seed, hint_time, grades)
    sheet.writer = HistoryWriter(histories) if histories else None
    prepare(STRATEGY_KERNELS)
    code = 0
    with _recorder(store, table, sheet.names) if not no_store else nullcontext() as sheet.recorder:
        try:
            _play_hands(table, human, sheet, hands)
        except Leave:
            pass
        except KeyboardInterrupt:
            code = EXIT_INTERRUPTED
    sheet.console.print()
    sheet.show()
    return code


@contextmanager
def _recorder(place: str | None, table: "Table", names: Sequence[str]) -> "Iterator[GameRecorder | None]":
    """Yield a recorder of the hands, or None if the store cannot be opened."""
    from bromeliad.storage.recording import GameRecorder

    store = open_or_warn(place)
    if store is None:
        yield None
        return
    with store:
        yield GameRecorder(store, table.rules.name, "play", ", ".join(names))


def _sit_down(
    names: Sequence[str], rules: str, stack: int | None, seed: int | None, hint_time: float, grades: bool
) -> "tuple[Table, HumanPlayer, _Sheet]":
    """Return the table with everybody seated, the human player, and the score sheet."""
    from rich.console import Console

    from bromeliad.cli.human_player import HumanPlayer
    from bromeliad.core.machine import cores
    from bromeliad.games.ofc.play.table import Table
    from bromeliad.games.ofc.rules.files import load_rules
    from bromeliad.playing.strategies import SolverStrategy, find_strategy

    others = [find_strategy(name, rules) for name in names]
    solver = SolverStrategy(rules, seconds=hint_time, threads=cores())
    sheet = _Sheet(Console(), (tr("you"), *names))
    human = HumanPlayer(sheet.console, solver, grades=grades, on_score=sheet.show)
    seed = secrets.randbits(32) if seed is None else seed
    stacks = [stack] * (1 + len(others)) if stack else None
    return Table(load_rules(rules), [human, *others], seed=seed, stacks=stacks), human, sheet


class _Sheet:
    """The score sheet; also writes the hands to the history file and the store, if wanted."""

    def __init__(self, console: "Console", names: Sequence[str]) -> None:
        self.console = console
        self.names = tuple(names)
        self.writer: HistoryWriter | None = None
        self.recorder: GameRecorder | None = None
        self._rows: list[tuple[int, ...]] = []

    def add(self, played: "TableHand") -> None:
        """Add a hand."""
        from bromeliad.games.ofc.play.history import record_of

        self._rows.append(played.by_player(played.chips))
        record = record_of(played, self.names)
        if self.writer is not None:
            self.writer.write(record)
        if self.recorder is not None:
            try:
                self.recorder.add([(record, played.hand)])
            except StoreError as error:
                warn(error)
                self.recorder = None

    def show(self) -> None:
        """Print the points of each hand, and the totals."""
        from rich.text import Text

        from bromeliad.cli.table import bare_table

        table = bare_table(show_footer=True)
        table.add_column(tr("number"), footer=tr("total"), justify="right")
        for i, name in enumerate(self.names):
            total = sum(row[i] for row in self._rows)
            table.add_column(Text(name), footer=f"{total:+d}", justify="right")
        for number, row in enumerate(self._rows, start=1):
            table.add_row(str(number), *(f"{points:+d}" for points in row))
        self.console.print(table)


def _play_hands(table: "Table", human: "HumanPlayer", sheet: _Sheet, hands: int | None) -> None:
    from bromeliad.cli.table import print_showdown

    console = sheet.console
    console.print(tr("Seed {seed}. Type help for the commands.", seed=table.seed), style="dim")
    while True:
        names = [sheet.names[player] for player in table.seating]
        human.names = names
        console.rule(tr("Hand {number}: {names}", number=table.hands + 1, names=", ".join(names)))
        played = table.play_hand(on_turn=partial(_announce, console, names, names.index(sheet.names[0])))
        sheet.add(played)
        print_showdown(played.hand.showdown)
        for name, chips in zip(names, played.chips, strict=True):
            console.print(f"{name}: {chips:+d}", markup=False, highlight=False)
        if table.is_over:
            console.print(tr("A player has run out of chips: the game is over."))
            return
        if hands is not None and table.hands >= hands:
            return
        while text := human.ask(tr("Enter for the next hand") + ": "):
            if not human.command(text):
                console.print(tr("There is nothing to place now. Commands: g grade, s score sheet, q quit."))


def _announce(console: "Console", names: Sequence[str], me: int, turn: "Turn", dealer: "Dealer") -> None:
    """Print the visible part of another player's turn."""
    from rich.text import Text

    from bromeliad.cli.boards import card_text

    if turn.seat - 1 == me:
        return
    name = names[turn.seat - 1]
    if turn.street == 0:
        console.print(Text(tr("{name} sets a fantasyland hand, face down", name=name)))
        return
    rows = [card_text(row) for row in (turn.action.top, turn.action.middle, turn.action.back)]
    console.print(Text(tr("{name} places", name=name) + " ").append_text(Text(" / ").join(rows)))
