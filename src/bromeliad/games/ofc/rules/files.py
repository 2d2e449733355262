"""Reading and writing rule files: presets, users' files, and the house format.

A rule file is YAML. It has every field, or names a preset as ``base`` and has only the fields that differ. An error
names the line, the field and the allowed values.
"""

import io
import os.path
import typing
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import VERSION, Field, ValidationError

from bromeliad.core.kernel_cache import cached_object
from bromeliad.core.validation import describe
from bromeliad.errors import InputError, RulesError
from bromeliad.games.ofc.rules.rule_set import MctsSettings, Model, Points, RankPoints, RuleSet

MAX_BYTES = 256 * 1024
MAX_BRACKETS = 1000
_PRESETS = Path(__file__).with_name("presets")
_DEFAULT_FIRST = "pineapple"

# ruamel raises these instead of its own errors for odd tags, keys and numbers (`!!int ""`, `!!bool x`, `&a [? *a]`).
_PARSER_SLIPS = (ValueError, LookupError, AttributeError, TypeError, ArithmeticError, AssertionError)

# Parts of pydantic's locations that mark a key or the member of a union; they are not in the file.
_NOT_A_FIELD = ("[key]", "constrained-", "literal[")


class RegionLengths(Model):
    """Cards per row: fixed by the game."""

    top: typing.Literal[3]
    middle: typing.Literal[5]
    bottom: typing.Literal[5]


class HouseScoring(Model):
    """Points for winning rows and for fantasyland."""

    top_win: Points
    middle_win: Points
    bottom_win: Points
    fantasyland_bonus: Points


class HouseFile(Model):
    """A file of house rules (``config/game_rules.yaml``), section by section."""

    region_lengths: RegionLengths
    scoring: HouseScoring
    top_pair_scores: RankPoints = Field(min_length=1)
    top_trips_scores: RankPoints = Field(min_length=1)
    mcts: MctsSettings

    def to_rules(self) -> RuleSet:
        """Return the house preset with this file's numbers; ranks missing from the file keep the preset's points."""
        house = preset("house").to_data()
        points = {"top": self.scoring.top_win, "middle": self.scoring.middle_win, "back": self.scoring.bottom_win}
        house["scoring"]["row_points"] = points
        house["fantasyland"]["bonus"] = self.scoring.fantasyland_bonus
        own = self.model_dump()  # writes ranks as the preset's data does: 2 to 9, T, J, Q, K, A
        house["royalties"]["top"]["pair"] |= own["top_pair_scores"]
        house["royalties"]["top"]["trips"] |= own["top_trips_scores"]
        house["mcts"] = own["mcts"]
        return RuleSet.model_validate(house)

    @classmethod
    def from_rules(cls, rules: RuleSet) -> "HouseFile":
        """Return the part of a rule set that the house format can express."""
        points = rules.scoring.row_points
        top = rules.to_data()["royalties"]["top"]
        return cls(
            region_lengths=RegionLengths(top=3, middle=5, bottom=5),
            scoring=HouseScoring(
                top_win=points.top,
                middle_win=points.middle,
                bottom_win=points.back,
                fantasyland_bonus=rules.fantasyland.bonus,
            ),
            top_pair_scores=top["pair"],
            top_trips_scores=top["trips"],
            mcts=rules.mcts or preset("house").mcts,
        )


@cache
def preset_names() -> tuple[str, ...]:
    """Return the names of the presets, the default first."""
    names = sorted(path.stem for path in _PRESETS.glob("*.yaml"))
    return (_DEFAULT_FIRST, *(name for name in names if name != _DEFAULT_FIRST))


@cache
def preset(name: str) -> RuleSet:
    """Return a preset by name, cached on disk: parsing and checking it takes longer than scoring a hand."""
    texts = "".join(_preset_text(other) for other in preset_names())  # a preset may be based on another
    key = sha256(f"{VERSION} {texts}".encode()).hexdigest()[:16]
    return cached_object(f"preset-{name}-{key}", lambda: _checked_preset(name))


def _checked_preset(name: str) -> RuleSet:
    rules = RuleSet.model_validate(_preset_data(name))
    _ = hash(rules), rules.game_key  # stored with the rule set: computing them would build pydantic's serializers
    return rules


def _preset_text(name: str) -> str:
    return (_PRESETS / f"{name}.yaml").read_text(encoding="utf-8")


def load_rules(name_or_path: str | Path) -> RuleSet:
    """Return a preset by its name, or read a rule file."""
    if str(name_or_path) in preset_names():
        return preset(str(name_or_path))
    path = Path(name_or_path)
    if not os.path.isfile(path):  # noqa: PTH113 -- unlike Path.is_file(), it accepts names that no file can have
        raise RulesError(
            "{name}: no such preset and no such file; presets: {presets}",
            name=str(name_or_path)[:200],
            presets=", ".join(preset_names()),
        )
    if path.stat().st_size > MAX_BYTES:
        raise RulesError("{name}: too large for a rule file (at most {limit} bytes)", name=str(path), limit=MAX_BYTES)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RulesError("{name}: cannot be read: {error}", name=str(path), error=str(error)) from None
    return parse_rules(text, source=str(path))


def parse_rules(text: str, source: str = "rules") -> RuleSet:
    """Read the text of a rule file, in Bromeliad's format or the house format.

    Raises
    ------
    RulesError
        For the first mistake: its line, the field and the allowed values. ``problems`` has all mistakes.
    """
    document = _read_yaml(text, source)
    model: type[Model] = HouseFile if "region_lengths" in document else RuleSet
    data: dict[str, Any] = document
    if model is RuleSet and "base" in document:
        base = document["base"]
        if base not in preset_names():
            raise _problem(
                source, document, ("base",), RulesError("must be one of {expected}", expected=", ".join(preset_names()))
            )
        own = {key: value for key, value in document.items() if key != "base"}
        data = _merge(RuleSet, _preset_data(base), own)
    try:
        parsed = model.model_validate(data)
    except ValidationError as error:
        raise _all_problems(source, document, model, error) from None
    return parsed.to_rules() if isinstance(parsed, HouseFile) else typing.cast(RuleSet, parsed)


def dump_rules(rules: RuleSet | HouseFile) -> str:
    """Return YAML: all fields of a rule set, or the fields that a house file was given."""
    from ruamel.yaml import YAML

    data = rules.model_dump(mode="json", exclude_unset=isinstance(rules, HouseFile))
    out = io.StringIO()
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False
    yaml.width = 120
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    yaml.dump(data, out)
    return out.getvalue()


def _preset_data(name: str) -> dict[str, Any]:
    document = _read_yaml(_preset_text(name), name)
    base = document.pop("base", None)
    return _merge(RuleSet, _preset_data(base), document) if base else document


def _read_yaml(text: str, source: str) -> Any:
    if text.count("[") + text.count("{") > MAX_BRACKETS:  # ruamel takes minutes if many brackets are open at once
        raise RulesError("{source}: nested too deeply for a rule file", source=source)
    from ruamel.yaml import YAML  # imported here, because cached presets do not need it
    from ruamel.yaml.error import MarkedYAMLError, YAMLError, YAMLWarning

    yaml = YAML(typ="rt", pure=True)
    yaml.composer.warn_double_anchors = False
    try:
        document = yaml.load(text)
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        problem = error.problem or error.context
        raise RulesError("{source}:{line}: {problem}", source=source, line=line, problem=problem) from None
    except RecursionError:
        raise RulesError("{source}: nested too deeply for a rule file", source=source) from None
    except (YAMLError, YAMLWarning, *_PARSER_SLIPS) as error:
        problem = (str(error).splitlines() or [type(error).__name__])[0]
        raise RulesError("{source}: not YAML: {problem}", source=source, problem=problem) from None
    if not isinstance(document, dict):
        raise RulesError(
            "{source}: a rule file is a YAML mapping; `bromeliad rules show pineapple` prints one", source=source
        )
    return document


def _merge(model: type[Model], base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Return ``base`` overridden by ``own``: sections merge field by field, tables and lists are replaced."""
    merged = dict(base)
    for key, value in own.items():
        section = _section(model, key)
        if section and isinstance(value, dict) and isinstance(base.get(key), dict):
            value = _merge(section, base[key], value)
        merged[key] = value
    return merged


def _section(model: type[Model], key: object) -> type[Model] | None:
    """Return the model of a field if the field is a section, else None."""
    field = model.model_fields.get(str(key))
    if field is None:
        return None
    kinds = typing.get_args(field.annotation) or (field.annotation,)
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Model)), None)


def _all_problems(source: str, document: Any, model: type[Model], error: ValidationError) -> RulesError:
    problems = []
    for item in error.errors():
        location = tuple(part for part in item["loc"] if not str(part).startswith(_NOT_A_FIELD))
        what = describe(item, _fields_at(model, location))
        problems.append(_problem(source, document, location, what))
    first = problems[0]
    first.add_note("\n".join(str(problem) for problem in problems))
    first.problems = tuple(problems)
    return first


def _problem(source: str, document: Any, location: tuple[Any, ...], what: InputError) -> RulesError:
    field = ".".join(str(part) for part in location) or "rules"
    line = _line_of(document, location)
    if line is None:
        return RulesError("{source}: {field} {what}", source=source, field=field, what=what)
    return RulesError("{source}:{line}: {field} {what}", source=source, line=line, field=field, what=what)


def _line_of(document: Any, location: tuple[Any, ...]) -> int | None:
    """Return the line (from 1) of the deepest part of ``location`` that is in the file."""
    line = None
    node = document
    for part in location:
        try:
            place = node.lc
            line = (place.key(part) if isinstance(node, dict) else place.item(part))[0] + 1
            node = node[part]
        except (KeyError, AttributeError, TypeError, IndexError):
            break
    return line


def _fields_at(model: type[Model], location: tuple[Any, ...]) -> list[str]:
    """Return the allowed fields of the section that contains ``location``."""
    for part in location[:-1]:
        model = _section(model, part) or model
    return list((_section(model, location[-1]) or model).model_fields) if location else list(model.model_fields)
