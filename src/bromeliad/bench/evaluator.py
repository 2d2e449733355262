"""Speed of hand evaluation: our kernels and other libraries, called from Python, on the same boards."""

from collections.abc import Callable
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from bromeliad.bench.measuring import timed
from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.core.cards import Card
from bromeliad.core.jit import Ints, int64, kernel
from bromeliad.games.ofc.hands.automaton import add_card, row_of_mask
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.rules.rule_set import BOARD_SIZE, ROW_SIZES
from bromeliad.games.ofc.rules.rule_tables import Tables, rule_tables
from bromeliad.games.ofc.rules.scoring import Scored, board_royalties, next_fantasyland, resolve_rows, score_board

Boards = NDArray[np.int64]  # [board, 0:13] the cards: top, middle, back
_Row = tuple[str, float, str, int]  # evaluator, ns per board, what it computes, boards
_REPEATS = 5


@kernel
def _finish_boards(tables: Tables, masks: Ints, rest: Ints) -> tuple[int, int]:
    """Finish every 11-card board with every ordered pair of its ``rest`` cards; return (finished boards, checksum).

    One place in the middle and one in the back are open, so each finished board costs at most two look-ups and a score.
    """
    total = int64(0)
    count = 0
    for i in range(masks.shape[0]):
        top = row_of_mask(tables.hands, masks[i, 0])
        middle = row_of_mask(tables.hands, masks[i, 1])
        back = row_of_mask(tables.hands, masks[i, 2])
        for x in rest[i]:
            full_middle = add_card(tables.hands, middle, x)
            for y in rest[i]:
                if x == y:
                    continue
                fouled, a, b, c = resolve_rows(tables, top, full_middle, add_card(tables.hands, back, y))
                count += 1
                if not fouled:
                    total += board_royalties(tables, a, b, c) + next_fantasyland(tables, a, b, c, 0)
    return count, total


@kernel
def _score_boards(tables: Tables, masks: Ints, out: Ints) -> int:
    """Score finished boards from their card masks; return a checksum."""
    total = int64(0)
    for i in range(masks.shape[0]):
        score_board(tables, masks[i, 0], masks[i, 1], masks[i, 2], 0, int64(0), out)
        total += out[Scored.ROYALTIES]
    return total


def _best_time(run: Callable[[], object]) -> float:
    """Return the seconds of the shortest of several runs, the one least disturbed by other load."""
    return min(timed(run).seconds for _ in range(_REPEATS))


def _masks(boards: Boards, sizes: tuple[int, ...]) -> NDArray[np.int64]:
    """Return masks [board, row] of the first ``sizes[row]`` cards of each row."""
    masks = np.zeros((len(boards), 3), np.int64)
    start = 0
    for row, (size, full) in enumerate(zip(sizes, ROW_SIZES, strict=True)):
        for card in range(start, start + size):
            masks[:, row] |= int64(1) << boards[:, card]
        start += full
    return masks


def _own_rows(tables: Tables, decks: Boards) -> list[_Row]:
    boards = decks[:, :BOARD_SIZE]
    open_masks, full_masks = _masks(boards, (3, 4, 4)), _masks(boards, ROW_SIZES)
    rest = np.ascontiguousarray(decks[:, BOARD_SIZE : BOARD_SIZE + 27])
    out = np.zeros(Scored.SIZE, np.int64)
    count, _ = _finish_boards(tables, open_masks, rest)  # compiles, as the next line does
    _score_boards(tables, full_masks, out)
    finish = _best_time(lambda: _finish_boards(tables, open_masks, rest)) / count
    whole = _best_time(lambda: _score_boards(tables, full_masks, out)) / len(boards)
    return [
        ("bromeliad kernel, incremental", finish * 1e9, "two last cards, foul, royalties, fantasyland", count),
        ("bromeliad kernel, 13 cards", whole * 1e9, "all cards from masks, foul, royalties, fantasyland", len(boards)),
    ]


def _eval7(boards: list[list[str]]) -> Callable[[], None]:
    eval7 = import_module("eval7")
    hands = [[[eval7.Card(c) for c in row] for row in _rows(board)] for board in boards]

    def run() -> None:
        for top, middle, back in hands:
            eval7.evaluate(top)
            eval7.evaluate(middle)
            eval7.evaluate(back)

    return run


def _phevaluator(boards: list[list[str]]) -> Callable[[], None]:
    evaluate = import_module("phevaluator").evaluate_cards
    cards = import_module("phevaluator").Card
    hands = [[[cards(c) for c in row] for row in _rows(board)[1:]] for board in boards]

    def run() -> None:
        for middle, back in hands:
            evaluate(*middle)
            evaluate(*back)

    return run


def _treys(boards: list[list[str]]) -> Callable[[], None]:
    treys = import_module("treys")
    evaluator = treys.Evaluator()
    hands = [[[treys.Card.new(c) for c in row] for row in _rows(board)[1:]] for board in boards]

    def run() -> None:
        for middle, back in hands:
            evaluator.evaluate(middle, [])
            evaluator.evaluate(back, [])

    return run


def _pokerkit(boards: list[list[str]]) -> Callable[[], None]:
    pokerkit = import_module("pokerkit")
    hands = [[tuple(pokerkit.Card.parse("".join(row))) for row in _rows(board)[1:]] for board in boards]

    def run() -> None:
        for middle, back in hands:
            _ = pokerkit.StandardHighHand(middle).entry, pokerkit.StandardHighHand(back).entry

    return run


def _rows(board: list[str]) -> tuple[list[str], list[str], list[str]]:
    return board[:3], board[3:8], board[8:13]


_PEERS: dict[str, tuple[Callable[[list[list[str]]], Callable[[], None]], str, int]] = {
    "eval7": (_eval7, "three rows, no scoring", 20_000),
    "phevaluator": (_phevaluator, "middle and back only, no scoring", 20_000),
    "treys": (_treys, "middle and back only, no scoring", 20_000),
    "pokerkit": (_pokerkit, "middle and back only, no scoring", 2_000),
}


def _peer_rows(decks: Boards, quick: bool) -> list[_Row]:
    rows: list[_Row] = []
    for name, (make, what, size) in _PEERS.items():
        count = size // 10 if quick else size
        boards = [[Card(int(card)).to_string() for card in deck[:BOARD_SIZE]] for deck in decks[:count]]
        try:
            run = make(boards)
        except ModuleNotFoundError:
            rows.append((f"{name} from Python", float("nan"), "not installed", 0))
            continue
        rows.append((f"{name} from Python", _best_time(run) / count * 1e9, what, count))
    return rows


@bench("evaluator", minutes=0.5)
def evaluator_bench(quick: bool, seed: int) -> list[Section]:
    """Measure the nanoseconds per board of our kernels and of other libraries."""
    tables = rule_tables(preset("pineapple"))
    rng = np.random.default_rng(seed)
    decks = rng.permuted(np.tile(np.arange(52), (20_000, 1)), axis=1)
    own = _own_rows(tables, decks[: 500 if quick else 5_000])
    peers = _peer_rows(decks, quick)
    eval7_ns = peers[0][1]
    rows = [(name, ns, eval7_ns / ns, what, count) for name, ns, what, count in own + peers]
    notes = [
        f"Random boards, seed {seed}; the best of {_REPEATS} runs, all in one process on one thread.",
        "Other libraries get cards in their own format; the conversion is not timed.",
    ]
    columns = ("evaluator", "ns per board", "times eval7", "computed", "boards")
    return [Section("Finished boards", columns, rows, notes)]
