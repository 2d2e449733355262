"""Correct and faulty engines, written to files and run as separate processes."""

import shlex
import sys

_ENGINE = '''
import json, os, sys, time
from pathlib import Path

HERE = Path(__file__).parent
SIZES = {"top": 3, "middle": 5, "back": 5}


def legal(m):
    """The first cards into the first free places, the back first."""
    board = dict(zip(SIZES, (row.replace("-", "").split() for row in m["board"].split("/"))))
    cards = m["cards"].split()
    keep = {5: 5, 3: 2}.get(len(cards), 13)
    answer = {"discards": cards[keep:]}
    left = cards[:keep]
    for row in ("back", "middle", "top"):
        free = SIZES[row] - len(board[row])
        answer[row], left = left[:free], left[free:]
    return answer


def hello(m):
    return {"protocol": 1, "name": "test", "version": "7", "rules": ["pineapple"]}


def new_hand(m):
    return {"ok": True}


def place(m):
    return legal(m)


def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()

# --- what this one does otherwise
OWN
# ---

for line in sys.stdin:
    m = json.loads(line)
    with (HERE / "heard.jsonl").open("a") as file:
        file.write(line)
    if m["ask"] == "quit":
        break
    say(json.dumps({"id": m["id"], **{"hello": hello, "new_hand": new_hand, "place": place}[m["ask"]](m)}) + "\\n")
'''


def write_engine(folder, own=""):
    """Write an engine with some functions replaced to a file; return its name as a player of a match."""
    folder.mkdir(exist_ok=True)
    path = folder / "engine.py"
    path.write_text(_ENGINE.replace("OWN", own))
    return f"engine:{shlex.quote(sys.executable)} {shlex.quote(str(path))}"
