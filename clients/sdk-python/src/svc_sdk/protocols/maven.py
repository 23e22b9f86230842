# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MAVEN v1.0.0. Signed claims with evidence, their citations and contradictions."""

from __future__ import annotations

from typing import Any, Dict, List, Literal

from pydantic import Field

from ..models import Input, Output, SecretOutput
from ..operations import AsyncOperations, Operations


class AttestInput(Input):
    """Sign a claim with its evidence."""

    claim: AttestClaimObject | str
    """The claim: a statement, or a subject, a predicate and an object."""
    evidence: List[AttestEvidence]
    """What the claim rests on."""
    confidence: float | None = None
    """How sure you are. Default `1`."""
    topic: str | None = None
    """Topic, as MATA weighs sources by it; * is everything. Default `"*"`."""
    valid_from: str | None = None
    """From when it holds; absent: always."""
    valid_to: str | None = None
    """Until when it holds; absent: with no end."""
    method: Literal["observation", "measurement", "inference", "testimony", "computation"] | None = None
    """How you came to know it."""
    supersedes: str | None = None
    """Earlier claim of yours that this one replaces."""
    embargo_until: str | None = None
    """Until then nobody but its issuer sees it, and it argues with nobody."""
    proof: AttestProof | None = None
    """W3C Data Integrity, eddsa-jcs-2022."""


class AttestClaimObject(Input):
    """A part of the above."""

    subject: str
    """What the claim is about."""
    predicate: str
    """The relation, such as ceo or located_in."""
    object: str | float | bool
    """Value of the relation: a text, a number or a truth value."""
    functional: bool | None = None
    """Whether the subject has one value of the predicate at a time."""


class AttestEvidence(Input):
    """One of ref, content, or uri with sha256."""

    ref: str | None = None
    """Memory, artifact, record or claim; its newest version is pinned."""
    content: str | None = None
    """The evidence itself; stored sealed."""
    media_type: str | None = None
    """What content is. Default `"text/plain"`."""
    uri: str | None = None
    """Its location. Never fetched: without content it is not verified."""
    sha256: str | None = None
    """sha256 of the evidence, in lower hex; needed without content."""
    stance: Literal["supports", "refutes", "context"] | None = None
    """Whether it supports (default) or refutes the claim, or is only context."""


class AttestProof(Input):
    """W3C Data Integrity, eddsa-jcs-2022."""

    type: Literal["DataIntegrityProof"]
    """Kind of proof, as W3C names it."""
    cryptosuite: Literal["eddsa-jcs-2022"]
    """How it is made: Ed25519 over canonical JSON."""
    created: str
    """When it was signed."""
    verification_method: str = Field(validation_alias="verificationMethod", serialization_alias="verificationMethod")
    """Key that signed, as did:key: all that a check needs."""
    proof_purpose: Literal["assertionMethod", "authentication"] = Field(validation_alias="proofPurpose", serialization_alias="proofPurpose")
    """What the signature says: that this is so, or who signs."""
    controller: str | None = None
    """Issuer, if another key signs on its behalf."""
    proof_value: str = Field(validation_alias="proofValue", serialization_alias="proofValue")
    """Multibase base58btc."""


class AttestOutput(SecretOutput):
    """Answer of MAVEN attest."""

    claim_ref: str
    """Names the claim."""
    content_hash: str
    """sha256 of the document, in lower hex."""
    document: AttestOutputDocument
    """The signed document; its sha256 in canonical JSON is the id of the claim."""
    proof: AttestOutputProof
    """W3C Data Integrity, eddsa-jcs-2022."""
    evidence: List[AttestOutputEvidence]
    """What was checked, in the order given."""
    status: Literal["accepted", "contested", "undecided"] | str
    """Contested: a claim that counts more speaks against it. Undecided: one that counts as much does."""
    corroboration: AttestOutputCorroboration
    """What other claims say about the same."""
    contradictions: List[str]
    """Claims that speak against it."""


class AttestOutputDocument(Output):
    """The signed document; its sha256 in canonical JSON is the id of the claim."""

    type: Literal["MavenClaim"] | str
    """Type of the document."""
    issuer: str
    """Who claims it."""
    claim: AttestOutputDocumentClaimObject | str
    """The claim: a statement, or a subject, a predicate and an object."""
    evidence: List[AttestOutputDocumentEvidence]
    """What the claim rests on, by hash."""
    confidence: float
    """How sure the issuer is. Default `1`."""
    topic: str
    """Topic, as MATA weighs sources by it; * is everything. Default `"*"`."""
    valid_from: str | None = None
    """From when it holds; absent: always."""
    valid_to: str | None = None
    """Until when it holds; absent: with no end."""
    method: Literal["observation", "measurement", "inference", "testimony", "computation"] | str | None = None
    """How the issuer came to know it."""
    supersedes: str | None = None
    """Earlier claim of the issuer that this one replaces."""


class AttestOutputDocumentClaimObject(Output):
    """A part of the above."""

    subject: str
    """What the claim is about."""
    predicate: str
    """The relation, such as ceo or located_in."""
    object: str | float | bool
    """Value of the relation: a text, a number or a truth value."""
    functional: bool | None = None
    """Whether the subject has one value of the predicate at a time."""


class AttestOutputDocumentEvidence(Output):
    """A part of the above."""

    hash: str
    """sha256 of the evidence, in lower hex."""
    stance: Literal["supports", "refutes", "context"] | str
    """Whether it supports or refutes the claim, or is only context."""
    ref: str | None = None
    """Content that holds the evidence; absent where its bytes were not seen."""
    version: int | None = None
    """Version of that content."""
    uri: str | None = None
    """Its location outside; never fetched."""
    media_type: str | None = None
    """What the bytes are."""


class AttestOutputProof(Output):
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


class AttestOutputEvidence(Output):
    """A part of the above."""

    hash: str
    """sha256 of the evidence, in lower hex."""
    verified: bool
    """Its bytes were seen and match the hash."""


class AttestOutputCorroboration(Output):
    """What other claims say about the same."""

    supports: int
    """Different roots behind the issuers, other than the root of this one, each with some evidence that no older claim counted here has."""
    refutes: int
    """Different roots behind the issuers, other than the root of this one, each with some evidence that no older claim counted here has."""
    copies: int
    """Roots that count as neither: their claims only repeat evidence, or rest on claims, that count already."""
    posterior: float
    """Probability of the claim, from all issuers' confidence and reliability."""


class CiteInput(Input):
    """Cite a source permanently, with its current status."""

    source_ref: str
    """Claim, memory, artifact, record, finding or model to cite."""
    version: int | None = None
    """Default: the newest."""
    in_ref: str | None = None
    """What cites it; recorded as depending on the source."""
    locator: CiteLocator | None = None
    """Which part of the source: one of the three."""
    style: Literal["short", "apa", "csl-json"] | None = None
    """Form of formatted. Default `"short"`."""


class CiteLocator(Input):
    """Which part of the source: one of the three."""

    json_pointer: str | None = None
    """Part of a JSON document (RFC 6901)."""
    char_range: CiteLocatorCharRange | None = None
    """Part of a text, counted in characters."""
    record_seq: int | None = None
    """Place of the record in the audit log."""


class CiteLocatorCharRange(Input):
    """Part of a text, counted in characters."""

    start: int
    """First character, from 0."""
    end: int
    """Character after the last one."""


class CiteOutput(SecretOutput):
    """Answer of MAVEN cite."""

    citation_id: str
    """Names the citation."""
    source_ref: str
    """Source that is cited."""
    version: int
    """Version of the source that is pinned."""
    content_hash: str
    """Hash of the cited content."""
    excerpt: str | None
    """Null if redacted."""
    issuer_did: str
    """Who is answerable for the source."""
    attested_at: str
    """When the source was stated."""
    status: Literal["valid", "contested", "superseded", "redacted", "revoked", "retracted"] | str
    """State of the source now; only valid and contested ones can still be relied on."""
    signature_valid: bool | None
    """Checked now: the proof of a claim, otherwise the signed audit log. Null while neither exists."""
    chain: CiteOutputChain | None
    """The audit record of the call that stored it; null until it is written."""
    cycle: bool
    """Whether the source depends, directly or not, on what cites it."""
    formatted: str | Dict[str, Any]
    """The citation as text, or as an object with csl-json."""


class CiteOutputChain(Output):
    """A part of the above."""

    record_hash: str
    """Hash of the record of the claim."""
    tree_size: int
    """Records in the signed tree that holds the record."""


class ContradictInput(Input):
    """Contradict a claim with another, and get the resulting statuses."""

    claim_ref: str
    """Claim that is wrong."""
    by: ContradictByObject | str
    """The claim that speaks against it, or one that is attested first."""
    kind: Literal["rebut", "undercut", "undermine"] | None = None
    """Rebut states the opposite, undercut denies the inference, undermine attacks a piece of evidence. Default `"rebut"`."""
    evidence_hash: str | None = None
    """Of the evidence that is undermined."""
    rationale: str | None = None
    """Why it is wrong; stored with the contradiction."""
    resolve: bool | None = None
    """False records the contradiction without changing statuses. Default `true`."""


class ContradictByObject(Input):
    """A part of the above."""

    claim: ContradictByObjectClaimObject | str
    """The claim: a statement, or a subject, a predicate and an object."""
    evidence: List[ContradictByObjectEvidence]
    """What the claim rests on."""
    confidence: float | None = None
    """How sure you are. Default `1`."""
    topic: str | None = None
    """Topic, as MATA weighs sources by it; * is everything. Default `"*"`."""
    valid_from: str | None = None
    """From when it holds; absent: always."""
    valid_to: str | None = None
    """Until when it holds; absent: with no end."""
    method: Literal["observation", "measurement", "inference", "testimony", "computation"] | None = None
    """How you came to know it."""
    supersedes: str | None = None
    """Earlier claim of yours that this one replaces."""
    embargo_until: str | None = None
    """Until then nobody but its issuer sees it, and it argues with nobody."""
    proof: ContradictByObjectProof | None = None
    """W3C Data Integrity, eddsa-jcs-2022."""


class ContradictByObjectClaimObject(Input):
    """A part of the above."""

    subject: str
    """What the claim is about."""
    predicate: str
    """The relation, such as ceo or located_in."""
    object: str | float | bool
    """Value of the relation: a text, a number or a truth value."""
    functional: bool | None = None
    """Whether the subject has one value of the predicate at a time."""


class ContradictByObjectEvidence(Input):
    """One of ref, content, or uri with sha256."""

    ref: str | None = None
    """Memory, artifact, record or claim; its newest version is pinned."""
    content: str | None = None
    """The evidence itself; stored sealed."""
    media_type: str | None = None
    """What content is. Default `"text/plain"`."""
    uri: str | None = None
    """Its location. Never fetched: without content it is not verified."""
    sha256: str | None = None
    """sha256 of the evidence, in lower hex; needed without content."""
    stance: Literal["supports", "refutes", "context"] | None = None
    """Whether it supports (default) or refutes the claim, or is only context."""


class ContradictByObjectProof(Input):
    """W3C Data Integrity, eddsa-jcs-2022."""

    type: Literal["DataIntegrityProof"]
    """Kind of proof, as W3C names it."""
    cryptosuite: Literal["eddsa-jcs-2022"]
    """How it is made: Ed25519 over canonical JSON."""
    created: str
    """When it was signed."""
    verification_method: str = Field(validation_alias="verificationMethod", serialization_alias="verificationMethod")
    """Key that signed, as did:key: all that a check needs."""
    proof_purpose: Literal["assertionMethod", "authentication"] = Field(validation_alias="proofPurpose", serialization_alias="proofPurpose")
    """What the signature says: that this is so, or who signs."""
    controller: str | None = None
    """Issuer, if another key signs on its behalf."""
    proof_value: str = Field(validation_alias="proofValue", serialization_alias="proofValue")
    """Multibase base58btc."""


class ContradictOutput(Output):
    """Answer of MAVEN contradict."""

    contradiction_ref: str
    """Names the contradiction."""
    by: str
    """Claim that speaks against it."""
    statuses: Dict[str, Literal["accepted", "rejected", "undecided"] | str]
    """Status of every claim that is part of the dispute."""
    changed: List[ContradictOutputChanged]
    """Claims whose status changed."""
    dependents: List[ContradictOutputDependent]
    """What cites a changed claim and may have to be revised."""
    extension: Literal["grounded"] | str
    """How the dispute is decided: only what can be defended against every attack counts."""
    appeal: ContradictOutputAppeal
    """How to contest the result."""


class ContradictOutputChanged(Output):
    """A part of the above."""

    claim_ref: str
    """Claim that changed."""
    from_: Literal["accepted", "rejected", "undecided", "superseded", "embargoed"] | str = Field(validation_alias="from", serialization_alias="from")
    """Status before."""
    to: Literal["accepted", "rejected", "undecided", "superseded", "embargoed"] | str
    """Status now."""


class ContradictOutputDependent(Output):
    """A part of the above."""

    ref: str
    """What cites it."""
    kind: str
    """How it depends on the claim."""


class ContradictOutputAppeal(Output):
    """How to contest the result."""

    path: Literal["MOOT file"] | str
    """Operation that files a case."""


class Maven(Operations):
    """Signed claims with evidence, their citations and contradictions."""

    protocol = "MAVEN"

    def attest(
        self,
        *,
        claim: AttestClaimObject | str,
        evidence: List[AttestEvidence],
        confidence: float | None = None,
        topic: str | None = None,
        valid_from: str | None = None,
        valid_to: str | None = None,
        method: Literal["observation", "measurement", "inference", "testimony", "computation"] | None = None,
        supersedes: str | None = None,
        embargo_until: str | None = None,
        proof: AttestProof | None = None,
    ) -> AttestOutput:
        """Sign a claim with its evidence. A write: never retried."""
        return self._call("attest", AttestInput, AttestOutput, {
            "claim": claim,
            "evidence": evidence,
            "confidence": confidence,
            "topic": topic,
            "valid_from": valid_from,
            "valid_to": valid_to,
            "method": method,
            "supersedes": supersedes,
            "embargo_until": embargo_until,
            "proof": proof,
        })

    def cite(
        self,
        *,
        source_ref: str,
        version: int | None = None,
        in_ref: str | None = None,
        locator: CiteLocator | None = None,
        style: Literal["short", "apa", "csl-json"] | None = None,
    ) -> CiteOutput:
        """Cite a source permanently, with its current status. A write: never retried."""
        return self._call("cite", CiteInput, CiteOutput, {
            "source_ref": source_ref,
            "version": version,
            "in_ref": in_ref,
            "locator": locator,
            "style": style,
        })

    def contradict(
        self,
        *,
        claim_ref: str,
        by: ContradictByObject | str,
        kind: Literal["rebut", "undercut", "undermine"] | None = None,
        evidence_hash: str | None = None,
        rationale: str | None = None,
        resolve: bool | None = None,
    ) -> ContradictOutput:
        """Contradict a claim with another, and get the resulting statuses. A write: never retried."""
        return self._call("contradict", ContradictInput, ContradictOutput, {
            "claim_ref": claim_ref,
            "by": by,
            "kind": kind,
            "evidence_hash": evidence_hash,
            "rationale": rationale,
            "resolve": resolve,
        })


class AsyncMaven(AsyncOperations):
    """Signed claims with evidence, their citations and contradictions."""

    protocol = "MAVEN"

    async def attest(
        self,
        *,
        claim: AttestClaimObject | str,
        evidence: List[AttestEvidence],
        confidence: float | None = None,
        topic: str | None = None,
        valid_from: str | None = None,
        valid_to: str | None = None,
        method: Literal["observation", "measurement", "inference", "testimony", "computation"] | None = None,
        supersedes: str | None = None,
        embargo_until: str | None = None,
        proof: AttestProof | None = None,
    ) -> AttestOutput:
        """Sign a claim with its evidence. A write: never retried."""
        return await self._call("attest", AttestInput, AttestOutput, {
            "claim": claim,
            "evidence": evidence,
            "confidence": confidence,
            "topic": topic,
            "valid_from": valid_from,
            "valid_to": valid_to,
            "method": method,
            "supersedes": supersedes,
            "embargo_until": embargo_until,
            "proof": proof,
        })

    async def cite(
        self,
        *,
        source_ref: str,
        version: int | None = None,
        in_ref: str | None = None,
        locator: CiteLocator | None = None,
        style: Literal["short", "apa", "csl-json"] | None = None,
    ) -> CiteOutput:
        """Cite a source permanently, with its current status. A write: never retried."""
        return await self._call("cite", CiteInput, CiteOutput, {
            "source_ref": source_ref,
            "version": version,
            "in_ref": in_ref,
            "locator": locator,
            "style": style,
        })

    async def contradict(
        self,
        *,
        claim_ref: str,
        by: ContradictByObject | str,
        kind: Literal["rebut", "undercut", "undermine"] | None = None,
        evidence_hash: str | None = None,
        rationale: str | None = None,
        resolve: bool | None = None,
    ) -> ContradictOutput:
        """Contradict a claim with another, and get the resulting statuses. A write: never retried."""
        return await self._call("contradict", ContradictInput, ContradictOutput, {
            "claim_ref": claim_ref,
            "by": by,
            "kind": kind,
            "evidence_hash": evidence_hash,
            "rationale": rationale,
            "resolve": resolve,
        })
