"""Messages in English, 繁體中文 and 简体中文.

The English text is the key of the catalogues ``locale/*.po``. The language is a context variable, so that a server can
answer each request in its own language.
"""

import os
from collections.abc import Mapping
from contextvars import ContextVar
from functools import cache

LANGUAGES = ("en", "zh-TW", "zh-CN")
_language: ContextVar[str] = ContextVar("language", default="en")


def detect_language(environ: Mapping[str, str] = os.environ) -> str:
    """Return the language of the environment's locale; English by default."""
    names = (environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    locale = next(filter(None, names), "").lower().replace("-", "_")
    if not locale.startswith("zh"):
        return "en"
    return "zh-TW" if any(part in locale for part in ("tw", "hk", "mo", "hant")) else "zh-CN"


def use_language(name: str) -> None:
    """Set the language of this context."""
    _language.set(name)


def language() -> str:
    """Return the language of this context."""
    return _language.get()


@cache
def _catalogue(name: str) -> dict[str, str]:
    if name == "en":
        return {}
    from importlib import resources  # here, so that English starts faster

    import polib

    text = (resources.files("bromeliad") / "locale" / f"{name}.po").read_text(encoding="utf-8")
    return {entry.msgid: entry.msgstr for entry in polib.pofile(text) if entry.msgstr}


def tr(text: str, /, **values: object) -> str:
    """Translate an English text into the language of this context and fill its ``{named}`` fields."""
    translated = _catalogue(_language.get()).get(text, text)
    return translated.format(**values) if values else translated


def one_line(text: str) -> str:
    """Replace control characters by spaces: a message may quote what a user typed."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
