"""``bromeliad sequence play``."""

from typing import TYPE_CHECKING, Any

import click

from bromeliad.cli.base import command, option
from bromeliad.cli.sequence import game_options, make_budget, make_game
from bromeliad.errors import BromeliadError, InputError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.core.budget import Budget
    from bromeliad.games.sequence.player import Player
    from bromeliad.games.sequence.table import SequenceTable

__all__ = ["play"]

_SHOWN = 12  # moves of a list


@command(
    "play",
    help="""Play a game in the terminal. Type a move such as 7c@20 (a card and a square: row and column, counted from 0
    at the top left), Jh-20 (take a chip away), 7c! (exchange a dead card), keep, +7c (take a face-up card), or hint,
    moves, undo, quit.

    You have seat 0 and begin, unless --seat says otherwise; all other seats are played by bromeliad.""",
)
@option("--seat", type=click.IntRange(min=0), default=0, show_default=True, help="Your seat.")
@game_options
def play(seat: int, **options: Any) -> None:
    """Play until the game is over or the player leaves."""
    budget = make_budget(options["seconds"], options["simulations"])
    game = make_game(options["rules"], options["players"], options["teams"])
    from bromeliad.games.sequence.player import Player
    from bromeliad.games.sequence.table import SequenceTable

    if seat >= game.rules.players:
        raise InputError("the seat must be 0 to {last}", last=game.rules.players - 1)
    table = SequenceTable(game, options["seed"])
    terminal = _Terminal(table, Player(game, seed=options["seed"]), budget, seat)
    while not table.over and terminal.turn():
        pass
    terminal.farewell()


def _row(number: int, letters: str) -> str:
    """Write a row of the board: cards of empty squares, and chips."""
    from bromeliad.games.sequence.board import CARD_OF
    from bromeliad.games.sequence.notation import card_name

    cards = CARD_OF[len(letters) * number :]
    shown = (card_name(card) if letter == "_" else f"({letter})" for letter, card in zip(letters, cards, strict=False))
    return "".join(f"{text:^4}" for text in shown)


class _Terminal:
    """A game between a person and the program."""

    def __init__(self, table: "SequenceTable", player: "Player", budget: "Budget", seat: int) -> None:
        self._table, self._player, self._budget, self._seat = table, player, budget, seat
        self._seen = -1  # actions played when the board was shown last

    def turn(self) -> bool:
        """Let whoever moves move; return False if the person leaves."""
        if self._table.mover != self._seat:
            seat = self._table.mover
            move = self._think()
            click.echo(tr("Seat {seat} plays {move}", seat=seat, move=move))
            self._table.play(self._table.game.action_from_string(self._table.state, move))
            return True
        if self._seen != len(self._table.history):
            self._seen = len(self._table.history)
            click.echo(self._shown())
        try:
            text = click.prompt(tr("Your move"), prompt_suffix=": ", default="quit", show_default=False)
        except click.Abort:
            return False
        return self._obey(text.strip())

    def _obey(self, text: str) -> bool:
        match text.lower():
            case "quit" | "q":
                return False
            case "undo":
                self._undo()
            case "hint":
                click.echo(tr("I would play {cell}", cell=self._think()))
            case "moves":
                click.echo(" ".join(self._table.view(self._seat)["moves"]))
            case _:
                try:
                    self._table.play(self._table.game.action_from_string(self._table.state, text))
                except BromeliadError as error:
                    click.echo(error.render(tr))
        return True

    def _undo(self) -> None:
        """Take back to the person's decision before this one."""
        while self._table.history:
            self._table.undo()
            if self._table.mover == self._seat:
                return

    def _think(self) -> str:
        answer = self._player.think(self._table.state, self._budget)
        return self._table.game.action_to_string(self._table.state, answer.best)

    def farewell(self) -> None:
        """Show how it ended."""
        click.echo(self._shown())
        if self._table.over:
            winner = self._table.winner
            own = self._table.game.rules.team_of(self._seat)
            click.echo(tr("A draw.") if winner is None else tr("You win.") if winner == own else tr("I win."))
        click.echo(tr("Moves: {moves}", moves=" ".join(self._table.history) or "-"))

    def _shown(self) -> str:
        view = self._table.view(self._seat)
        rows = [f"{number} {_row(number, row)}" for number, row in enumerate(view["board"])]
        own = view["players"][self._seat]["known"]
        moves = view["moves"][:_SHOWN]
        more = " ..." if len(view["moves"]) > _SHOWN else ""
        lines = [
            "  " + "".join(f"{column:^4}" for column in range(10)),
            *rows,
            tr("Sequences: {counts}", counts=view["sequences"]),
        ]
        for player in view["players"]:
            if player["seat"] != self._seat and player["known"]:
                lines.append(tr("Seat {seat} took: {cards}", seat=player["seat"], cards=" ".join(player["known"])))
        lines.append(tr("Your hand: {cards}", cards=" ".join(own)))
        if view["draft"]:
            lines.append(tr("Face up: {cards}", cards=" ".join(view["draft"])))
        return "\n".join([*lines, *([tr("Moves: {moves}", moves=" ".join(moves) + more)] if moves else [])])
