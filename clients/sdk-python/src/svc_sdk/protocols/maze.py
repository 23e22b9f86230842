# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MAZE v1.0.0. The map of the mesh, and proofs that its audit log was never changed."""

from __future__ import annotations

from typing import List, Literal

from pydantic import Field

from ..models import Input, Output
from ..operations import AsyncOperations, Operations


class ListInput(Input):
    """List plugins, or services outside that answer for protocols, with their states and the reasons."""

    kind: Literal["plugins", "endpoints"] | None = None
    """What to list: plugins, or external endpoints. Default `"plugins"`."""
    state: Literal["Pending", "Registered", "Disabled", "Error", "Removed", "serving", "failing", "breaker_open", "probing", "disabled", "unused"] | None = None
    """Only those in this state."""
    protocol: str | None = None
    """Only those that serve this protocol, in any letter case."""
    since: str | None = None
    """Only entries from this time on, RFC 3339 in UTC."""
    limit: int | None = None
    """Entries per page. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class ListOutput(Output):
    """Answer of MAZE list."""

    plugins: List[ListOutputPlugin] | None = None
    """Installed plugins, newest first; absent where endpoints are listed."""
    endpoints: List[ListOutputEndpoint] | None = None
    """External endpoints, newest first; absent where plugins are listed."""
    next_cursor: str | None = None
    """There may be more entries, even after a page that is not full."""


class ListOutputPlugin(Output):
    """A part of the above."""

    id: str
    """As MAZE topology names it."""
    name: str
    """Name in the plugin's manifest."""
    version: str
    """Version in the plugin's manifest."""
    state: Literal["Pending", "Registered", "Disabled", "Error", "Removed"] | str
    """Registered ones serve calls; only the operator sees the others."""
    since: str
    """Since when it is in this state."""
    protocol: str | None = None
    """Protocol it adds; absent where it adds none."""
    plugin_type: str | None = None
    """Type as in its manifest."""
    operations: List[str]
    """Operations it adds."""
    reason: str | None = None
    """Shown only to the organization that runs this engine."""
    why: str | None = None
    """Shown only to the organization that runs this engine."""
    capabilities: List[str] | None = None
    """What it was allowed to use. Shown only to the organization that runs this engine."""
    digest: str | None = None
    """Shown only to the organization that runs this engine."""
    signed_by: str | None = None
    """Shown only to the organization that runs this engine."""
    signed_at: str | None = None
    """Shown only to the organization that runs this engine."""


class ListOutputEndpoint(Output):
    """A part of the above."""

    id: str
    """As MAZE topology names it."""
    protocol: str
    """Protocol it answers for."""
    version: str
    """Version of the protocol it answers for."""
    kind: Literal["adapter", "external"] | str
    """adapter: a node of OAS, Arsenal or Aegis; external: registered by the operator."""
    state: Literal["serving", "failing", "breaker_open", "probing", "disabled", "unused"] | str
    """Whether calls are sent to it now."""
    why: str
    """Reason for the state, in a sentence."""
    registered_at: str | None = None
    """When it was registered; absent for adapters."""
    operations: List[str]
    """Operations it answers; empty for adapters."""
    endpoint: str | None = None
    """Shown only to the organization that runs this engine."""
    did: str | None = None
    """Identity of the service behind it; absent where it has none."""
    answers: Literal["signed", "unsigned"] | str | None = None
    """Whether each answer must be signed, or is trusted by its address."""
    treaty_id: str | None = None
    """It is called only while this treaty is in force."""
    timeout_ms: int | None = None
    """How long the engine waits for an answer. Shown only to the operator."""
    weight: int | None = None
    """Its share of the calls among endpoints of the same protocol. Shown only to the operator."""


class ProveInput(Input):
    """Prove that a record is in your log, that the log is append-only, or what a segment of it contains."""

    kind: Literal["inclusion", "consistency", "segment"]
    """inclusion of a record; consistency of two sizes; segment: the hashes of a range."""
    record_hash: str | None = None
    """Record to prove, by its hash; for inclusion."""
    correlation_id: str | None = None
    """Record to prove, by its request; for inclusion."""
    tree_size: int | None = None
    """A number of records, counted from the first."""
    first: int | None = None
    """A number of records, counted from the first."""
    second: int | None = None
    """A number of records, counted from the first."""
    from_seq: int | None = None
    """The place of a record, from 1."""
    to_seq: int | None = None
    """The place of a record, from 1."""


class ProveOutput(Output):
    """Answer of MAZE prove."""

    kind: Literal["inclusion", "consistency", "segment"] | str
    """What is proved, as asked."""
    leaf_index: int | None = None
    """Of the record, or of the first of a segment."""
    tree_size: int
    """A number of records, counted from the first."""
    root_hash: str
    """Root of the tree of tree_size records."""
    proof: List[str]
    """RFC 9162 nodes that lead to root_hash."""
    leaf: ProveOutputLeaf | None = None
    """The 32 bytes of record_hash are the data of the leaf."""
    first_size: int | None = None
    """A number of records, counted from the first."""
    first_root: str | None = None
    """Root of the tree of first_size records; for consistency."""
    segment: List[ProveOutputSegment] | None = None
    """Hashes of the records asked for, in order."""
    previous_hash: str | None = None
    """Of the record before the segment, proved with it; 64 zeros where there is none."""
    checkpoint: str | None = None
    """C2SP signed note over this tree or a larger one; none while there are no records."""
    checkpoint_proof: List[str] | None = None
    """Consistency of this tree with that of the checkpoint, where that is larger."""
    verify: ProveOutputVerify
    """How to verify the proof."""


class ProveOutputLeaf(Output):
    """The 32 bytes of record_hash are the data of the leaf."""

    record_hash: str
    """Hash of the record."""
    canonical_commitment: str
    """sha256 of the hash before it and the canonical text stored now; another than record_hash where it was written over."""


class ProveOutputSegment(Output):
    """A part of the above."""

    seq: int
    """The place of a record, from 1."""
    record_hash: str
    """Hash of the record."""
    canonical_commitment: str
    """sha256 of the hash before it and the canonical text stored now; another than record_hash where it was written over."""


class ProveOutputVerify(Output):
    """How to verify the proof."""

    algorithm: Literal["RFC9162-SHA256"] | str
    """RFC 9162 with SHA-256: leaves are hashed after a byte 0, nodes after a byte 1."""


class TopologyInput(Input):
    """Show the mesh around a node: what there is, who calls whom, and what holds it together."""

    root: str | None = None
    """A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name."""
    depth: int | None = None
    """Steps from the root. Default `2`."""
    include: List[Literal["protocols", "endpoints", "agents", "treaties", "plugins", "tools", "devices", "workflows"]] | None = None
    """Parts of the mesh to show. Default all; treaties only with verified lineage (L1)."""
    at: str | None = None
    """The mesh as it stood then; default now."""
    path: TopologyPath | None = None
    """Find the best path between two nodes."""
    analysis: List[Literal["components", "articulation", "betweenness", "reachability"]] | None = None
    """What to compute over the shown mesh."""
    limit: int | None = None
    """Nodes at most. Default `1000`."""


class TopologyPath(Input):
    """Find the best path between two nodes."""

    from_: str = Field(validation_alias="from", serialization_alias="from")
    """A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name."""
    to: str
    """A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name."""
    by: Literal["hops", "latency", "trust"] | None = None
    """What to minimize: hops (default), latency, or distrust."""


class TopologyOutput(Output):
    """Answer of MAZE topology."""

    nodes: List[TopologyOutputNode]
    """Nodes within reach of the root, sorted by id."""
    edges: List[TopologyOutputEdge]
    """Relations between the shown nodes."""
    path: TopologyOutputPath | None = None
    """The path that was asked for."""
    analysis: TopologyOutputAnalysis | None = None
    """The analyses that were asked for."""
    truncated: bool
    """Nodes or edges were left out because of a limit."""
    as_of: str
    """The time that the answer describes."""


class TopologyOutputNode(Output):
    """A part of the above."""

    id: str
    """A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name."""
    kind: Literal["organization", "engine", "protocol", "endpoint", "agent", "plugin", "tool", "device", "workflow"] | str
    """What the node stands for."""
    label: str
    """Name to show."""
    state: str
    """Its current state, in words of its kind."""
    health: float | None
    """Null if it was never probed."""


class TopologyOutputEdge(Output):
    """A part of the above."""

    from_: str = Field(validation_alias="from", serialization_alias="from")
    """A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name."""
    to: str
    """A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name."""
    kind: Literal["calls", "treaty", "delegates", "hosts", "mirrors"] | str
    """calls; treaty; delegates capabilities; hosts; mirrors: endpoints of the same protocol."""
    weight: float
    """Calls, grants or capabilities; 1 where nothing is counted."""
    calls_24h: int | None = None
    """Calls in the last 24 hours."""
    p50_ms: float | None = None
    """Median latency of those calls, in milliseconds."""
    error_rate: float | None = None
    """Share of those calls that failed."""
    breaker: str | None = None
    """State of the circuit breaker between the two: CLOSED, OPEN or HALF_OPEN."""


class TopologyOutputPath(Output):
    """The path that was asked for."""

    by: Literal["hops", "latency", "trust"] | str
    """What was minimized."""
    reachable: bool
    """Whether there is a path at all."""
    nodes: List[str]
    """Nodes of the path in order; empty where there is none."""
    hops: int | None = None
    """Number of edges of the path."""
    cost: float | None = None
    """Hops, milliseconds, or minus the logarithm of trust."""


class TopologyOutputAnalysis(Output):
    """The analyses that were asked for."""

    components: List[List[str]] | None = None
    """Groups of nodes that are connected among themselves, by node id."""
    articulation: List[str] | None = None
    """Nodes without which the mesh falls into parts."""
    betweenness: List[TopologyOutputAnalysisBetweenness] | None = None
    """Nodes on the most shortest paths, highest first."""
    betweenness_estimated: bool | None = None
    """The mesh is large: scores come from a sample of the nodes."""
    reachability: List[TopologyOutputAnalysisReachability] | None = None
    """Nodes that can be reached from the root."""


class TopologyOutputAnalysisBetweenness(Output):
    """A part of the above."""

    id: str
    """A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name."""
    score: float
    """Share of the shortest paths that pass through it."""


class TopologyOutputAnalysisReachability(Output):
    """A part of the above."""

    id: str
    """A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name."""
    hops: int
    """Edges from the root."""


class Maze(Operations):
    """The map of the mesh, and proofs that its audit log was never changed."""

    protocol = "MAZE"

    def list(
        self,
        *,
        kind: Literal["plugins", "endpoints"] | None = None,
        state: Literal["Pending", "Registered", "Disabled", "Error", "Removed", "serving", "failing", "breaker_open", "probing", "disabled", "unused"] | None = None,
        protocol: str | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List plugins, or services outside that answer for protocols, with their states and the reasons. A read: retried."""
        return self._call("list", ListInput, ListOutput, {
            "kind": kind,
            "state": state,
            "protocol": protocol,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    def prove(
        self,
        *,
        kind: Literal["inclusion", "consistency", "segment"],
        record_hash: str | None = None,
        correlation_id: str | None = None,
        tree_size: int | None = None,
        first: int | None = None,
        second: int | None = None,
        from_seq: int | None = None,
        to_seq: int | None = None,
    ) -> ProveOutput:
        """Prove that a record is in your log, that the log is append-only, or what a segment of it contains. A read: retried."""
        return self._call("prove", ProveInput, ProveOutput, {
            "kind": kind,
            "record_hash": record_hash,
            "correlation_id": correlation_id,
            "tree_size": tree_size,
            "first": first,
            "second": second,
            "from_seq": from_seq,
            "to_seq": to_seq,
        })

    def topology(
        self,
        *,
        root: str | None = None,
        depth: int | None = None,
        include: List[Literal["protocols", "endpoints", "agents", "treaties", "plugins", "tools", "devices", "workflows"]] | None = None,
        at: str | None = None,
        path: TopologyPath | None = None,
        analysis: List[Literal["components", "articulation", "betweenness", "reachability"]] | None = None,
        limit: int | None = None,
    ) -> TopologyOutput:
        """Show the mesh around a node: what there is, who calls whom, and what holds it together. A read: retried."""
        return self._call("topology", TopologyInput, TopologyOutput, {
            "root": root,
            "depth": depth,
            "include": include,
            "at": at,
            "path": path,
            "analysis": analysis,
            "limit": limit,
        })


class AsyncMaze(AsyncOperations):
    """The map of the mesh, and proofs that its audit log was never changed."""

    protocol = "MAZE"

    async def list(
        self,
        *,
        kind: Literal["plugins", "endpoints"] | None = None,
        state: Literal["Pending", "Registered", "Disabled", "Error", "Removed", "serving", "failing", "breaker_open", "probing", "disabled", "unused"] | None = None,
        protocol: str | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List plugins, or services outside that answer for protocols, with their states and the reasons. A read: retried."""
        return await self._call("list", ListInput, ListOutput, {
            "kind": kind,
            "state": state,
            "protocol": protocol,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    async def prove(
        self,
        *,
        kind: Literal["inclusion", "consistency", "segment"],
        record_hash: str | None = None,
        correlation_id: str | None = None,
        tree_size: int | None = None,
        first: int | None = None,
        second: int | None = None,
        from_seq: int | None = None,
        to_seq: int | None = None,
    ) -> ProveOutput:
        """Prove that a record is in your log, that the log is append-only, or what a segment of it contains. A read: retried."""
        return await self._call("prove", ProveInput, ProveOutput, {
            "kind": kind,
            "record_hash": record_hash,
            "correlation_id": correlation_id,
            "tree_size": tree_size,
            "first": first,
            "second": second,
            "from_seq": from_seq,
            "to_seq": to_seq,
        })

    async def topology(
        self,
        *,
        root: str | None = None,
        depth: int | None = None,
        include: List[Literal["protocols", "endpoints", "agents", "treaties", "plugins", "tools", "devices", "workflows"]] | None = None,
        at: str | None = None,
        path: TopologyPath | None = None,
        analysis: List[Literal["components", "articulation", "betweenness", "reachability"]] | None = None,
        limit: int | None = None,
    ) -> TopologyOutput:
        """Show the mesh around a node: what there is, who calls whom, and what holds it together. A read: retried."""
        return await self._call("topology", TopologyInput, TopologyOutput, {
            "root": root,
            "depth": depth,
            "include": include,
            "at": at,
            "path": path,
            "analysis": analysis,
            "limit": limit,
        })
