# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MERIT v1.0.0. Ethical evaluation of actions with reasons, and revocable credentials for evaluated actions."""

from __future__ import annotations

from typing import List, Literal

from pydantic import Field

from ..models import Input, Output, SecretOutput
from ..operations import AsyncOperations, Operations


class EvaluateEthicsInput(Input):
    """Evaluate an action by rules, its effects on others, and its alternatives."""

    action: EvaluateEthicsAction
    """What is to be judged."""
    alternatives: List[EvaluateEthicsAction] | None = None
    """What could be done instead."""
    principles: List[EvaluateEthicsPrinciple] | None = None
    """Principles that count; default all six, each with weight 1."""
    policy_refs: List[str] | None = None
    """maxim://<policy_id>, or one version with @1.2.0."""
    issue_credential: bool | None = None
    """Only permitted actions are certified. Default `false`."""
    subject_did: str | None = None
    """Who is certified; with issue_credential."""


class EvaluateEthicsAction(Input):
    """What is to be judged."""

    kind: str
    """In a word or two, or as PROTOCOL.operation: policies are evaluated for it."""
    description: str
    """What would be done, in words."""
    actor_did: str | None = None
    """Who would act; default: the caller."""
    target_ref: str | None = None
    """What it would be done to."""
    affected: List[EvaluateEthicsActionAffected] | None = None
    """Whom it helps or harms, the actor too. Where nobody is named, people must decide."""
    reversible: bool
    """Whether it can be undone."""
    duty_refs: List[str] | None = None
    """Duties that apply: treaties (moat://<treaty_id>) and policies (maxim://<id>)."""


class EvaluateEthicsActionAffected(Input):
    """A part of the above."""

    party: str
    """A DID or a name; actor is whoever acts."""
    interest: Literal["life", "health", "liberty", "dignity", "privacy", "environment", "property", "economic"]
    """What is helped or harmed."""
    magnitude: float | None = None
    """From the worst (-1) to the best (1); default: the worst."""
    probability: float | None = None
    """How likely it is, 0 to 1. Default `1`."""
    consent: Literal["yes", "no", "unknown"] | None = None
    """Whether the party agreed; a loss, and any effect on life, health or liberty, needs yes or no. Default `"unknown"`."""


class EvaluateEthicsPrinciple(Input):
    """A part of the above."""

    id: Literal["beneficence", "non_maleficence", "autonomy", "justice", "fidelity", "precaution"]
    """non_maleficence: do no harm. fidelity: keep duties. precaution: avoid what cannot be undone."""
    weight: float | None = None
    """How much it counts. Default `1`."""


class EvaluateEthicsOutput(SecretOutput):
    """Answer of MERIT evaluate_ethics."""

    evaluation_ref: str
    """The stored evaluation."""
    verdict: Literal["prohibit", "review", "permit_with_conditions", "permit"] | str
    """prohibit: a rule forbids it. review: people must decide."""
    principles: List[EvaluateEthicsOutputPrinciple]
    """How the action fares by each principle."""
    violated: List[EvaluateEthicsOutputViolated]
    """Rules that forbid it."""
    conditions: List[EvaluateEthicsOutputCondition]
    """What the permission depends on."""
    missing: List[EvaluateEthicsOutputMissing]
    """What must be known first. While something is missing nothing is permitted."""
    read: List[EvaluateEthicsOutputRead]
    """What the description tells of that people must decide, or that no stated effect answers for."""
    best_alternative: EvaluateEthicsOutputBestAlternative | None = None
    """The best of the alternatives; absent: none is better."""
    dissent: List[EvaluateEthicsOutputDissent]
    """Principles against the verdict."""
    welfare: float
    """Welfare of all affected parties; losses count more than gains."""
    spread: float
    """Standard deviation of welfare."""
    ambiguous: bool
    """Two principles are equally strong in opposite directions."""
    rationale: EvaluateEthicsOutputRationale | None = None
    """Explanation of an ambiguous case by a model; absent: none."""
    binding: bool
    """Always false: it authorizes nothing."""
    credential: EvaluateEthicsOutputCredential | None = None
    """W3C Verifiable Credential 2.0 with an eddsa-jcs-2022 proof: checked offline."""
    credential_withheld: str | None = None
    """Why no credential was issued although requested."""


class EvaluateEthicsOutputPrinciple(Output):
    """A part of the above."""

    id: Literal["beneficence", "non_maleficence", "autonomy", "justice", "fidelity", "precaution"] | str
    """non_maleficence: do no harm. fidelity: keep duties. precaution: avoid what cannot be undone."""
    score: float
    """From -1, strongly against, to 1, strongly for."""
    reasons: List[str]
    """What the score rests on."""


class EvaluateEthicsOutputViolated(Output):
    """A part of the above."""

    rule_ref: str
    """The policy or built-in rule."""
    text: str
    """What it forbids, in words."""


class EvaluateEthicsOutputCondition(Output):
    """A part of the above."""

    kind: Literal["consent", "estimate", "precaution", "alternative"] | str
    """Get consent, estimate effects, take precautions, or take the better alternative."""
    text: str
    """What to do, in words."""


class EvaluateEthicsOutputMissing(Output):
    """A part of the above."""

    field: Literal["affected", "magnitude", "consent"] | str
    """The field of the action that is missing."""
    text: str
    """What to say, in words."""


class EvaluateEthicsOutputRead(Output):
    """A part of the above."""

    ref: str
    """The harm, concern or model."""
    text: str
    """What was read, and what to do."""
    words: List[str]
    """Words it was read from; none: by its meaning."""


class EvaluateEthicsOutputBestAlternative(Output):
    """The best of the alternatives; absent: none is better."""

    index: int
    """Its place in alternatives, from 0."""
    verdict: Literal["prohibit", "review", "permit_with_conditions", "permit"] | str
    """prohibit: a rule forbids it. review: people must decide."""
    welfare: float
    """Welfare of all it affects; losses count more than gains."""
    dominates: bool
    """Nobody is worse off than with the action."""


class EvaluateEthicsOutputDissent(Output):
    """A part of the above."""

    principle: Literal["beneficence", "non_maleficence", "autonomy", "justice", "fidelity", "precaution"] | str
    """The principle."""
    score: float
    """From -1, strongly against, to 1, strongly for."""
    reason: str
    """What it objects to."""


class EvaluateEthicsOutputRationale(Output):
    """Explanation of an ambiguous case by a model; absent: none."""

    text: str
    """The explanation."""
    model: str
    """Name of the model."""
    verified: bool
    """Always false: nobody checked it."""


class EvaluateEthicsOutputCredential(Output):
    """W3C Verifiable Credential 2.0 with an eddsa-jcs-2022 proof: checked offline."""

    context: List[Literal["https://www.w3.org/ns/credentials/v2"] | str] = Field(validation_alias="@context", serialization_alias="@context")
    """Vocabulary of the fields, as W3C requires it."""
    id: str
    """Names a credential: merit://credential/<id>."""
    type: List[Literal["VerifiableCredential", "MeritCredential"] | str]
    """What it is, as W3C names it."""
    issuer: str
    """Who certifies."""
    valid_from: str = Field(validation_alias="validFrom", serialization_alias="validFrom")
    """It is valid from then on."""
    valid_until: str = Field(validation_alias="validUntil", serialization_alias="validUntil")
    """It is valid until then."""
    credential_subject: EvaluateEthicsOutputCredentialCredentialSubject = Field(validation_alias="credentialSubject", serialization_alias="credentialSubject")
    """Who and what is certified."""
    credential_status: List[EvaluateEthicsOutputCredentialCredentialStatus] = Field(validation_alias="credentialStatus", serialization_alias="credentialStatus")
    """Where to check that it was not withdrawn."""
    proof: EvaluateEthicsOutputCredentialProof
    """Signature; checked offline."""


class EvaluateEthicsOutputCredentialCredentialSubject(Output):
    """Who and what is certified."""

    id: str
    """Who is certified."""
    evaluation: str
    """Evaluation it rests on."""
    action: EvaluateEthicsOutputCredentialCredentialSubjectAction
    """The action that was evaluated: nothing else is certified."""
    verdict: Literal["permit", "permit_with_conditions"] | str
    """Result of the evaluation."""
    conditions: List[Literal["consent", "estimate", "precaution", "alternative"] | str]
    """What the permission depends on; the evaluation says it in words."""


class EvaluateEthicsOutputCredentialCredentialSubjectAction(Output):
    """The action that was evaluated: nothing else is certified."""

    kind: str
    """Its kind."""
    description: str
    """What was to be done, in the words that were judged."""
    target_ref: str | None = None
    """What it was to be done to."""


class EvaluateEthicsOutputCredentialCredentialStatus(Output):
    """A part of the above."""

    id: str
    """The list and the place in it."""
    type: Literal["BitstringStatusListEntry"] | str
    """Kind of status, as W3C names it."""
    status_purpose: Literal["revocation", "suspension"] | str = Field(validation_alias="statusPurpose", serialization_alias="statusPurpose")
    """What the list is about."""
    status_list_index: str = Field(validation_alias="statusListIndex", serialization_alias="statusListIndex")
    """Place of this credential in the list."""
    status_list_credential: str = Field(validation_alias="statusListCredential", serialization_alias="statusListCredential")
    """The public list to check."""


class EvaluateEthicsOutputCredentialProof(Output):
    """Signature; checked offline."""

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
    context: List[str] = Field(validation_alias="@context", serialization_alias="@context")
    """Vocabulary of the signed document."""


class ListInput(Input):
    """List the credentials your organization issued, with their states."""

    credential_ref: str | None = None
    """Only this credential."""
    subject_did: str | None = None
    """Only credentials of this identity."""
    state: Literal["valid", "suspended", "revoked", "expired"] | None = None
    """Only credentials in this state now."""
    since: str | None = None
    """Only entries from this time on, RFC 3339 in UTC."""
    limit: int | None = None
    """Entries per page. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class ListOutput(Output):
    """Answer of MERIT list."""

    items: List[ListOutputItem]
    """Credentials of your organization, newest first."""
    next_cursor: str | None = None
    """There may be more entries, even after a page that is not full."""


class ListOutputItem(Output):
    """A part of the above."""

    credential_ref: str
    """Names the credential."""
    state: Literal["valid", "suspended", "revoked", "expired"] | str
    """The worst that applies; suspended may become valid again."""
    subject_did: str
    """Who is certified."""
    issuer_did: str
    """Who certifies."""
    evaluation_ref: str
    """Evaluation it rests on."""
    issued_at: str
    """When it was issued."""
    valid_until: str
    """It is valid until then."""
    status_lists: List[str]
    """Public lists of revoked and of suspended credentials."""
    index: int
    """Place of this credential in both lists."""
    revoked: ListOutputItemRevoked | None = None
    """How it was revoked; absent: it was not."""
    suspended: ListOutputItemSuspended | None = None
    """The last suspension, even if it has ended."""


class ListOutputItemRevoked(Output):
    """How it was revoked; absent: it was not."""

    at: str
    """When it was withdrawn."""
    reason: str
    """Why."""
    authority: str
    """What authorized it."""
    by: str
    """Who did it."""


class ListOutputItemSuspended(Output):
    """The last suspension, even if it has ended."""

    at: str
    """When it was withdrawn."""
    reason: str
    """Why."""
    authority: str
    """What authorized it."""
    by: str
    """Who did it."""
    until: str
    """When the suspension ends or ended."""


class ListConcernsInput(Input):
    """List the duties and harms that actions of your organization are read against."""


class ListConcernsOutput(Output):
    """Answer of MERIT list_concerns."""

    items: List[ListConcernsOutputItem]
    """All of them, by name."""


class ListConcernsOutputItem(Output):
    """A part of the above."""

    name: str
    """Names the concern within your organization."""
    kind: Literal["duty", "harm"] | str
    """What must be done or left, or what must not happen to anybody."""
    text: str
    """The duty or harm, in English: descriptions whose meaning is near are found."""
    words: List[str] | None = None
    """Words or short phrases that show it; a star matches any ending, as in refund*."""
    set_by: str
    """Whoever set it last."""
    set_at: str
    """When it was set last."""


class RemoveConcernInput(Input):
    """Remove a duty or harm; actions are no longer read against it."""

    name: str
    """Names the concern within your organization."""
    reason: str | None = None
    """Why, for the audit log."""


class RemoveConcernOutput(Output):
    """Answer of MERIT remove_concern."""

    name: str
    """Names the concern within your organization."""
    removed_at: str
    """From when on it no longer counts."""


class RevokeInput(Input):
    """Revoke or suspend a credential, by an authority that covers it."""

    credential_ref: str
    """Credential to withdraw."""
    reason: Literal["error", "misconduct", "expired_basis", "superseded", "order"]
    """expired_basis: what it rests on no longer holds. order: somebody entitled demands it."""
    authority: str
    """The DID of the issuer, who must be the caller; a MACE verdict that binds MERIT.revoke to the credential or its subject; or a final MOOT ruling, as moot://ruling/<id> or moot://case/<id>."""
    purpose: Literal["revocation", "suspension"] | None = None
    """Revocation is for good; suspension ends at until. Default `"revocation"`."""
    until: str | None = None
    """When the suspension ends; required for a suspension, not allowed otherwise."""


class RevokeOutput(Output):
    """Answer of MERIT revoke."""

    credential_ref: str
    """The credential."""
    status: Literal["revoked", "suspended"] | str
    """Its status from now on."""
    status_list_ref: str
    """Public list that says so."""
    registered: str
    """The public signed list in MARS query_registry."""
    index: int
    """Its place in the list."""
    revoked_at: str
    """When it was withdrawn; the first time if it was already."""
    until: str | None = None
    """When the suspension ends."""
    authority: str
    """What authorized it."""


class SetConcernInput(Input):
    """List a duty or harm of your organization: actions that touch it are left to people."""

    name: str
    """Names the concern within your organization."""
    kind: Literal["duty", "harm"]
    """What must be done or left, or what must not happen to anybody."""
    text: str
    """The duty or harm, in English: descriptions whose meaning is near are found."""
    words: List[str] | None = None
    """Words or short phrases that show it; a star matches any ending, as in refund*."""


class SetConcernOutput(Output):
    """Answer of MERIT set_concern."""

    name: str
    """Names the concern within your organization."""
    set_at: str
    """From when on it counts."""


class Merit(Operations):
    """Ethical evaluation of actions with reasons, and revocable credentials for evaluated actions."""

    protocol = "MERIT"

    def evaluate_ethics(
        self,
        *,
        action: EvaluateEthicsAction,
        alternatives: List[EvaluateEthicsAction] | None = None,
        principles: List[EvaluateEthicsPrinciple] | None = None,
        policy_refs: List[str] | None = None,
        issue_credential: bool | None = None,
        subject_did: str | None = None,
    ) -> EvaluateEthicsOutput:
        """Evaluate an action by rules, its effects on others, and its alternatives. A write: never retried."""
        return self._call("evaluate_ethics", EvaluateEthicsInput, EvaluateEthicsOutput, {
            "action": action,
            "alternatives": alternatives,
            "principles": principles,
            "policy_refs": policy_refs,
            "issue_credential": issue_credential,
            "subject_did": subject_did,
        })

    def list(
        self,
        *,
        credential_ref: str | None = None,
        subject_did: str | None = None,
        state: Literal["valid", "suspended", "revoked", "expired"] | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List the credentials your organization issued, with their states. A read: retried."""
        return self._call("list", ListInput, ListOutput, {
            "credential_ref": credential_ref,
            "subject_did": subject_did,
            "state": state,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    def list_concerns(self) -> ListConcernsOutput:
        """List the duties and harms that actions of your organization are read against. A read: retried."""
        return self._call("list_concerns", ListConcernsInput, ListConcernsOutput, {})

    def remove_concern(
        self,
        *,
        name: str,
        reason: str | None = None,
    ) -> RemoveConcernOutput:
        """Remove a duty or harm; actions are no longer read against it. A write: never retried."""
        return self._call("remove_concern", RemoveConcernInput, RemoveConcernOutput, {
            "name": name,
            "reason": reason,
        })

    def revoke(
        self,
        *,
        credential_ref: str,
        reason: Literal["error", "misconduct", "expired_basis", "superseded", "order"],
        authority: str,
        purpose: Literal["revocation", "suspension"] | None = None,
        until: str | None = None,
    ) -> RevokeOutput:
        """Revoke or suspend a credential, by an authority that covers it. A write: never retried."""
        return self._call("revoke", RevokeInput, RevokeOutput, {
            "credential_ref": credential_ref,
            "reason": reason,
            "authority": authority,
            "purpose": purpose,
            "until": until,
        })

    def set_concern(
        self,
        *,
        name: str,
        kind: Literal["duty", "harm"],
        text: str,
        words: List[str] | None = None,
    ) -> SetConcernOutput:
        """List a duty or harm of your organization: actions that touch it are left to people. A write: never retried."""
        return self._call("set_concern", SetConcernInput, SetConcernOutput, {
            "name": name,
            "kind": kind,
            "text": text,
            "words": words,
        })


class AsyncMerit(AsyncOperations):
    """Ethical evaluation of actions with reasons, and revocable credentials for evaluated actions."""

    protocol = "MERIT"

    async def evaluate_ethics(
        self,
        *,
        action: EvaluateEthicsAction,
        alternatives: List[EvaluateEthicsAction] | None = None,
        principles: List[EvaluateEthicsPrinciple] | None = None,
        policy_refs: List[str] | None = None,
        issue_credential: bool | None = None,
        subject_did: str | None = None,
    ) -> EvaluateEthicsOutput:
        """Evaluate an action by rules, its effects on others, and its alternatives. A write: never retried."""
        return await self._call("evaluate_ethics", EvaluateEthicsInput, EvaluateEthicsOutput, {
            "action": action,
            "alternatives": alternatives,
            "principles": principles,
            "policy_refs": policy_refs,
            "issue_credential": issue_credential,
            "subject_did": subject_did,
        })

    async def list(
        self,
        *,
        credential_ref: str | None = None,
        subject_did: str | None = None,
        state: Literal["valid", "suspended", "revoked", "expired"] | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List the credentials your organization issued, with their states. A read: retried."""
        return await self._call("list", ListInput, ListOutput, {
            "credential_ref": credential_ref,
            "subject_did": subject_did,
            "state": state,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    async def list_concerns(self) -> ListConcernsOutput:
        """List the duties and harms that actions of your organization are read against. A read: retried."""
        return await self._call("list_concerns", ListConcernsInput, ListConcernsOutput, {})

    async def remove_concern(
        self,
        *,
        name: str,
        reason: str | None = None,
    ) -> RemoveConcernOutput:
        """Remove a duty or harm; actions are no longer read against it. A write: never retried."""
        return await self._call("remove_concern", RemoveConcernInput, RemoveConcernOutput, {
            "name": name,
            "reason": reason,
        })

    async def revoke(
        self,
        *,
        credential_ref: str,
        reason: Literal["error", "misconduct", "expired_basis", "superseded", "order"],
        authority: str,
        purpose: Literal["revocation", "suspension"] | None = None,
        until: str | None = None,
    ) -> RevokeOutput:
        """Revoke or suspend a credential, by an authority that covers it. A write: never retried."""
        return await self._call("revoke", RevokeInput, RevokeOutput, {
            "credential_ref": credential_ref,
            "reason": reason,
            "authority": authority,
            "purpose": purpose,
            "until": until,
        })

    async def set_concern(
        self,
        *,
        name: str,
        kind: Literal["duty", "harm"],
        text: str,
        words: List[str] | None = None,
    ) -> SetConcernOutput:
        """List a duty or harm of your organization: actions that touch it are left to people. A write: never retried."""
        return await self._call("set_concern", SetConcernInput, SetConcernOutput, {
            "name": name,
            "kind": kind,
            "text": text,
            "words": words,
        })
