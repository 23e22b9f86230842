"""Server-sent events as in the standard, from chunks split anywhere."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from .errors import SvcError, bad_answer

ANSWER_BYTES_MAX = 64 * 1024 * 1024
"""Larger than any answer of the service; longer data is rejected."""

_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True)
class ServerEvent:
    event: str
    data: str


class EventReader:
    """Takes chunks and tells the events that are complete. Data after the last empty line is not an event."""

    def __init__(self, chars_max: int = ANSWER_BYTES_MAX) -> None:
        self._chars_max = chars_max
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._begun: list[str] = []
        self._begun_chars = 0
        self._fields: list[str] = []
        self._chars = 0
        self._after_return = False
        self._is_first = True

    def take(self, chunk: bytes) -> list[ServerEvent]:
        piece = self._decoder.decode(chunk)
        if piece == "":
            return []
        if self._is_first:
            piece = piece.removeprefix("\ufeff")
            self._is_first = False
        # CRLF may be split across chunks.
        text = piece[1:] if self._after_return and piece.startswith("\n") else piece
        self._after_return = piece.endswith("\r")
        first, *lines = _LINE_END.split(text)
        self._begun.append(first)
        self._begun_chars += len(first)
        events: list[ServerEvent] = []
        if lines:
            complete = ["".join(self._begun), *lines[:-1]]
            self._begun, self._begun_chars = [lines[-1]], len(lines[-1])
            events = [event for line in complete for event in self._take_line(line)]
        if self._chars + self._begun_chars > self._chars_max:
            raise too_large()
        return events

    def _take_line(self, line: str) -> list[ServerEvent]:
        if line != "":
            self._fields.append(line)
            self._chars += len(line)
            return []
        event = _event_of(self._fields)
        self._fields, self._chars = [], 0
        return [] if event is None else [event]


def too_large() -> SvcError:
    return bad_answer("What came is larger than any answer of svc may be; check api_url.")


def _event_of(lines: list[str]) -> ServerEvent | None:
    event = "message"
    data: list[str] = []
    for line in lines:
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "event":
            event = value
        elif name == "data":
            data.append(value)
    return ServerEvent(event, "\n".join(data)) if data else None
