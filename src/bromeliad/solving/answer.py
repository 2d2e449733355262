"""The solver's answer: one object, which each interface renders. Its JSON is a stable contract (see CHANGELOG)."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

OpponentValues = Literal["both boards", "own board"]
"""The learned values by which unfinished opponents play on."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, defer_build=True)


class EvParts(_Model):
    """The parts of an EV in points, positive if they help the player; or the standard errors of these points.

    ``rows`` and ``scoop`` count hands in which neither side fouls. ``foul`` counts the rows and scoops of hands in
    which a side fouls; under *solo* it is the cost of fouls. Every opponent pays for the player's royalties and next
    fantasyland. Under *solo* only ``royalties``, ``foul`` and ``fantasyland`` are given.
    """

    rows: float | None
    scoop: float | None
    royalties: float
    opponent_royalties: float | None
    foul: float
    fantasyland: float
    opponent_fantasyland: float | None


class ActionAnswer(_Model):
    """One placement: the cards that it adds to each row, and its value.

    ``ev`` is exact or has a ``stderr``. It is null if the placement was searched too little to be ranked; ``guess`` is
    then its learned value. ``ev_loss_stderr`` is the standard error of ``ev_loss``; it is smaller than ``stderr``
    suggests if one sample values both placements. ``parts`` add up to ``ev`` and come from the same sample; they are
    null if only the EV is known. ``row_points`` and ``opponent_royalties`` are sums over all opponents; ``p_scoop`` and
    the opponents' chances are means over them.
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
    ev_loss_stderr: float | None = None
    parts: EvParts | None = None
    parts_stderr: EvParts | None = None
    guess: float | None = None


class Answer(_Model):
    """All placements, best first, and how they were found. Placements without an EV come last.

    ``method`` is ``exact``, ``halving`` (a search by sequential halving), ``mcts`` (a tree search), ``book``, or
    ``sampled opponents`` if the player's own deals were counted and the opponents' boards sampled.
    ``confidence`` is the probability that the best placement is better than the second. It is 1 for exact answers; for
    an exact answer that was cut short, it is the share of placements that have a value. ``line`` is one way the hand
    may continue after the best placement of a search: deals and placements in turn. ``opponent_values`` are the values
    by which unfinished opponents played on: ``both boards``, or ``own board`` if no values of two boards could be used.
    It is null on the last street, and if no opponent played on. ``stored`` says that the answer comes from the store;
    its time and threads are those of the original run.
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
    opponent_values: OpponentValues | None = None
    stored: bool = False
