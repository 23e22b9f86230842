# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MOMENT v1.0.0. State at one instant, and whether service level objectives are met."""

from __future__ import annotations

from typing import Any, Dict, List, Literal

from pydantic import Field

from ..models import Input, Output
from ..operations import AsyncOperations, Operations


class SloInput(Input):
    """Check a service level objective of your calls, and how fast its error budget burns."""

    objective: SloObjective
    """The promise to be judged."""
    windows: List[Literal["5m", "30m", "1h", "6h", "3d", "30d"]] | None = None
    """Spans up to now to judge. Default 5m, 1h, 6h and 3d."""
    all_tenants: bool | None = None
    """Every organization's; for the operator's own agents that hold svc.admin.observability. Default `false`."""


class SloObjective(Input):
    """The promise to be judged."""

    protocol: str | None = None
    """Only calls of this protocol, in any letter case; absent means all."""
    operation: str | None = None
    """Only calls of this operation; absent means all."""
    kind: Literal["availability", "latency"]
    """availability: answered or rightly refused; latency: that, and within threshold_ms."""
    threshold_ms: float | None = None
    """Where kind is latency: answered within it is good."""
    target: float
    """The share that must be good."""


class SloOutput(Output):
    """Answer of MOMENT slo."""

    good: float
    """Calls in the longest window that kept the promise."""
    total: float
    """All calls in the longest window."""
    sli: float
    """Good of total, over the longest window; 1 where nothing was asked."""
    error_budget_left: float
    """Of that window; below 0 where more failed than may."""
    burn_rate: SloOutputBurnRate
    """1 uses up exactly what may fail."""
    alert: Literal["none", "ticket", "page"] | str
    """page: the budget burns fast enough to act now; ticket: to act soon; none: all is well."""


class SloOutputBurnRate(Output):
    """1 uses up exactly what may fail."""

    n5m: float | None = Field(default=None, validation_alias="5m", serialization_alias="5m")
    """Over the last 5m; absent where not asked for."""
    n30m: float | None = Field(default=None, validation_alias="30m", serialization_alias="30m")
    """Over the last 30m; absent where not asked for."""
    n1h: float | None = Field(default=None, validation_alias="1h", serialization_alias="1h")
    """Over the last 1h; absent where not asked for."""
    n6h: float | None = Field(default=None, validation_alias="6h", serialization_alias="6h")
    """Over the last 6h; absent where not asked for."""
    n3d: float | None = Field(default=None, validation_alias="3d", serialization_alias="3d")
    """Over the last 3d; absent where not asked for."""
    n30d: float | None = Field(default=None, validation_alias="30d", serialization_alias="30d")
    """Over the last 30d; absent where not asked for."""


class SnapshotInput(Input):
    """Get a signed snapshot of the current state, or of the state at a past moment."""

    at: str | None = None
    """Past moment to show; default now."""
    sections: List[Literal["dispatch", "latency", "breakers", "audit", "runway", "workflows", "mailboxes", "devices"]] | None = None
    """Parts to include. Default all."""
    all_tenants: bool | None = None
    """Every organization's; for the operator's own agents that hold svc.admin.observability. Default `false`."""


class SnapshotOutput(Output):
    """Answer of MOMENT snapshot."""

    tenant_id: str
    """Organization that is shown."""
    at: str
    """The moment that is shown."""
    sections: SnapshotOutputSections
    """Values of each part that was asked for."""
    unavailable: List[SnapshotOutputUnavailable]
    """Parts that cannot be shown for a past time."""
    chain_head: str
    """Hash of the last record in the tenant's audit log at that time."""
    tree_size: int
    """Records in the tenant's audit log at that time."""
    checkpoint: str | None = None
    """C2SP signed note over the tree of this size, by the same key as the proof."""
    signed: bool
    """Whether a proof is included; a sealed log has no key to sign with."""
    proof: SnapshotOutputProof | None = None
    """W3C Data Integrity, eddsa-jcs-2022."""


class SnapshotOutputSections(Output):
    """Values of each part that was asked for."""

    dispatch: Dict[str, Any] | None = None
    """Calls of the five minutes before, by protocol, and how many were refused or failed."""
    latency: Dict[str, Any] | None = None
    """Mean, p50, p95 and p99 in milliseconds of the five minutes before, by protocol."""
    breakers: Dict[str, Any] | None = None
    """Circuit breakers: how many are closed, and which endpoints are failing."""
    audit: Dict[str, Any] | None = None
    """Records and newest hash of the audit log; for now also the state of its writer."""
    runway: Dict[str, Any] | None = None
    """What the tenant has spent, reserved and left, and how many holds are on it."""
    workflows: Dict[str, Any] | None = None
    """Workflow runs by state: open ones, and those that ended in the last day."""
    mailboxes: Dict[str, Any] | None = None
    """Number of mailboxes, their unfinished messages, dead letters and bytes."""
    devices: Dict[str, Any] | None = None
    """Number of devices, and of those heard from lately."""


class SnapshotOutputUnavailable(Output):
    """A part of the above."""

    section: Literal["dispatch", "latency", "breakers", "audit", "runway", "workflows", "mailboxes", "devices"] | str
    """The part left out."""
    reason: str
    """Why it is left out."""


class SnapshotOutputProof(Output):
    """W3C Data Integrity, eddsa-jcs-2022."""

    type: Literal["DataIntegrityProof"] | str
    """Kind of proof, as W3C names it."""
    cryptosuite: Literal["eddsa-jcs-2022"] | str
    """How it is made: Ed25519 over canonical JSON."""
    created: str
    """When it was signed."""
    verification_method: str = Field(validation_alias="verificationMethod", serialization_alias="verificationMethod")
    """Key that signed, as did:key: all that a check needs."""
    proof_purpose: Literal["assertionMethod", "authentication"] | str = Field(validation_alias="proofPurpose", serialization_alias="proofPurpose")
    """What the signature says: that this is so, or who signs."""
    controller: str | None = None
    """Issuer, if another key signs on its behalf."""
    proof_value: str = Field(validation_alias="proofValue", serialization_alias="proofValue")
    """Multibase base58btc."""


class Moment(Operations):
    """State at one instant, and whether service level objectives are met."""

    protocol = "MOMENT"

    def slo(
        self,
        *,
        objective: SloObjective,
        windows: List[Literal["5m", "30m", "1h", "6h", "3d", "30d"]] | None = None,
        all_tenants: bool | None = None,
    ) -> SloOutput:
        """Check a service level objective of your calls, and how fast its error budget burns. A read: retried."""
        return self._call("slo", SloInput, SloOutput, {
            "objective": objective,
            "windows": windows,
            "all_tenants": all_tenants,
        })

    def snapshot(
        self,
        *,
        at: str | None = None,
        sections: List[Literal["dispatch", "latency", "breakers", "audit", "runway", "workflows", "mailboxes", "devices"]] | None = None,
        all_tenants: bool | None = None,
    ) -> SnapshotOutput:
        """Get a signed snapshot of the current state, or of the state at a past moment. A read: retried."""
        return self._call("snapshot", SnapshotInput, SnapshotOutput, {
            "at": at,
            "sections": sections,
            "all_tenants": all_tenants,
        })


class AsyncMoment(AsyncOperations):
    """State at one instant, and whether service level objectives are met."""

    protocol = "MOMENT"

    async def slo(
        self,
        *,
        objective: SloObjective,
        windows: List[Literal["5m", "30m", "1h", "6h", "3d", "30d"]] | None = None,
        all_tenants: bool | None = None,
    ) -> SloOutput:
        """Check a service level objective of your calls, and how fast its error budget burns. A read: retried."""
        return await self._call("slo", SloInput, SloOutput, {
            "objective": objective,
            "windows": windows,
            "all_tenants": all_tenants,
        })

    async def snapshot(
        self,
        *,
        at: str | None = None,
        sections: List[Literal["dispatch", "latency", "breakers", "audit", "runway", "workflows", "mailboxes", "devices"]] | None = None,
        all_tenants: bool | None = None,
    ) -> SnapshotOutput:
        """Get a signed snapshot of the current state, or of the state at a past moment. A read: retried."""
        return await self._call("snapshot", SnapshotInput, SnapshotOutput, {
            "at": at,
            "sections": sections,
            "all_tenants": all_tenants,
        })
