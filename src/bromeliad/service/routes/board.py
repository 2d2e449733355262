"""Helpers for boards: random cards for open-face Chinese poker, and the legal moves of a Gomoku position."""

import secrets
from http import HTTPStatus
from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from bromeliad.core.cards import CardSet, parse_cards
from bromeliad.errors import InputError
from bromeliad.games.gomoku.playable import GomokuBoard, GomokuPlayable, GomokuSetup
from bromeliad.games.ofc.play.dealer import shuffled_deck
from bromeliad.games.ofc.rules.files import preset
from bromeliad.service.kinds.kind import StrictModel, checking, wrong
from bromeliad.service.kinds.ofc import check_preset, check_street_of
from bromeliad.service.problems import documented
from bromeliad.service.state import ClientId, ServiceDep

router = APIRouter(tags=["boards"])
GOMOKU = GomokuPlayable()


class Deal(StrictModel):
    """A deal of ``count`` cards, or of as many as a street (from 1) has."""

    rules: str = Field(default="pineapple", max_length=40)
    dead: Annotated[str, Field(max_length=400)] = ""
    count: int | None = Field(default=None, ge=1, le=54)
    street: int | None = Field(default=None, ge=1, le=13)
    seed: int | None = Field(default=None, ge=0, lt=2**63)


class Dealt(BaseModel):
    """Random cards."""

    cards: list[str]


class GomokuView(BaseModel):
    """A Gomoku position: who moves (1 black, 2 white), the stones in order, and the legal cells."""

    to_move: Literal[1, 2]
    over: bool
    winner: Literal[0, 1, 2]
    stones: list[list[str | int]]  # cell and colour
    legal: list[str]


@router.post("/deal")
def deal(body: Deal) -> Dealt:
    """Deal random cards, none of them dead."""
    check_preset(body.rules)
    rules = preset(body.rules)
    if (body.count is None) == (body.street is None):
        raise wrong("count", InputError("give either count or street"))
    if body.street is not None:
        check_street_of(body.rules, body.street)
    count = body.count or rules.streets[(body.street or 1) - 1].deal
    with checking("dead"):
        dead = CardSet.from_cards(parse_cards(body.dead))
    seed = secrets.randbits(62) if body.seed is None else body.seed
    left = [card for card in shuffled_deck(rules, (seed,)) if card not in dead]
    if count > len(left):
        raise wrong("count", InputError("only {left} cards are left in the deck", left=len(left)))
    return Dealt(cards=[str(card) for card in left[:count]])


@router.post("/gomoku/position", responses=documented(HTTPStatus.TOO_MANY_REQUESTS))
async def gomoku_position(board: GomokuBoard, service: ServiceDep, client: ClientId) -> GomokuView:
    """Show whose turn it is in a Gomoku position, and the legal moves."""
    return await service.compute(client, lambda: _gomoku(board), GOMOKU.kernels)


def _gomoku(board: GomokuBoard) -> GomokuView:
    table = GOMOKU.table(GomokuSetup(rule=board.rule, size=board.size), 0)
    with checking("position"):
        table.play_all(board.position)
    score = table.score(0) if table.over else 0.0
    return GomokuView(
        to_move=2 if len(table.history) % 2 else 1,
        over=table.over,
        winner=0 if score == 0.0 else 1 if score > 0.0 else 2,
        stones=[[cell, 1 + number % 2] for number, cell in enumerate(table.history)],
        legal=table.moves(),
    )
