"""Options of one call."""

from __future__ import annotations

from typing_extensions import TypedDict


class CallOptions(TypedDict, total=False):
    """Keyword arguments of every call, and of `with_options`."""

    idempotency_key: str | None
    """A write sent twice with the same key is executed once and gets the same answer."""
    timeout_s: float | None
    """Limits one attempt, including its answer; default 30, 0 for no limit. For a stream, the time between two events."""
    retry: bool
    """False disables retries. Writes are never retried."""
    correlation_id: str | None
    """A UUID that identifies the call in records and logs; by default the engine creates one."""
    traceparent: str | None
    """W3C trace context, passed on and returned."""
    tracestate: str | None
    """W3C trace state; only together with a `traceparent`."""
    version: str | None
    """The protocol's version; default the catalogue's."""
    tenant_id: str | None
    """The target tenant; default the client's."""
    wait_for_audit: bool
    """Waits until the record is committed, and returns its receipt. Not for streams."""
    wait_for_approval_s: float
    """If the call needs the approval of others: waits for it up to this long, then sends the call again.

    By default the refusal `approval_required` is raised at once. Not for streams.
    """
