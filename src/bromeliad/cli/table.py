"""Tables in the terminal: placements with their values, showdowns, analyses and measurements."""

from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bromeliad.cli.boards import card_text
from bromeliad.core.cards import Card
from bromeliad.i18n import one_line, tr

if TYPE_CHECKING:
    from bromeliad.analysis.pages import Table as AnalysisTable
    from bromeliad.bench.results import Section
    from bromeliad.games.ofc.rules.showdown import PlayerResult, Showdown
    from bromeliad.solving.answer import ActionAnswer

CLOSE = "~"
"""Marks a loss that may be zero."""

_BAR = 12  # characters of the longest bar
_WIDE = {"solo": 100, "versus": 120}  # terminal columns needed for bars


def bare_table(gap: int = 2, **settings: Any) -> Table:
    """Return an empty table without lines, with ``gap`` spaces between its columns."""
    return Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="dim", **settings)


def plain_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], left: Container[int] = ()) -> Table:
    """Return a table without lines; columns are right-aligned, except those whose index is in ``left``."""
    table = bare_table()
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number in left else "right", no_wrap=number not in left)
    for row in rows:
        table.add_row(*row)
    return table


def placements_table(actions: "Sequence[ActionAnswer]", objective: str, width: int, top: int | None = None) -> Table:
    """Return a table of the ``top`` best placements that have a value, for a terminal of ``width`` columns."""
    wide = width >= _WIDE[objective]
    versus = objective == "versus"
    table = bare_table(gap=2 if wide else 1)
    columns = [tr("top"), tr("middle"), tr("back"), tr("discard"), tr("EV"), "±", tr("loss"), tr("foul %"), tr("FL %")]
    columns += [tr("royalties"), *([tr("rows"), tr("scoop %")] if versus else []), *([""] if wide else [])]
    for i, name in enumerate(columns):
        table.add_column(name, justify="left" if i < 4 or not name else "right", no_wrap=i >= 4)
    worst = max((action.ev_loss or 0.0 for action in actions), default=0.0)
    for action in (action for action in actions[:top] if action.ev is not None):
        bar = ["█" * round(_BAR * _share(action, worst))] if wide else []
        table.add_row(*_cells(action, versus, wide), *bar)
    return table


def _cells(action: "ActionAnswer", versus: bool, wide: bool) -> list[Any]:
    rows = (action.top, action.middle, action.back, action.discards)
    cells: list[Any] = [card_text(map(Card.from_string, row)) for row in rows]
    cells += [f"{action.ev:.3f}", error_text(action), _loss_text(action, wide)]
    cells += [percent_text(action.p_foul), percent_text(action.p_fantasyland), number_text(action.royalties)]
    return [*cells, number_text(action.row_points), percent_text(action.p_scoop)] if versus else cells


def _loss_text(action: "ActionAnswer", wide: bool) -> str:
    """Format the loss of a placement, with its error if there is space, and a mark if it may be zero."""
    from bromeliad.solving.entry import is_close

    error = f" ± {action.ev_loss_stderr:.3f}" if wide and action.ev_loss_stderr else ""
    return f"{action.ev_loss:.3f}{error}{CLOSE if is_close(action) else ''}"


def _share(action: "ActionAnswer", worst: float) -> float:
    """Return the relative length of an action's bar: 1 for the best, 0 for the worst or one without a value."""
    if action.ev is None or action.ev_loss is None:
        return 0.0
    return 1.0 if worst == 0 else 1.0 - action.ev_loss / worst


def error_text(action: "ActionAnswer") -> str:
    """Format the precision of an EV: exact, its standard error, or ``-`` after a single simulation."""
    if action.exact:
        return tr("exact")
    return "-" if action.stderr is None else f"{action.stderr:.3f}"


def percent_text(value: float | None) -> str:
    """Format a probability in percent, ``-`` if unknown."""
    return "-" if value is None else f"{100 * value:.1f}"


def number_text(value: float | None) -> str:
    """Format a number of points, ``-`` if unknown."""
    return "-" if value is None else f"{value:.2f}"


def print_showdown(result: "Showdown") -> None:
    """Print the boards with their hands and royalties, and what each player wins."""
    table = Table(title=Text(tr("Showdown under {rules} rules", rules=result.rules.name)))
    for column in (tr("player"), tr("row"), tr("cards"), tr("hand"), tr("royalties")):
        table.add_column(column, justify="right" if column == tr("royalties") else "left")
    for number, player in enumerate(result.players, start=1):
        _add_rows(table, number, player)
        table.add_section()
    console = Console()
    console.print(table)
    for number, (player, points) in enumerate(zip(result.players, result.points, strict=True), start=1):
        parts = [tr("foul") if player.fouled else tr("royalties {points}", points=player.royalties)]
        if player.fantasyland:
            parts.append(tr("fantasyland with {cards} cards", cards=player.fantasyland))
        if len(result.players) > 1:
            parts.append(tr("settlement {points}", points=f"{points:+d}"))
        console.print(tr("Player {number}:", number=number), ", ".join(parts))


def _add_rows(table: Table, number: int, player: "PlayerResult") -> None:
    for i, (name, row) in enumerate(zip((tr("top"), tr("middle"), tr("back")), player.board.rows, strict=True)):
        kind = player.hands[i]
        table.add_row(
            str(number) if i == 0 else "",
            name,
            card_text(row.cards),
            tr("foul") if player.fouled else tr(kind.name) if kind else tr("low hand"),
            str(player.row_royalties[i]),
        )


def print_table(console: Console, table: "AnalysisTable") -> None:
    """Print a table under its title."""
    console.print(Text(table.title, style="bold"))
    out = bare_table()
    for number, column in enumerate(table.columns):
        is_text = number < table.texts
        out.add_column(Text(column), justify="left" if is_text else "right", no_wrap=not is_text, min_width=3)
    for row in table.rows:
        out.add_row(*(Text(one_line(cell)) for cell in row.cells), style="bold" if row.is_sum else "")
    console.print(out)
    if table.note:
        console.print(Text(table.note, style="dim"))
    console.print()


def print_section(section: "Section") -> None:
    """Print one table of a bench with its notes."""
    from bromeliad.bench.results import cell

    table = Table(*section.columns, title=section.title)
    for row in section.rows:
        table.add_row(*(cell(value) for value in row))
    console = Console()
    console.print(table)
    for note in section.notes:
        console.print(note, style="dim")
