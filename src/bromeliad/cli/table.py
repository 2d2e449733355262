"""The table of placements: what each is worth, with bars where there is room."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table

from bromeliad.cli.cards import card_text
from bromeliad.core.cards import Card
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.solving.answer import ActionAnswer

__all__ = ["error_text", "number_text", "percent_text", "placements_table"]

_BAR = 12
_WIDE = {"solo": 100, "versus": 120}  # columns of a terminal that has room for bars


def placements_table(actions: "Sequence[ActionAnswer]", objective: str, width: int, top: int | None = None) -> Table:
    """Return a table of the best placements, for a terminal of so many columns."""
    wide = width >= _WIDE[objective]
    versus = objective == "versus"
    table = Table(box=None, pad_edge=False, padding=(0, 2 if wide else 1, 0, 0), header_style="dim")
    columns = [tr("top"), tr("middle"), tr("back"), tr("discard"), tr("EV"), "±", tr("loss"), tr("foul %"), tr("FL %")]
    columns += [tr("royalties"), *([tr("rows"), tr("scoop %")] if versus else []), *([""] if wide else [])]
    for i, name in enumerate(columns):
        table.add_column(name, justify="left" if i < 4 or not name else "right", no_wrap=i >= 4)
    worst = max((action.ev_loss or 0.0 for action in actions), default=0.0)
    for action in actions[:top]:
        bar = ["█" * round(_BAR * _share(action, worst))] if wide else []
        table.add_row(*_cells(action, versus), *bar)
    return table


def _cells(action: "ActionAnswer", versus: bool) -> list[Any]:
    rows = (action.top, action.middle, action.back, action.discards)
    cells: list[Any] = [card_text(map(Card.from_string, row)) for row in rows]
    if action.ev is None:
        return [*cells, "-", tr("not searched"), *([""] * (6 if versus else 4))]
    cells += [f"{action.ev:.3f}", error_text(action), f"{action.ev_loss:.3f}"]
    cells += [percent_text(action.p_foul), percent_text(action.p_fantasyland), number_text(action.royalties)]
    return [*cells, number_text(action.row_points), percent_text(action.p_scoop)] if versus else cells


def _share(action: "ActionAnswer", worst: float) -> float:
    """Return how full an action's bar is: 1 for the best, 0 for the worst."""
    if action.ev is None or action.ev_loss is None:
        return 0.0
    return 1.0 if worst == 0 else 1.0 - action.ev_loss / worst


def error_text(action: "ActionAnswer") -> str:
    """Write how sure an EV is: exact, its standard error, or ``-`` where one simulation tells no error."""
    if action.exact:
        return tr("exact")
    return "-" if action.stderr is None else f"{action.stderr:.3f}"


def percent_text(value: float | None) -> str:
    """Write a probability in percent, ``-`` if it is not known."""
    return "-" if value is None else f"{100 * value:.1f}"


def number_text(value: float | None) -> str:
    """Write a number of points, ``-`` if it is not known."""
    return "-" if value is None else f"{value:.2f}"
