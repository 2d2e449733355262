"""``bromeliad book``: the opening book."""

from bromeliad.cli.base import Group

__all__ = ["book"]

_COMMANDS = {
    "build": ("bromeliad.cli.book_build:build", "Find the best placements of every first deal; can be resumed."),
    "merge": ("bromeliad.cli.book_build:merge", "Put parts of a book together, or pool books of the same hands."),
    "verify": ("bromeliad.cli.book_verify:verify", "Compare a book with fresh searches that are ten times longer."),
    "show": ("bromeliad.cli.book_show:show", "Say what a book knows of a hand."),
    "stats": ("bromeliad.cli.book_show:stats", "Say what first deals are worth, all together and by kind."),
}
book = Group(
    "book", help="The opening book: the best placements of every first deal, built, checked and read.", lazy=_COMMANDS
)
