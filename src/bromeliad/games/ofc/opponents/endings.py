"""How opponents may finish once my board is full: listed exactly if one deal is left to them, otherwise sampled.

A sampled hand is played by the evaluation up to its last deal. At that point the opponent sees my finished board and
replies best to it, so all replies to the deal are kept.
"""

from itertools import product

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.game import CHANCE, apply, clone, copy_into, legal_actions, playout_action, sample_chance, to_play
from bromeliad.core.jit import Floats, Ints, kernel
from bromeliad.core.kernel_cache import warmup
from bromeliad.core.rng import Rng, new_rng, reseed
from bromeliad.games.ofc.exact.replies import Replies, can_list_deals, finished_board, list_deals
from bromeliad.games.ofc.fantasyland.front import answers_last
from bromeliad.games.ofc.game import OfcGame
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.hands.placements import count_placements
from bromeliad.games.ofc.opponents.sampling import (
    STREAM,
    Habits,
    as_own,
    card_weights,
    draw_discard,
    fantasyland_bank,
    fantasyland_fronts,
    fantasyland_hands,
    hidden_discards,
)
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES, RuleSet
from bromeliad.games.ofc.rules.rule_tables import rule_tables
from bromeliad.games.ofc.rules.scoring import Scored, score_board
from bromeliad.games.ofc.spot import Spot, parse_spot
from bromeliad.games.ofc.values.hand_state import Field, HandState

_MOST_BOARDS = 1_000_000  # of a sampled opponent, counting all replies


def opponent_replies(
    spot: Spot, count: int, seed: int, *, inferred: bool = True, habits: Habits | None = None
) -> list[Replies]:
    """Return the possible replies of each opponent of a spot once my board is full.

    Parameters
    ----------
    count
        The number of hands of a sampled opponent. Fantasyland hands cost more, so fewer are sampled.
    inferred
        Draw hidden discards by how little was lost with them; otherwise all unseen cards are equally likely.
    habits
        The opponents' objective; ours by default.
    """
    tables, found = rule_tables(spot.rules), []
    for number, board in enumerate(spot.opponents):
        discards = hidden_discards(spot, board)
        if board.is_complete:
            found.append(finished_board(spot, tables, board))
        elif can_list_deals(spot, board, discards if inferred else 0):
            weights = card_weights(spot, board, inferred=inferred, habits=habits)
            found.append(list_deals(spot, tables, board, discards if inferred else 0, weights))
        else:
            found.append(_sample(spot, board, count, seed, number * STREAM, inferred, habits))
    for number, cards in enumerate(spot.hidden):
        question = spot, cards, fantasyland_hands(count), seed + number + 1
        if answers_last(spot):
            found.append(_front_replies(fantasyland_fronts(*question), cards))
        else:
            found.append(bank_of_boards(fantasyland_bank(*question), cards))
    return found


def bank_of_boards(bank: NDArray[np.int64], fantasyland: int = 0) -> Replies:
    """Return sampled boards of an opponent who does not see mine."""
    return _samples(bank, np.arange(len(bank))[:, None], fantasyland)


def _front_replies(fronts: list[NDArray[np.int64]], fantasyland: int) -> Replies:
    """Return sampled hands of an opponent in fantasyland who sees my board and may choose any board of the front."""
    sizes = np.array([len(front) for front in fronts])
    firsts = np.cumsum(sizes) - sizes
    choice = np.arange(sizes.max())
    choices = firsts[:, None] + np.where(choice < sizes[:, None], choice, 0)
    return _samples(np.concatenate(fronts), choices, fantasyland)


def _samples(boards: Ints, choices: Ints, fantasyland: int = 0) -> Replies:
    return Replies(boards, choices, np.full(len(choices), 1.0 / len(choices)), exact=False, fantasyland=fantasyland)


def _sample(
    spot: Spot, board: PlayerArrangement, count: int, seed: int, first: int, inferred: bool, habits: Habits | None
) -> Replies:
    """Return sampled last deals of an opponent; each depends on the seed and its number."""
    root = as_own(spot, board, habits).to_search_state()
    weights = card_weights(spot, board, inferred=inferred, habits=habits)
    most = _most_replies(spot.rules)
    count = min(count, _MOST_BOARDS // most)
    boards, choices = np.zeros((count * most, Scored.SIZE), np.int64), np.zeros((count, most), np.int64)
    scratch = np.zeros((2, OfcGame(spot.rules).info.max_actions), np.int64)
    gone = hidden_discards(spot, board)
    _play_to_last_deal(root, clone(root), weights, gone, scratch, new_rng(seed), seed, first, boards, choices)
    return _samples(boards, choices)


def _most_replies(rules: RuleSet) -> int:
    """Return the maximum number of replies to a last deal."""
    last = rules.streets[-1]
    shapes = product(*(range(size + 1) for size in ROW_SIZES))
    return max(count_placements(last.deal, *free, last.place) for free in shapes if sum(free) == last.place)


@kernel
def _play_to_last_deal(
    root: HandState,
    state: HandState,
    weights: Floats,
    discards: int,
    scratch: Ints,
    rng: Rng,
    seed: int,
    first: int,
    boards: Ints,
    choices: Ints,
) -> None:
    """Play a board to its last deal many times, and score the boards of all replies to each.

    ``scratch`` has two rows: actions, and the state before the reply.
    """
    v, last = state.v, state.streets.size // 2 - 1
    for i in range(choices.shape[0]):
        reseed(rng, seed, first + i)
        copy_into(state, root)
        for _ in range(discards):
            v[Field.DECK] &= ~draw_discard(rng, v[Field.DECK], weights)
        while v[Field.STREET] < last or v[Field.HAND] == 0:
            if to_play(state) == CHANCE:
                apply(state, sample_chance(state, rng))
            else:
                apply(state, playout_action(state, scratch[0], rng))
        _list_replies(state, scratch, i * choices.shape[1], boards, choices[i])


@kernel
def _list_replies(state: HandState, scratch: Ints, at: int, boards: Ints, choices: Ints) -> None:
    """Score the boards of all replies into ``boards`` from row ``at`` on, and write their rows to ``choices``."""
    v = state.v
    count = legal_actions(state, scratch[0])
    for i in range(Field.SIZE):
        scratch[1, i] = v[i]
    for number in range(choices.size):
        if number >= count:
            choices[number] = at
            continue
        for i in range(Field.SIZE):
            v[i] = scratch[1, i]
        apply(state, scratch[0, number])
        top, middle, back = v[Field.MASK], v[Field.MASK + 1], v[Field.MASK + 2]
        score_board(state.tables, top, middle, back, 0, top | middle | back | v[Field.SEEN], boards[at + number])
        choices[number] = at + number


@warmup
def _warm_up() -> None:
    from bromeliad.games.ofc.rules.files import preset

    board, opponent = "Qd Qh / 9c 9s 4h 4d / As Ac Jd 7h 7d", "3d / 6h 6d Th Td / Ks Kd Kh 3c"
    spot = parse_spot(preset("pineapple"), cards="Kc 8d 3s", board=board, opponents=[opponent])
    opponent_replies(spot, 2, 1)
