"""docs/rules/ofc.md describes every field and preset, and its examples are correct."""

import re
import typing
from pathlib import Path

import pytest

from bromeliad.games.ofc.hands.automaton import HandType, hand_types
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.rules.files import preset, preset_names
from bromeliad.games.ofc.rules.rule_set import Model, RuleSet
from bromeliad.games.ofc.rules.scoring import Scored

TEXT = (Path(__file__).parents[3] / "docs" / "rules" / "ofc.md").read_text(encoding="utf-8")


def fields(model, prefix=""):
    """Yield the path of every field that is not a section."""
    for name, field in model.model_fields.items():
        many = "[]" if typing.get_origin(field.annotation) is tuple else ""
        kinds = typing.get_args(field.annotation) or (field.annotation,)
        section = next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Model)), None)
        if section:
            yield from fields(section, f"{prefix}{name}{many}.")
        else:
            yield prefix + name


def test_every_field_has_its_row():
    table = TEXT.partition("## Fields of a rule set")[2].partition("\n## ")[0]
    named = set(re.findall(r"`([\w.\[\]]+)`", "\n".join(row.split("|")[1] for row in table.splitlines() if "|" in row)))
    paths = set(fields(RuleSet))
    sections = {"streets", "order.low_middle", "fantasyland.entry", "fantasyland.stay", "fantasyland.first_street"}
    assert paths <= named
    assert named - paths == sections


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_has_its_row(name):
    assert f"| `{name}` |" in TEXT


@pytest.mark.parametrize(
    ("top", "middle", "fouls"),
    [
        ("Qc Qd 7h", "Qh Qs 6c 5c 4d", True),
        ("Qc Qd 5h", "Qh Qs 6c 5c 4d", False),
        ("Kc Kd Ah", "Kh Ks Qc 7c 3d", True),
        ("7c 5d 4h", "7s 5c 4d 3d 2d", False),
    ],
)
def test_the_foul_table(top, middle, fouls):
    board = PlayerArrangement.parse(f"{top} / {middle} / Js Jd Jh Jc 9s")
    assert board.is_valid is not fouls


@pytest.mark.parametrize(
    ("top", "copying", "without"),
    [
        ("2h 3d 9c", (HandType.STRAIGHT_FLUSH, 9), (HandType.STRAIGHT_FLUSH, 9)),
        ("9h 2d 3c", (HandType.STRAIGHT_FLUSH, 9), (HandType.STRAIGHT_FLUSH, 8)),
        ("9h 4h 2c", (HandType.STRAIGHT_FLUSH, 9), (HandType.FLUSH, 14)),
    ],
)
def test_the_joker_table(top, copying, without):
    board = PlayerArrangement.parse(f"{top} / Ks Kd 5c 4c 3s / 5h 6h 7h 8h Jk")
    rules = preset("ultimate")
    jokers = rules.jokers.model_copy(update={"may_copy_seen": False})
    for expected, under in ((copying, rules), (without, rules.model_copy(update={"jokers": jokers}))):
        back = hand_types()[board.scored(under)[Scored.STRENGTH + 2]]
        assert (back.category, back.ranks[0]) == expected


def test_a_joker_that_would_foul_makes_less():
    board = PlayerArrangement.parse("Ac Jk 2c / Ks Kd 5h 4c 3c / 9s Td Jh Qc Kc")
    scored = board.scored(preset("ultimate"))
    assert not scored[Scored.FOUL]
    assert hand_types()[scored[Scored.STRENGTH]] == HandType(HandType.PAIR, (2, 14))
