# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MAME v1.0.0. Edit memories, and redact what must be forgotten."""

from __future__ import annotations

from typing import Any, Dict, List, Literal

from pydantic import Field

from ..models import Input, Output, SecretOutput
from ..operations import AsyncOperations, Operations


class EditInput(Input):
    """Correct a memory; earlier versions stay readable."""

    target: str
    """Memory or draft to change; claims and artifacts are immutable."""
    expected_version: int
    """Version you read; the edit is refused if it has changed since."""
    patch: List[EditPatchList] | Dict[str, Any]
    """RFC 6902 steps for the payload, or a payload that replaces it."""
    reason: str
    """Why it is changed, stored with the new version."""
    effective_from: str | None = None
    """From when the new content holds; default now."""
    text: str | None = None
    """Text to search by; default: its own texts."""
    triples: List[EditTriple] | None = None
    """Facts that replace those drawn from it. Default: the old ones, changed as the content was."""


class EditPatchList(Input):
    """A part of the above."""

    op: Literal["add", "remove", "replace", "move", "copy", "test"]
    """Step as RFC 6902 names it; test fails the whole patch if the value differs."""
    path: str
    """RFC 6901 JSON pointer; empty for the whole document."""
    from_: str | None = Field(default=None, validation_alias="from", serialization_alias="from")
    """RFC 6901 JSON pointer; empty for the whole document."""
    value: Any = None
    """For add, replace and test."""


class EditTriple(Input):
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


class EditOutput(SecretOutput):
    """Answer of MAME edit."""

    ref: str
    """The content that was changed."""
    version: int
    """Its new version."""
    previous_version: int
    """Version before the edit; it stays readable."""
    diff: List[EditOutputDiff]
    """The changed paths; the versions hold the values."""
    content_commitment: str
    """Hash that commits to the new content without showing it."""
    reindexed: bool
    """Search finds the new content."""
    triples_added: int
    """Facts taken from the new content."""


class EditOutputDiff(Output):
    """A part of the above."""

    op: Literal["add", "remove", "replace"] | str
    """What happened at the path."""
    path: str
    """JSON pointer to the change."""


class RedactInput(Input):
    """Make content permanently unreadable, and keep the proof that it existed."""

    target: str | None = None
    """Content to redact; needed for the scopes record and fields."""
    scope: Literal["record", "fields", "subject"] | None = None
    """record (default): all of it; fields: json_pointers only; subject: all about a person."""
    json_pointers: List[str] | None = None
    """Fields to redact; only with scope fields."""
    subject_did: str | None = None
    """Whom the content is about; needed with scope subject."""
    reason: Literal["erasure_request", "legal", "security", "error", "other"]
    """Why it is redacted; recorded for ever."""
    note: str | None = None
    """Explanation, stored with the redaction."""
    authority: str | None = None
    """Charter decision that allows it; needed for content of other authors."""
    legal_basis: str | None = None
    """Law or contract clause that requires it."""


class RedactOutput(Output):
    """Answer of MAME redact."""

    redaction_ref: str
    """Names this redaction."""
    records_affected: int
    """Records of which something was destroyed."""
    keys_destroyed: int
    """Encryption keys that were destroyed."""
    index_entries_removed: int
    """Entries taken out of the search and fact indexes."""
    inputs_forgotten: int
    """Retained inputs removed now; those not yet in the audit log are removed later."""
    tombstones: List[RedactOutputTombstone]
    """What is left of each version: proof that it existed."""
    dependents: List[RedactOutputDependent]
    """Things that cite the content; check whether they still hold."""
    version: int | None = None
    """Version of the remainder, if only fields were redacted."""
    complete: bool
    """False if there is more about this person: call again."""
    authority: str | None = None
    """Charter decision that was used; absent for one's own content."""
    backups: str
    """What this means for backups made before."""


class RedactOutputTombstone(Output):
    """A part of the above."""

    ref: str
    """Content that was redacted."""
    version: int
    """Version that was redacted."""
    commitment: str
    """Hash that was recorded for the content, without showing it."""
    redacted_at: str
    """When it was redacted."""


class RedactOutputDependent(Output):
    """A part of the above."""

    ref: str
    """What cites it."""
    kind: str
    """How it depends on the content, such as cites."""


class Mame(Operations):
    """Edit memories, and redact what must be forgotten."""

    protocol = "MAME"

    def edit(
        self,
        *,
        target: str,
        expected_version: int,
        patch: List[EditPatchList] | Dict[str, Any],
        reason: str,
        effective_from: str | None = None,
        text: str | None = None,
        triples: List[EditTriple] | None = None,
    ) -> EditOutput:
        """Correct a memory; earlier versions stay readable. A write: never retried."""
        return self._call("edit", EditInput, EditOutput, {
            "target": target,
            "expected_version": expected_version,
            "patch": patch,
            "reason": reason,
            "effective_from": effective_from,
            "text": text,
            "triples": triples,
        })

    def redact(
        self,
        *,
        target: str | None = None,
        scope: Literal["record", "fields", "subject"] | None = None,
        json_pointers: List[str] | None = None,
        subject_did: str | None = None,
        reason: Literal["erasure_request", "legal", "security", "error", "other"],
        note: str | None = None,
        authority: str | None = None,
        legal_basis: str | None = None,
    ) -> RedactOutput:
        """Make content permanently unreadable, and keep the proof that it existed. A write: never retried."""
        return self._call("redact", RedactInput, RedactOutput, {
            "target": target,
            "scope": scope,
            "json_pointers": json_pointers,
            "subject_did": subject_did,
            "reason": reason,
            "note": note,
            "authority": authority,
            "legal_basis": legal_basis,
        })


class AsyncMame(AsyncOperations):
    """Edit memories, and redact what must be forgotten."""

    protocol = "MAME"

    async def edit(
        self,
        *,
        target: str,
        expected_version: int,
        patch: List[EditPatchList] | Dict[str, Any],
        reason: str,
        effective_from: str | None = None,
        text: str | None = None,
        triples: List[EditTriple] | None = None,
    ) -> EditOutput:
        """Correct a memory; earlier versions stay readable. A write: never retried."""
        return await self._call("edit", EditInput, EditOutput, {
            "target": target,
            "expected_version": expected_version,
            "patch": patch,
            "reason": reason,
            "effective_from": effective_from,
            "text": text,
            "triples": triples,
        })

    async def redact(
        self,
        *,
        target: str | None = None,
        scope: Literal["record", "fields", "subject"] | None = None,
        json_pointers: List[str] | None = None,
        subject_did: str | None = None,
        reason: Literal["erasure_request", "legal", "security", "error", "other"],
        note: str | None = None,
        authority: str | None = None,
        legal_basis: str | None = None,
    ) -> RedactOutput:
        """Make content permanently unreadable, and keep the proof that it existed. A write: never retried."""
        return await self._call("redact", RedactInput, RedactOutput, {
            "target": target,
            "scope": scope,
            "json_pointers": json_pointers,
            "subject_did": subject_did,
            "reason": reason,
            "note": note,
            "authority": authority,
            "legal_basis": legal_basis,
        })
