# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MOTET v1.0.0. Measurements: metrics, logs and spans that agents emit."""

from __future__ import annotations

from typing import Dict, List, Literal

from pydantic import Field

from ..models import Input, Output
from ..operations import AsyncOperations, Operations


class EmitInput(Input):
    """Record measurements, logs or spans of the calling tenant."""

    signals: List[EmitSignalByTraceId | EmitSignalByTraceId2 | EmitSignalByKind | EmitSignalBySeverity | EmitSignalBySeverityText]
    """Metrics, logs and spans, in our names or those of OTLP/JSON."""


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
    """When the work ended."""
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
    """When it was measured; default now."""


class EmitSignalBySeverity(Input):
    """A part of the above."""

    severity: Literal["debug", "info", "warn", "error"]
    """How serious it is."""
    body: str
    """The log message."""
    attributes: Dict[str, str] | None = None
    """Details to filter by."""
    at: str | None = None
    """When it was logged; default now."""


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


class Motet(Operations):
    """Measurements: metrics, logs and spans that agents emit."""

    protocol = "MOTET"

    def emit(
        self,
        *,
        signals: List[EmitSignalByTraceId | EmitSignalByTraceId2 | EmitSignalByKind | EmitSignalBySeverity | EmitSignalBySeverityText],
    ) -> EmitOutput:
        """Record measurements, logs or spans of the calling tenant. A write: never retried."""
        return self._call("emit", EmitInput, EmitOutput, {
            "signals": signals,
        })


class AsyncMotet(AsyncOperations):
    """Measurements: metrics, logs and spans that agents emit."""

    protocol = "MOTET"

    async def emit(
        self,
        *,
        signals: List[EmitSignalByTraceId | EmitSignalByTraceId2 | EmitSignalByKind | EmitSignalBySeverity | EmitSignalBySeverityText],
    ) -> EmitOutput:
        """Record measurements, logs or spans of the calling tenant. A write: never retried."""
        return await self._call("emit", EmitInput, EmitOutput, {
            "signals": signals,
        })
