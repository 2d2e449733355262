"""A review as tables and as a page; the command line and the page use the same words."""

from pathlib import Path
from typing import Any

from bromeliad.analysis.pages import Row, Table, write_page
from bromeliad.analysis.review import DecisionReview, Placement, Review
from bromeliad.i18n import tr
from bromeliad.solving.answer import ActionAnswer


def street_words(street: int | None) -> str:
    """Return a street in words."""
    return tr("fantasyland") if street is None else str(street)


def where_words(item: DecisionReview) -> str:
    """Return the hand and the street of a decision in words."""
    street = tr("fantasyland") if item.street is None else tr("street {street}", street=item.street)
    return f"{tr('hand {hand}', hand=item.hand)}, {street}"


def error_words(item: DecisionReview) -> str:
    """Return the error of a loss in words."""
    if item.exact:
        return tr("exact")
    return "± –" if item.stderr is None else f"± {item.stderr:.2f}"


def reasons(item: DecisionReview) -> list[str]:
    """Return the known figures of both placements, each as ``played → best``."""
    made, best = item.chosen, item.best
    points = [(tr("royalties"), made.royalties, best.royalties), (tr("row points"), made.row_points, best.row_points)]
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


def review_note(review: Review) -> str:
    """Return the extent of the review, and how to read losses."""
    what = tr(
        "{source}: {reviewed} of {decisions} decisions in {hands} hands reviewed",
        source=review.source,
        reviewed=f"{review.reviewed:,}",
        decisions=f"{review.decisions:,}",
        hands=f"{review.hands:,}",
    )
    how = tr("EV losses are in points; ± is one standard error. Exact losses have none.")
    return f"{what}. {how}"


def sums_table(review: Review) -> Table:
    """Return the sums by player and street."""
    decisions = tr("decisions"), tr("mistakes"), tr("exact")
    columns = (tr("player"), tr("street"), *decisions, tr("EV lost"), "±", tr("per decision"))
    rows = []
    for item in review.sums:
        street = tr("all") if item.of_all else street_words(item.street)
        counts = [f"{count:,}" for count in (item.decisions, item.mistakes, item.exact)]
        losses = f"{item.ev_loss:.2f}", f"{item.stderr:.2f}", f"{item.mean:.3f}"
        rows.append(Row((item.player, street, *counts, *losses), item.of_all))
    return Table(tr("EV lost by player and street"), columns, tuple(rows), texts=2)


def write_review(path: str | Path, review: Review, top: int | None = None) -> None:
    """Write a page with the sums and the costliest mistakes."""
    write_page(
        path,
        "review.html",
        title=tr("Review"),
        note=review_note(review),
        tables=[sums_table(review)],
        heading=tr("The costliest decisions"),
        columns=[tr("EV lost"), tr("hand"), tr("board, cards, opponents"), tr("played"), tr("better"), tr("why")],
        mistakes=[_mistake(item) for item in review.mistakes[:top]],
    )


def _mistake(item: DecisionReview) -> dict[str, Any]:
    return {
        "loss": f"{item.ev_loss:.2f}",
        "error": error_words(item),
        "where": where_words(item),
        "player": item.player,
        "board": item.board,
        "cards": item.cards,
        "opponents": item.opponents,
        "made": _rows(item.placed),
        "made_discards": " ".join(item.placed.discards),
        "best": _rows(item.best),
        "best_discards": " ".join(item.best.discards),
        "reasons": reasons(item),
    }


def _rows(placed: Placement | ActionAnswer) -> str:
    return " / ".join(" ".join(row) or "-" for row in (placed.top, placed.middle, placed.back))
