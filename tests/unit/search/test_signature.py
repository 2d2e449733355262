"""The search signature: the visits of a fixed set of searches, which refactoring must not change.

After an intended change, ``python tests/unit/search/test_signature.py`` writes the new signature.
"""

import json
from pathlib import Path

import pytest

from bromeliad.search import Searcher, SearchParams
from bromeliad_games.connect4 import ConnectFour
from bromeliad_games.tictactoe import TicTacToe
from games import hidden, nim, pig, trio

GOLDEN = Path(__file__).parents[2] / "golden" / "search_signature.json"
POSITIONS = {
    "tictactoe": (TicTacToe.info, TicTacToe().new_state()),
    "connect4": (ConnectFour.info, ConnectFour().new_state()),
    "nim": (nim.INFO, nim.new_nim(3, 4, 5)),
    "pig": (pig.INFO, pig.new_pig()),
    "peek": (hidden.PEEK_INFO, hidden.new_peek(50)),
    "kuhn": (hidden.KUHN_INFO, hidden.new_kuhn(1)),
    "trio": (trio.INFO, trio.new_trio()),
}
WAYS = {
    "uct": SearchParams(),
    "puct": SearchParams(policy="puct", first_play=0.2),
    "widening": SearchParams(widening_k=1.5, widening_alpha=0.4, chance_k=1.0, chance_alpha=0.3),
    "pruning": SearchParams(prune_statistics=True, prune_visits=30, prune_z=1.5),
    "table": SearchParams(table_mb=0.25, table_visits=1),
    "halving": SearchParams(root_policy="halving", tree_depth=3),
}
COMMON = {"simulations": 256, "memory_mb": 1.0, "early_stop": "never", "seed": 20_261}


def signature(name, way):
    info, state = POSITIONS[name]
    result = Searcher().search(info, state, WAYS[way].but(**COMMON))
    ordered = sorted(result.actions, key=lambda item: item.action)
    return {"nodes": result.tree.nodes, "best": result.best, "visits": [item.visits for item in ordered]}


@pytest.mark.kernel
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", POSITIONS)
def test_signature(name, way):
    assert signature(name, way) == json.loads(GOLDEN.read_text())[f"{name} {way}"]


if __name__ == "__main__":
    found = {f"{name} {way}": signature(name, way) for name in POSITIONS for way in WAYS}
    rows = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in found.items()]
    GOLDEN.write_text("{\n" + ",\n".join(rows) + "\n}\n")
