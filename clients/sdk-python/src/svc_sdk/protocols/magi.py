# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MAGI v1.0.0. Why something happened: traced to its root causes in the signed audit log, with counterfactuals."""

from __future__ import annotations

from typing import List, Literal

from pydantic import Field

from ..models import Input, Output
from ..operations import AsyncOperations, Operations


class TraceInput(Input):
    """Trace a decision, a record or an entity to its root causes or its effects."""

    root: str
    """What to trace: a correlation id, a record hash, or a reference."""
    direction: Literal["causes", "effects", "both"] | None = None
    """Direction of the trace. Default `"causes"`."""
    max_depth: int | None = None
    """How many steps to go from the root. Default `16`."""
    max_nodes: int | None = None
    """The most nodes to include. Default `2000`."""
    question: str | None = None
    """Read by a model, if one is configured; its sentences are unverified."""
    counterfactual: List[str] | None = None
    """Records to remove, each alone and all together: would the outcome differ?"""
    include_foreign: bool | None = None
    """Includes records of the same requests at partners of an active treaty. Default `false`."""
    budget: TraceBudget | None = None
    """What the call may use at most; absent means the defaults."""


class TraceBudget(Input):
    """What the call may use at most; absent means the defaults."""

    tokens: int
    """Tokens for a model that reads the question."""
    deadline_ms: int
    """Milliseconds after which the call ends with a timeout."""


class TraceOutput(Output):
    """Answer of MAGI trace."""

    trace_ref: str
    """Names this trace, for citations."""
    target: str
    """Node that was traced."""
    nodes: List[TraceOutputNode]
    """What the trace found."""
    edges: List[TraceOutputEdge]
    """How the nodes depend on each other; effects point at causes."""
    dropped: List[TraceOutputDropped]
    """Links that contradict the order of the chain."""
    root_causes: List[TraceOutputRootCause]
    """What the outcome depended on, the most responsible first."""
    critical_path: List[str]
    """Nodes between the target and its main cause, or its farthest effect."""
    counterfactuals: List[TraceOutputCounterfactual]
    """What would have happened without the records named in counterfactual."""
    verification: TraceOutputVerification
    """Whether the records that were read are genuine."""
    narrative: List[TraceOutputNarrative]
    """The trace in sentences for people."""
    truncated: bool
    """Something was left out because of a limit."""
    truncated_by: List[Literal["depth", "nodes", "tokens", "work"] | str]
    """Which limits were reached."""
    confidence: float
    """That of the weakest edge; 1 where there is none."""
    usage: TraceOutputUsage
    """What the trace used."""


class TraceOutputNode(Output):
    """A part of the above."""

    id: str
    """Names the node within this trace."""
    type: Literal["Activity", "Entity", "Agent"] | str
    """In words of W3C PROV: something done, a thing, or who acted."""
    label: str
    """Name to show."""
    record_hash: str | None = None
    """Record it stands for; absent where it is no record."""
    tenant_id: str | None = None
    """Organization whose log has the record."""
    seq: int | None = None
    """Place of the record in its chain."""
    event_type: str | None = None
    """What was recorded."""
    protocol: str | None = None
    """Protocol that was called."""
    operation: str | None = None
    """Operation that was called."""
    outcome: Literal["success", "refused", "error"] | str | None = None
    """How the call ended."""
    at: str | None = None
    """When it was recorded."""
    reason: str | None = None
    """Why it was refused or failed, as recorded."""
    opaque: bool | None = None
    """A record you may not read: only its hash is shown."""


class TraceOutputEdge(Output):
    """A part of the above."""

    from_: str = Field(validation_alias="from", serialization_alias="from")
    """The effect."""
    to: str
    """The cause."""
    relation: Literal["used", "wasGeneratedBy", "wasInformedBy", "wasDerivedFrom", "actedOnBehalfOf", "refusedBy", "mayBeRefusedBy"] | str
    """Relation in words of W3C PROV, or refusedBy, or mayBeRefusedBy where a rule cannot be ruled out."""
    confidence: float
    """1 if recorded, 0.95 if bound by a hash, 0.5 if only the order in time speaks for it, or it cannot be ruled out."""


class TraceOutputDropped(Output):
    """A part of the above."""

    from_: str = Field(validation_alias="from", serialization_alias="from")
    """The effect."""
    to: str
    """The cause."""
    relation: Literal["used", "wasGeneratedBy", "wasInformedBy", "wasDerivedFrom", "actedOnBehalfOf", "refusedBy", "mayBeRefusedBy"] | str
    """Relation in words of W3C PROV, or refusedBy, or mayBeRefusedBy where a rule cannot be ruled out."""
    why: str
    """How it contradicts the order."""


class TraceOutputRootCause(Output):
    """A part of the above."""

    node: str
    """Node that is a cause."""
    necessity: bool
    """Whether the outcome would differ without this alone."""
    responsibility: float
    """1/(1+k), where k others must be removed first for this one to decide."""
    basis: Literal["replayed", "assumed"] | str
    """Replayed: confirmed by rerunning deterministic rules. Assumed: some step cannot be rerun; of several sources of it any one counts as enough."""
    reason: str
    """Why it counts as a cause, in a sentence."""
    contingency: List[str]
    """Nodes that must be removed first for this one to decide."""


class TraceOutputCounterfactual(Output):
    """A part of the above."""

    removed: List[str]
    """Records left out."""
    found: bool
    """Whether they are part of this trace."""
    changed: bool
    """Whether the outcome would have differed."""
    basis: Literal["replayed", "assumed"] | str
    """replayed: rules were run again; assumed: some step cannot be rerun."""


class TraceOutputVerification(Output):
    """Whether the records that were read are genuine."""

    chain_ok: bool
    """Every record matches its hash and the one before."""
    signatures_ok: bool
    """Every record that was checked is in a signed tree."""
    records: int
    """Records that were verified."""
    signatures_checked: int
    """Signatures that were verified."""
    first_bad: TraceOutputVerificationFirstBad | None = None
    """First record that did not verify; absent where all did."""


class TraceOutputVerificationFirstBad(Output):
    """First record that did not verify; absent where all did."""

    tenant_id: str
    """Organization whose log has the record."""
    seq: int
    """Place of the record in its chain."""
    record_hash: str | None
    """Null if missing."""


class TraceOutputNarrative(Output):
    """A part of the above."""

    sentence: str
    """A statement about the trace."""
    citations: List[str]
    """Nodes it rests on."""
    verified: bool
    """False if a model proposed it."""


class TraceOutputUsage(Output):
    """What the trace used."""

    tokens_in: int
    """Tokens a model read; 0 without a model."""
    tokens_out: int
    """Tokens a model wrote; 0 without a model."""
    work: int
    """Steps of the search; not charged for."""


class Magi(Operations):
    """Why something happened: traced to its root causes in the signed audit log, with counterfactuals."""

    protocol = "MAGI"

    def trace(
        self,
        *,
        root: str,
        direction: Literal["causes", "effects", "both"] | None = None,
        max_depth: int | None = None,
        max_nodes: int | None = None,
        question: str | None = None,
        counterfactual: List[str] | None = None,
        include_foreign: bool | None = None,
        budget: TraceBudget | None = None,
    ) -> TraceOutput:
        """Trace a decision, a record or an entity to its root causes or its effects. A read: retried."""
        return self._call("trace", TraceInput, TraceOutput, {
            "root": root,
            "direction": direction,
            "max_depth": max_depth,
            "max_nodes": max_nodes,
            "question": question,
            "counterfactual": counterfactual,
            "include_foreign": include_foreign,
            "budget": budget,
        })


class AsyncMagi(AsyncOperations):
    """Why something happened: traced to its root causes in the signed audit log, with counterfactuals."""

    protocol = "MAGI"

    async def trace(
        self,
        *,
        root: str,
        direction: Literal["causes", "effects", "both"] | None = None,
        max_depth: int | None = None,
        max_nodes: int | None = None,
        question: str | None = None,
        counterfactual: List[str] | None = None,
        include_foreign: bool | None = None,
        budget: TraceBudget | None = None,
    ) -> TraceOutput:
        """Trace a decision, a record or an entity to its root causes or its effects. A read: retried."""
        return await self._call("trace", TraceInput, TraceOutput, {
            "root": root,
            "direction": direction,
            "max_depth": max_depth,
            "max_nodes": max_nodes,
            "question": question,
            "counterfactual": counterfactual,
            "include_foreign": include_foreign,
            "budget": budget,
        })
