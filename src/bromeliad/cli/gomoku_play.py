"""``bromeliad gomoku play``."""

from typing import TYPE_CHECKING

import click

from bromeliad.cli.base import command, option
from bromeliad.cli.gomoku import game_options, make_game
from bromeliad.errors import BromeliadError, InputError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.games.gomoku.core import GomokuCore
    from bromeliad.games.gomoku.player import Answer, Player

__all__ = ["play"]

_STONES = "·●○"


@command(
    "play",
    help="""Play a game in the terminal. Type a cell such as H8, hint, undo or quit.

    You are black and begin, unless --white is given.""",
)
@option("--white", is_flag=True, help="Be white: bromeliad begins.")
@option("--time", "seconds", type=float, default=1.0, show_default=True, help="Seconds that bromeliad thinks a move.")
@option("--moves", default="", metavar="STONES", help="Begin with these stones on the board.")
@option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of all randomness.")
@game_options
def play(white: bool, seconds: float, moves: str, seed: int, size: int, rule: str, model: str) -> None:
    """Play until somebody wins or the player leaves."""
    if not 0.0 < seconds <= 3600.0:
        raise InputError("--time must be more than 0 seconds and at most an hour")
    game = make_game(size, rule, model)
    from bromeliad.games.gomoku.core import GomokuCore
    from bromeliad.games.gomoku.notation import parse_stones
    from bromeliad.games.gomoku.player import Player

    core = GomokuCore(size, rule, game.model)
    for cell in parse_stones(moves, size):
        core.place_stone(*divmod(cell, size))
    table = _Table(core, Player(game, seed=seed), seconds, human=2 if white else 1)
    while not core.game_over and table.turn():
        pass
    table.farewell()


class _Table:
    """A game between a person and the program."""

    def __init__(self, core: "GomokuCore", player: "Player", seconds: float, human: int) -> None:
        self._core, self._player, self._seconds, self._human = core, player, seconds, human

    def turn(self) -> bool:
        """Let whoever moves move; return False if the person leaves."""
        if self._core.current_player != self._human:
            answer = self._think()
            self._core.place_stone(*divmod(answer.best, self._core.board_size))
            click.echo(tr("I play {cell} (value {value})", cell=self._name(answer.best), value=f"{answer.value:+.2f}"))
            return True
        click.echo(self._board())
        try:
            text = click.prompt(tr("Your move"), prompt_suffix=": ", default="quit", show_default=False)
        except click.Abort:
            return False
        return self._obey(text.strip())

    def _obey(self, text: str) -> bool:
        from bromeliad.games.gomoku.notation import parse_cell

        match text.lower():
            case "quit" | "q":
                return False
            case "undo":
                for _ in range(min(2, len(self._core.history))):
                    self._core.undo()
                return True
            case "hint":
                click.echo(tr("I would play {cell}", cell=self._name(self._think().best)))
                return True
        try:
            cell = parse_cell(text, self._core.board_size)
            if not self._core.place_stone(*divmod(cell, self._core.board_size)):
                click.echo(tr("{cell} cannot be played: it is taken or forbidden", cell=self._name(cell)))
        except BromeliadError as error:
            click.echo(error.render(tr))
        return True

    def _think(self) -> "Answer":
        from bromeliad.core.budget import Budget
        from bromeliad.core.game import clone

        return self._player.think(clone(self._core.state), Budget(self._seconds))

    def farewell(self) -> None:
        """Show how it ended."""
        click.echo(self._board())
        if self._core.winner:
            click.echo(tr("You win.") if self._core.winner == self._human else tr("I win."))
        elif self._core.game_over:
            click.echo(tr("A draw."))
        click.echo(tr("Moves: {moves}", moves="".join(map(self._name, self._core.history)) or "-"))

    def _name(self, cell: int) -> str:
        from bromeliad.games.gomoku.notation import cell_name

        return cell_name(cell, self._core.board_size)

    def _board(self) -> str:
        size = self._core.board_size
        rows = [
            f"{size - row:>2} " + " ".join(_STONES[stone] for stone in line)
            for row, line in enumerate(self._core.board.tolist())
        ]
        return "\n".join([*rows, "   " + " ".join("ABCDEFGHIJKLMNOPQRST"[:size])])
