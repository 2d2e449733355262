"""``bromeliad GAME play``."""

from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import Command, command
from bromeliad.cli.compile_notice import prepare
from bromeliad.cli.games import given, with_options
from bromeliad.core.playable import Answer, Sitting, TurnGame, read_options
from bromeliad.errors import BromeliadError, InputError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.core.table import Table

_SHOWN = 5  # moves in the help


def make(game: TurnGame) -> Command:
    """Return the play command of a game."""

    def play(**options: Any) -> None:
        sitting: Sitting = read_options(game.sitting, given(), "--")
        prepare(game.kernels)
        table = game.table(sitting, sitting.seed)
        if sitting.own_seat >= table.game.info.players:
            raise InputError("the seat must be 0 to {last}", last=table.game.info.players - 1)
        table.play_all(sitting.moves)
        terminal = _Terminal(game, sitting, table)
        while not table.over and terminal.turn():
            pass
        terminal.farewell()

    return command("play", help=game.play_help)(with_options(play, game.sitting))


class _Terminal:
    """A game between a human player and the program."""

    def __init__(self, game: TurnGame, sitting: Sitting, table: "Table[Any]") -> None:
        self._game, self._sitting, self._table = game, sitting, table
        self._seat = sitting.own_seat
        self._seen = -1  # number of moves when the board was last shown

    def turn(self) -> bool:
        """Play one turn; return False if the player quits."""
        if self._table.mover != self._seat:
            self._reply()
            return True
        if self._seen != len(self._table.history):
            self._seen = len(self._table.history)
            click.echo(self._table.draw(self._seat))
        try:
            text = click.prompt(tr("Your move"), prompt_suffix=": ", default="quit", show_default=False)
        except click.Abort:
            return False
        return self._obey(text.strip())

    def _reply(self) -> None:
        """Play the program's move."""
        seat, answer = self._table.mover, self._think()
        self._table.play(self._table.read(answer["best"]))
        if self._table.game.info.players == 2:
            value = f"{answer['value']:+.2f}"
            click.echo(tr("I play {cell} (value {value})", cell=answer["best"], value=value))
        else:
            click.echo(tr("Seat {seat} plays {move}", seat=seat, move=answer["best"]))

    def _obey(self, text: str) -> bool:
        match text.lower():
            case "quit" | "q":
                return False
            case "help" | "?":
                self._help()
            case "undo":
                self._undo()
            case "hint":
                click.echo(tr("I would play {cell}", cell=self._think()["best"]))
            case "moves":
                click.echo(" ".join(self._table.moves()))
            case _:
                try:
                    self._table.play(self._table.read(text))
                except BromeliadError as error:
                    click.echo(error.render(tr))
        return True

    def _help(self) -> None:
        """Show how to write a move, and moves of this position."""
        first = tr(self._game.play_help).split("\n\n")[0]
        click.echo(" ".join(first.split()))
        click.echo(tr("Moves of this position: {moves}", moves=" ".join(self._table.moves()[:_SHOWN])))

    def _undo(self) -> None:
        """Go back to the player's previous decision."""
        while self._table.history:
            self._table.undo()
            if self._table.mover == self._seat:
                return

    def _think(self) -> Answer:
        return self._game.answer(self._table.state, self._sitting)

    def farewell(self) -> None:
        """Show the final board and the result."""
        click.echo(self._table.draw(self._seat))
        if self._table.over:
            score = self._table.score(self._seat)
            click.echo(tr("You win.") if score > 0.0 else tr("I win.") if score < 0.0 else tr("A draw."))
        click.echo(tr("Moves: {moves}", moves=self._table.transcript() or "-"))
