"""A process that writes to a store until it is killed, and says what was written only when it was."""

import os

from bromeliad.games.ofc.play.game_state import GameState
from bromeliad.solving.session import SolverSession
from bromeliad.storage import open_store


def write_forever(place, hands, acknowledged):
    """Write hands and sessions without an end; each number goes into the pipe once its record is stored.

    Positive numbers are hands by their id, negative ones sessions.
    """
    with open_store(place) as store:
        game = store.games.add("pineapple", "match")
        number = 0
        while True:
            batch = []
            for _ in range(1 + number % 7):
                number += 1
                batch.append(hands[number % len(hands)]._replace(number=number))
            for hand_id in store.hands.add(game, batch):
                acknowledge(acknowledged, hand_id)
            session = SolverSession(f"{game}-{number}", GameState("hand", 2))
            session.start_solving()
            session.abort_solving("enough")
            store.sessions.save(session)
            acknowledge(acknowledged, -(game * 1_000_000 + number))


def acknowledge(pipe, number):
    os.write(pipe.fileno(), number.to_bytes(8, "little", signed=True))  # so few bytes are written whole, or not at all
