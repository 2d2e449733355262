"""Rule sets of Gomoku as data: which rows win, and which moves are forbidden to black."""

from dataclasses import dataclass

from bromeliad.errors import InputError

BLACK, WHITE = 0, 1
SMALLEST, LARGEST = 5, 20  # rows and columns


@dataclass(frozen=True)
class GomokuRules:
    """One rule set."""

    name: str
    bits: int  # number in the Gomocup protocol (``INFO rule``)
    overline_wins: tuple[bool, bool]  # whether six or more in a row win, for black and for white
    forbidden: bool = False  # black may not make two threes, two fours or an overline
    open_end: bool = False  # a row of exactly five does not win if the opponent has a stone at both ends


RULES = {
    rules.name: rules
    for rules in (
        GomokuRules("freestyle", 0, (True, True)),
        GomokuRules("exact", 1, (False, False)),
        GomokuRules("renju", 4, (False, True), forbidden=True),
        GomokuRules("caro", 8, (True, True), open_end=True),
    )
}
"""All rule sets by name."""


def rules_named(name: str) -> GomokuRules:
    """Return a rule set by its name."""
    if name not in RULES:
        raise InputError("there is no Gomoku rule {name}; rules: {rules}", name=name, rules=", ".join(RULES))
    return RULES[name]


def rules_by_bits(bits: int) -> GomokuRules:
    """Return the rule set of a Gomocup rule number, ignoring the bit for continuous games."""
    wanted = bits & ~2
    found = next((rules for rules in RULES.values() if rules.bits == wanted), None)
    if found is None:
        raise InputError("rule {bits} is not supported: use 0, 1, 4 or 8", bits=bits)
    return found


def check_size(size: int) -> int:
    """Return a board size, or raise InputError if it is not supported."""
    if not SMALLEST <= size <= LARGEST:
        raise InputError(
            "a board has {least} to {most} rows and columns, not {size}", least=SMALLEST, most=LARGEST, size=size
        )
    return size
