"""Server-sent events do not depend on where their chunks are split."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_sdk import SvcError
from svc_sdk.events import EventReader, ServerEvent

TEXT = "\ufeffevent: a\ndata: 1\r\n\r\n: comment\ndata:2\rdata: é\U0001f512\r\rretry: 5\n\ndata\n\nevent: b\ndata: rest"
EXPECTED = [ServerEvent("a", "1"), ServerEvent("message", "2\né\U0001f512"), ServerEvent("message", "")]


@given(st.lists(st.integers(0, len(TEXT.encode()))))
def test_chunks_may_be_split_anywhere(places: list[int]) -> None:
    data, events, reader = TEXT.encode(), [], EventReader()
    edges = [0, *sorted(places), len(data)]
    for start, end in zip(edges, edges[1:]):
        events += reader.take(data[start:end])
    assert events == EXPECTED


@given(st.lists(st.binary()))
def test_any_bytes_are_read_without_failing(chunks: list[bytes]) -> None:
    reader = EventReader()
    for chunk in chunks:
        reader.take(chunk)


def test_an_endless_line_or_event_is_cut() -> None:
    for chunk in (b"data: xxxxxxxx", b"data: xxxxxxxx\n"):
        reader = EventReader(chars_max=100)
        with pytest.raises(SvcError, match="larger than any answer"):
            for _ in range(20):
                reader.take(chunk)
    reader = EventReader(chars_max=100)
    for _ in range(100):
        assert len(reader.take(b"data: xxxxxxxx\n\n")) == 1
