"""Logs: lines for people, or one JSON object per line. Kernels never log.

The logger is the standard library's ``bromeliad``; importing the package configures nothing.
"""

import json
import logging
import sys
from datetime import UTC, datetime

from bromeliad.i18n import one_line

KINDS = ("text", "json")
"""The formats of logs."""

_LOGGER = logging.getLogger("bromeliad")
_FIELDS = "fields"


def log_event(name: str, /, **fields: object) -> None:
    """Log an event with its fields; costs nothing unless logs are shown."""
    if _LOGGER.isEnabledFor(logging.INFO):
        _LOGGER.info(name, extra={_FIELDS: fields})


class _Text(logging.Formatter):
    """A line for people: time, event and fields."""

    def format(self, record: logging.LogRecord) -> str:
        when = datetime.fromtimestamp(record.created).strftime("%H:%M:%S")
        fields = " ".join(f"{name}={_short(value)}" for name, value in _fields(record).items())
        return one_line(f"{when} {record.getMessage()} {fields}".rstrip())


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


def show_logs(kind: str | None) -> None:
    """Show logs on standard error, as ``text`` or ``json``; None shows only warnings, Python's default."""
    for handler in [handler for handler in _LOGGER.handlers if isinstance(handler.formatter, _Text | _Json)]:
        _LOGGER.removeHandler(handler)
    _LOGGER.setLevel(logging.NOTSET if kind is None else logging.INFO)
    _LOGGER.propagate = kind is None
    if kind is not None:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(_Json() if kind == "json" else _Text())
        _LOGGER.addHandler(handler)
