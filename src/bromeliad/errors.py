"""Every exception that Bromeliad raises on purpose.

::

    BromeliadError                 the root; ``except BromeliadError`` catches all of ours
    ├── InputError                 what a person typed or sent is wrong (exit code 2, HTTP 4xx)
    │   ├── CardError              a card, card list or board cannot be read or repeats a card
    │   ├── RulesError             a rule file is wrong; knows the line, the field and what is allowed
    │   ├── FieldError             a field is wrong in itself; raised inside pydantic's validators, so a ValueError too
    │   ├── PositionError          a position is impossible (counts, repeated cards, wrong street)
    │   ├── WeightsError           a file of learned weights is damaged, or of another version
    │   ├── BookError              an opening book is damaged, or does not fit
    │   ├── StoreError             the store cannot be opened, read or written
    │   └── UnsupportedError       right in itself, but this version has no answer for it; says what has
    ├── DomainException            an operation that the present state forbids; nothing was changed
    │   ├── PhaseError             not the phase (or status) for this operation
    │   ├── DealError              a deal of the wrong size, or of cards that are not in the deck
    │   └── PlacementError         a placement that the rules forbid
    └── KernelError                a game does not provide what the search asks of it

Messages are templates with named fields, so that the interfaces can show them in the reader's language:
``str(error)`` is English, ``error.render(translate)`` is anything else.
"""

from collections.abc import Callable

__all__ = [
    "BookError",
    "BromeliadError",
    "CardError",
    "DealError",
    "DomainException",
    "FieldError",
    "InputError",
    "KernelError",
    "PhaseError",
    "PlacementError",
    "PositionError",
    "RulesError",
    "StoreError",
    "UnsupportedError",
    "WeightsError",
]


class BromeliadError(Exception):
    """Root of all errors raised on purpose.

    Parameters
    ----------
    template
        The English message with ``{named}`` fields.
    **values
        What fills the fields.
    """

    def __init__(self, template: str, /, **values: object) -> None:
        self.template = template
        self.values = values
        super().__init__(template)

    def __str__(self) -> str:
        return self.render(lambda text: text)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.template, self.values)

    def render(self, translate: Callable[[str], str]) -> str:
        """Return the message in the language of ``translate`` (a function of the English template)."""
        values = {
            name: value.render(translate) if isinstance(value, BromeliadError) else value
            for name, value in self.values.items()
        }
        return translate(self.template).format(**values)


def _rebuild(cls: type[BromeliadError], template: str, values: dict[str, object]) -> BromeliadError:
    """Unpickle helper: errors cross process borders in batch work."""
    return cls(template, **values)


class InputError(BromeliadError):
    """What a person typed or sent is wrong."""


class CardError(InputError):
    """A card, a list of cards or a board cannot be read, or repeats a card."""


class RulesError(InputError):
    """A rule file is wrong.

    Attributes
    ----------
    problems
        Every mistake in the file, in its order, this error being the first of them.
    """

    def __init__(self, template: str, /, **values: object) -> None:
        super().__init__(template, **values)
        self.problems: tuple[RulesError, ...] = (self,)


class FieldError(InputError, ValueError):
    """A field is wrong in itself; a validator raises it and pydantic, which expects a ValueError, passes it on."""


class PositionError(InputError):
    """A position is impossible."""


class WeightsError(InputError):
    """A file of learned weights cannot be used."""


class BookError(InputError):
    """An opening book cannot be used, or not for this."""


class StoreError(InputError):
    """The store cannot be opened, read or written."""


class UnsupportedError(InputError):
    """A right question that this version cannot answer."""


class DomainException(BromeliadError):  # noqa: N818 -- the name the project was asked for in
    """The present state forbids the operation; nothing was changed."""


class PhaseError(DomainException):
    """Not the phase, or status, for this operation."""


class DealError(DomainException):
    """A deal of the wrong size, or of cards that are not in the deck."""


class PlacementError(DomainException):
    """A placement that the rules forbid."""


class KernelError(BromeliadError):
    """A game does not provide what the search asks of it."""
