# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""Live figures of a tenant."""

from __future__ import annotations

from typing import Dict, List, Literal

from ..models import Output


class LiveFigures(Output):
    """An event of GET /v1/live."""

    at: str
    """RFC 3339 time in UTC."""
    engine: LiveFiguresEngine
    second: LiveFiguresSecond
    """The tenant's calls that ended since the previous event, about a second ago."""
    minute: LiveFiguresMinute
    """The tenant's calls of about the last minute; the busiest protocols first."""
    stages: List[LiveFiguresStage]
    breakers: List[LiveFiguresBreaker]
    runway: LiveFiguresRunway | None
    """Read every few seconds; null until then, or while it cannot be read."""
    audit: LiveFiguresAudit


class LiveFiguresEngine(Output):
    """A part of the above."""

    instance: str
    """The reporting process; changes after a restart."""
    version: str
    uptime_seconds: int
    in_flight: int | None
    """Null for tenants that are not the engine's operator."""
    loop_delay_p99_ms: float | None
    """Null for tenants that are not the engine's operator."""


class LiveFiguresSecond(Output):
    """The tenant's calls that ended since the previous event, about a second ago."""

    calls: int
    by_outcome: LiveFiguresSecondByOutcome
    by_code: Dict[str, int]
    """Calls by refusal code; `ok` for calls that were not refused."""


class LiveFiguresSecondByOutcome(Output):
    """A part of the above."""

    success: int
    refused: int
    error: int


class LiveFiguresMinute(Output):
    """The tenant's calls of about the last minute; the busiest protocols first."""

    calls: int
    per_second: float
    latency_ms: LiveFiguresMinuteLatencyMs
    by_code: Dict[str, int]
    """Calls by refusal code; `ok` for calls that were not refused."""
    by_protocol: List[LiveFiguresMinuteByProtocol]


class LiveFiguresMinuteLatencyMs(Output):
    """A part of the above."""

    p50: float
    p95: float
    p99: float


class LiveFiguresMinuteByProtocol(Output):
    """A part of the above."""

    protocol: str
    calls: int
    refused: int
    errors: int
    p95_ms: float


class LiveFiguresStage(Output):
    """A part of the above."""

    stage: int
    name: Literal["resolve_identity", "resolve_version", "enrich_context", "limit_rate", "gate_capability", "break_circuit", "choose_endpoint", "invoke_module", "record_outcome"] | str
    p50_ms: float
    p99_ms: float
    calls: int | None
    """Null for tenants that are not the engine's operator."""


class LiveFiguresBreaker(Output):
    """A part of the above."""

    protocol: str
    endpoint: str | None
    """Null for tenants that are not the engine's operator."""
    state: Literal["CLOSED", "HALF_OPEN", "OPEN"] | str


class LiveFiguresRunway(Output):
    """A part of the above."""

    level: Literal["ample", "low", "critical", "exhausted"] | str
    standing: Literal["active", "dissolving", "sealed"] | str
    holds: int
    spent_usd: str
    """US dollars with six decimal places."""
    reserved_usd: str
    """US dollars with six decimal places."""
    left_usd: str
    """US dollars with six decimal places."""
    left_micro_usd: str
    """Whole millionths of a US dollar."""


class LiveFiguresAudit(Output):
    """A part of the above."""

    state: Literal["normal", "buffering", "overflow"] | str
    journal_bytes: int | None
    """Null for tenants that are not the engine's operator."""
    journal_bytes_max: int | None
    """Null for tenants that are not the engine's operator."""
    head_seq: int | None
    """Sequence number of the newest record of the tenant's chain; null while there is none."""
