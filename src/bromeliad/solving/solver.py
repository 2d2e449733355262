"""The solver for Python programs: set the rules once, then make one call per spot."""

from pathlib import Path

from bromeliad.core.budget import Cancel, OnProgress
from bromeliad.core.cards import Card
from bromeliad.errors import InputError
from bromeliad.games.ofc.hands.boards import PlayerArrangement, Position
from bromeliad.solving.answer import ActionAnswer, Answer
from bromeliad.solving.request import DEFAULT_SEED, SolveRequest, read_request
from bromeliad.solving.session import Solution
from bromeliad.solving.solve import solve


class Solver:
    """Solves spots under one rule set.

    >>> solver = Solver("pineapple")
    >>> solution = solver.solve(board="Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d", cards="Kc 9d 3s")
    >>> round(solution.expected_value, 3), solution.confidence
    (33.0, 1.0)

    Parameters
    ----------
    rules
        The name of a preset or the path of a rule file.
    threads
        Number of threads; None for one per core.
    seed
        Seed of all random numbers.
    """

    def __init__(
        self, rules: str | Path = "pineapple", *, threads: int | None = None, seed: int = DEFAULT_SEED
    ) -> None:
        self.rules = str(rules)
        self.threads = threads
        self.seed = seed

    def answer(
        self,
        request: SolveRequest | None = None,
        *,
        on_progress: OnProgress | None = None,
        cancel: Cancel | None = None,
        **options: object,
    ) -> Answer:
        """Return the full answer to a spot: all placements with their values, as ``bromeliad solve --json`` prints it.

        Give a request or its fields as keywords: ``cards``, ``board``, ``dead``, ``opponents``, ``objective``,
        ``foul_cost``, ``fantasyland_worth``, ``fantasyland``, ``time`` or ``simulations``, ``policy``, ``top``.

        Raises
        ------
        InputError
            If the spot is impossible, or this version cannot answer it.
        """
        if request is not None and options:
            raise InputError("give a request or its fields, not both")
        own = {"rules": self.rules, "threads": self.threads, "seed": self.seed}
        if request is None:
            request = read_request({**own, **options})
        else:
            request = request.model_copy(update={k: v for k, v in own.items() if k not in request.model_fields_set})
        return solve(request, on_progress, cancel)

    def solve(
        self,
        request: SolveRequest | None = None,
        *,
        on_progress: OnProgress | None = None,
        cancel: Cancel | None = None,
        **options: object,
    ) -> Solution:
        """Return the best board to reach, its value and the confidence; the arguments are those of :meth:`answer`."""
        answer = self.answer(request, on_progress=on_progress, cancel=cancel, **options)
        before = request.board if request is not None else str(options.get("board", ""))
        board = PlayerArrangement.parse(before) if before.strip() else PlayerArrangement.empty()
        return Solution(board_reached(board, answer.best), answer.value, answer.confidence, answer.actions)


def board_reached(board: PlayerArrangement, action: ActionAnswer) -> PlayerArrangement:
    """Return the board after a placement."""
    jokers = iter(sorted({Card(52), Card(53)} - set(board.get_all_cards())))
    rows = (action.top, action.middle, action.back)
    placements = {
        position: [next(jokers) if text == "Jk" else Card.from_string(text) for text in row]
        for position, row in zip(Position, rows, strict=True)
    }
    return board.with_cards(placements)
