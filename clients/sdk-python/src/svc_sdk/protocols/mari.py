# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MARI v1.0.0. Research: questions answered from what the organization keeps, with a citation for every sentence."""

from __future__ import annotations

from typing import List, Literal

from pydantic import Field

from ..models import Input, Output, SecretOutput
from ..operations import AsyncOperations, Operations


class InquireInput(Input):
    """Find out what is known about a question, with a citation for every finding."""

    question: str
    """What to find out; a statement is looked at from both sides."""
    sources: List[str] | None = None
    """Where to search. Default `["mind","maven","mage"]`."""
    scope: InquireScope | None = None
    """Narrows the search; absent means everything you may read."""
    depth: int | None = None
    """Above 1, names found in the results are searched as well. Default `1`."""
    max_findings: int | None = None
    """The most findings to return. Default `30`."""
    min_confidence: float | None = None
    """Findings below this confidence are left out. Default `0`."""
    budget: InquireBudget | None = None
    """What the call may use at most; absent means the defaults."""


class InquireScope(Input):
    """Narrows the search; absent means everything you may read."""

    namespace: str | None = None
    """Memories of this one only."""
    from_: str | None = Field(default=None, validation_alias="from", serialization_alias="from")
    """Only what was recorded from this time on."""
    to: str | None = None
    """Only what was recorded before this time."""
    topics: List[str] | None = None
    """Only claims on one of these topics."""


class InquireBudget(Input):
    """What the call may use at most; absent means the defaults."""

    tokens: int | None = None
    """For what a model reads and writes; without a model none are used. Default `20000`."""
    deadline_ms: int | None = None
    """Milliseconds after which the call ends with a timeout. Default `60000`."""


class InquireOutput(SecretOutput):
    """Answer of MARI inquire."""

    inquiry_ref: str
    """Give it to synthesize to get an answer from these findings."""
    subquestions: List[str]
    """The question split into parts that were searched one by one."""
    findings: List[InquireOutputFinding]
    """Passages found, in order of the subquestions."""
    contradictions: List[InquireOutputContradiction]
    """Pairs of findings that cannot both be right."""
    gaps: List[InquireOutputGap]
    """Subquestions without a valid finding."""
    coverage: float
    """The share of words of the question that occur in the valid findings."""
    unreachable: List[str] | None = None
    """Tools that were not searched; absent where all could be reached."""
    usage: InquireOutputUsage
    """What the inquiry used."""


class InquireOutputFinding(Output):
    """A part of the above."""

    finding_id: str
    """Names the finding within this inquiry."""
    ref: str
    """Names this finding in a synthesis."""
    subquestion: int
    """Which of the subquestions it answers, from 0."""
    statement: str
    """The passage as the source words it."""
    stance: Literal["supports", "refutes", "neutral"] | str
    """Toward the statement asked about; where there is none, toward the first finding."""
    citations: List[InquireOutputFindingCitation]
    """Sources that say this, the one quoted first."""
    issuer_did: str
    """Who stated it."""
    source_reliability: float
    """How reliable the issuer has been, from 0 to 1; 0.8 while nothing is known."""
    confidence: float
    """Confidence the issuer stated, reduced where it is contested or was wrong before."""
    status: Literal["valid", "contested", "rejected", "superseded", "retracted", "revoked", "redacted"] | str
    """State of the source now; only valid and contested ones can support an answer."""


class InquireOutputFindingCitation(Output):
    """A part of the above."""

    ref: str
    """Source that is cited."""
    version: int
    """Version of the source that was read."""
    content_hash: str
    """Hash of the content that was read."""
    locator: InquireOutputFindingCitationLocator
    """Which part of the source, in the form that MAVEN cite takes."""


class InquireOutputFindingCitationLocator(Output):
    """Which part of the source, in the form that MAVEN cite takes."""

    char_range: InquireOutputFindingCitationLocatorCharRange | None = None
    """Part of a text, counted in characters."""
    json_pointer: str | None = None
    """Part of a JSON document (RFC 6901); empty means all of it."""
    record_seq: int | None = None
    """Place of the record in the audit log."""


class InquireOutputFindingCitationLocatorCharRange(Output):
    """Part of a text, counted in characters."""

    start: int
    """First character, from 0."""
    end: int
    """Character after the last one."""


class InquireOutputContradiction(Output):
    """A part of the above."""

    findings: List[str]
    """The two findings, by ref."""
    by: Literal["attack", "value", "negation", "number"] | str
    """attack: one claim attacks the other; value, negation, number: what they disagree in."""


class InquireOutputGap(Output):
    """A part of the above."""

    subquestion: int
    """Which of the subquestions, from 0."""
    why: Literal["nothing found", "below min_confidence", "nothing that stands", "max_findings reached"] | str
    """Why there is none; nothing that stands: its sources were rejected or withdrawn."""


class InquireOutputUsage(Output):
    """What the inquiry used."""

    tokens_in: int
    """Tokens a model read; 0 without a model."""
    tokens_out: int
    """Tokens a model wrote; 0 without a model."""
    work: int
    """Passages looked at; not charged for."""


class SynthesizeInput(Input):
    """Write the answer an inquiry found, with a citation for every sentence."""

    inquiry_ref: str | None = None
    """Answer from all findings of this inquiry; give this or findings."""
    findings: List[str] | None = None
    """Answer from these findings only; give this or inquiry_ref."""
    format: Literal["brief", "report", "table", "claims"] | None = None
    """Form of the answer: a few sentences, a report by subquestion, a table, or single claims. Default `"brief"`."""
    max_words: int | None = None
    """Upper bound on the words of the answer. Default `500`."""
    require_support: int | None = None
    """Sources that every sentence must have. Default `1`."""
    include_dissent: bool | None = None
    """Include overruled statements; undecided ones are always included. Default `true`."""
    publish_draft: bool | None = None
    """Also keep the answer as a draft of MAGE. Default `false`."""
    budget: SynthesizeBudget | None = None
    """What the call may use at most; absent means the defaults."""


class SynthesizeBudget(Input):
    """What the call may use at most; absent means the defaults."""

    tokens: int | None = None
    """For what a model reads and writes; without a model none are used. Default `20000`."""
    deadline_ms: int | None = None
    """Milliseconds after which the call ends with a timeout. Default `60000`."""


class SynthesizeOutput(SecretOutput):
    """Answer of MARI synthesize."""

    synthesis_ref: str
    """Names this answer, for citations."""
    sentences: List[SynthesizeOutputSentence]
    """The answer sentence by sentence."""
    answer: str
    """The sentences as a text, with the numbers of their sources."""
    confidence: float
    """That of the least certain sentence; 0 where there is none."""
    dissent: List[SynthesizeOutputDissent]
    """What sources say against the answer."""
    unsupported_removed: int
    """Sentences that their sources did not support, or too few of them did."""
    bibliography: List[SynthesizeOutputBibliography]
    """Every source of the answer."""
    method: Literal["extractive", "model"] | str
    """extractive: sentences of the sources; model: written by a model and checked against them."""
    draft_id: str | None = None
    """Draft of MAGE that holds the answer; absent without publish_draft."""
    usage: SynthesizeOutputUsage
    """What the synthesis used."""


class SynthesizeOutputSentence(Output):
    """A part of the above."""

    text: str
    """A sentence of the answer."""
    citations: List[SynthesizeOutputSentenceCitation]
    """Sources that support it."""
    confidence: float
    """Pooled confidence of its sources."""
    stance: Literal["supports", "refutes", "neutral"] | str
    """Whether it supports or refutes the statement asked about."""


class SynthesizeOutputSentenceCitation(Output):
    """A part of the above."""

    number: int
    """Of the bibliography."""
    ref: str
    """Source that is cited."""
    version: int
    """Version of the source that was read."""
    content_hash: str
    """Hash of the content that was read."""
    locator: SynthesizeOutputSentenceCitationLocator
    """Which part of the source, in the form that MAVEN cite takes."""
    status: Literal["valid", "contested", "rejected", "superseded", "retracted", "revoked", "redacted"] | str
    """State of the source now, checked again for this answer."""


class SynthesizeOutputSentenceCitationLocator(Output):
    """Which part of the source, in the form that MAVEN cite takes."""

    char_range: SynthesizeOutputSentenceCitationLocatorCharRange | None = None
    """Part of a text, counted in characters."""
    json_pointer: str | None = None
    """Part of a JSON document (RFC 6901); empty means all of it."""
    record_seq: int | None = None
    """Place of the record in the audit log."""


class SynthesizeOutputSentenceCitationLocatorCharRange(Output):
    """Part of a text, counted in characters."""

    start: int
    """First character, from 0."""
    end: int
    """Character after the last one."""


class SynthesizeOutputDissent(Output):
    """A part of the above."""

    text: str
    """The statement that disagrees."""
    citations: List[SynthesizeOutputSentenceCitation]
    """Sources that say so."""
    confidence: float
    """Pooled confidence of its sources."""
    status: Literal["valid", "contested", "rejected", "superseded", "retracted", "revoked", "redacted"] | str
    """State of the sources: contested where undecided, otherwise why they were overruled."""


class SynthesizeOutputBibliography(Output):
    """A part of the above."""

    number: int
    """The number by which the answer cites it."""
    ref: str
    """Source that is cited."""
    version: int
    """Version of the source that was read."""
    content_hash: str
    """Hash of the content that was read."""
    status: Literal["valid", "contested", "rejected", "superseded", "retracted", "revoked", "redacted"] | str
    """The current status; a source that is no longer valid is listed here, but not quoted."""
    formatted: str
    """Citation as a line of text."""


class SynthesizeOutputUsage(Output):
    """What the synthesis used."""

    tokens_in: int
    """Tokens a model read; 0 without a model."""
    tokens_out: int
    """Tokens a model wrote; 0 without a model."""


class Mari(Operations):
    """Research: questions answered from what the organization keeps, with a citation for every sentence."""

    protocol = "MARI"

    def inquire(
        self,
        *,
        question: str,
        sources: List[str] | None = None,
        scope: InquireScope | None = None,
        depth: int | None = None,
        max_findings: int | None = None,
        min_confidence: float | None = None,
        budget: InquireBudget | None = None,
    ) -> InquireOutput:
        """Find out what is known about a question, with a citation for every finding. A write: never retried."""
        return self._call("inquire", InquireInput, InquireOutput, {
            "question": question,
            "sources": sources,
            "scope": scope,
            "depth": depth,
            "max_findings": max_findings,
            "min_confidence": min_confidence,
            "budget": budget,
        })

    def synthesize(
        self,
        *,
        inquiry_ref: str | None = None,
        findings: List[str] | None = None,
        format: Literal["brief", "report", "table", "claims"] | None = None,
        max_words: int | None = None,
        require_support: int | None = None,
        include_dissent: bool | None = None,
        publish_draft: bool | None = None,
        budget: SynthesizeBudget | None = None,
    ) -> SynthesizeOutput:
        """Write the answer an inquiry found, with a citation for every sentence. A write: never retried."""
        return self._call("synthesize", SynthesizeInput, SynthesizeOutput, {
            "inquiry_ref": inquiry_ref,
            "findings": findings,
            "format": format,
            "max_words": max_words,
            "require_support": require_support,
            "include_dissent": include_dissent,
            "publish_draft": publish_draft,
            "budget": budget,
        })


class AsyncMari(AsyncOperations):
    """Research: questions answered from what the organization keeps, with a citation for every sentence."""

    protocol = "MARI"

    async def inquire(
        self,
        *,
        question: str,
        sources: List[str] | None = None,
        scope: InquireScope | None = None,
        depth: int | None = None,
        max_findings: int | None = None,
        min_confidence: float | None = None,
        budget: InquireBudget | None = None,
    ) -> InquireOutput:
        """Find out what is known about a question, with a citation for every finding. A write: never retried."""
        return await self._call("inquire", InquireInput, InquireOutput, {
            "question": question,
            "sources": sources,
            "scope": scope,
            "depth": depth,
            "max_findings": max_findings,
            "min_confidence": min_confidence,
            "budget": budget,
        })

    async def synthesize(
        self,
        *,
        inquiry_ref: str | None = None,
        findings: List[str] | None = None,
        format: Literal["brief", "report", "table", "claims"] | None = None,
        max_words: int | None = None,
        require_support: int | None = None,
        include_dissent: bool | None = None,
        publish_draft: bool | None = None,
        budget: SynthesizeBudget | None = None,
    ) -> SynthesizeOutput:
        """Write the answer an inquiry found, with a citation for every sentence. A write: never retried."""
        return await self._call("synthesize", SynthesizeInput, SynthesizeOutput, {
            "inquiry_ref": inquiry_ref,
            "findings": findings,
            "format": format,
            "max_words": max_words,
            "require_support": require_support,
            "include_dissent": include_dissent,
            "publish_draft": publish_draft,
            "budget": budget,
        })
