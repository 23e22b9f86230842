# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MOTE v1.0.0. Sensors and actuators of devices that speak MQTT, each inside what its device declares safe."""

from __future__ import annotations

from typing import Annotated, Any, Dict, List, Literal

from pydantic import Field

from ..models import Input, Output
from ..operations import AsyncOperations, Operations


class ActuatorSetStateInput(Input):
    """Set an actuator, inside what its device declares safe, and learn whether it is so."""

    actuator_id: str
    """did:oas:<tenant>:<kind>:<64 hex>/<sensor or actuator>."""
    state: Dict[str, float | bool | str]
    """Fields to set; those left out stay as they are."""
    expected_version: int | None = None
    """Refused where something else was wanted since."""
    confirm: Literal["none", "ack", "readback"] | None = None
    """What must be known before the answer: that it was handed over, taken, or is so. Default `"readback"`."""
    timeout_ms: int | None = None
    """How long to wait for the confirmation. Default `5000`."""
    expires_at: str | None = None
    """After this time the device must not act on it."""
    reason: str | None = None
    """Why it is set, for those who look later."""


class ActuatorSetStateOutput(Output):
    """Answer of MOTE actuator_set_state."""

    command_id: str
    """Names the command."""
    desired_version: int
    """Counts what was wanted of this actuator; pass it as expected_version."""
    status: Literal["confirmed", "accepted", "timeout", "rejected"] | str
    """confirmed as asked; accepted: handed over, with confirm none; rejected by the device."""
    reported: Dict[str, float | bool | str] | None = None
    """State that the device reported last."""
    refusal: str | None = None
    """Why the device rejected it, in its word."""
    latency_ms: float
    """Milliseconds until this answer."""


class ListInput(Input):
    """List devices with their sensors and actuators: ranges, last values, and how each stands."""

    device_did: str | None = None
    """Only this device."""
    state: Literal["REPORTING", "PENDING", "SILENT"] | None = None
    """SILENT: nothing was heard of it for ten minutes."""
    limit: int | None = None
    """Entries per page. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class ListOutput(Output):
    """Answer of MOTE list."""

    broker: Literal["connected", "away", "none"] | str
    """Connection to the MQTT broker; none: no broker is configured."""
    command_keys: List[ListOutputCommandKey]
    """Keys that sign commands to its devices, those of its audit log; the newest first."""
    items: List[ListOutputItem]
    """Devices of the organization, by DID."""
    next_cursor: str | None = None
    """There may be more entries, even after a page that is not full."""


class ListOutputCommandKey(Output):
    """A part of the above."""

    key_id: str
    """As key_id in a command names it."""
    public_key: str
    """Ed25519, 32 bytes, base64url."""
    in_use: bool
    """It signs now. A key that was rotated signs nothing any more; a retained command may still have its signature."""


class ListOutputItem(Output):
    """A part of the above."""

    device_did: str
    """The device."""
    name: str | None = None
    """What a device calls its sensor or actuator."""
    state: Literal["REPORTING", "PENDING", "SILENT"] | str
    """REPORTING; PENDING: a command is unconfirmed; SILENT: not heard for ten minutes."""
    described_at: str
    """When the device last described itself."""
    last_seen_at: str
    """To within half a minute, RFC 3339 in UTC."""
    signed_readings: bool
    """Readings without a signature of the device are refused."""
    pending: int
    """Actuators whose newest command nobody has confirmed."""
    sensors: List[ListOutputItemSensor]
    """What it measures."""
    actuators: List[ListOutputItemActuator]
    """What it can be told to do."""


class ListOutputItemSensor(Output):
    """A part of the above."""

    sensor_id: str
    """did:oas:<tenant>:<kind>:<64 hex>/<sensor or actuator>."""
    unit: str
    """Unit of its readings."""
    low: float
    """What it can measure; a reading outside is bad."""
    high: float
    """Highest value it can measure; a reading outside is bad."""
    sd: float | None = None
    """Standard deviation of its noise."""
    rate_hz: float | None = None
    """Readings per second."""
    last: ListOutputItemSensorLast | None = None
    """Its newest reading; absent where there is none."""


class ListOutputItemSensorLast(Output):
    """Its newest reading; absent where there is none."""

    value: float
    """The reading, in the sensor's unit."""
    observed_at: str
    """When the device measured it."""


class ListOutputItemActuator(Output):
    """A part of the above."""

    actuator_id: str
    """did:oas:<tenant>:<kind>:<64 hex>/<sensor or actuator>."""
    fields: Dict[str, Annotated[ListOutputItemActuatorFieldNumber | ListOutputItemActuatorFieldChoice | ListOutputItemActuatorFieldFlag | Dict[str, Any], Field(union_mode="left_to_right")]]
    """What can be set, and within which bounds."""
    interlock: str | None = None
    """CEL that must hold before it is set."""
    safe_state: Dict[str, float | bool | str]
    """State that an emergency stop sets."""
    is_confirmed: bool
    """The device has confirmed what was last wanted of it."""
    reported: Dict[str, float | bool | str] | None = None
    """State that the device reported last."""
    reported_at: str | None = None
    """When it was reported; absent until then."""
    command: ListOutputItemActuatorCommand | None = None
    """The newest; those that ended long ago are not kept."""


class ListOutputItemActuatorFieldNumber(Output):
    """A part of the above."""

    kind: Literal["number"]
    """A number within bounds."""
    unit: str | None = None
    """Unit of the value."""
    min: float
    """Lowest value allowed."""
    max: float
    """Highest value allowed."""
    step: float | None = None
    """Allowed are min, min + step, and so on."""
    rate_max_per_s: float | None = None
    """The most it may change per second since it was last set."""
    tolerance: float | None = None
    """How far a readback may lie from what was wanted."""


class ListOutputItemActuatorFieldChoice(Output):
    """A part of the above."""

    kind: Literal["choice"]
    """One of a few words."""
    choices: List[str]
    """Words allowed."""


class ListOutputItemActuatorFieldFlag(Output):
    """A part of the above."""

    kind: Literal["flag"]
    """True or false."""


class ListOutputItemActuatorCommand(Output):
    """The newest; those that ended long ago are not kept."""

    command_id: str
    """Names the command."""
    kind: Literal["set", "safe"] | str
    """set by a caller, or safe: by an emergency stop."""
    state: Dict[str, float | bool | str]
    """State that was wanted."""
    phase: Literal["queued", "sent", "acked", "confirmed", "rejected", "timed_out", "expired", "unsent", "cancelled"] | str
    """How far it got: queued, sent and acked are open, the others are ends."""
    refusal: str | None = None
    """Why the device rejected it, in its word."""
    by_did: str
    """Who gave the command."""
    correlation_id: str
    """Request that gave it, in the audit log."""
    created_at: str
    """When it was given."""


class SensorReadInput(Input):
    """Read a sensor: its latest value, those of a window, or the next one, alone or fused with others."""

    sensor_id: str
    """did:oas:<tenant>:<kind>:<64 hex>/<sensor or actuator>."""
    mode: Literal["latest", "window", "next"] | None = None
    """latest: the newest reading; window: those between from and to; next: waits for a new one. Default `"latest"`."""
    from_: str | None = Field(default=None, validation_alias="from", serialization_alias="from")
    """For window: readings from this time on."""
    to: str | None = None
    """For window: readings before this time."""
    aggregate: List[Literal["last", "min", "max", "mean", "median", "p95", "count", "stddev"]] | None = None
    """For window: these figures instead of samples."""
    limit: int | None = None
    """Samples of a window. Default `200`."""
    cursor: str | None = None
    """For window: cursor of the previous page."""
    max_age_ms: int | None = None
    """Older is stale. Default `60000`."""
    timeout_ms: int | None = None
    """For the next one. Default `30000`."""
    fuse: List[str] | None = None
    """Other sensors of the same quantity and unit, to combine with this one."""


class SensorReadOutput(Output):
    """Answer of MOTE sensor_read."""

    sensor_id: str
    """did:oas:<tenant>:<kind>:<64 hex>/<sensor or actuator>."""
    value: float
    """The newest reading, of the window if one was asked for."""
    unit: str
    """Unit of all values."""
    observed_at: str
    """When the device measured it."""
    age_ms: int
    """Milliseconds since it was observed."""
    quality: Literal["good", "stale", "suspect", "bad"] | str
    """stale: older than max_age_ms; suspect: an outlier; bad: outside what it can measure."""
    samples: List[SensorReadOutputSample] | None = None
    """Readings of the window, oldest first."""
    cursor: str | None = None
    """There are more samples behind this."""
    aggregates: SensorReadOutputAggregates | None = None
    """Figures over the whole window."""
    fused: SensorReadOutputFused | None = None
    """Combined with the sensors named in fuse."""
    explanation: SensorReadOutputExplanation | None = None
    """Only where the fused sensors disagree."""


class SensorReadOutputSample(Output):
    """A part of the above."""

    value: float
    """The reading, in the sensor's unit."""
    observed_at: str
    """When the device measured it."""
    seq: int
    """Number that the device gave it."""
    quality: Literal["good", "stale", "suspect", "bad"] | str
    """suspect: an outlier among its neighbours; bad: outside what the sensor can measure."""


class SensorReadOutputAggregates(Output):
    """Figures over the whole window."""

    last: float | None = None
    """Newest value."""
    min: float | None = None
    """Lowest value."""
    max: float | None = None
    """Highest value."""
    mean: float | None = None
    """Average."""
    median: float | None = None
    """Half of the values are below it."""
    p95: float | None = None
    """95 % of the values are below it."""
    count: float | None = None
    """Number of readings."""
    stddev: float | None = None
    """Standard deviation."""


class SensorReadOutputFused(Output):
    """Combined with the sensors named in fuse."""

    value: float
    """Mean of the sensors, the precise ones counting more."""
    sd: float
    """Standard deviation of the value, as far as the sensors are independent."""
    rejected: List[SensorReadOutputFusedRejected]
    """Sensors that were left out."""


class SensorReadOutputFusedRejected(Output):
    """A part of the above."""

    sensor_id: str
    """did:oas:<tenant>:<kind>:<64 hex>/<sensor or actuator>."""
    reason: Literal["silent", "stale", "suspect", "bad"] | str
    """Why: no reading, too old, an outlier, or outside its range."""


class SensorReadOutputExplanation(Output):
    """Only where the fused sensors disagree."""

    text: str
    """Which sensors disagree, and by how much."""
    model: str | None = None
    """Who wrote the last part; nothing of it was checked."""
    verified: bool
    """False where a model wrote a part of it."""


class Mote(Operations):
    """Sensors and actuators of devices that speak MQTT, each inside what its device declares safe."""

    protocol = "MOTE"

    def actuator_set_state(
        self,
        *,
        actuator_id: str,
        state: Dict[str, float | bool | str],
        expected_version: int | None = None,
        confirm: Literal["none", "ack", "readback"] | None = None,
        timeout_ms: int | None = None,
        expires_at: str | None = None,
        reason: str | None = None,
    ) -> ActuatorSetStateOutput:
        """Set an actuator, inside what its device declares safe, and learn whether it is so. A write: never retried."""
        return self._call("actuator_set_state", ActuatorSetStateInput, ActuatorSetStateOutput, {
            "actuator_id": actuator_id,
            "state": state,
            "expected_version": expected_version,
            "confirm": confirm,
            "timeout_ms": timeout_ms,
            "expires_at": expires_at,
            "reason": reason,
        })

    def list(
        self,
        *,
        device_did: str | None = None,
        state: Literal["REPORTING", "PENDING", "SILENT"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List devices with their sensors and actuators: ranges, last values, and how each stands. A read: retried."""
        return self._call("list", ListInput, ListOutput, {
            "device_did": device_did,
            "state": state,
            "limit": limit,
            "cursor": cursor,
        })

    def sensor_read(
        self,
        *,
        sensor_id: str,
        mode: Literal["latest", "window", "next"] | None = None,
        from_: str | None = None,
        to: str | None = None,
        aggregate: List[Literal["last", "min", "max", "mean", "median", "p95", "count", "stddev"]] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        max_age_ms: int | None = None,
        timeout_ms: int | None = None,
        fuse: List[str] | None = None,
    ) -> SensorReadOutput:
        """Read a sensor: its latest value, those of a window, or the next one, alone or fused with others. A read: retried."""
        return self._call("sensor_read", SensorReadInput, SensorReadOutput, {
            "sensor_id": sensor_id,
            "mode": mode,
            "from_": from_,
            "to": to,
            "aggregate": aggregate,
            "limit": limit,
            "cursor": cursor,
            "max_age_ms": max_age_ms,
            "timeout_ms": timeout_ms,
            "fuse": fuse,
        })


class AsyncMote(AsyncOperations):
    """Sensors and actuators of devices that speak MQTT, each inside what its device declares safe."""

    protocol = "MOTE"

    async def actuator_set_state(
        self,
        *,
        actuator_id: str,
        state: Dict[str, float | bool | str],
        expected_version: int | None = None,
        confirm: Literal["none", "ack", "readback"] | None = None,
        timeout_ms: int | None = None,
        expires_at: str | None = None,
        reason: str | None = None,
    ) -> ActuatorSetStateOutput:
        """Set an actuator, inside what its device declares safe, and learn whether it is so. A write: never retried."""
        return await self._call("actuator_set_state", ActuatorSetStateInput, ActuatorSetStateOutput, {
            "actuator_id": actuator_id,
            "state": state,
            "expected_version": expected_version,
            "confirm": confirm,
            "timeout_ms": timeout_ms,
            "expires_at": expires_at,
            "reason": reason,
        })

    async def list(
        self,
        *,
        device_did: str | None = None,
        state: Literal["REPORTING", "PENDING", "SILENT"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List devices with their sensors and actuators: ranges, last values, and how each stands. A read: retried."""
        return await self._call("list", ListInput, ListOutput, {
            "device_did": device_did,
            "state": state,
            "limit": limit,
            "cursor": cursor,
        })

    async def sensor_read(
        self,
        *,
        sensor_id: str,
        mode: Literal["latest", "window", "next"] | None = None,
        from_: str | None = None,
        to: str | None = None,
        aggregate: List[Literal["last", "min", "max", "mean", "median", "p95", "count", "stddev"]] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        max_age_ms: int | None = None,
        timeout_ms: int | None = None,
        fuse: List[str] | None = None,
    ) -> SensorReadOutput:
        """Read a sensor: its latest value, those of a window, or the next one, alone or fused with others. A read: retried."""
        return await self._call("sensor_read", SensorReadInput, SensorReadOutput, {
            "sensor_id": sensor_id,
            "mode": mode,
            "from_": from_,
            "to": to,
            "aggregate": aggregate,
            "limit": limit,
            "cursor": cursor,
            "max_age_ms": max_age_ms,
            "timeout_ms": timeout_ms,
            "fuse": fuse,
        })
