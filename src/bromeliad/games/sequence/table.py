"""A game as it is played: a shuffled deck, and what each seat may be shown of it."""

from typing import Any

import numpy as np

from bromeliad.core.game import CHANCE, apply, to_play
from bromeliad.core.table import Table
from bromeliad.games.sequence.board import CARD_OF
from bromeliad.games.sequence.game import Sequence
from bromeliad.games.sequence.notation import action_name, card_name
from bromeliad.games.sequence.position import board_rows, cards_in
from bromeliad.games.sequence.rules import SIDE
from bromeliad.games.sequence.state import (
    DECK,
    DISCARDS,
    DRAFT,
    LAST,
    SEQUENCES,
    TURNS,
    WINNER,
    count_cards,
    hand_at,
)
from bromeliad.i18n import tr

__all__ = ["SequenceTable"]

_SHOWN = 12  # moves of a list


class SequenceTable(Table[Sequence]):
    """A game between seats, with all of its cards.

    Parameters
    ----------
    game
        The rules and weights.
    seed
        Of the shuffling: the same seed deals the same cards in the same order, whatever is played.

    Examples
    --------
    >>> table = SequenceTable(Sequence("course"), seed=7)
    >>> table.mover
    0
    """

    def __init__(self, game: Sequence, seed: int = 1) -> None:
        self._deck: list[int] = []  # the next card is the last one
        self._seed, self._shuffles = seed, 0
        super().__init__(game, seed)

    @property
    def sides(self) -> int:
        """How many teams there are."""
        return self.game.rules.teams

    def won_by(self) -> str:
        """Return how many sequences have won."""
        return f"{max(self.view(None)['sequences'])} sequences"

    @property
    def winner(self) -> int | None:
        """The team that has won, None for nobody (yet)."""
        winner = int(self.state.data[WINNER])
        return winner if winner >= 0 else None

    def view(self, seat: int | None) -> dict[str, Any]:
        """Return what a seat (None: a spectator) may know, as plain data; its moves too, if it is the mover."""
        rules, data = self.game.rules, self.state.data
        players = []
        for player in range(rules.players):
            shown = hand_at(player) if player == seat else hand_at(player) + 2
            players.append(
                {
                    "seat": player,
                    "team": rules.team_of(player),
                    "cards": int(count_cards(data, hand_at(player))),
                    "known": [card_name(card) for card in cards_in(self.state, shown)],
                }
            )
        return {
            "rules": rules.name,
            "board": board_rows(self.state, rules.teams),
            "players": players,
            "draft": [card_name(card) for card in cards_in(self.state, DRAFT)],
            "discards": [card_name(card) for card in cards_in(self.state, DISCARDS)],
            "deck": int(count_cards(data, DECK)),
            "sequences": [int(count) for count in data[SEQUENCES : SEQUENCES + rules.teams]],
            "goal": rules.goal,
            "turn": int(data[TURNS]),
            "mover": self.mover,
            "last": action_name(int(data[LAST])) if data[LAST] >= 0 else None,
            "moves": self.moves() if seat == self.mover else [],
            "over": self.over,
            "winner": self.winner,
        }

    def draw(self, seat: int | None) -> str:
        """Return the board, the cards that a seat knows and its moves, for a terminal."""
        view = self.view(seat)
        lines = ["  " + "".join(f"{column:^4}" for column in range(SIDE))]
        lines += [f"{number} {_row(number, row)}" for number, row in enumerate(view["board"])]
        lines.append(tr("Sequences: {counts}", counts=view["sequences"]))
        for player in view["players"]:
            if player["seat"] != seat and player["known"]:
                lines.append(tr("Seat {seat} took: {cards}", seat=player["seat"], cards=" ".join(player["known"])))
        if seat is not None:
            lines.append(tr("Your hand: {cards}", cards=" ".join(view["players"][seat]["known"])))
        if view["draft"]:
            lines.append(tr("Face up: {cards}", cards=" ".join(view["draft"])))
        if view["moves"]:
            more = " ..." if len(view["moves"]) > _SHOWN else ""
            lines.append(tr("Moves: {moves}", moves=" ".join(view["moves"][:_SHOWN]) + more))
        return "\n".join(lines)

    def _deal(self) -> None:
        """Let the deck give its cards until somebody is to move."""
        while to_play(self.state) == CHANCE:
            if not self._deck:
                generator = np.random.default_rng([self._seed, self._shuffles])
                self._deck = [int(card) for card in generator.permutation(cards_in(self.state, DECK))]
                self._shuffles += 1
            apply(self.state, self._deck.pop())

    def _snapshot(self) -> Any:
        return self.state.data.copy(), list(self._deck), self._shuffles

    def _restore(self, snapshot: Any) -> None:
        self.state.data[:], self._deck, self._shuffles = snapshot


def _row(number: int, letters: str) -> str:
    """Write a row of the board: cards of empty squares, and chips."""
    cards = CARD_OF[SIDE * number : SIDE * (number + 1)]
    shown = (card_name(card) if letter == "_" else f"({letter})" for letter, card in zip(letters, cards, strict=True))
    return "".join(f"{text:^4}" for text in shown)
