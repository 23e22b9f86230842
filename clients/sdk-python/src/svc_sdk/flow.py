"""The logic of calls without input and output: generators that yield what is to be done, and get what came of it.

Both clients run the same flows; each only knows how to send, wait and lock in its own way.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar, Union

TIMEOUT_S_DEFAULT = 30.0


@dataclass(frozen=True)
class Request:
    """A request to the service, before it has credentials."""

    method: Literal["GET", "POST"]
    path: str
    headers: Mapping[str, str | None]
    changes: bool
    """Without an answer, the outcome of a write is unknown; a read can be repeated."""
    body: str | None = field(default=None, repr=False)
    timeout_s: float = TIMEOUT_S_DEFAULT
    """0 for no limit."""


@dataclass(frozen=True)
class Response:
    """A whole answer. The names of headers are lowercase."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Send:
    """Done with a Response, or with Opened where `is_stream` and the answer is a stream of events."""

    request: Request
    url: str
    headers: dict[str, str] = field(repr=False)
    """With credentials, so it is not printed."""
    is_stream: bool = False


@dataclass(frozen=True)
class Opened:
    """An answer that has begun: a stream of events."""

    sending: Send
    status: int
    headers: dict[str, str]
    chunks: Any
    """How the client that opened it reads on: a generator of bytes, of its own kind."""


@dataclass(frozen=True)
class Sleep:
    seconds: float


class Lock(Protocol):
    """Of threading or of anyio: how it is acquired differs, and is done by the client."""

    @property
    def acquire(self) -> Any: ...

    @property
    def release(self) -> Any: ...


@dataclass(frozen=True)
class Acquire:
    lock: Lock


Effect = Union[Send, Sleep, Acquire]
T = TypeVar("T")
Flow = Generator[Effect, Any, T]
