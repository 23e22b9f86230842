"""Whatever a file, a receipt or a proof says, there is a verdict and never an exception."""

from __future__ import annotations

import io
import json
import math
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from vectors import cases

from svc_sdk import ExportVerifier, verify_export, verify_proof, verify_receipt
from svc_sdk.canonical import NoCanonicalForm, canonical_json, canonical_text
from svc_sdk.data_integrity import verify_document
from svc_sdk.json_text import NotJson, read_json

plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
anything = st.recursive(
    plain, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)
names = st.sampled_from(
    "record record_hash checkpoint tree_size inclusion_path seq tenant_id meta keys kind proof segment leaf".split()
)
near = st.recursive(
    plain,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
    max_leaves=20,
)


@given(anything | near)
def test_any_value_gets_a_verdict(value: Any) -> None:
    for keys in ([], ["x"]):
        assert not verify_receipt(value, keys).ok
        assert not verify_proof(value, trusted_keys=keys).ok
    assert verify_document(value if isinstance(value, dict) else {}, value) is None


VALID = next(case for case in cases("exports.cases") if case["verdict"]["verified"])
LINES: list[str] = [cases("exports.lines")[place] for place in VALID["lines"]]


@settings(max_examples=200)
@given(st.data())
def test_any_changed_character_is_noticed(data: st.DataObject) -> None:
    lines = list(LINES)
    place = data.draw(st.integers(0, len(lines) - 1))
    line = lines[place]
    at = data.draw(st.integers(0, len(line) - 1))
    letter = data.draw(st.characters().filter(lambda one: one not in (line[at], "\n")))
    lines[place] = line[:at] + letter + line[at + 1 :]
    verdict = verify_export(lines, **VALID["options"])
    # Spaces and unsigned spellings of the header change nothing that is claimed.
    if verdict.verified:
        assert read_json(lines[place]) == read_json(line) or place == 0
    else:
        assert verdict.reason


@settings(max_examples=50)
@given(st.lists(st.text() | st.binary() | near.map(lambda value: json.dumps(value, default=str))))
def test_any_lines_get_a_verdict(lines: list[Any]) -> None:
    assert not verify_export(lines).ok
    assert not verify_export([LINES[0], *lines]).ok
    verifier = ExportVerifier()
    for line in lines:
        verifier.take(line)
    assert verifier.finish() == verify_export(lines)


def test_a_file_is_read_in_pieces() -> None:
    class Endless(io.RawIOBase):
        def readline(self, size: int | None = -1, /) -> bytes:
            assert size is not None and 0 < size < 2**25
            return b" " * size

    assert verify_export(Endless()).reason == "a line is longer than 4194304 characters"
    for file in (io.BytesIO("\n".join(LINES).encode()), io.StringIO("\n".join(LINES) + "\n")):
        assert verify_export(file, **VALID["options"]).verified


def test_invalid_utf8_and_deep_nesting_are_no_json() -> None:
    for line in (b"\xff", "[" * 200_000, '{"a":' * 200_000, "9" * 5_000, '"\ud800"'):
        assert not verify_export([line]).ok
    assert read_json("9" * 5_000) == math.inf


@given(anything)
def test_the_canonical_text_is_a_fixed_point(value: Any) -> None:
    try:
        text = canonical_json(value)
    except NoCanonicalForm:
        text = "null"
    assert canonical_text(text) == text


@given(st.text() | st.floats().map(str))
def test_any_text_is_json_or_not(text: str) -> None:
    try:
        value = read_json(text)
    except NotJson:
        value = None
    assert value is None or isinstance(value, (bool, int, float, str, list, dict))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back(number: float) -> None:
    assert float(canonical_json(number)) == number
