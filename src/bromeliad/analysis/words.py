"""What reviews say in words: the same in the terminal and on a page."""

from bromeliad.analysis.review import DecisionReview
from bromeliad.i18n import tr

__all__ = ["error_words", "reasons", "street_words", "where_words"]


def street_words(street: int | None) -> str:
    """Say which street it is."""
    return tr("fantasyland") if street is None else str(street)


def where_words(item: DecisionReview) -> str:
    """Say which decision it is."""
    street = tr("fantasyland") if item.street is None else tr("street {street}", street=item.street)
    return f"{tr('hand {hand}', hand=item.hand)}, {street}"


def error_words(item: DecisionReview) -> str:
    """Say how sure a loss is, and whether it is one of the boards alone: the search left the placement out."""
    if item.exact:
        return tr("exact")
    error = "± –" if item.stderr is None else f"± {item.stderr:.2f}"
    return error if item.chosen is not None else f"{error}, {tr('by the boards alone')}"


def reasons(item: DecisionReview) -> list[str]:
    """Return what the better move has more or less of, each as ``made → better``; nothing where it is not known."""
    pair = item.alone if item.chosen is None else (item.chosen, item.best)
    if pair is None:
        return []
    made, best = pair
    points = [
        (tr("royalties"), made.royalties, best.royalties),
        (tr("row points"), made.row_points, best.row_points),
    ]
    shares = [
        (tr("foul"), made.p_foul, best.p_foul),
        (tr("fantasyland"), made.p_fantasyland, best.p_fantasyland),
        (tr("scoop"), made.p_scoop, best.p_scoop),
    ]
    words = [f"{name} {one:.2f} → {two:.2f}" for name, one, two in points if one is not None and two is not None]
    for name, one, two in shares:
        if one is not None and two is not None:
            words.append(f"{name} {100 * one:.1f} → {100 * two:.1f} %")
    return words
