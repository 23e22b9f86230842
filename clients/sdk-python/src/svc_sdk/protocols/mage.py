# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MAGE v1.0.0. Artifacts: drafted in versions, published immutably, with signed provenance."""

from __future__ import annotations

from typing import Any, Dict, List, Literal

from pydantic import Field

from ..models import Input, Output, SecretOutput
from ..operations import AsyncOperations, Operations


class DiffInput(Input):
    """Compare two versions of a draft, or two artifacts: changed lines of text, changed paths of JSON."""

    from_: DiffFrom = Field(validation_alias="from", serialization_alias="from")
    """What it was before."""
    to: DiffFrom
    """What it is compared to."""
    bytes_max: int | None = None
    """Size of the answer at most, in bytes; beyond it changes are left out, and cut says so. Default `262144`."""


class DiffFrom(Input):
    """What it was before."""

    ref: str
    """An artifact, or a draft of your own organization."""
    version: int | None = None
    """Of a draft; the newest where absent."""


class DiffOutput(Output):
    """Answer of MAGE diff."""

    from_: DiffOutputFrom = Field(validation_alias="from", serialization_alias="from")
    """What it was before."""
    to: DiffOutputFrom
    """What it was compared to."""
    same: bool
    """Whether both have the same bytes."""
    format: Literal["text", "json", "bytes"] | str
    """text: unified shows the changed lines, also of JSON nested more than 100 levels deep. json: changes lists the changed paths. bytes: sizes and hashes are all that is told."""
    unified: str | None = None
    """Unified diff of the lines, with 3 around each change; absent for JSON and bytes."""
    changes: List[DiffOutputChange] | None = None
    """Changes of JSON, lists compared place by place; absent for text and bytes."""
    cut: bool
    """Whether changes are left out: there are more than the answer may hold, or than can be compared within 10 seconds and the memory of a worker."""


class DiffOutputFrom(Output):
    """What it was before."""

    ref: str
    """What was read."""
    version: int | None = None
    """Of the draft; absent for artifacts."""
    media_type: str
    """Media type of the whole."""
    size: int
    """Bytes of the whole."""
    content_hash: str
    """sha256 of the whole content, in lower hex."""


class DiffOutputChange(Output):
    """A part of the above."""

    path: str
    """JSON pointer of what changed; empty for the whole."""
    change: Literal["added", "removed", "changed"] | str
    """What happened to it."""
    from_: Any = Field(default=None, validation_alias="from", serialization_alias="from")
    """Value before; absent if it was added."""
    to: Any = None
    """Value after; absent if it was removed."""


class DraftInput(Input):
    """Create or revise a draft of an artifact, and get its lint results."""

    kind: Literal["document", "code", "dataset", "schema", "policy", "report", "binary"] | None = None
    """Needed for a new draft; a revision keeps what it was."""
    title: str | None = None
    """Needed for a new draft."""
    content: str | None = None
    """The artifact itself: up to 1 MiB of text, or base64. One of content, template and brief."""
    encoding: Literal["utf-8", "base64"] | None = None
    """How content is written. Default `"utf-8"`."""
    append: bool | None = None
    """The content comes after that of the version before: so up to 16 MiB are brought in pieces. Default `false`."""
    template: str | None = None
    """Mustache without partials, filled from data."""
    data: Dict[str, Any] | None = None
    """Values for the names in the template."""
    brief: str | None = None
    """What to write: a model does, or else MARI outlines what is known of it."""
    media_type: str | None = None
    """By its kind where absent: text/markdown for documents and reports, application/json for data, application/schema+json for schemas, text/x-cedar for policies."""
    inputs: List[str] | None = None
    """What the draft is made from; they become its provenance."""
    labels: List[str] | None = None
    """Words to find it by."""
    draft_id: str | None = None
    """Names the draft."""
    expected_version: int | None = None
    """The version that is revised."""
    budget: DraftBudget | None = None
    """What the call may use at most; absent means the defaults."""


class DraftBudget(Input):
    """What the call may use at most; absent means the defaults."""

    tokens: int | None = None
    """Tokens a model may read and write. Default `20000`."""
    deadline_ms: int | None = None
    """Milliseconds after which the call ends with a timeout. Default `30000`."""


class DraftOutput(SecretOutput):
    """Answer of MAGE draft."""

    draft_id: str
    """Names the draft."""
    ref: str
    """Names the draft, for citations and fetch."""
    version: int
    """Version that was made; publish names it."""
    content_hash: str
    """sha256 of the content, in lower hex."""
    size: int
    """Bytes of the content."""
    media_type: str
    """Media type of the content."""
    made_by: Literal["caller", "template", "model", "outline"] | str
    """Who wrote the content: the caller, a template, a model, or MARI's outline."""
    lint: List[DraftOutputLint]
    """Problems found in the draft."""
    usage: DraftOutputUsage
    """What a model used."""


class DraftOutputLint(Output):
    """A part of the above."""

    rule: Literal["unresolved_ref", "redacted_source", "weak_source", "schema_invalid", "unresolved_name", "unverified"] | str
    """What was checked."""
    severity: Literal["error", "warning"] | str
    """With an error it cannot be published."""
    message: str
    """What is wrong, in a sentence."""
    ref: str | None = None
    """Source it is about; absent where it is about the content."""


class DraftOutputUsage(Output):
    """What a model used."""

    tokens_in: int
    """Tokens a model read; 0 without a model."""
    tokens_out: int
    """Tokens a model wrote; 0 without a model."""


class FetchInput(Input):
    """Read a draft or an artifact: its bytes, and for what is published its manifest and provenance."""

    ref: str
    """An artifact, or a draft of your own organization."""
    version: int | None = None
    """Of a draft; the newest where absent."""
    offset: int | None = None
    """First byte to return; next_offset of the part before. Default `0`."""
    length: int | None = None
    """In bytes; 0 returns the metadata alone. Default `1048576`."""


class FetchOutput(Output):
    """Answer of MAGE fetch."""

    ref: str
    """What was read."""
    kind: Literal["document", "code", "dataset", "schema", "policy", "report", "binary"] | str
    """What the bytes are."""
    title: str
    """Title for people."""
    media_type: str
    """Media type of the whole."""
    labels: List[str] | None = None
    """Words to find it by."""
    inputs: List[str] | None = None
    """What it was made from."""
    made_by: Literal["caller", "template", "model", "outline"] | str
    """Who wrote the bytes: the caller, a template, a model, or MARI's outline."""
    size: int
    """Bytes of the whole."""
    content_hash: str
    """sha256 of the whole content, in lower hex."""
    content: str
    """The bytes asked for."""
    encoding: Literal["utf-8", "base64"] | str
    """base64 where these bytes are no text."""
    offset: int
    """First byte returned."""
    next_offset: int | None
    """Where to go on; null at the end."""
    version: int | None = None
    """Version of the draft; absent for artifacts."""
    license: str | None = None
    """SPDX expression it was published under; absent for drafts."""
    visibility: Literal["tenant", "treaty", "public"] | str | None = None
    """Who may find and fetch it; absent for drafts."""
    published_by: str | None = None
    """DID of the publisher; absent for drafts."""
    published_at: str | None = None
    """When it was published; absent for drafts."""
    supersedes: str | None = None
    """Artifact it replaces."""
    superseded_by: str | None = None
    """Artifact that replaces it."""
    manifest: FetchOutputManifest | None = None
    """The bytes as a whole, and the pieces they are kept in, in their order."""
    provenance: FetchOutputProvenance | None = None
    """in-toto Statement v1 with a SLSA v1 predicate."""
    proof: FetchOutputProof | None = None
    """W3C Data Integrity, eddsa-jcs-2022."""
    mars_entry: str | None = None
    """Its entry in the registry; absent for drafts."""
    inclusion: FetchOutputInclusion | None = None
    """The record of the publication, and a signed tree it stands in."""


class FetchOutputManifest(Output):
    """The bytes as a whole, and the pieces they are kept in, in their order."""

    media_type: str = Field(validation_alias="mediaType", serialization_alias="mediaType")
    """Media type of the whole."""
    digest: str
    """Hash of all bytes."""
    size: int
    """Number of bytes."""
    layers: List[FetchOutputManifestLayer]
    """Pieces that the bytes are stored in."""


class FetchOutputManifestLayer(Output):
    """A part of the above."""

    media_type: str = Field(validation_alias="mediaType", serialization_alias="mediaType")
    """Media type of the whole."""
    size: int
    """Bytes of the piece."""
    offset: int
    """Where the piece begins in the whole."""


class FetchOutputProvenance(Output):
    """in-toto Statement v1 with a SLSA v1 predicate."""

    type: Literal["https://in-toto.io/Statement/v1"] | str = Field(validation_alias="_type", serialization_alias="_type")
    """Type of statement."""
    subject: List[FetchOutputProvenanceSubject]
    """The artifact the statement is about."""
    predicate_type: Literal["https://slsa.dev/provenance/v1"] | str = Field(validation_alias="predicateType", serialization_alias="predicateType")
    """What the predicate means: SLSA provenance."""
    predicate: FetchOutputProvenancePredicate
    """How the artifact was made."""


class FetchOutputProvenanceSubject(Output):
    """A part of the above."""

    name: str
    """Title of the artifact."""
    digest: FetchOutputProvenanceSubjectDigest
    """Hash of its bytes."""


class FetchOutputProvenanceSubjectDigest(Output):
    """Hash of its bytes."""

    sha256: str | None = None
    """sha256 of the bytes, in lower hex."""
    salted_sha256: str | None = Field(default=None, validation_alias="saltedSha256", serialization_alias="saltedSha256")
    """The commitment made to it when it was kept."""


class FetchOutputProvenancePredicate(Output):
    """How the artifact was made."""

    build_definition: FetchOutputProvenancePredicateBuildDefinition = Field(validation_alias="buildDefinition", serialization_alias="buildDefinition")
    """What went into it."""
    run_details: FetchOutputProvenancePredicateRunDetails = Field(validation_alias="runDetails", serialization_alias="runDetails")
    """Where and when it was made."""


class FetchOutputProvenancePredicateBuildDefinition(Output):
    """What went into it."""

    build_type: str = Field(validation_alias="buildType", serialization_alias="buildType")
    """How to read externalParameters."""
    external_parameters: Dict[str, Any] = Field(validation_alias="externalParameters", serialization_alias="externalParameters")
    """Kind, license, draft, authors, citations and dissent."""
    resolved_dependencies: List[FetchOutputProvenancePredicateBuildDefinitionResolvedDependency] = Field(validation_alias="resolvedDependencies", serialization_alias="resolvedDependencies")
    """The materials: what it was made from."""


class FetchOutputProvenancePredicateBuildDefinitionResolvedDependency(Output):
    """A part of the above."""

    uri: str
    """Reference to the source."""
    digest: FetchOutputProvenanceSubjectDigest
    """Hash or commitment by which it is pinned; empty where it did not resolve."""
    annotations: Dict[str, Any] | None = None
    """State and version of the source at publication."""


class FetchOutputProvenancePredicateRunDetails(Output):
    """Where and when it was made."""

    builder: FetchOutputProvenancePredicateRunDetailsBuilder
    """Who made the statement."""
    metadata: FetchOutputProvenancePredicateRunDetailsMetadata
    """The call that published it."""


class FetchOutputProvenancePredicateRunDetailsBuilder(Output):
    """Who made the statement."""

    id: str
    """DID of the engine."""


class FetchOutputProvenancePredicateRunDetailsMetadata(Output):
    """The call that published it."""

    invocation_id: str = Field(validation_alias="invocationId", serialization_alias="invocationId")
    """Correlation id of the call, to be found in the audit log."""
    started_on: str = Field(validation_alias="startedOn", serialization_alias="startedOn")
    """When the draft was written, RFC 3339."""
    finished_on: str = Field(validation_alias="finishedOn", serialization_alias="finishedOn")
    """When it was published, RFC 3339."""


class FetchOutputProof(Output):
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


class FetchOutputInclusion(Output):
    """The record of the publication, and a signed tree it stands in."""

    record_hash: str
    """Hash of the record of the publication."""
    tree_size: int
    """Records in the signed tree."""


class PublishInput(Input):
    """Publish a version of a draft as an artifact that never changes, with its provenance signed."""

    draft_id: str
    """Names the draft."""
    version: int
    """Version of the draft to publish."""
    license: str
    """An SPDX expression such as Apache-2.0, or LicenseRef-<name> for terms of your own."""
    visibility: Literal["tenant", "treaty", "public"] | None = None
    """Who may find it in the registry, and fetch it where a treaty lets them call. Default `"tenant"`."""
    citations: List[str] | None = None
    """Sources the artifact relies on."""
    acknowledge: List[str] | None = None
    """Citations that no longer stand and are cited all the same: the artifact says so."""
    supersedes: str | None = None
    """The sha256 of its bytes."""
    authority: str | None = None
    """A verdict binding MAGE.publish to the artifact_ref: policies need one."""


class PublishOutput(SecretOutput):
    """Answer of MAGE publish."""

    artifact_ref: str
    """The sha256 of its bytes."""
    manifest: PublishOutputManifest
    """The bytes as a whole, and the pieces they are kept in, in their order."""
    provenance: PublishOutputProvenance
    """in-toto Statement v1 with a SLSA v1 predicate."""
    proof: PublishOutputProof
    """Of the provenance."""
    license: str
    """SPDX expression, as it was understood."""
    visibility: Literal["tenant", "treaty", "public"] | str
    """Who may find and fetch it."""
    mars_entry: str
    """Its entry in the registry."""
    inclusion: PublishOutputInclusion
    """The record of the publication, and a signed tree it stands in."""


class PublishOutputManifest(Output):
    """The bytes as a whole, and the pieces they are kept in, in their order."""

    media_type: str = Field(validation_alias="mediaType", serialization_alias="mediaType")
    """Media type of the whole."""
    digest: str
    """Hash of all bytes."""
    size: int
    """Number of bytes."""
    layers: List[PublishOutputManifestLayer]
    """Pieces that the bytes are stored in."""


class PublishOutputManifestLayer(Output):
    """A part of the above."""

    media_type: str = Field(validation_alias="mediaType", serialization_alias="mediaType")
    """Media type of the whole."""
    size: int
    """Bytes of the piece."""
    offset: int
    """Where the piece begins in the whole."""


class PublishOutputProvenance(Output):
    """in-toto Statement v1 with a SLSA v1 predicate."""

    type: Literal["https://in-toto.io/Statement/v1"] | str = Field(validation_alias="_type", serialization_alias="_type")
    """Type of statement."""
    subject: List[PublishOutputProvenanceSubject]
    """The artifact the statement is about."""
    predicate_type: Literal["https://slsa.dev/provenance/v1"] | str = Field(validation_alias="predicateType", serialization_alias="predicateType")
    """What the predicate means: SLSA provenance."""
    predicate: PublishOutputProvenancePredicate
    """How the artifact was made."""


class PublishOutputProvenanceSubject(Output):
    """A part of the above."""

    name: str
    """Title of the artifact."""
    digest: PublishOutputProvenanceSubjectDigest
    """Hash of its bytes."""


class PublishOutputProvenanceSubjectDigest(Output):
    """Hash of its bytes."""

    sha256: str | None = None
    """sha256 of the bytes, in lower hex."""
    salted_sha256: str | None = Field(default=None, validation_alias="saltedSha256", serialization_alias="saltedSha256")
    """The commitment made to it when it was kept."""


class PublishOutputProvenancePredicate(Output):
    """How the artifact was made."""

    build_definition: PublishOutputProvenancePredicateBuildDefinition = Field(validation_alias="buildDefinition", serialization_alias="buildDefinition")
    """What went into it."""
    run_details: PublishOutputProvenancePredicateRunDetails = Field(validation_alias="runDetails", serialization_alias="runDetails")
    """Where and when it was made."""


class PublishOutputProvenancePredicateBuildDefinition(Output):
    """What went into it."""

    build_type: str = Field(validation_alias="buildType", serialization_alias="buildType")
    """How to read externalParameters."""
    external_parameters: Dict[str, Any] = Field(validation_alias="externalParameters", serialization_alias="externalParameters")
    """Kind, license, draft, authors, citations and dissent."""
    resolved_dependencies: List[PublishOutputProvenancePredicateBuildDefinitionResolvedDependency] = Field(validation_alias="resolvedDependencies", serialization_alias="resolvedDependencies")
    """The materials: what it was made from."""


class PublishOutputProvenancePredicateBuildDefinitionResolvedDependency(Output):
    """A part of the above."""

    uri: str
    """Reference to the source."""
    digest: PublishOutputProvenanceSubjectDigest
    """Hash or commitment by which it is pinned; empty where it did not resolve."""
    annotations: Dict[str, Any] | None = None
    """State and version of the source at publication."""


class PublishOutputProvenancePredicateRunDetails(Output):
    """Where and when it was made."""

    builder: PublishOutputProvenancePredicateRunDetailsBuilder
    """Who made the statement."""
    metadata: PublishOutputProvenancePredicateRunDetailsMetadata
    """The call that published it."""


class PublishOutputProvenancePredicateRunDetailsBuilder(Output):
    """Who made the statement."""

    id: str
    """DID of the engine."""


class PublishOutputProvenancePredicateRunDetailsMetadata(Output):
    """The call that published it."""

    invocation_id: str = Field(validation_alias="invocationId", serialization_alias="invocationId")
    """Correlation id of the call, to be found in the audit log."""
    started_on: str = Field(validation_alias="startedOn", serialization_alias="startedOn")
    """When the draft was written, RFC 3339."""
    finished_on: str = Field(validation_alias="finishedOn", serialization_alias="finishedOn")
    """When it was published, RFC 3339."""


class PublishOutputProof(Output):
    """Of the provenance."""

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


class PublishOutputInclusion(Output):
    """The record of the publication, and a signed tree it stands in."""

    record_hash: str
    """Hash of the record of the publication."""
    tree_size: int
    """Records in the signed tree."""


class Mage(Operations):
    """Artifacts: drafted in versions, published immutably, with signed provenance."""

    protocol = "MAGE"

    def diff(
        self,
        *,
        from_: DiffFrom,
        to: DiffFrom,
        bytes_max: int | None = None,
    ) -> DiffOutput:
        """Compare two versions of a draft, or two artifacts: changed lines of text, changed paths of JSON. A read: retried."""
        return self._call("diff", DiffInput, DiffOutput, {
            "from_": from_,
            "to": to,
            "bytes_max": bytes_max,
        })

    def draft(
        self,
        *,
        kind: Literal["document", "code", "dataset", "schema", "policy", "report", "binary"] | None = None,
        title: str | None = None,
        content: str | None = None,
        encoding: Literal["utf-8", "base64"] | None = None,
        append: bool | None = None,
        template: str | None = None,
        data: Dict[str, Any] | None = None,
        brief: str | None = None,
        media_type: str | None = None,
        inputs: List[str] | None = None,
        labels: List[str] | None = None,
        draft_id: str | None = None,
        expected_version: int | None = None,
        budget: DraftBudget | None = None,
    ) -> DraftOutput:
        """Create or revise a draft of an artifact, and get its lint results. A write: never retried."""
        return self._call("draft", DraftInput, DraftOutput, {
            "kind": kind,
            "title": title,
            "content": content,
            "encoding": encoding,
            "append": append,
            "template": template,
            "data": data,
            "brief": brief,
            "media_type": media_type,
            "inputs": inputs,
            "labels": labels,
            "draft_id": draft_id,
            "expected_version": expected_version,
            "budget": budget,
        })

    def fetch(
        self,
        *,
        ref: str,
        version: int | None = None,
        offset: int | None = None,
        length: int | None = None,
    ) -> FetchOutput:
        """Read a draft or an artifact: its bytes, and for what is published its manifest and provenance. A read: retried."""
        return self._call("fetch", FetchInput, FetchOutput, {
            "ref": ref,
            "version": version,
            "offset": offset,
            "length": length,
        })

    def publish(
        self,
        *,
        draft_id: str,
        version: int,
        license: str,
        visibility: Literal["tenant", "treaty", "public"] | None = None,
        citations: List[str] | None = None,
        acknowledge: List[str] | None = None,
        supersedes: str | None = None,
        authority: str | None = None,
    ) -> PublishOutput:
        """Publish a version of a draft as an artifact that never changes, with its provenance signed. A write: never retried."""
        return self._call("publish", PublishInput, PublishOutput, {
            "draft_id": draft_id,
            "version": version,
            "license": license,
            "visibility": visibility,
            "citations": citations,
            "acknowledge": acknowledge,
            "supersedes": supersedes,
            "authority": authority,
        })


class AsyncMage(AsyncOperations):
    """Artifacts: drafted in versions, published immutably, with signed provenance."""

    protocol = "MAGE"

    async def diff(
        self,
        *,
        from_: DiffFrom,
        to: DiffFrom,
        bytes_max: int | None = None,
    ) -> DiffOutput:
        """Compare two versions of a draft, or two artifacts: changed lines of text, changed paths of JSON. A read: retried."""
        return await self._call("diff", DiffInput, DiffOutput, {
            "from_": from_,
            "to": to,
            "bytes_max": bytes_max,
        })

    async def draft(
        self,
        *,
        kind: Literal["document", "code", "dataset", "schema", "policy", "report", "binary"] | None = None,
        title: str | None = None,
        content: str | None = None,
        encoding: Literal["utf-8", "base64"] | None = None,
        append: bool | None = None,
        template: str | None = None,
        data: Dict[str, Any] | None = None,
        brief: str | None = None,
        media_type: str | None = None,
        inputs: List[str] | None = None,
        labels: List[str] | None = None,
        draft_id: str | None = None,
        expected_version: int | None = None,
        budget: DraftBudget | None = None,
    ) -> DraftOutput:
        """Create or revise a draft of an artifact, and get its lint results. A write: never retried."""
        return await self._call("draft", DraftInput, DraftOutput, {
            "kind": kind,
            "title": title,
            "content": content,
            "encoding": encoding,
            "append": append,
            "template": template,
            "data": data,
            "brief": brief,
            "media_type": media_type,
            "inputs": inputs,
            "labels": labels,
            "draft_id": draft_id,
            "expected_version": expected_version,
            "budget": budget,
        })

    async def fetch(
        self,
        *,
        ref: str,
        version: int | None = None,
        offset: int | None = None,
        length: int | None = None,
    ) -> FetchOutput:
        """Read a draft or an artifact: its bytes, and for what is published its manifest and provenance. A read: retried."""
        return await self._call("fetch", FetchInput, FetchOutput, {
            "ref": ref,
            "version": version,
            "offset": offset,
            "length": length,
        })

    async def publish(
        self,
        *,
        draft_id: str,
        version: int,
        license: str,
        visibility: Literal["tenant", "treaty", "public"] | None = None,
        citations: List[str] | None = None,
        acknowledge: List[str] | None = None,
        supersedes: str | None = None,
        authority: str | None = None,
    ) -> PublishOutput:
        """Publish a version of a draft as an artifact that never changes, with its provenance signed. A write: never retried."""
        return await self._call("publish", PublishInput, PublishOutput, {
            "draft_id": draft_id,
            "version": version,
            "license": license,
            "visibility": visibility,
            "citations": citations,
            "acknowledge": acknowledge,
            "supersedes": supersedes,
            "authority": authority,
        })
