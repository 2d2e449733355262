"""The hands of a report as a table for other programs: one row per seat and hand."""

from collections import defaultdict
from pathlib import Path
from typing import Any

from bromeliad.analysis.scan import Batch
from bromeliad.core.files import writing
from bromeliad.errors import UnsupportedError
from bromeliad.games.ofc.hands.automaton import hand_types
from bromeliad.games.ofc.rules.rule_set import Row
from bromeliad.games.ofc.rules.scoring import Scored

_FORMULA = r"^[=+\-@\t\r]"  # spreadsheets run such texts as formulas, and players choose their own names


def check_tables() -> None:
    """Raise UnsupportedError unless tables can be written; called before the work starts."""
    try:
        import polars  # noqa: F401
    except ImportError as error:
        raise UnsupportedError("tables need polars: pip install 'bromeliad[tables]'") from error


class SeatTable:
    """Collects a row for every seat of every hand."""

    def __init__(self) -> None:
        self._columns: dict[str, list[Any]] = defaultdict(list)

    def add(self, batch: Batch) -> None:
        """Add the hands of a batch."""
        seats = batch.results.points.shape[1]
        for sourced, hand in zip(batch.sourced, batch.hands, strict=True):
            self._put("source", [sourced.source] * seats)
            self._put("line", [sourced.line] * seats)
            self._put("seat", range(1, seats + 1))
            self._put("player", hand.players)
            self._put("rules", [batch.rules.name] * seats)
            self._put("fantasyland", hand.fantasyland)
        scored = batch.results.scored.reshape(-1, Scored.SIZE)
        fouled = scored[:, Scored.FOUL] > 0
        self._put("points", batch.results.points.ravel().tolist())
        self._put("royalties", scored[:, Scored.ROYALTIES].tolist())
        self._put("fouled", fouled.tolist())
        self._put("next_fantasyland", scored[:, Scored.NEXT_CARDS].tolist())
        self._put("scoops", batch.results.scoops.ravel().tolist())
        self._put("scooped", batch.results.scooped.ravel().tolist())
        for place, row in enumerate(Row):
            low = batch.rules.order.low_middle and row is Row.MIDDLE
            kinds = [None if low else hand_types()[strength] for strength in scored[:, Scored.STRENGTH + place]]
            names = [kind.name if kind and not foul else None for kind, foul in zip(kinds, fouled, strict=True)]
            self._put(f"{row.value}_type", names)

    def _put(self, name: str, values: Any) -> None:
        self._columns[name].extend(values)

    def write(self, csv: str | Path | None = None, parquet: str | Path | None = None) -> None:
        """Write the rows as CSV, as Parquet, or both."""
        import polars

        frame = polars.DataFrame(dict(self._columns))
        if csv is not None:
            with writing(csv):
                quoted = polars.col(polars.String).str.replace(_FORMULA, "'${0}")
                frame.with_columns(quoted).write_csv(csv)
        if parquet is not None:
            with writing(parquet):
                frame.write_parquet(parquet)
