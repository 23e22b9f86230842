# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MIND v1.0.0. Memory of an organization: working, episodic, semantic and procedural."""

from __future__ import annotations

from typing import Any, Dict, List, Literal

from pydantic import Field

from ..models import Input, Output, SecretOutput
from ..operations import AsyncOperations, Operations


class AssociateMemoriesInput(Input):
    """Link two memories; linking them again strengthens the link."""

    source: str
    """Memory the link starts from."""
    target: str
    """Memory the link leads to."""
    relation: str
    """part_of, derived_from, supersedes and causes must not form cycles."""
    weight: float | None = None
    """Strength of the link; repeating it makes it stronger. Default `0.5`."""
    valid_from: str | None = None
    """The link holds from then on; absent: always before valid_to."""
    valid_to: str | None = None
    """The link holds until then; absent: still."""
    bidirectional: bool | None = None
    """Also link back. Default `false`."""


class AssociateMemoriesOutput(Output):
    """Answer of MIND associate_memories."""

    association_id: str
    """Names the link."""
    weight: float
    """Strength of the link now."""
    reinforced: bool
    """The link existed already and is stronger now."""
    created: bool
    """Whether the link is new."""


class FusionRequestInput(Input):
    """Fuse the statements of several sources into one consistent set of facts."""

    sources: List[FusionRequestSourceObject | str]
    """What to bring together: references, or facts with the DID they come from."""
    subject: str | None = None
    """Only facts about this subject."""
    strategy: Literal["reliability", "latest", "majority"] | None = None
    """How conflicts are decided; default reliability: by how often a source agrees with the truth found."""
    functional_predicates: List[str] | None = None
    """Relations of which a subject has one value at a time."""
    min_confidence: float | None = None
    """Facts below this confidence go to dissent. Default `0.5`."""
    write_back: bool | None = None
    """Store the result as current knowledge. Default `false`."""
    budget: FusionRequestBudget | None = None
    """What the work may take."""


class FusionRequestSourceObject(Input):
    """A part of the above."""

    source_did: str
    """Who says so."""
    facts: List[FusionRequestSourceObjectFact]
    """What this source says."""


class FusionRequestSourceObjectFact(Input):
    """A part of the above."""

    subject: str
    """The entity it is about, by name or id."""
    predicate: str
    """The relation, such as ceo or located_in."""
    object: str | float | bool
    """Value of the relation: a text, number or truth value, or the name or id of an entity."""
    valid_from: str | None = None
    """True from then on; absent: always before valid_to."""
    valid_to: str | None = None
    """True until then; absent: still."""
    confidence: float | None = None
    """How sure it is, 0 to 1."""
    functional: bool | None = None
    """True declares that a subject has one value of this predicate at a time."""


class FusionRequestBudget(Input):
    """What the work may take."""

    tokens: int | None = None
    """Tokens at most. Default `20000`."""
    deadline_ms: int | None = None
    """Time at most, in milliseconds. Default `30000`."""


class FusionRequestOutput(SecretOutput):
    """Answer of MIND fusion_request."""

    snapshot_ref: str
    """The stored result; MARC reasons from it."""
    facts: List[FusionRequestOutputFact]
    """The consistent picture."""
    conflicts: List[FusionRequestOutputConflict]
    """Where sources contradict each other, and how it was decided."""
    entity_merges: List[FusionRequestOutputEntityMerge]
    """Names that were taken for the same entity."""
    source_reliability: Dict[str, float]
    """For each source, how reliable it is, 0 to 1."""
    independent_sources: int
    """Different roots behind the sources; an unknown identity counts as none."""
    copied: List[FusionRequestOutputCopied]
    """Roots that probably repeat each other: what they both say counts about once."""
    dissent: List[FusionRequestOutputDissent]
    """What sources said and the picture leaves out."""
    written: FusionRequestOutputWritten | None = None
    """What write_back stored; absent without it."""
    usage: FusionRequestOutputUsage
    """Tokens it took."""


class FusionRequestOutputFact(Output):
    """A part of the above."""

    subject: str
    """Entity it is about."""
    predicate: str
    """The relation."""
    valid_from: str | None = None
    """True from then on; absent: always before valid_to."""
    valid_to: str | None = None
    """True until then; absent: still."""
    object: str | float | bool
    """Value of the relation."""
    confidence: float
    """How sure it is, 0 to 1."""
    functional: bool
    """Whether the subject has one value of this relation at a time."""
    support: List[str]
    """Sources that say so."""
    against: List[str]
    """Sources that say otherwise."""


class FusionRequestOutputConflict(Output):
    """A part of the above."""

    subject: str
    """Entity it is about."""
    predicate: str
    """The relation."""
    valid_from: str | None = None
    """True from then on; absent: always before valid_to."""
    valid_to: str | None = None
    """True until then; absent: still."""
    values: List[FusionRequestOutputConflictValue]
    """What was said, each with its weight."""
    chosen: str | float | bool | None
    """The value in the picture; null: none reached min_confidence."""
    rule: Literal["reliability", "weighted_median", "latest", "majority"] | str
    """What decided; weighted_median: between numbers."""


class FusionRequestOutputConflictValue(Output):
    """A part of the above."""

    value: str | float | bool
    """A value that was said."""
    posterior: float
    """Probability that it is right, by the sources behind it."""
    sources: List[str]
    """Sources that say so."""


class FusionRequestOutputEntityMerge(Output):
    """A part of the above."""

    label: str
    """Name used in the picture."""
    merged: List[str]
    """Names that mean the same."""
    rules: List[str]
    """Why they were taken for the same."""


class FusionRequestOutputCopied(Output):
    """A part of the above."""

    roots: List[str]
    """The two of them."""
    probability: float
    """That one repeats the other, by the answers and mistakes they share."""


class FusionRequestOutputDissent(Output):
    """A part of the above."""

    subject: str
    """Entity it is about."""
    predicate: str
    """The relation."""
    valid_from: str | None = None
    """True from then on; absent: always before valid_to."""
    valid_to: str | None = None
    """True until then; absent: still."""
    object: str | float | bool
    """Value that was said."""
    confidence: float
    """How sure it is, 0 to 1."""
    sources: List[str]
    """Sources that say so."""
    reason: Literal["outvoted", "outlier", "min_confidence"] | str
    """Why it was left out."""


class FusionRequestOutputWritten(Output):
    """What write_back stored; absent without it."""

    added: int
    """Number of facts stored."""
    superseded: List[str]
    """Facts that these replaced."""


class FusionRequestOutputUsage(Output):
    """Tokens it took."""

    tokens_in: int
    """Tokens read."""
    tokens_out: int
    """Tokens written."""


class QueryKnowledgeInput(Input):
    """Facts about a subject, as valid at one time and as known at another."""

    subject: str
    """The entity it is about, by name or id."""
    predicate: str | None = None
    """The relation, such as ceo or located_in."""
    object: str | float | bool | None = None
    """Only facts with this value."""
    as_of: str | None = None
    """Facts that are true at this time; default now."""
    known_at: str | None = None
    """What was known at this time; default: all that is known."""
    depth: int | None = None
    """How many relations to follow from the subject; default 1."""
    include_superseded: bool | None = None
    """Include facts that newer ones replaced."""
    min_confidence: float | None = None
    """Only facts at least this sure."""
    limit: int | None = None
    """Facts per page at most; default 20."""
    cursor: str | None = None
    """cursor of the previous page."""


class QueryKnowledgeOutput(Output):
    """Answer of MIND query_knowledge."""

    entity: QueryKnowledgeOutputEntity | None
    """Entity that was meant; null: unknown, or several are possible."""
    candidates: List[QueryKnowledgeOutputCandidate]
    """Entities that could be meant; ask again with the id of one."""
    facts: List[QueryKnowledgeOutputFact]
    """What is known, nearest first."""
    truncated: bool
    """Whether there are more facts than were looked at."""
    cursor: str | None = None
    """For the next page; absent: no more."""


class QueryKnowledgeOutputEntity(Output):
    """A part of the above."""

    id: str
    """Id to ask by."""
    label: str
    """Its main name."""
    type: str | None
    """What it is; null: unknown."""
    aliases: List[str]
    """Its other names."""


class QueryKnowledgeOutputCandidate(Output):
    """A part of the above."""

    id: str
    """Id to ask by."""
    label: str
    """Its main name."""
    similarity: float
    """How close its name is, 0 to 1."""


class QueryKnowledgeOutputFact(Output):
    """A part of the above."""

    fact_id: str
    """Names the fact."""
    ref: str
    """Reference to cite."""
    subject: str
    """Entity it is about."""
    predicate: str
    """The relation."""
    object: str | float | bool
    """Value of the relation."""
    valid_from: str | None = None
    """True from then on; absent: always before valid_to."""
    valid_to: str | None = None
    """True until then; absent: still."""
    recorded_at: str
    """When it was stored."""
    superseded_at: str | None = None
    """When a newer one replaced it; absent: it was not."""
    confidence: float
    """How sure it is, 0 to 1."""
    source_ref: str
    """Memory or result it comes from."""
    status: Literal["current", "superseded", "contested"] | str
    """contested: it contradicts a surer fact."""


class RecallMemoryInput(Input):
    """Recall memories by words, meaning, structure and time."""

    predicate: RecallMemoryPredicate
    """All given conditions must hold."""
    kinds: List[Literal["working", "episodic", "semantic", "procedural"]] | None = None
    """Only memories of these kinds; default all."""
    namespace: str | None = None
    """Default: all namespaces."""
    limit: int | None = None
    """Memories at most. Default `10`."""
    min_relevance: float | None = None
    """Only memories at least this likely to be about the question; 0 also keeps those found by links and neighbours. Default `0`."""
    include_inactive: bool | None = None
    """Includes evicted and expired memories. Default `false`."""
    explain: bool | None = None
    """Say why each memory was found. Default `false`."""
    rerank: Literal["auto", "never", "always"] | None = None
    """Whether a model reorders the best matches. Default `"auto"`."""


class RecallMemoryPredicate(Input):
    """All given conditions must hold."""

    semantic: RecallMemoryPredicateSemantic | None = None
    """By words, meaning and names. Only this ranks; the others filter."""
    structural: RecallMemoryPredicateStructural | None = None
    """Content, entities and links; all given conditions must hold."""
    temporal: RecallMemoryPredicateTemporal | None = None
    """When it happened: from <= t < to."""


class RecallMemoryPredicateSemantic(Input):
    """By words, meaning and names. Only this ranks; the others filter."""

    text: str
    """A question or topic; "quoted words" are one phrase, -word excludes."""
    min_similarity: float | None = None
    """Closeness of meaning needed, -1 to 1. Default `0.15`."""


class RecallMemoryPredicateStructural(Input):
    """Content, entities and links; all given conditions must hold."""

    match: Dict[str, Any] | None = None
    """The payload contains this."""
    jsonpath: str | None = None
    """An SQL/JSON path that matches something in the payload."""
    entity: str | None = None
    """Memories whose triples mention this entity."""
    linked_to: str | None = None
    """Memories linked to this one."""
    relation: str | None = None
    """Only links of this relation; needs linked_to."""
    hops: int | None = None
    """How many links away; needs linked_to. Default `1`."""


class RecallMemoryPredicateTemporal(Input):
    """When it happened: from <= t < to."""

    from_: str | None = Field(default=None, validation_alias="from", serialization_alias="from")
    """Happened at this time or later."""
    to: str | None = None
    """Happened before this time."""
    as_of: str | None = None
    """As it was valid at that time."""
    known_at: str | None = None
    """As it was known at that time."""
    order: Literal["newest", "oldest"] | None = None
    """Order where nothing ranks them; default newest."""


class RecallMemoryOutput(Output):
    """Answer of MIND recall_memory."""

    memories: List[RecallMemoryOutputMemory]
    """The best matches, best first."""
    total_candidates: int
    """How many matched before limit."""
    nothing_found: bool
    """True: no memory that you may read fits, or none is likely to be about the question."""
    path: Literal["protocol", "agent"] | str
    """agent: a model reordered them."""


class RecallMemoryOutputMemory(Output):
    """A part of the above."""

    memory_id: str
    """Names the memory."""
    kind: Literal["working", "episodic", "semantic", "procedural"] | str
    """working: for now. episodic: what happened. semantic: what is true. procedural: how to do it."""
    payload: Dict[str, Any]
    """What was remembered."""
    score: float
    """Its place in this order, 0 to 1; says nothing of whether it answers."""
    relevance: float
    """How likely it is about the question; below 0.5 rather not. 1 if nothing was asked."""
    version: int
    """Grows with each edit."""
    occurred_at: str
    """When it happened."""
    confidence: float
    """How sure it is, 0 to 1."""
    why: RecallMemoryOutputMemoryWhy | None = None
    """Parts of the score; with explain."""


class RecallMemoryOutputMemoryWhy(Output):
    """Parts of the score; with explain."""

    lexical_rank: int | None
    """Place among matches by words; null: not among them."""
    vector_rank: int | None
    """Place among matches by meaning; null: not among them."""
    graph_rank: int | None
    """Place among matches by links and facts; null: not among them."""
    hop_rank: int | None
    """Place among those named by the best matches; null: not among them."""
    coverage: float
    """How much of what the question says its words cover, 0 to 1."""
    similarity: float
    """How near its meaning is, 0 to 1."""
    recency: float
    """1 for new, falling over a month."""
    importance: float
    """As it was stored, 0 to 1."""


class StoreMemoryInput(Input):
    """Store a memory."""

    kind: Literal["working", "episodic", "semantic", "procedural"]
    """working: for now. episodic: what happened. semantic: what is true. procedural: how to do it."""
    payload: Dict[str, Any]
    """What to remember; at most 256 KiB."""
    namespace: str | None = None
    """Memories of one namespace do not evict those of another. Default `"default"`."""
    scope: Literal["private", "shared", "tenant"] | None = None
    """Who may read it. private: only the agent that stores it, as working memory without a scope; shared: also those named; tenant: everybody, the default otherwise."""
    shared_with: List[str] | None = None
    """Agents; only with scope shared."""
    shared_with_groups: List[str] | None = None
    """Identities; each stands for itself and all with a verified lineage whose creator or root it is. Only with scope shared."""
    text: str | None = None
    """Text to search by; default: the texts of the payload."""
    index: StoreMemoryIndex | None = None
    """How it can be found besides its words."""
    triples: List[StoreMemoryTriple] | None = None
    """Facts it states."""
    occurred_at: str | None = None
    """When it happened; default now."""
    ttl_seconds: int | None = None
    """Working memories only; default: one hour."""
    importance: float | None = None
    """Counts in ranking, and in what working memory forgets first. Default `0.5`."""
    confidence: float | None = None
    """How sure it is, 0 to 1. Default `1`."""
    source_ref: str | None = None
    """Where it comes from."""
    subject_did: str | None = None
    """The person it is about: redacting this subject redacts the memory."""
    dedupe: bool | None = None
    """Store the same payload once; default for semantic memories."""


class StoreMemoryIndex(Input):
    """How it can be found besides its words."""

    vector: bool | None = None
    """Searchable by meaning. Default `true`."""
    graph: bool | None = None
    """Its triples become facts, with the scope tenant. Default `true`."""


class StoreMemoryTriple(Input):
    """A part of the above."""

    subject: str
    """The entity it is about, by name or id."""
    predicate: str
    """The relation, such as ceo or located_in."""
    object: str | float | bool
    """Value of the relation: a text, number or truth value, or the name or id of an entity."""
    valid_from: str | None = None
    """True from then on; absent: always before valid_to."""
    valid_to: str | None = None
    """True until then; absent: still."""
    confidence: float | None = None
    """How sure it is, 0 to 1."""
    functional: bool | None = None
    """True declares that a subject has one value of this predicate at a time."""


class StoreMemoryOutput(Output):
    """Answer of MIND store_memory."""

    memory_id: str
    """Names the memory."""
    ref: str
    """Reference to cite it by."""
    version: int
    """Grows with each edit."""
    content_commitment: str
    """Salted hash of the content, as the audit log has it."""
    indexed: StoreMemoryOutputIndexed
    """How it can be found now."""
    triples_added: int
    """Number of facts stored."""
    superseded: List[str]
    """Earlier facts that its own replaced."""
    duplicate_of: str | None = None
    """Same memory stored before; it was not stored again."""


class StoreMemoryOutputIndexed(Output):
    """How it can be found now."""

    vector: bool
    """By meaning; false while its embedding is pending."""
    graph: bool
    """By its facts."""
    lexical: bool
    """By its words."""


class Mind(Operations):
    """Memory of an organization: working, episodic, semantic and procedural."""

    protocol = "MIND"

    def associate_memories(
        self,
        *,
        source: str,
        target: str,
        relation: str,
        weight: float | None = None,
        valid_from: str | None = None,
        valid_to: str | None = None,
        bidirectional: bool | None = None,
    ) -> AssociateMemoriesOutput:
        """Link two memories; linking them again strengthens the link. A write: never retried."""
        return self._call("associate_memories", AssociateMemoriesInput, AssociateMemoriesOutput, {
            "source": source,
            "target": target,
            "relation": relation,
            "weight": weight,
            "valid_from": valid_from,
            "valid_to": valid_to,
            "bidirectional": bidirectional,
        })

    def fusion_request(
        self,
        *,
        sources: List[FusionRequestSourceObject | str],
        subject: str | None = None,
        strategy: Literal["reliability", "latest", "majority"] | None = None,
        functional_predicates: List[str] | None = None,
        min_confidence: float | None = None,
        write_back: bool | None = None,
        budget: FusionRequestBudget | None = None,
    ) -> FusionRequestOutput:
        """Fuse the statements of several sources into one consistent set of facts. A write: never retried."""
        return self._call("fusion_request", FusionRequestInput, FusionRequestOutput, {
            "sources": sources,
            "subject": subject,
            "strategy": strategy,
            "functional_predicates": functional_predicates,
            "min_confidence": min_confidence,
            "write_back": write_back,
            "budget": budget,
        })

    def query_knowledge(
        self,
        *,
        subject: str,
        predicate: str | None = None,
        object: str | float | bool | None = None,
        as_of: str | None = None,
        known_at: str | None = None,
        depth: int | None = None,
        include_superseded: bool | None = None,
        min_confidence: float | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> QueryKnowledgeOutput:
        """Facts about a subject, as valid at one time and as known at another. A read: retried."""
        return self._call("query_knowledge", QueryKnowledgeInput, QueryKnowledgeOutput, {
            "subject": subject,
            "predicate": predicate,
            "object": object,
            "as_of": as_of,
            "known_at": known_at,
            "depth": depth,
            "include_superseded": include_superseded,
            "min_confidence": min_confidence,
            "limit": limit,
            "cursor": cursor,
        })

    def recall_memory(
        self,
        *,
        predicate: RecallMemoryPredicate,
        kinds: List[Literal["working", "episodic", "semantic", "procedural"]] | None = None,
        namespace: str | None = None,
        limit: int | None = None,
        min_relevance: float | None = None,
        include_inactive: bool | None = None,
        explain: bool | None = None,
        rerank: Literal["auto", "never", "always"] | None = None,
    ) -> RecallMemoryOutput:
        """Recall memories by words, meaning, structure and time. A read: retried."""
        return self._call("recall_memory", RecallMemoryInput, RecallMemoryOutput, {
            "predicate": predicate,
            "kinds": kinds,
            "namespace": namespace,
            "limit": limit,
            "min_relevance": min_relevance,
            "include_inactive": include_inactive,
            "explain": explain,
            "rerank": rerank,
        })

    def store_memory(
        self,
        *,
        kind: Literal["working", "episodic", "semantic", "procedural"],
        payload: Dict[str, Any],
        namespace: str | None = None,
        scope: Literal["private", "shared", "tenant"] | None = None,
        shared_with: List[str] | None = None,
        shared_with_groups: List[str] | None = None,
        text: str | None = None,
        index: StoreMemoryIndex | None = None,
        triples: List[StoreMemoryTriple] | None = None,
        occurred_at: str | None = None,
        ttl_seconds: int | None = None,
        importance: float | None = None,
        confidence: float | None = None,
        source_ref: str | None = None,
        subject_did: str | None = None,
        dedupe: bool | None = None,
    ) -> StoreMemoryOutput:
        """Store a memory. A write: never retried."""
        return self._call("store_memory", StoreMemoryInput, StoreMemoryOutput, {
            "kind": kind,
            "payload": payload,
            "namespace": namespace,
            "scope": scope,
            "shared_with": shared_with,
            "shared_with_groups": shared_with_groups,
            "text": text,
            "index": index,
            "triples": triples,
            "occurred_at": occurred_at,
            "ttl_seconds": ttl_seconds,
            "importance": importance,
            "confidence": confidence,
            "source_ref": source_ref,
            "subject_did": subject_did,
            "dedupe": dedupe,
        })


class AsyncMind(AsyncOperations):
    """Memory of an organization: working, episodic, semantic and procedural."""

    protocol = "MIND"

    async def associate_memories(
        self,
        *,
        source: str,
        target: str,
        relation: str,
        weight: float | None = None,
        valid_from: str | None = None,
        valid_to: str | None = None,
        bidirectional: bool | None = None,
    ) -> AssociateMemoriesOutput:
        """Link two memories; linking them again strengthens the link. A write: never retried."""
        return await self._call("associate_memories", AssociateMemoriesInput, AssociateMemoriesOutput, {
            "source": source,
            "target": target,
            "relation": relation,
            "weight": weight,
            "valid_from": valid_from,
            "valid_to": valid_to,
            "bidirectional": bidirectional,
        })

    async def fusion_request(
        self,
        *,
        sources: List[FusionRequestSourceObject | str],
        subject: str | None = None,
        strategy: Literal["reliability", "latest", "majority"] | None = None,
        functional_predicates: List[str] | None = None,
        min_confidence: float | None = None,
        write_back: bool | None = None,
        budget: FusionRequestBudget | None = None,
    ) -> FusionRequestOutput:
        """Fuse the statements of several sources into one consistent set of facts. A write: never retried."""
        return await self._call("fusion_request", FusionRequestInput, FusionRequestOutput, {
            "sources": sources,
            "subject": subject,
            "strategy": strategy,
            "functional_predicates": functional_predicates,
            "min_confidence": min_confidence,
            "write_back": write_back,
            "budget": budget,
        })

    async def query_knowledge(
        self,
        *,
        subject: str,
        predicate: str | None = None,
        object: str | float | bool | None = None,
        as_of: str | None = None,
        known_at: str | None = None,
        depth: int | None = None,
        include_superseded: bool | None = None,
        min_confidence: float | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> QueryKnowledgeOutput:
        """Facts about a subject, as valid at one time and as known at another. A read: retried."""
        return await self._call("query_knowledge", QueryKnowledgeInput, QueryKnowledgeOutput, {
            "subject": subject,
            "predicate": predicate,
            "object": object,
            "as_of": as_of,
            "known_at": known_at,
            "depth": depth,
            "include_superseded": include_superseded,
            "min_confidence": min_confidence,
            "limit": limit,
            "cursor": cursor,
        })

    async def recall_memory(
        self,
        *,
        predicate: RecallMemoryPredicate,
        kinds: List[Literal["working", "episodic", "semantic", "procedural"]] | None = None,
        namespace: str | None = None,
        limit: int | None = None,
        min_relevance: float | None = None,
        include_inactive: bool | None = None,
        explain: bool | None = None,
        rerank: Literal["auto", "never", "always"] | None = None,
    ) -> RecallMemoryOutput:
        """Recall memories by words, meaning, structure and time. A read: retried."""
        return await self._call("recall_memory", RecallMemoryInput, RecallMemoryOutput, {
            "predicate": predicate,
            "kinds": kinds,
            "namespace": namespace,
            "limit": limit,
            "min_relevance": min_relevance,
            "include_inactive": include_inactive,
            "explain": explain,
            "rerank": rerank,
        })

    async def store_memory(
        self,
        *,
        kind: Literal["working", "episodic", "semantic", "procedural"],
        payload: Dict[str, Any],
        namespace: str | None = None,
        scope: Literal["private", "shared", "tenant"] | None = None,
        shared_with: List[str] | None = None,
        shared_with_groups: List[str] | None = None,
        text: str | None = None,
        index: StoreMemoryIndex | None = None,
        triples: List[StoreMemoryTriple] | None = None,
        occurred_at: str | None = None,
        ttl_seconds: int | None = None,
        importance: float | None = None,
        confidence: float | None = None,
        source_ref: str | None = None,
        subject_did: str | None = None,
        dedupe: bool | None = None,
    ) -> StoreMemoryOutput:
        """Store a memory. A write: never retried."""
        return await self._call("store_memory", StoreMemoryInput, StoreMemoryOutput, {
            "kind": kind,
            "payload": payload,
            "namespace": namespace,
            "scope": scope,
            "shared_with": shared_with,
            "shared_with_groups": shared_with_groups,
            "text": text,
            "index": index,
            "triples": triples,
            "occurred_at": occurred_at,
            "ttl_seconds": ttl_seconds,
            "importance": importance,
            "confidence": confidence,
            "source_ref": source_ref,
            "subject_did": subject_did,
            "dedupe": dedupe,
        })
