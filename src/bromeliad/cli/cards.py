"""Cards in the terminal: symbols in four colours."""

from collections.abc import Iterable

from rich.text import Text

from bromeliad.core.cards import Card

__all__ = ["card_text"]

_STYLES = ("green", "blue", "red", "bold", "magenta")  # clubs, diamonds, hearts, spades, joker


def card_text(cards: Iterable[Card]) -> Text:
    """Return cards as coloured text, ``-`` for none."""
    parts = [Text(card.to_symbol(), style=_STYLES[card.suit]) for card in cards]
    return Text(" ").join(parts) if parts else Text("-", style="dim")
