"""A question to the solver: the options of ``bromeliad solve``, a line of ``--positions``, or an HTTP request.

Every interface uses this one model, so all of them accept the same questions.
"""

import math
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from bromeliad.core.validation import describe, field_name
from bromeliad.errors import FieldError, InputError
from bromeliad.games.ofc.rules.files import load_rules
from bromeliad.games.ofc.rules.rule_set import Worth
from bromeliad.games.ofc.spot import ObjectiveName, Spot, parse_spot

DEFAULT_TIME = 5.0
DEFAULT_SEED = 1
_MAX_TEXT = 400
_MAX_PATH = 4096
_MAX_FOUL_COST, _MAX_TIMES = 100.0, 20.0

Discards = Literal["inferred", "uniform"]
"""How hidden discards of opponents are sampled: by how little the cards were worth to them, or uniformly."""

SearchPolicy = Literal["halving", "puct", "uct"]
"""How to search: sequential halving of the placements, or a tree search with one of two selection policies."""

CardText = Annotated[str, Field(max_length=_MAX_TEXT)]


def _worth_by_cards(value: object) -> object:
    """Accept ``14=8,15=12`` as well as a mapping."""
    if not isinstance(value, str):
        return value
    worth = {}
    for part in filter(None, (piece.strip() for piece in value.split(","))):
        cards, equals, points = part.partition("=")
        if not equals:
            raise FieldError("write it like 14=8,15=12: number of fantasyland cards = points")
        worth[cards.strip()] = points.strip()
    return worth


def _habits(value: object) -> object:
    """Accept ``2,3`` as well as a pair of numbers, and refuse implausible ones."""
    parts = value.split(",") if isinstance(value, str) else value
    if parts is None:
        return None
    try:
        foul_cost, fantasyland = (float(part) for part in parts)  # type: ignore[attr-defined]
    except (TypeError, ValueError, OverflowError):
        foul_cost = fantasyland = math.nan
    if not (0.0 <= foul_cost <= _MAX_FOUL_COST and 0.0 <= fantasyland <= _MAX_TIMES):
        raise FieldError("write it like 2,1.5: the cost of a foul to them, and a multiple of the worth of fantasyland")
    return foul_cost, fantasyland


class SolveRequest(BaseModel):
    """What to solve, under which rules, for which objective, and how much effort to spend."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    cards: CardText = ""
    board: CardText = ""
    dead: CardText = ""
    opponents: tuple[CardText, ...] = Field(default=(), max_length=3)
    rules: str = Field(default="pineapple", max_length=_MAX_PATH)
    objective: ObjectiveName | None = None
    foul_cost: Worth | None = None
    fantasyland_worth: Annotated[dict[int, Worth] | None, BeforeValidator(_worth_by_cards)] = None
    fantasyland: bool = False
    discards: Discards = "inferred"
    opponent_model: Annotated[tuple[float, float] | None, BeforeValidator(_habits)] = None
    seat: int | None = Field(default=None, ge=1, le=4)
    players: int | None = Field(default=None, ge=2, le=4)
    time: float | None = Field(default=None, ge=0.01, le=86400, allow_inf_nan=False)
    simulations: int | None = Field(default=None, ge=1, le=2**31 - 1)
    early_stop: bool = True  # whether a search may end before its budget, once more search would gain nothing
    policy: SearchPolicy | None = None  # by default halving, or puct if the rules have settings for a tree search
    threads: int | None = Field(default=None, ge=1, le=256)
    memory: float | None = Field(default=None, ge=1, le=1_000_000, allow_inf_nan=False)  # megabytes
    seed: int = Field(default=DEFAULT_SEED, ge=0, lt=2**63)
    top: int | None = Field(default=None, ge=1, le=1000)
    book: bool = True  # whether the opening book may answer if neither time nor simulations are given

    def without_book(self) -> "SolveRequest":
        """Return the same question without the opening book, for a deeper answer than the book's."""
        return self.model_copy(update={"book": False})

    def to_spot(self) -> Spot:
        """Return the checked spot that this request asks about."""
        if self.time is not None and self.simulations is not None:
            raise InputError("give a time or a number of simulations, not both")
        return parse_spot(
            load_rules(self.rules),
            cards=self.cards,
            board=self.board,
            dead=self.dead,
            opponents=self.opponents,
            objective=self.objective,
            foul_cost=self.foul_cost,
            fantasyland_worth=self.fantasyland_worth,
            fantasyland=self.fantasyland,
            seat=self.seat,
            players=self.players,
        )


def read_request(data: Any) -> SolveRequest:
    """Return the request in plain data, such as parsed JSON.

    Raises
    ------
    InputError
        If the request is invalid; names the first invalid field and the values that it may have.
    """
    if not isinstance(data, dict):
        raise InputError("a position is a JSON object, like {example}", example='{"cards": "As Ah Kd 7c 2s"}')
    try:
        return SolveRequest.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        field = field_name(first)[:_MAX_TEXT] or "position"
        if first["type"] == "extra_forbidden":
            raise InputError(
                "there is no option {field}; options: {options}",
                field=field,
                options=", ".join(SolveRequest.model_fields),
            ) from None
        raise InputError("{field}: {problem}", field=field, problem=describe(first)) from None
