"""The store in commands: they look up and keep answers in it, and continue without it if it fails."""

from typing import TYPE_CHECKING

from bromeliad.cli.base import complain
from bromeliad.errors import StoreError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.storage.store import Store


def open_or_warn(place: str | None) -> "Store | None":
    """Open the store; if that fails, warn and return None."""
    from bromeliad.storage.store import open_store

    try:
        return open_store(place)
    except StoreError as error:
        warn(error)
        return None


def warn(problem: StoreError) -> None:
    """Print on standard error that the store cannot be used."""
    complain(tr("continuing without the store: {problem}", problem=problem.render(tr)))


class StoreOnDemand:
    """A store that is opened when it is first needed, and no longer used once it has failed.

    Parameters
    ----------
    place
        The store; None for the default one.
    use
        Whether to use the store at all.
    """

    def __init__(self, place: str | None, *, use: bool) -> None:
        self._place, self._use = place, use
        self._store: Store | None = None

    def get(self) -> "Store | None":
        """Return the store, or None if it is not to be used."""
        if self._use and self._store is None:
            self._store = open_or_warn(self._place)
            self._use = self._store is not None
        return self._store if self._use else None

    def give_up(self, problem: StoreError) -> None:
        """Warn once that the store has failed."""
        if self._use:
            warn(problem)
        self._use = False

    def close(self) -> None:
        """Close the store."""
        if self._store is not None:
            self._store.close()
