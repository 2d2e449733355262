"""Every exception that Bromeliad raises on purpose.

All derive from :class:`BromeliadError`. An :class:`InputError` is one that the user can correct (exit code 2, HTTP
4xx); a :class:`DomainException` is an operation that the current state forbids.

Messages are templates with named fields, so that interfaces can translate them: ``str(error)`` is English,
``error.render(translate)`` any other language.
"""

from collections.abc import Callable
from functools import partial


class BromeliadError(Exception):
    """Root of all errors raised on purpose; ``template`` is the English message with ``{named}`` fields."""

    def __init__(self, template: str, /, **values: object) -> None:
        self.template = template
        self.values = values
        super().__init__(template)

    def __str__(self) -> str:
        return self.render(lambda text: text)

    def __reduce__(self) -> tuple[object, ...]:
        return partial(type(self), self.template, **self.values), ()  # batches pass errors between processes

    def render(self, translate: Callable[[str], str]) -> str:
        """Return the message in the language of ``translate``, a function of the English template."""
        values = {
            name: value.render(translate) if isinstance(value, BromeliadError) else value
            for name, value in self.values.items()
        }
        return translate(self.template).format(**values)


class InputError(BromeliadError):
    """The user's input is invalid (exit code 2, HTTP 4xx)."""


class CardError(InputError):
    """A card, a list of cards or a board cannot be read, or repeats a card."""


class RulesError(InputError):
    """A rule file is invalid."""

    def __init__(self, template: str, /, **values: object) -> None:
        super().__init__(template, **values)
        self.problems: tuple[RulesError, ...] = (self,)  # every mistake in the file, in order; this one is the first


class FieldError(InputError, ValueError):
    """A field is invalid. Raised in pydantic's validators, which pass on a ValueError."""


class PositionError(InputError):
    """A position is impossible: wrong counts, repeated cards, wrong street."""


class WeightsError(InputError):
    """A file of learned weights is damaged, or has another version."""


class BookError(InputError):
    """An opening book is damaged, or does not fit the question."""


class StoreError(InputError):
    """The store cannot be opened, read or written."""


class NotStoredError(StoreError):
    """The store has no such hand, game, mistake or session."""


class UnsupportedError(InputError):
    """The question is valid, but this version cannot answer it."""


class DomainException(BromeliadError):  # noqa: N818 -- part of the requested API
    """The current state forbids the operation; nothing was changed."""


class PhaseError(DomainException):
    """The operation is not allowed in this phase or status."""


class DealError(DomainException):
    """A deal has the wrong size, or cards that are not in the deck."""


class PlacementError(DomainException):
    """The rules forbid the placement."""


class EngineError(BromeliadError):
    """Another program that plays does not answer, or breaks its protocol."""


class KernelError(BromeliadError):
    """A game does not provide a function that the search needs."""
