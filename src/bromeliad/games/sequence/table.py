"""A game as it is played: a shuffled deck, moves and their taking back, and what each seat may be shown of it."""

from typing import Any

import numpy as np

from bromeliad.errors import InputError
from bromeliad.games.sequence.game import Sequence
from bromeliad.games.sequence.notation import action_name, card_name
from bromeliad.games.sequence.position import board_rows, cards_in
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

__all__ = ["SequenceTable"]


class SequenceTable:
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
        self.game = game
        self.state = game.new_state()
        self.history: list[str] = []
        self._before: list[tuple[Any, list[int], int]] = []  # the array, the deck and the shuffles before each action
        self._deck: list[int] = []  # the next card is the last one
        self._seed, self._shuffles = seed, 0
        self._deal()

    @property
    def mover(self) -> int | None:
        """The seat that is to move, None if the game is over."""
        return self.game.mover(self.state)

    @property
    def winner(self) -> int | None:
        """The team that has won, None for nobody (yet)."""
        winner = int(self.state.data[WINNER])
        return winner if winner >= 0 else None

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.mover is None

    def legal(self) -> list[int]:
        """Return the mover's actions."""
        return self.game.legal(self.state)

    def play(self, action: int) -> None:
        """Play an action of the mover, and deal what follows from it."""
        if action not in self.legal():
            raise InputError("{text!r} cannot be played in this position", text=action_name(action))
        self._before.append((self.state.data.copy(), list(self._deck), self._shuffles))
        self.history.append(action_name(action))
        self.game.advance(self.state, action)
        self._deal()

    def undo(self) -> None:
        """Take the last action back, with the cards that it brought up."""
        if not self._before:
            raise InputError("there is nothing to take back")
        data, self._deck, self._shuffles = self._before.pop()
        self.state.data[:] = data
        self.history.pop()

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
            "moves": [action_name(action) for action in self.legal()] if seat == self.mover else [],
            "over": self.over,
            "winner": self.winner,
        }

    def _deal(self) -> None:
        """Let the deck give its cards until somebody is to move."""
        while self.game.waits_for_card(self.state):
            if not self._deck:
                generator = np.random.default_rng([self._seed, self._shuffles])
                self._deck = [int(card) for card in generator.permutation(cards_in(self.state, DECK))]
                self._shuffles += 1
            self.game.advance(self.state, self._deck.pop())
