"""The answer of the solver: one object, rendered by whoever asked. Its JSON is a stable contract (see CHANGELOG)."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

__all__ = ["ActionAnswer", "Answer"]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True)


class ActionAnswer(_Model):
    """One placement: the cards that it adds to each row, and what it is worth.

    ``ev`` is exact, or carries ``stderr``; it is null if the action got no search. ``row_points`` and
    ``opponent_royalties`` are of all opponents together, ``p_scoop`` and the opponents' chances are means over them.
    """

    top: tuple[str, ...]
    middle: tuple[str, ...]
    back: tuple[str, ...]
    discards: tuple[str, ...]
    ev: float | None
    ev_loss: float | None
    stderr: float | None
    exact: bool
    visits: int
    p_foul: float | None
    p_fantasyland: float | None
    royalties: float | None
    p_scoop: float | None
    row_points: float | None
    opponent_royalties: float | None = None
    opponent_p_foul: float | None = None
    opponent_p_fantasyland: float | None = None


class Answer(_Model):
    """All placements, best first, and how they were found.

    ``method`` is ``exact``, ``halving`` (a search by sequential halving), ``mcts`` (a tree search), ``book``, or
    ``sampled opponents`` where the own deals were counted and the opponents' boards sampled.
    ``confidence`` is the probability that the best is better than the second, 1 for exact answers (of one that was cut
    short: the share of placements that are valued); ``line`` is one way in which the hand
    may go on after the best placement of a search: deals and placements in turn. ``stored`` says that the answer was
    found earlier and kept: time and threads are those of that run.
    """

    game: str
    rules: str
    street: int | None
    objective: Literal["solo", "versus"]
    foul_cost: float
    fantasyland_worth: dict[int, float]
    seed: int
    threads: int
    elapsed_s: float
    simulations: int
    method: str
    stop_reason: str
    value: float
    best: ActionAnswer
    actions: tuple[ActionAnswer, ...]
    confidence: float
    line: tuple[str, ...]
    stored: bool = False
