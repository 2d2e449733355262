"""What happens, told as it happens: human lines, or one JSON object a line on request; never from inside kernels.

Programs use the standard library's logger ``bromeliad`` as any other; nothing is set up by importing the package.
"""

import json
import logging
import sys
from datetime import UTC, datetime

__all__ = ["KINDS", "log_event", "show_logs"]

KINDS = ("text", "json")
"""How logs can be shown."""

_LOGGER = logging.getLogger("bromeliad")
_FIELDS = "fields"


def log_event(name: str, /, **fields: object) -> None:
    """Say that something happened, and what belongs to it; costs nothing where nobody listens."""
    if _LOGGER.isEnabledFor(logging.INFO):
        _LOGGER.info(name, extra={_FIELDS: fields})


class _Text(logging.Formatter):
    """A line for people: when, what, and its fields."""

    def format(self, record: logging.LogRecord) -> str:
        when = datetime.fromtimestamp(record.created).strftime("%H:%M:%S")
        fields = " ".join(f"{name}={_short(value)}" for name, value in _fields(record).items())
        return _one_line(f"{when} {record.getMessage()} {fields}".rstrip())


class _Json(logging.Formatter):
    """A JSON object for programs."""

    def format(self, record: logging.LogRecord) -> str:
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        own = {"time": when, "level": record.levelname.lower(), "event": record.getMessage()}
        return json.dumps(own | _fields(record), ensure_ascii=False, default=str)


def _fields(record: logging.LogRecord) -> dict[str, object]:
    found: dict[str, object] = getattr(record, _FIELDS, {})
    return found


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _one_line(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)


def show_logs(kind: str | None) -> None:
    """Show logs on standard error, as ``text`` or ``json``; None shows warnings only, as Python does by itself."""
    for handler in [handler for handler in _LOGGER.handlers if isinstance(handler.formatter, _Text | _Json)]:
        _LOGGER.removeHandler(handler)
    _LOGGER.setLevel(logging.NOTSET if kind is None else logging.INFO)
    _LOGGER.propagate = kind is None
    if kind is not None:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(_Json() if kind == "json" else _Text())
        _LOGGER.addHandler(handler)
