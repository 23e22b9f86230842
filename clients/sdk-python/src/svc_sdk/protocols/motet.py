# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MOTET v1.0.0. Measurements: metrics, logs and spans that agents emit."""

from __future__ import annotations

from typing import Dict, List, Literal

from pydantic import Field

from ..models import Input, Output
from ..operations import AsyncOperations, Operations


class EmitInput(Input):
    """Record measurements, logs or spans of the calling tenant, also of the past."""

    signals: List[EmitSignalByTraceId | EmitSignalByTraceId2 | EmitSignalByKind | EmitSignalBySeverity | EmitSignalBySeverityText]
    """Metrics, logs and spans, in our names or those of OTLP/JSON. One that does not fit is listed in rejected; the others are recorded."""


class EmitSignalByTraceId(Input):
    """A part of the above."""

    trace_id: str
    """Trace the span belongs to, 16 bytes in lower hex."""
    span_id: str
    """Id of the span, 8 bytes in lower hex."""
    parent: str | None = None
    """Span that started this one; absent for the root of a trace."""
    name: str
    """What was done, e.g. an operation."""
    start: str
    """When the work began."""
    end: str
    """When the work ended, up to 7 days ago and an hour ahead."""
    status: Literal["unset", "ok", "error"]
    """How the work ended; unset where nobody said."""


class EmitSignalByTraceId2(Input):
    """A part of the above."""

    trace_id: str = Field(validation_alias="traceId", serialization_alias="traceId")
    """Trace the span belongs to, 16 bytes in lower hex."""
    span_id: str = Field(validation_alias="spanId", serialization_alias="spanId")
    """Id of the span, 8 bytes in lower hex."""
    parent_span_id: str | None = Field(default=None, validation_alias="parentSpanId", serialization_alias="parentSpanId")
    """Span that started this one; absent for the root of a trace."""
    name: str
    """What was done, e.g. an operation."""
    start_time_unix_nano: str = Field(validation_alias="startTimeUnixNano", serialization_alias="startTimeUnixNano")
    """Nanoseconds since the epoch, as OTLP writes them."""
    end_time_unix_nano: str = Field(validation_alias="endTimeUnixNano", serialization_alias="endTimeUnixNano")
    """Nanoseconds since the epoch, as OTLP writes them."""
    status: EmitSignalByTraceId2Status | None = None
    """How the work ended; absent means unset."""


class EmitSignalByTraceId2Status(Input):
    """How the work ended; absent means unset."""

    code: int | None = None
    """0 unset, 1 ok, 2 error."""
    message: str | None = None
    """Explanation of an error; it is not stored."""


class EmitSignalByKind(Input):
    """A part of the above."""

    name: str
    """Name of the metric."""
    kind: Literal["counter", "gauge", "histogram"]
    """counter: a running total that only grows; gauge: a current value; histogram: one observation."""
    value: float
    """The measurement; for a counter its total so far."""
    unit: str | None = None
    """Unit of the value, e.g. ms or bytes."""
    labels: Dict[str, str] | None = None
    """Distinguish series of the same metric; the tenant is added by the service."""
    at: str | None = None
    """When it was measured, up to 400 days ago and an hour ahead; default now. History of a counter comes before its newer totals."""


class EmitSignalBySeverity(Input):
    """A part of the above."""

    severity: Literal["debug", "info", "warn", "error"]
    """How serious it is."""
    body: str
    """The log message."""
    attributes: Dict[str, str] | None = None
    """Details to filter by."""
    at: str | None = None
    """When it was logged, up to 7 days ago and an hour ahead; absent: when it arrived."""


class EmitSignalBySeverityText(Input):
    """A part of the above."""

    severity_text: Literal["DEBUG", "INFO", "WARN", "ERROR"] = Field(validation_alias="severityText", serialization_alias="severityText")
    """How serious it is."""
    body: EmitSignalBySeverityTextBody
    """The log message."""
    time_unix_nano: str | None = Field(default=None, validation_alias="timeUnixNano", serialization_alias="timeUnixNano")
    """Nanoseconds since the epoch, as OTLP writes them."""


class EmitSignalBySeverityTextBody(Input):
    """The log message."""

    string_value: str = Field(validation_alias="stringValue", serialization_alias="stringValue")
    """The message as text."""


class EmitOutput(Output):
    """Answer of MOTET emit."""

    accepted: int
    """Number of signals that were recorded."""
    rejected: List[EmitOutputRejected]
    """Signals that were not recorded; the others were."""
    series_created: int
    """New combinations of metric and labels; their number is limited for a tenant."""


class EmitOutputRejected(Output):
    """A part of the above."""

    index: int
    """Which of the signals, from 0."""
    reason: str
    """Why it was not recorded."""


class ListLogsInput(Input):
    """Read back the logs you sent, the newest first."""

    severity: Literal["debug", "info", "warn", "error"] | None = None
    """Only logs at least as serious."""
    contains: str | None = None
    """Only logs whose body has this text, in the same letter case."""
    since: str | None = None
    """Only entries from this time on, RFC 3339 in UTC."""
    limit: int | None = None
    """Entries per page. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class ListLogsOutput(Output):
    """Answer of MOTET list_logs."""

    items: List[ListLogsOutputItem]
    """Logs you sent, newest first."""
    next_cursor: str | None = None
    """There may be more entries, even after a page that is not full."""


class ListLogsOutputItem(Output):
    """A part of the above."""

    severity: Literal["debug", "info", "warn", "error"] | str
    """How serious it is."""
    body: str
    """The log message."""
    attributes: Dict[str, str] | None = None
    """Details to filter by."""
    at: str | None = None
    """When it was logged, up to 7 days ago and an hour ahead; absent: when it arrived."""
    received_at: str
    """When it arrived here."""


class ListSpansInput(Input):
    """Read back the spans you sent, the newest first."""

    trace_id: str | None = None
    """Only spans of this trace."""
    status: Literal["unset", "ok", "error"] | None = None
    """Only spans that ended so."""
    since: str | None = None
    """Only entries from this time on, RFC 3339 in UTC."""
    limit: int | None = None
    """Entries per page. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class ListSpansOutput(Output):
    """Answer of MOTET list_spans."""

    items: List[ListSpansOutputItem]
    """Spans you sent, newest first."""
    next_cursor: str | None = None
    """There may be more entries, even after a page that is not full."""


class ListSpansOutputItem(Output):
    """A part of the above."""

    trace_id: str
    """Trace the span belongs to, 16 bytes in lower hex."""
    span_id: str
    """Id of the span, 8 bytes in lower hex."""
    parent: str | None = None
    """Span that started this one; absent for the root of a trace."""
    name: str
    """What was done, e.g. an operation."""
    start: str
    """When the work began."""
    end: str
    """When the work ended, up to 7 days ago and an hour ahead."""
    status: Literal["unset", "ok", "error"] | str
    """How the work ended; unset where nobody said."""
    received_at: str
    """When it arrived here."""


class Motet(Operations):
    """Measurements: metrics, logs and spans that agents emit."""

    protocol = "MOTET"

    def emit(
        self,
        *,
        signals: List[EmitSignalByTraceId | EmitSignalByTraceId2 | EmitSignalByKind | EmitSignalBySeverity | EmitSignalBySeverityText],
    ) -> EmitOutput:
        """Record measurements, logs or spans of the calling tenant, also of the past. A write: never retried."""
        return self._call("emit", EmitInput, EmitOutput, {
            "signals": signals,
        })

    def list_logs(
        self,
        *,
        severity: Literal["debug", "info", "warn", "error"] | None = None,
        contains: str | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListLogsOutput:
        """Read back the logs you sent, the newest first. A read: retried."""
        return self._call("list_logs", ListLogsInput, ListLogsOutput, {
            "severity": severity,
            "contains": contains,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    def list_spans(
        self,
        *,
        trace_id: str | None = None,
        status: Literal["unset", "ok", "error"] | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListSpansOutput:
        """Read back the spans you sent, the newest first. A read: retried."""
        return self._call("list_spans", ListSpansInput, ListSpansOutput, {
            "trace_id": trace_id,
            "status": status,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })


class AsyncMotet(AsyncOperations):
    """Measurements: metrics, logs and spans that agents emit."""

    protocol = "MOTET"

    async def emit(
        self,
        *,
        signals: List[EmitSignalByTraceId | EmitSignalByTraceId2 | EmitSignalByKind | EmitSignalBySeverity | EmitSignalBySeverityText],
    ) -> EmitOutput:
        """Record measurements, logs or spans of the calling tenant, also of the past. A write: never retried."""
        return await self._call("emit", EmitInput, EmitOutput, {
            "signals": signals,
        })

    async def list_logs(
        self,
        *,
        severity: Literal["debug", "info", "warn", "error"] | None = None,
        contains: str | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListLogsOutput:
        """Read back the logs you sent, the newest first. A read: retried."""
        return await self._call("list_logs", ListLogsInput, ListLogsOutput, {
            "severity": severity,
            "contains": contains,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    async def list_spans(
        self,
        *,
        trace_id: str | None = None,
        status: Literal["unset", "ok", "error"] | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListSpansOutput:
        """Read back the spans you sent, the newest first. A read: retried."""
        return await self._call("list_spans", ListSpansInput, ListSpansOutput, {
            "trace_id": trace_id,
            "status": status,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })
