"""The parts of an EV for one placement, where the time of an answer did not reach so far."""

from bromeliad.games.ofc.exact.expectation import Expected
from bromeliad.games.ofc.play.seat import own_action
from bromeliad.solving.answer import ActionAnswer
from bromeliad.solving.entries import p_fantasyland
from bromeliad.solving.request import DEFAULT_TIME, SolveRequest

__all__ = ["with_parts"]


def with_parts(request: SolveRequest, item: ActionAnswer) -> ActionAnswer:
    """Return an entry of the answer to a request with the parts of its EV, sampled if they were not known."""
    if item.royalties is not None:
        return item
    from bromeliad.games.ofc.opponents.versus import bank_size, sample_opponents
    from bromeliad.games.ofc.search_spot import split_action
    from bromeliad.solving.versus import PLAYOUTS

    spot = request.to_spot()
    code = own_action(spot.cards, (item.top, item.middle, item.back, item.discards)).to_code()
    if spot.objective == "solo":
        split = split_action(spot, spot.to_search_state(), code, request.seed)
        if split is None:
            return item
        foul, fantasyland, royalties = (float(mean) for mean in split[Expected.FOUL :])
        return _updated(item, p_foul=foul, p_fantasyland=p_fantasyland(spot, foul, fantasyland), royalties=royalties)
    count = bank_size(None if request.simulations else request.time or DEFAULT_TIME)
    inferred = request.discards == "inferred"
    against = sample_opponents(spot, count, request.seed, inferred=inferred, habits=request.opponent_model)
    parts = against.parts(code, PLAYOUTS, request.seed)
    return _updated(
        item,
        p_foul=parts.p_foul,
        p_fantasyland=p_fantasyland(spot, parts.p_foul, parts.p_fantasyland),
        royalties=parts.royalties,
        p_scoop=parts.p_scoop,
        row_points=parts.row_points,
        opponent_royalties=against.opponent_royalties,
        opponent_p_foul=against.opponent_p_foul,
        opponent_p_fantasyland=against.opponent_p_fantasyland,
    )


def _updated(item: ActionAnswer, **parts: float | None) -> ActionAnswer:
    return item.model_copy(update=parts)
