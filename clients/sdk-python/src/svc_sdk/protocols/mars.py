# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MARS v1.0.0. The registry: who and what exists, signed, content-addressed, and never lost."""

from __future__ import annotations

from typing import Any, Dict, List, Literal

from ..models import Input, Output
from ..operations import AsyncOperations, Operations


class DiscoveryInput(Input):
    """Find who can do something for you, best first, and whether you could call them now."""

    capability: str | None = None
    """Capability that the agent must offer."""
    need: str | None = None
    """What is to be done, in words."""
    min_level: Literal["L0", "L1", "L2"] | None = None
    """Only agents whose identity is verified at least this far. Default L0."""
    include_foreign: bool | None = None
    """Also search agents of other tenants. Default `true`."""
    kind: str | None = None
    """Only identities of this kind."""
    max_price: DiscoveryMaxPrice | None = None
    """Only agents at or below this price are callable; no agent publishes prices yet."""
    limit: int | None = None
    """The most candidates to return. Default `10`."""


class DiscoveryMaxPrice(Input):
    """Only agents at or below this price are callable; no agent publishes prices yet."""

    asset_id: str
    """Asset the price is in."""
    amount: str
    """In minor units of the asset."""


class DiscoveryOutput(Output):
    """Answer of MARS discovery."""

    candidates: List[DiscoveryOutputCandidate]
    """Agents that fit, best first."""


class DiscoveryOutputCandidate(Output):
    """A part of the above."""

    did: str
    """The agent."""
    tenant: str
    """Organization of the agent."""
    entry: str
    """Its entry in the registry."""
    endpoints: List[DiscoveryOutputCandidateEndpoint]
    """Where it can be reached, healthy ones first."""
    capability_match: str | None = None
    """Its capability that fits; absent where only words fit."""
    callable_now: bool
    """Whether a call of yours would be allowed now."""
    why_not: str | None = None
    """What prevents a call, e.g. no active treaty."""
    price: DiscoveryOutputCandidatePrice | None = None
    """Price of a call; absent where none is published."""
    score: int
    """Rank, 0 to 10000: 40 % health, 30 % merit, 20 % latency, 10 % text."""
    score_parts: DiscoveryOutputCandidateScoreParts
    """What the score is made of, each 0 to 10000; 5000 where nothing is known."""


class DiscoveryOutputCandidateEndpoint(Output):
    """A part of the above."""

    kind: str
    """Type of endpoint as the agent registered it."""
    url: str
    """Address of the endpoint."""
    protocols: List[str]
    """Protocols spoken there."""
    healthy: bool | None
    """Null if it was not probed yet."""
    latency_p50_ms: int | None = None
    """Median answer time of the probes; absent until measured."""


class DiscoveryOutputCandidatePrice(Output):
    """Price of a call; absent where none is published."""

    asset_id: str
    """Asset the price is in."""
    amount: str
    """In minor units of the asset."""


class DiscoveryOutputCandidateScoreParts(Output):
    """What the score is made of, each 0 to 10000; 5000 where nothing is known."""

    health: int
    """Mean health of the probed endpoints."""
    merit: int
    """Reputation."""
    latency: int
    """Rank by median answer time among the candidates; the fastest has 10000."""
    text: int
    """How well its words match the need."""


class QueryRegistryInput(Input):
    """Look entries up exactly, now or as they stood at a moment, with their history on request."""

    entry: str | None = None
    """Exactly this entry, by its hash."""
    subject: str | None = None
    """Exact id of what is registered, such as an agent's DID."""
    kind: Literal["agent", "treaty", "policy", "asset", "plugin", "report", "verdict", "chain_seal", "schema", "model", "artifact"] | None = None
    """Only entries of this kind."""
    name_prefix: str | None = None
    """Only entries whose name starts with this."""
    tag: str | None = None
    """Only entries with this tag."""
    tenant_id: str | None = None
    """Only entries of this organization."""
    capability: str | None = None
    """Only agents that offer this capability."""
    as_of: str | None = None
    """As the registry stood then; default now."""
    history: bool | None = None
    """Also return versions that were superseded or withdrawn. Default `false`."""
    limit: int | None = None
    """Entries per page. Default `50`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class QueryRegistryOutput(Output):
    """Answer of MARS query_registry."""

    entries: List[QueryRegistryOutputEntry]
    """Entries you may see that match every field given."""
    next_cursor: str | None = None
    """Pass it as cursor for the next page; absent on the last."""


class QueryRegistryOutputEntry(Output):
    """A part of the above."""

    hash: str
    """Names the entry: the hash of its body."""
    kind: Literal["agent", "treaty", "policy", "asset", "plugin", "report", "verdict", "chain_seal", "schema", "model", "artifact"] | str
    """What is registered."""
    subject: str
    """Id of what is registered: the DID of an agent, the id of a treaty, and so on."""
    tenant_id: str
    """Organization that registered it."""
    version: int
    """Counts the versions of this subject, from 1."""
    previous: str | None
    """Entry this version replaced; null for the first."""
    state: Literal["LIVE", "STALE", "SUPERSEDED", "WITHDRAWN"] | str
    """LIVE, STALE after its time to live, SUPERSEDED by a newer version, or WITHDRAWN."""
    body: Dict[str, Any]
    """Content that was hashed and signed."""
    signature: QueryRegistryOutputEntrySignature
    """Who signed the body, and with which key."""
    registered_at: str
    """When this version was registered."""
    expires_at: str | None = None
    """When it becomes STALE; absent where it does not."""
    hash_valid: bool
    """The body was hashed again just now and matched; others are not returned."""


class QueryRegistryOutputEntrySignature(Output):
    """Who signed the body, and with which key."""

    signed_by: str
    """A DID, or book:<key id> for the audit key of the tenant."""
    public_key: str
    """Key that verifies the signature."""
    signature: str
    """Signature over the body, base64url."""
    method: Literal["own", "custodial", "book"] | str
    """own key of the signer, custodial key of the engine, or book: the tenant's audit key."""


class RegisterAgentInput(Input):
    """Make an agent findable, keep its entry alive, or withdraw it."""

    agent_did: str | None = None
    """The agent to register; default yourself."""
    name: str
    """Name shown to people."""
    summary: str | None = None
    """What the agent does, in words; discovery searches it."""
    entity_kind: str
    """What kind of identity it is; must match its DID."""
    capabilities: List[str]
    """What it offers; it must hold each of them."""
    service_endpoints: List[RegisterAgentServiceEndpoint]
    """Where it can be reached."""
    tags: List[str] | None = None
    """Words to find it by."""
    visibility: Literal["tenant", "treaty", "public"] | None = None
    """Who finds it: the own tenant (default), treaty partners too, or everyone."""
    ttl_seconds: int | None = None
    """Seconds after which the entry becomes STALE unless it is registered again. Default `86400`."""
    withdraw: bool | None = None
    """Take the entry out of the registry; its history stays. Default `false`."""
    signature: str | None = None
    """Signature over the entry, if you sign with your own key."""
    public_key: str | None = None
    """Key the signature was made with."""


class RegisterAgentServiceEndpoint(Input):
    """A part of the above."""

    kind: str
    """Type of endpoint; external ones are probed every 10 seconds."""
    url: str
    """Address, https; http only on the same machine."""
    protocols: List[str]
    """Protocols spoken there, e.g. a2a."""


class RegisterAgentOutput(Output):
    """Answer of MARS register_agent."""

    entry: str
    """Names the entry: the hash of its body."""
    version: int
    """Counts the versions of this agent's entry, from 1."""
    previous: str | None = None
    """Entry this version replaced; absent for the first."""
    state: Literal["LIVE", "STALE", "SUPERSEDED", "WITHDRAWN"] | str
    """LIVE, or WITHDRAWN after withdraw."""
    expires_at: str | None = None
    """When it becomes STALE unless it is registered again."""
    unchanged: bool
    """Same content as before: only its time to live was extended."""


class Mars(Operations):
    """The registry: who and what exists, signed, content-addressed, and never lost."""

    protocol = "MARS"

    def discovery(
        self,
        *,
        capability: str | None = None,
        need: str | None = None,
        min_level: Literal["L0", "L1", "L2"] | None = None,
        include_foreign: bool | None = None,
        kind: str | None = None,
        max_price: DiscoveryMaxPrice | None = None,
        limit: int | None = None,
    ) -> DiscoveryOutput:
        """Find who can do something for you, best first, and whether you could call them now. A read: retried."""
        return self._call("discovery", DiscoveryInput, DiscoveryOutput, {
            "capability": capability,
            "need": need,
            "min_level": min_level,
            "include_foreign": include_foreign,
            "kind": kind,
            "max_price": max_price,
            "limit": limit,
        })

    def query_registry(
        self,
        *,
        entry: str | None = None,
        subject: str | None = None,
        kind: Literal["agent", "treaty", "policy", "asset", "plugin", "report", "verdict", "chain_seal", "schema", "model", "artifact"] | None = None,
        name_prefix: str | None = None,
        tag: str | None = None,
        tenant_id: str | None = None,
        capability: str | None = None,
        as_of: str | None = None,
        history: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> QueryRegistryOutput:
        """Look entries up exactly, now or as they stood at a moment, with their history on request. A read: retried."""
        return self._call("query_registry", QueryRegistryInput, QueryRegistryOutput, {
            "entry": entry,
            "subject": subject,
            "kind": kind,
            "name_prefix": name_prefix,
            "tag": tag,
            "tenant_id": tenant_id,
            "capability": capability,
            "as_of": as_of,
            "history": history,
            "limit": limit,
            "cursor": cursor,
        })

    def register_agent(
        self,
        *,
        agent_did: str | None = None,
        name: str,
        summary: str | None = None,
        entity_kind: str,
        capabilities: List[str],
        service_endpoints: List[RegisterAgentServiceEndpoint],
        tags: List[str] | None = None,
        visibility: Literal["tenant", "treaty", "public"] | None = None,
        ttl_seconds: int | None = None,
        withdraw: bool | None = None,
        signature: str | None = None,
        public_key: str | None = None,
    ) -> RegisterAgentOutput:
        """Make an agent findable, keep its entry alive, or withdraw it. A write: never retried."""
        return self._call("register_agent", RegisterAgentInput, RegisterAgentOutput, {
            "agent_did": agent_did,
            "name": name,
            "summary": summary,
            "entity_kind": entity_kind,
            "capabilities": capabilities,
            "service_endpoints": service_endpoints,
            "tags": tags,
            "visibility": visibility,
            "ttl_seconds": ttl_seconds,
            "withdraw": withdraw,
            "signature": signature,
            "public_key": public_key,
        })


class AsyncMars(AsyncOperations):
    """The registry: who and what exists, signed, content-addressed, and never lost."""

    protocol = "MARS"

    async def discovery(
        self,
        *,
        capability: str | None = None,
        need: str | None = None,
        min_level: Literal["L0", "L1", "L2"] | None = None,
        include_foreign: bool | None = None,
        kind: str | None = None,
        max_price: DiscoveryMaxPrice | None = None,
        limit: int | None = None,
    ) -> DiscoveryOutput:
        """Find who can do something for you, best first, and whether you could call them now. A read: retried."""
        return await self._call("discovery", DiscoveryInput, DiscoveryOutput, {
            "capability": capability,
            "need": need,
            "min_level": min_level,
            "include_foreign": include_foreign,
            "kind": kind,
            "max_price": max_price,
            "limit": limit,
        })

    async def query_registry(
        self,
        *,
        entry: str | None = None,
        subject: str | None = None,
        kind: Literal["agent", "treaty", "policy", "asset", "plugin", "report", "verdict", "chain_seal", "schema", "model", "artifact"] | None = None,
        name_prefix: str | None = None,
        tag: str | None = None,
        tenant_id: str | None = None,
        capability: str | None = None,
        as_of: str | None = None,
        history: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> QueryRegistryOutput:
        """Look entries up exactly, now or as they stood at a moment, with their history on request. A read: retried."""
        return await self._call("query_registry", QueryRegistryInput, QueryRegistryOutput, {
            "entry": entry,
            "subject": subject,
            "kind": kind,
            "name_prefix": name_prefix,
            "tag": tag,
            "tenant_id": tenant_id,
            "capability": capability,
            "as_of": as_of,
            "history": history,
            "limit": limit,
            "cursor": cursor,
        })

    async def register_agent(
        self,
        *,
        agent_did: str | None = None,
        name: str,
        summary: str | None = None,
        entity_kind: str,
        capabilities: List[str],
        service_endpoints: List[RegisterAgentServiceEndpoint],
        tags: List[str] | None = None,
        visibility: Literal["tenant", "treaty", "public"] | None = None,
        ttl_seconds: int | None = None,
        withdraw: bool | None = None,
        signature: str | None = None,
        public_key: str | None = None,
    ) -> RegisterAgentOutput:
        """Make an agent findable, keep its entry alive, or withdraw it. A write: never retried."""
        return await self._call("register_agent", RegisterAgentInput, RegisterAgentOutput, {
            "agent_did": agent_did,
            "name": name,
            "summary": summary,
            "entity_kind": entity_kind,
            "capabilities": capabilities,
            "service_endpoints": service_endpoints,
            "tags": tags,
            "visibility": visibility,
            "ttl_seconds": ttl_seconds,
            "withdraw": withdraw,
            "signature": signature,
            "public_key": public_key,
        })
