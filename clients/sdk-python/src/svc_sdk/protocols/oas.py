# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""OAS v1.0.0. Identity documents of the open standard, fetched from its node and verified here."""

from __future__ import annotations

from typing import Any, Dict, List, Literal

from ..models import Input, Output
from ..operations import AsyncOperations, Operations


class ResolveInput(Input):
    """Fetch the identity document of a DID and verify its proof."""

    did: str
    """Whose document to fetch."""
    accept_stale_seconds: int | None = None
    """How stale a cached document may be while the node is unreachable, beyond the cache’s minute. Default `0`."""


class ResolveOutput(Output):
    """Answer of OAS resolve."""

    outcome: Literal["Resolved", "Partial", "Failed"] | str
    """Partial: its lineage is not proven. Failed: no valid document."""
    document: ResolveOutputDocument | None = None
    """The document; absent if none is valid."""
    document_hash: str | None = None
    """Hash of the document."""
    identity: ResolveOutputIdentity
    """The identity as this engine judges it."""
    warnings: List[str]
    """What could not be verified, in words."""


class ResolveOutputDocument(Output):
    """The document; absent if none is valid."""

    id: str
    """The identity."""
    entity_kind: str
    """A root such as HumanRoot, or derived such as Agent; Unknown(…) for kinds of others."""
    name: str | None = None
    """For people to read."""
    public_key: str
    """Its current key."""
    creator_did: str | None = None
    """Parent that derived it; absent for a root."""
    lineage: List[ResolveOutputDocumentLineage]
    """Statements from this identity up to its root."""
    capabilities: List[ResolveOutputDocumentCapability]
    """What it may do, as granted by its parent."""
    service_endpoints: List[ResolveOutputDocumentServiceEndpoint]
    """Where it can be reached."""
    revoked: bool
    """True once it was revoked for good."""
    extended: Dict[str, Any]
    """Sections that others signed, such as attestations."""
    version: int
    """Grows with each change."""
    updated_at: str
    """When this version was made."""
    key_events: List[ResolveOutputDocumentLineageParentKeyEvent] | None = None
    """How it came to its current key; absent: it has its first."""
    proof: str
    """Signature of the document by its current key."""


class ResolveOutputDocumentLineage(Output):
    """One link of descent, signed by the parent."""

    child_did: str
    """The derived identity."""
    child_public_key: str
    """Its first key."""
    parent_did: str
    """Who derived it."""
    parent_public_key: str
    """Key of the parent that signed."""
    entity_kind: str
    """A root such as HumanRoot, or derived such as Agent; Unknown(…) for kinds of others."""
    label: str
    """Names a child among its siblings."""
    index: int
    """Tells apart children with the same label; the first is 0."""
    created_at: str
    """When it was derived."""
    expires_at: str | None = None
    """The child counts until then; absent: it does not end."""
    parent_key_events: List[ResolveOutputDocumentLineageParentKeyEvent] | None = None
    """How the parent came to its key; absent: it is its first."""
    signature: str
    """By the parent, base64url."""


class ResolveOutputDocumentLineageParentKeyEvent(Output):
    """A part of the above."""

    kind: Literal["inception", "rotation", "recovery"] | str
    """Inception: first commitment. Rotation: to the committed key. Recovery: a key put in place by others."""
    public_key: str
    """The key from then on."""
    next_key_hash: str
    """The sha256 of the next public key’s 32 bytes."""
    recovery: ResolveOutputDocumentLineageParentKeyEventRecovery | None = None
    """Who may recover it from then on; absent: nobody."""
    at: str
    """When it was made."""
    previous: str
    """The hash of the event before; the DID where there is none."""
    signatures: List[ResolveOutputDocumentLineageParentKeyEventSignature]
    """By the new key, or by those who recover it."""


class ResolveOutputDocumentLineageParentKeyEventRecovery(Output):
    """Who may recover it from then on; absent: nobody."""

    dids: List[str]
    """Who may recover it."""
    threshold: int
    """How many of them must sign."""


class ResolveOutputDocumentLineageParentKeyEventSignature(Output):
    """A part of the above."""

    did: str
    """Who signed."""
    public_key: str
    """Key that signed."""
    signature: str
    """Over the event, base64url."""
    key_events: List[Dict[str, Any]] | None = None
    """How the signer came to that key; absent: it is its first."""


class ResolveOutputDocumentCapability(Output):
    """A part of the above."""

    name: str
    """Name as svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol."""
    expires_at: str | None = None
    """When it ends; absent: it does not end by itself."""
    limits: ResolveOutputDocumentCapabilityLimits | None = None
    """Bounds on use; absent: none."""
    caveats: List[str]
    """Conditions such as time:09-17, jurisdiction:DE, weekly_budget:5 or action_kind:read; each must hold."""


class ResolveOutputDocumentCapabilityLimits(Output):
    """Bounds on use; absent: none."""

    max_per_call_bps: int | None = None
    """Basis points of the tenant budget per call."""
    max_per_hour: int | None = None
    """Calls per hour."""
    max_tokens: int | None = None
    """Hard token ceiling per call."""


class ResolveOutputDocumentServiceEndpoint(Output):
    """A part of the above."""

    kind: str
    """What is offered there, such as svc or mcp."""
    url: str
    """Where it is."""
    protocols: List[str]
    """Protocols it serves."""


class ResolveOutputIdentity(Output):
    """The identity as this engine judges it."""

    did: str
    """The identity."""
    entity_kind: str
    """A root such as HumanRoot, or derived such as Agent; Unknown(…) for kinds of others."""
    name: str | None = None
    """As its document says."""
    human_root_did: str | None = None
    """Human or organization at the root of its lineage; absent: not verified."""
    lineage_depth: int
    """Steps from its root; 0 for a root."""
    lineage_verified: bool
    """Whether its descent from a root is proven."""
    creator_did: str | None = None
    """Parent that derived it; absent for a root."""
    conformance_level: Literal["L0", "L1", "L2"] | str
    """L0: known. L1: verified lineage. L2: also attested, with a reputation."""
    capabilities: List[ResolveOutputDocumentCapability]
    """What its own document lets it do."""
    service_endpoints: List[ResolveOutputDocumentServiceEndpoint]
    """Where it can be reached."""
    revoked: bool
    """It may do nothing: for good, or while suspended."""
    suspended: bool | None = None
    """True while it, or one it descends from, is suspended."""
    auth_method: str
    """How the caller proved who it is, or unresolved."""
    extended: Dict[str, Any]
    """Further sections of its document, such as attestations."""


class VerifyLineageInput(Input):
    """Ask whether a DID is anchored in a human or an organization."""

    did: str
    """Whose lineage to check."""
    lineage: List[VerifyLineageLineage] | None = None
    """Statements from it up to a root; default: those of its document."""


class VerifyLineageLineage(Input):
    """One link of descent, signed by the parent."""

    child_did: str
    """The derived identity."""
    child_public_key: str
    """Its first key."""
    parent_did: str
    """Who derived it."""
    parent_public_key: str
    """Key of the parent that signed."""
    entity_kind: str
    """A root such as HumanRoot, or derived such as Agent; Unknown(…) for kinds of others."""
    label: str
    """Names a child among its siblings."""
    index: int
    """Tells apart children with the same label; the first is 0."""
    created_at: str
    """When it was derived."""
    expires_at: str | None = None
    """The child counts until then; absent: it does not end."""
    parent_key_events: List[VerifyLineageLineageParentKeyEvent] | None = None
    """How the parent came to its key; absent: it is its first."""
    signature: str
    """By the parent, base64url."""


class VerifyLineageLineageParentKeyEvent(Input):
    """A part of the above."""

    kind: Literal["inception", "rotation", "recovery"]
    """Inception: first commitment. Rotation: to the committed key. Recovery: a key put in place by others."""
    public_key: str
    """The key from then on."""
    next_key_hash: str
    """The sha256 of the next public key’s 32 bytes."""
    recovery: VerifyLineageLineageParentKeyEventRecovery | None = None
    """Who may recover it from then on; absent: nobody."""
    at: str
    """When it was made."""
    previous: str
    """The hash of the event before; the DID where there is none."""
    signatures: List[VerifyLineageLineageParentKeyEventSignature]
    """By the new key, or by those who recover it."""


class VerifyLineageLineageParentKeyEventRecovery(Input):
    """Who may recover it from then on; absent: nobody."""

    dids: List[str]
    """Who may recover it."""
    threshold: int
    """How many of them must sign."""


class VerifyLineageLineageParentKeyEventSignature(Input):
    """A part of the above."""

    did: str
    """Who signed."""
    public_key: str
    """Key that signed."""
    signature: str
    """Over the event, base64url."""
    key_events: List[Dict[str, Any]] | None = None
    """How the signer came to that key; absent: it is its first."""


class VerifyLineageOutput(Output):
    """Answer of OAS verify_lineage."""

    verified: bool
    """Whether its descent from a root is proven."""
    depth: int
    """Number of statements between the identity and the root."""
    root_did: str | None = None
    """Root it descends from; absent: not proven."""
    root_kind: str | None = None
    """Kind of that root."""
    chain: List[str]
    """DIDs from the identity towards the root, as far as proven."""
    broken_at: int | None = None
    """Step at which the proof fails, counted from the identity; absent: none."""
    reason: str | None = None
    """Why it is not verified."""
    agrees: bool
    """Whether the node gave the same answer; the local one counts."""


class Oas(Operations):
    """Identity documents of the open standard, fetched from its node and verified here."""

    protocol = "OAS"

    def resolve(
        self,
        *,
        did: str,
        accept_stale_seconds: int | None = None,
    ) -> ResolveOutput:
        """Fetch the identity document of a DID and verify its proof. A read: retried."""
        return self._call("resolve", ResolveInput, ResolveOutput, {
            "did": did,
            "accept_stale_seconds": accept_stale_seconds,
        })

    def verify_lineage(
        self,
        *,
        did: str,
        lineage: List[VerifyLineageLineage] | None = None,
    ) -> VerifyLineageOutput:
        """Ask whether a DID is anchored in a human or an organization. A read: retried."""
        return self._call("verify_lineage", VerifyLineageInput, VerifyLineageOutput, {
            "did": did,
            "lineage": lineage,
        })


class AsyncOas(AsyncOperations):
    """Identity documents of the open standard, fetched from its node and verified here."""

    protocol = "OAS"

    async def resolve(
        self,
        *,
        did: str,
        accept_stale_seconds: int | None = None,
    ) -> ResolveOutput:
        """Fetch the identity document of a DID and verify its proof. A read: retried."""
        return await self._call("resolve", ResolveInput, ResolveOutput, {
            "did": did,
            "accept_stale_seconds": accept_stale_seconds,
        })

    async def verify_lineage(
        self,
        *,
        did: str,
        lineage: List[VerifyLineageLineage] | None = None,
    ) -> VerifyLineageOutput:
        """Ask whether a DID is anchored in a human or an organization. A read: retried."""
        return await self._call("verify_lineage", VerifyLineageInput, VerifyLineageOutput, {
            "did": did,
            "lineage": lineage,
        })
