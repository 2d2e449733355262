"""An engine in plain Python that knows only pairs and the order of the rows. The protocol: docs/engine-protocol.md."""

import itertools
import json
import sys

GROUPS, SIZES, RANKS = ("top", "middle", "back", "discards"), (3, 5, 5), "23456789TJQKA"


def strength(cards):  # ranks with their counts, the most frequent first, then the highest
    ranks = [RANKS.index(card[0]) for card in cards if card != "Jk"]
    return sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)


def value(rows):  # rows in the right order count first, then pairs
    top, middle, back = map(strength, rows)
    return (top <= middle) + (middle <= back), sum(count**2 for row in (top, middle, back) for count, _ in row)


def place(message, rules):
    if message["street"] is None:
        return {"error": "fantasyland is too hard for me"}
    board = [row.replace("-", "").split() for row in message["board"].split("/")]
    cards, keep = message["cards"].split(), rules["streets"][message["street"] - 1]["place"]
    best = found = None
    for choice in itertools.product(range(4), repeat=len(cards)):
        groups = [[card for card, row in zip(cards, choice, strict=True) if row == i] for i in range(4)]
        rows = [old + new for old, new in zip(board, groups, strict=False)]
        legal = len(cards) - len(groups[3]) == keep and all(map(lambda row, size: len(row) <= size, rows, SIZES))
        if legal and (best is None or value(rows) > best):
            best, found = value(rows), groups
    return dict(zip(GROUPS, found, strict=True))


rules = {}
for line in sys.stdin:
    message = json.loads(line)
    answer = {"error": "what?"}
    match message["ask"]:
        case "hello":
            answer = {"protocol": 1, "name": "pairs", "version": "1", "rules": ["pineapple"]}
        case "new_hand":
            rules, answer = message["rule_set"], {"ok": True}
        case "place":
            answer = place(message, rules)
        case "quit":
            break
    print(json.dumps({"id": message["id"], **answer}), flush=True)
