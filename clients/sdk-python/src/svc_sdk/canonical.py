"""The canonical text of a JSON value (RFC 8785), so that two parties hash the same bytes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any

from .encoding import sha256_hex
from .json_text import WHOLE_NUMBER_MAX, read_json

_DEPTH_MAX = 128
# ECMAScript writes a number without exponent if its decimal point is between these positions.
_POINT_MIN = -5
_POINT_MAX = 21


class NoCanonicalForm(ValueError):
    """Why a value has no canonical form."""


def canonical_json(value: Any) -> str:
    """The canonical text of a value. Numbers are doubles, as on the wire: integers beyond 2^53 are rounded.

    >>> canonical_json({"b": [1.0, 1e21], "a": "é"})
    '{"a":"é","b":[1,1e+21]}'
    """
    pieces: list[str] = []
    _write(value, 0, pieces)
    return "".join(pieces)


def canonical_text(text: str) -> str:
    """The canonical text of a JSON text; raises NotJson or NoCanonicalForm."""
    return canonical_json(read_json(text))


def content_hash(value: Any) -> str:
    """`sha256:<64 hex>` over the canonical text: the address of a content-addressed object."""
    return f"sha256:{sha256_hex(canonical_json(value).encode())}"


def _write(value: Any, depth: int, pieces: list[str]) -> None:
    if isinstance(value, str):
        pieces.append(_quoted(value))
    elif value is None:
        pieces.append("null")
    elif isinstance(value, bool):
        pieces.append("true" if value else "false")
    elif isinstance(value, (int, float)):
        pieces.append(_number_text(value))
    elif isinstance(value, (dict, Mapping)):
        _write_object(value, _within(depth), pieces)
    elif isinstance(value, (list, Sequence)) and not isinstance(value, (bytes, bytearray)):
        _write_list(value, _within(depth), pieces)
    else:
        raise NoCanonicalForm(f"{type(value).__name__} is not a JSON value")


def _within(depth: int) -> int:
    if depth >= _DEPTH_MAX:
        raise NoCanonicalForm(f"nested deeper than {_DEPTH_MAX} levels")
    return depth + 1


def _write_list(values: Sequence[Any], depth: int, pieces: list[str]) -> None:
    pieces.append("[")
    for place, value in enumerate(values):
        if place > 0:
            pieces.append(",")
        _write(value, depth, pieces)
    pieces.append("]")


def _write_object(members: Mapping[str, Any], depth: int, pieces: list[str]) -> None:
    pieces.append("{")
    for place, name in enumerate(_sorted_names(members)):
        pieces.append(_quoted(name) + ":" if place == 0 else "," + _quoted(name) + ":")
        _write(members[name], depth, pieces)
    pieces.append("}")


def _sorted_names(members: Mapping[str, Any]) -> list[str]:
    """By UTF-16 code units, as the RFC requires: a character beyond U+FFFF sorts before U+E000 and above."""
    names = list(members)
    try:
        if all(map(str.isascii, names)):
            return sorted(names)
    except TypeError:
        raise NoCanonicalForm("a key of an object is not text") from None
    return sorted(names, key=lambda name: name.encode("utf-16-be", "surrogatepass"))


def _quoted(text: str) -> str:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise NoCanonicalForm("a string holds a lone surrogate") from None
    # Escapes only what it must, in the short form if there is one.
    quoted: str = encode_basestring(text)
    return quoted


def _number_text(number: int | float) -> str:
    if isinstance(number, int) and -WHOLE_NUMBER_MAX <= number <= WHOLE_NUMBER_MAX:
        return str(int(number))
    try:
        double = float(number)
    except OverflowError:
        double = math.inf
    if not math.isfinite(double):
        raise NoCanonicalForm("Infinity is not a JSON number")
    return _double_text(double)


def _double_text(number: float) -> str:
    """The shortest digits that read back as the same double, formatted like ECMAScript's Number::toString."""
    if number == 0:
        return "0"
    mantissa, _, exponent = repr(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    # The number of digits before the decimal point.
    point = len(whole) + int(exponent or 0) - (len(whole) + len(fraction) - len(digits))
    digits = digits.rstrip("0")
    sign = "-" if number < 0 else ""
    if _POINT_MIN <= point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    if 1 <= point <= _POINT_MAX:
        if len(digits) <= point:
            return f"{sign}{digits}{'0' * (point - len(digits))}"
        return f"{sign}{digits[:point]}.{digits[point:]}"
    dot = "." if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{dot}{digits[1:]}e{'-' if point < 1 else '+'}{abs(point - 1)}"
