"""A game in progress: a shuffled deck, and the view of each seat."""

from typing import Any

import numpy as np

import bromeliad.games.sequence.state as at
from bromeliad.core.game import CHANCE, apply, to_play
from bromeliad.core.table import Table
from bromeliad.games.sequence.board import CARD_OF
from bromeliad.games.sequence.game import Sequence
from bromeliad.games.sequence.notation import action_name, card_name
from bromeliad.games.sequence.position import board_rows, cards_in
from bromeliad.games.sequence.rules import SIDE
from bromeliad.games.sequence.state import count_cards, hand_at
from bromeliad.i18n import tr

_SHOWN = 12  # maximum number of moves shown


class SequenceTable(Table[Sequence]):
    """A game in progress, with all of its cards.

    Parameters
    ----------
    game
        The rules and weights.
    seed
        Seed of the deck: until a reshuffle, it determines the order of the cards, whatever is played.

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
        """The number of teams."""
        return self.game.rules.teams

    def won_by(self) -> str:
        """Return the winner's number of sequences, as text."""
        return f"{max(self.view(None)['sequences'])} sequences"

    @property
    def winner(self) -> int | None:
        """The team that has won, None if there is none (yet)."""
        winner = int(self.state.data[at.WINNER])
        return winner if winner >= 0 else None

    def view(self, seat: int | None) -> dict[str, Any]:
        """Return the knowledge of a seat (None: a spectator) as plain data, with its moves if it is the mover."""
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
            "draft": [card_name(card) for card in cards_in(self.state, at.DRAFT)],
            "discards": [card_name(card) for card in cards_in(self.state, at.DISCARDS)],
            "deck": int(count_cards(data, at.DECK)),
            "sequences": [int(count) for count in data[at.SEQUENCES : at.SEQUENCES + rules.teams]],
            "goal": rules.goal,
            "turn": int(data[at.TURNS]),
            "mover": self.mover,
            "last": action_name(int(data[at.LAST])) if data[at.LAST] >= 0 else None,
            "moves": self.moves() if seat == self.mover else [],
            "over": self.over,
            "winner": self.winner,
        }

    def draw(self, seat: int | None) -> str:
        """Return the board, a seat's known cards and its moves as text for a terminal."""
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
        """Deal cards from the deck until there is a mover."""
        while to_play(self.state) == CHANCE:
            if not self._deck:
                generator = np.random.default_rng([self._seed, self._shuffles])
                self._deck = [int(card) for card in generator.permutation(cards_in(self.state, at.DECK))]
                self._shuffles += 1
            apply(self.state, self._deck.pop())

    def _snapshot(self) -> Any:
        return self.state.data.copy(), list(self._deck), self._shuffles

    def _restore(self, snapshot: Any) -> None:
        self.state.data[:], self._deck, self._shuffles = snapshot


def _row(number: int, letters: str) -> str:
    """Return a row of the board as text: the cards of empty squares, and chips."""
    cards = CARD_OF[SIDE * number : SIDE * (number + 1)]
    shown = (card_name(card) if letter == "_" else f"({letter})" for letter, card in zip(letters, cards, strict=True))
    return "".join(f"{text:^4}" for text in shown)
