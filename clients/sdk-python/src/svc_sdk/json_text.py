"""Reads JSON as ECMAScript's JSON.parse does: numbers are doubles, and nothing beyond JSON is accepted."""

from __future__ import annotations

import json
from typing import Any, NoReturn

WHOLE_NUMBER_MAX = 2**53
_SHORT_INT_CHARS = 15


class NotJson(ValueError):
    """The text is not JSON."""

    def __init__(self) -> None:
        super().__init__("it is not JSON")


def _whole_number(text: str) -> int | float:
    # Python refuses to read thousands of digits; as a double they are infinite, as in every other reader.
    if len(text) <= _SHORT_INT_CHARS:
        return int(text)
    number = float(text)
    return int(number) if abs(number) <= WHOLE_NUMBER_MAX else number


def _no_constant(_: str) -> NoReturn:
    raise NotJson


_decoder = json.JSONDecoder(parse_int=_whole_number, parse_constant=_no_constant)


def read_json(text: str) -> Any:
    """The value of a JSON text; raises NotJson."""
    try:
        return _decoder.decode(text)
    except (ValueError, RecursionError):
        raise NotJson from None


def is_count(value: object) -> bool:
    """An integer from 0 to the largest a double counts exactly, in any notation."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and _is_counted(value)


def _is_counted(number: int | float) -> bool:
    return 0 <= number < WHOLE_NUMBER_MAX and int(number) == number
