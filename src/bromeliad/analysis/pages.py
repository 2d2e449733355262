"""Tables of texts and figures, and self-contained HTML pages."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from bromeliad.core.cards import Card, parse_cards
from bromeliad.core.files import writing
from bromeliad.errors import CardError
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.i18n import language

if TYPE_CHECKING:
    from jinja2 import Environment

_SUITS = ("club", "diamond", "heart", "spade", "joker")


class Row(NamedTuple):
    """One row of a table; a sum is shown in bold."""

    cells: tuple[str, ...]
    is_sum: bool = False


class Table(NamedTuple):
    """A table for the terminal and for a page; its first ``texts`` columns are texts, the others figures."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    texts: int = 1
    note: str = ""


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("bromeliad.analysis", "templates")
    found = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    found.filters |= {"cards": _cards, "board": _board}
    return found


def check_writable(path: str | Path) -> None:
    """Raise InputError unless a file can be written; called before the work starts."""
    with writing(path), Path(path).open("a"):
        pass


def write_page(path: str | Path, template: str, **values: Any) -> None:
    """Render a template with these values, and write the page to a file."""
    text = _environment().get_template(template).render(language=language(), **values)
    with writing(path):
        Path(path).write_text(text, encoding="utf-8")


def _card(card: Card) -> Markup:
    return Markup('<span class="card {suit}">{text}</span>').format(suit=_SUITS[card.suit], text=card.to_symbol())


def _cards(text: str) -> Markup:
    """Return cards as HTML in four colours; escape a text that is not cards."""
    try:
        return Markup(" ").join(map(_card, parse_cards(text)))
    except CardError:
        return Markup.escape(text)


def _board(text: str) -> Markup:
    """Return a board as one line of HTML; escape a text that is not a board."""
    try:
        rows = PlayerArrangement.parse(text).rows
    except CardError:
        return Markup.escape(text)
    return Markup(" / ").join(Markup(" ").join(map(_card, row.cards)) or Markup("–") for row in rows)
