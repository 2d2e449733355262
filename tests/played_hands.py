"""Games between random players, for tests of what is kept of them."""

from bromeliad.games.ofc.play.history import record_of
from bromeliad.games.ofc.play.table import Table
from bromeliad.games.ofc.rules.files import preset
from bromeliad.playing.strategies import find_strategy


def played_hands(count, seed=1, rules="pineapple", players=2, fantasyland=0):
    """Play a game, the first player's first hand with so many fantasyland cards; return records and hands."""
    names = [f"player {i}" for i in range(players)]
    table = Table(preset(rules), [find_strategy("random", rules) for _ in names], seed=seed)
    table.fantasyland[0] = fantasyland
    played = [table.play_hand() for _ in range(count)]
    return [(record_of(hand, names), hand.hand) for hand in played]


def plain_text(record):
    """Return a record as people write it."""
    lines = [
        f"rules: {record.rules}",
        f"players: {', '.join(player.name for player in record.players)}",
        f"fantasyland: {', '.join(str(player.fantasyland) for player in record.players)}",
    ]
    for event in record.events:
        if event.event == "deal":
            lines.append(f"deal: {event.cards}")
        elif event.event == "place":
            lines.append(f"place: {event.board}")
    return "\n".join(lines) + "\n"
