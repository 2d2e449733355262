"""Games as the human player sees them."""

from typing import Any, Literal

from pydantic import BaseModel

from bromeliad.games.ofc.play.seat import SeatView
from bromeliad.games.ofc.play.table import TableHand
from bromeliad.games.ofc.rules.rule_set import BOARD_SIZE
from bromeliad.playing.grading import Grade
from bromeliad.playing.ofc_game import TableGame
from bromeliad.service.games import Sitting
from bromeliad.solving.answer import ActionAnswer
from bromeliad.storage import Store


class YourSide(BaseModel):
    """The human player's side."""

    name: str
    seat: int
    board: str
    cards: list[str]
    place: int  # number of cards to place; the others are discarded
    discards: list[str]
    fantasyland: int


class OpponentSide(BaseModel):
    """An opponent's side; in fantasyland, ``hidden`` cards are face down until the end."""

    name: str
    board: str
    fantasyland: int
    hidden: int


class SheetRow(BaseModel):
    """A hand on the score sheet; lists are by player, you first."""

    hand: int
    points: list[int]
    royalties: list[int]
    fouls: list[bool]
    next_fantasyland: list[int]


class SettledRows(BaseModel):
    """Your result against one opponent: points of top, middle and back, the scoop, the difference in royalties."""

    rows: list[int]
    scoop: int
    royalties: int


class ShownHand(SheetRow):
    """The end of the last hand: boards and royalties by player and row, and your result against each opponent."""

    boards: list[str]
    row_royalties: list[list[int]]
    settlements: list[SettledRows]


class GradeView(BaseModel):
    """The cost of a decision."""

    ev_loss: float
    stderr: float | None
    exact: bool
    best: ActionAnswer
    chosen: ActionAnswer


class DecisionGrade(GradeView):
    """The cost of your last decision, with the board before it and the placement."""

    board: str
    placed: dict[str, list[str]]


def grade_fields(found: Grade) -> dict[str, Any]:
    """Return the fields of a :class:`GradeView`."""
    return {
        "ev_loss": found.loss,
        "stderr": found.stderr,
        "exact": found.exact,
        "best": found.answer.best,
        "chosen": found.entry,
    }


class GameView(BaseModel):
    """A game as the human player sees it."""

    id: str
    rules: str
    hand: int
    street: int | None
    to_act: int | None
    button: int
    you: YourSide
    opponents: list[OpponentSide]
    score_sheet: list[SheetRow]
    totals: list[int]
    phase: Literal["place", "hand_over", "over"]
    hand_over: bool
    showdown: ShownHand | None
    over: bool
    last_grade: DecisionGrade | None
    can_undo: bool


def view_now(sitting: Sitting, store: Store | None = None) -> GameView:
    """Return a game as the human player sees it; while the game is changing, return the last view.

    With a store, the last decision is graded again by the deepest answer in the store.
    """
    if sitting.last_view is None:
        return view_game(sitting)
    if not sitting.lock.acquire(blocking=False):
        return sitting.last_view
    try:
        if store is not None and sitting.last_grade is not None:
            sitting.grade_again(store)
        return view_game(sitting)
    finally:
        sitting.lock.release()


def view_game(sitting: Sitting) -> GameView:
    """Return a game as the human player sees it, after any change in progress."""
    with sitting.lock:
        game = sitting.game
        view = game.view()
        sheet = [_row(played) for played in game.played]
        sitting.last_view = GameView(
            id=game.id,
            rules=game.rules_name,
            hand=game.number,
            street=None if view.in_fantasyland or game.hand_over else view.street + 1,
            to_act=game.to_act,
            button=game.seating[-1],
            you=_your_side(game, view),
            opponents=_opponents(game, view),
            score_sheet=sheet,
            totals=list(game.table.scores),
            phase="over" if game.is_over else "hand_over" if game.hand_over else "place",
            hand_over=game.hand_over,
            showdown=_shown(game.played[-1], sheet[-1]) if game.hand_over else None,
            over=game.is_over,
            last_grade=_last_grade(sitting),
            can_undo=game.can_undo(),
        )
        return sitting.last_view


def _last_grade(sitting: Sitting) -> DecisionGrade | None:
    """Return the grade of the last decision with the decision itself, so that both are always shown together."""
    if sitting.last_grade is None or sitting.graded is None:
        return None
    view, action = sitting.graded
    placed = {row: [str(card) for card in getattr(action, row)] for row in ("top", "middle", "back", "discards")}
    return DecisionGrade(**grade_fields(sitting.last_grade), board=str(view.board), placed=placed)


def _your_side(game: TableGame, view: SeatView) -> YourSide:
    return YourSide(
        name=game.names[0],
        seat=view.seat,
        board=str(view.board),
        cards=[str(card) for card in view.cards] if game.your_turn else [],
        place=(BOARD_SIZE if view.in_fantasyland else view.deal.place) if game.your_turn else 0,
        discards=[str(card) for card in view.discards],
        fantasyland=view.fantasyland,
    )


def _opponents(game: TableGame, view: SeatView) -> list[OpponentSide]:
    players = [player for player in game.seating if player]  # in the order of the view
    sides = []
    for player, shown in sorted(zip(players, view.opponents, strict=True), key=lambda pair: pair[0]):
        hidden = 0 if game.hand_over else shown.fantasyland
        board = game.dealer.finish().boards[game.seating.index(player)] if game.hand_over else shown.board
        sides.append(
            OpponentSide(name=game.names[player], board=str(board), fantasyland=shown.fantasyland, hidden=hidden)
        )
    return sides


def _seats(played: TableHand) -> list[int]:
    """Return the seat of each player, from 0."""
    return [played.seating.index(player) for player in range(len(played.seating))]


def _row(played: TableHand) -> SheetRow:
    hand, seats = played.hand, _seats(played)
    results = [hand.showdown.players[seat] for seat in seats]
    return SheetRow(
        hand=played.number,
        points=[hand.points[seat] for seat in seats],
        royalties=[result.royalties for result in results],
        fouls=[result.fouled for result in results],
        next_fantasyland=[hand.next_fantasyland[seat] for seat in seats],
    )


def _shown(played: TableHand, row: SheetRow) -> ShownHand:
    showdown, seats = played.hand.showdown, _seats(played)
    results = [showdown.players[seat] for seat in seats]
    found = [showdown.settlements[seats[0]][seat] for seat in seats[1:]]
    return ShownHand(
        **row.model_dump(),
        boards=[str(played.hand.boards[seat]) for seat in seats],
        row_royalties=[list(result.row_royalties) for result in results],
        settlements=[
            SettledRows(rows=list(one.rows), scoop=one.scoop, royalties=one.royalties)
            for one in found
            if one is not None
        ],
    )
