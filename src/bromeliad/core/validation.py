"""Our messages for pydantic's validation errors, shared by requests and rule files.

They are templates like those of :mod:`bromeliad.errors`, so they can be translated.
"""

from collections.abc import Iterable

from pydantic_core import ErrorDetails

from bromeliad.errors import InputError

_KEY = "[key]"  # pydantic's mark for an invalid key of a mapping

MESSAGES = {
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "dict_type": "must be a section with fields",
    "enum": "must be one of {expected}",
    "extra_forbidden": "is not a known field; allowed: {allowed}",
    "finite_number": "must be a finite number",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be {ge} or more",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_parsing_size": "has too many digits",
    "int_type": "must be a whole number",
    "invalid_key": "must be text",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be {le} or less",
    "literal_error": "must be one of {expected}",
    "missing": "is missing (or name a preset as base)",
    "model_type": "must be a section with fields; allowed: {allowed}",
    "string_pattern_mismatch": "must be a hand like pair Q, trips, quads or low 75432",
    "string_too_long": "may have at most {max_length} characters",
    "string_too_short": "may not be empty",
    "string_type": "must be text",
    "string_unicode": "must be text",
    "too_long": "may have at most {max_length} entries",
    "too_short": "must have at least {min_length} entries",
    "tuple_type": "must be a list",
    "value_error": "{error}",
}
"""Templates by pydantic's error type. ``value_error`` is our FieldError, which is translated separately."""

_OTHER = "cannot be used here ({kind})"


def describe(item: ErrorDetails, allowed: Iterable[str] = ()) -> InputError:
    """Return the problem with a field as an error, to be shown after the field's name.

    ``allowed`` are the names of the valid fields at that place.
    """
    given = item.get("ctx", {}).items()
    values = {name: f"{value:g}" if isinstance(value, float) else value for name, value in given}
    if "expected" in values:  # pydantic's list is English: 'solo' or 'versus'
        values["expected"] = values["expected"].replace(" or ", ", ").replace("'", "")
    values |= {"allowed": ", ".join(allowed), "kind": item["type"]}
    if item["type"] == "extra_forbidden" and not values["allowed"]:
        return InputError("is not a known field")
    return InputError(MESSAGES.get(item["type"], _OTHER), **values)


def field_name(item: ErrorDetails) -> str:
    """Return the dotted name of the invalid field; '' if the error is about the whole input."""
    return ".".join(str(part) for part in item["loc"] if part != _KEY)
