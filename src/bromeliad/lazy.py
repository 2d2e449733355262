"""Lazy packages: a public name is loaded on first use."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def offer(package: str, homes: "Mapping[str, str]") -> "tuple[Callable[[str], Any], list[str]]":
    """Return the ``__getattr__`` and the ``__all__`` of a package.

    ``homes`` maps modules to the names that the package offers from them, separated by spaces. The package imports the
    same names for type checkers.
    """
    modules = {name: module for module, names in homes.items() for name in names.split()}

    def load(name: str) -> "Any":
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        found = getattr(import_module(modules[name]), name)
        setattr(sys.modules[package], name, found)
        return found

    return load, sorted(modules)
