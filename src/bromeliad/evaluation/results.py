"""Results of measurements: means with their errors, and JSON."""

import math
from dataclasses import is_dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Estimate(NamedTuple):
    """A mean and its standard error."""

    value: float
    stderr: float


def mean_and_error(values: NDArray[np.floating[Any] | np.bool_]) -> Estimate:
    """Return the mean of some values and its standard error."""
    error = float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return Estimate(float(values.mean()), error)


class PlainResult:
    """A mix-in for dataclasses: a result that can be converted to JSON."""

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return {name: _plain(value) for name, value in vars(self).items()}


def _plain(value: Any) -> Any:
    """Return JSON data: named tuples and dataclasses become objects, numbers that are not finite become null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        value = value._asdict()
    if is_dataclass(value):
        value = vars(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (tuple, list)) else value
