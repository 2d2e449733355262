"""Games as the person who plays sees them."""

from typing import Literal

from pydantic import BaseModel

from bromeliad.games.ofc.rules.rule_set import BOARD_SIZE
from bromeliad.service.games import Sitting
from bromeliad.solving.answer import ActionAnswer


class YourSide(BaseModel):
    """What the person has."""

    name: str
    seat: int
    board: str
    cards: list[str]
    place: int  # how many of the cards are placed; the others are discarded
    discards: list[str]
    fantasyland: int


class OpponentSide(BaseModel):
    """What an opponent shows; in fantasyland ``hidden`` cards lie face down until the end."""

    name: str
    board: str
    fantasyland: int
    hidden: int


class SheetRow(BaseModel):
    """A hand on the score sheet; everything by player, you first."""

    hand: int
    points: list[int]
    royalties: list[int]
    fouls: list[bool]
    next_fantasyland: list[int]


class ShownHand(SheetRow):
    """The end of the hand that was played last."""

    boards: list[str]


class GradeView(BaseModel):
    """What the last decision cost."""

    ev_loss: float
    stderr: float | None
    exact: bool
    best: ActionAnswer
    chosen: ActionAnswer | None


class GameView(BaseModel):
    """A game as the person sees it."""

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
    last_grade: GradeView | None
    can_undo: bool


def view_now(sitting: Sitting) -> GameView:
    """Return a game as the person sees it; while a move is thought about, as it was seen last."""
    if sitting.last_view is None:
        return view_game(sitting)
    if not sitting.lock.acquire(blocking=False):
        return sitting.last_view
    try:
        return view_game(sitting)
    finally:
        sitting.lock.release()


def view_game(sitting: Sitting) -> GameView:
    """Return a game as the person sees it, once nobody changes it."""
    with sitting.lock:
        game = sitting.game
        view = game.view()
        sheet = [_row(sitting, i) for i in range(len(game.played))]
        sitting.last_view = GameView(
            id=game.id,
            rules=game.rules_name,
            hand=game.number,
            street=None if view.in_fantasyland or game.hand_over else view.street + 1,
            to_act=game.to_act,
            button=game.seating[-1],
            you=_your_side(sitting),
            opponents=_opponents(sitting),
            score_sheet=sheet,
            totals=list(game.table.scores),
            phase="over" if game.is_over else "hand_over" if game.hand_over else "place",
            hand_over=game.hand_over,
            showdown=_shown(sitting, sheet[-1]) if game.hand_over else None,
            over=game.is_over,
            last_grade=_grade(sitting),
            can_undo=game.can_undo(),
        )
        return sitting.last_view


def _your_side(sitting: Sitting) -> YourSide:
    game, view = sitting.game, sitting.game.view()
    return YourSide(
        name=game.names[0],
        seat=view.seat,
        board=str(view.board),
        cards=[str(card) for card in view.cards] if game.your_turn else [],
        place=(BOARD_SIZE if view.in_fantasyland else view.deal.place) if game.your_turn else 0,
        discards=[str(card) for card in view.discards],
        fantasyland=view.fantasyland,
    )


def _opponents(sitting: Sitting) -> list[OpponentSide]:
    game, view = sitting.game, sitting.game.view()
    players = [player for player in game.seating if player]  # in the order of the view
    sides = []
    for player, shown in sorted(zip(players, view.opponents, strict=True), key=lambda pair: pair[0]):
        hidden = 0 if game.hand_over else shown.fantasyland
        board = game.dealer.finish().boards[game.seating.index(player)] if game.hand_over else shown.board
        sides.append(
            OpponentSide(name=game.names[player], board=str(board), fantasyland=shown.fantasyland, hidden=hidden)
        )
    return sides


def _row(sitting: Sitting, index: int) -> SheetRow:
    played = sitting.game.played[index]
    results = played.hand.showdown.players

    def by_player(values: list[int]) -> list[int]:
        return list(played.by_player(values))

    return SheetRow(
        hand=played.number,
        points=by_player(list(played.hand.points)),
        royalties=by_player([player.royalties for player in results]),
        fouls=[bool(fouled) for fouled in by_player([int(player.fouled) for player in results])],
        next_fantasyland=by_player(list(played.hand.next_fantasyland)),
    )


def _shown(sitting: Sitting, row: SheetRow) -> ShownHand:
    played = sitting.game.played[-1]
    boards = {player: str(board) for player, board in zip(played.seating, played.hand.boards, strict=True)}
    return ShownHand(**row.model_dump(), boards=[boards[player] for player in sorted(boards)])


def _grade(sitting: Sitting) -> GradeView | None:
    found = sitting.last_grade
    if found is None:
        return None
    return GradeView(
        ev_loss=found.loss,
        stderr=found.stderr,
        exact=found.exact,
        best=found.answer.best,
        chosen=found.entry,
    )
