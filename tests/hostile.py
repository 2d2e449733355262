"""Values that no parser should stumble over, and the places to put them."""

import copy
import json
import math

DEEP = json.loads("[" * 200 + "]" * 200)
HOSTILE = [
    *(None, True, False, 0, 1, -1, 2**31, 2**63, -(2**63) - 1, 10**400, -(10**400), 0.5, 1e308, 5e-324),
    *(math.inf, -math.inf, math.nan, "", " ", "\0", "\ud800", "x" * 5000, "1e999", "9" * 400, "As Ah", "- / - / -"),
    *([], [[]], DEEP, [10**400, 1], ["x", 1], [None, None], [1e308, 1e308], ["As", "As"]),
    *({}, {"": None}, {"14": 10**400}, {"x": {"x": []}}, {"a": 1, "b": 2}),
]


def places(value, path=()):
    """Yield the path of every value inside a value, the whole included."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def changed(value, path, to):
    """Return a copy with another value in one place."""
    if not path:
        return to
    found = copy.deepcopy(value)
    at = found
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = to
    return found
