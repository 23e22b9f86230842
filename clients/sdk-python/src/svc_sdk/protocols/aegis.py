# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""Aegis v1.0.0. Delegation: give another identity part of your authority, never more than you hold."""

from __future__ import annotations

from typing import List, Literal

from ..models import Input, Output, SecretOutput
from ..operations import AsyncOperations, Operations


class ChallengeInput(Input):
    """Get a nonce to sign before a sensitive delegation."""

    subject_did: str
    """Who will answer: you, or an identity you derived."""
    purpose: Literal["delegate", "accept", "revoke"]
    """What the answer is for."""
    capabilities: List[str] | None = None
    """What would be delegated; absent: not restricted."""


class ChallengeOutput(SecretOutput):
    """Answer of Aegis challenge."""

    challenge_id: str
    """Names the challenge in delegate and policy."""
    nonce: str
    """Random, used once."""
    expires_at: str
    """It must be answered by then."""
    signing_input: str
    """The exact text to sign with the key of the subject."""


class DelegateInput(Input):
    """Delegate part of your authority to another identity of your tenant, until a time."""

    to_did: str
    """Who receives: an identity of your organization."""
    capabilities: List[DelegateCapabilityObject | str]
    """What to delegate: names, or names with bounds of their own."""
    max_redelegation_depth: int | None = None
    """How many further times it may be passed on. Default `0`."""
    expires_at: str
    """When it ends; at most 90 days ahead."""
    revocation_url: str | None = None
    """Where to check whether this token is revoked."""
    parent_token: str | None = None
    """Delegation you pass on; absent: your own capabilities."""
    challenge_id: str | None = None
    """Challenge that you answered; needed where a policy demands it."""
    challenge_signature: str | None = None
    """Of the challenge's signing_input; needed with challenge_id."""
    public_key: str | None = None
    """Key that made your signatures; needed unless the engine keeps it."""
    signature: str | None = None
    """Of the token by your key; absent: the engine signs if it keeps your key."""


class DelegateCapabilityObject(Input):
    """A part of the above."""

    name: str
    """Capability, or svc.<protocol>.* for a whole protocol."""
    expires_at: str | None = None
    """When it ends; absent: with the delegation."""
    limits: DelegateCapabilityObjectLimits | None = None
    """Bounds on its use; those of the source are added."""
    caveats: List[str] | None = None
    """Conditions such as time:09-17; those of the source are added."""


class DelegateCapabilityObjectLimits(Input):
    """Bounds on its use; those of the source are added."""

    max_per_call_bps: int | None = None
    """Basis points of the tenant budget per call."""
    max_per_hour: int | None = None
    """Calls per hour."""
    max_tokens: int | None = None
    """Hard token ceiling per call."""


class DelegateOutput(Output):
    """Answer of Aegis delegate."""

    token: DelegateOutputToken
    """The delegation as signed."""
    token_id: str
    """Hash of the token."""
    remaining_depth: int
    """How many further times it may be passed on."""
    attenuated: bool
    """Bounds of the source were added to the request."""


class DelegateOutputToken(Output):
    """The delegation as signed."""

    from_did: str
    """Who delegates."""
    to_did: str
    """Who receives."""
    capabilities: List[DelegateOutputTokenCapability]
    """What is delegated; never more than the delegator holds."""
    max_redelegation_depth: int
    """How many times this may be delegated further; 0 means never."""
    expires_at: str
    """It ends then."""
    revocation_url: str | None = None
    """Where to check whether this token is revoked."""
    signature: str
    """By the delegator, base64url."""


class DelegateOutputTokenCapability(Output):
    """A part of the above."""

    name: str
    """Name as svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol."""
    expires_at: str | None = None
    """When it ends; absent: it does not end by itself."""
    limits: DelegateOutputTokenCapabilityLimits | None = None
    """Bounds on use; absent: none."""
    caveats: List[str]
    """Conditions such as time:09-17, jurisdiction:DE, weekly_budget:5 or action_kind:read; each must hold."""


class DelegateOutputTokenCapabilityLimits(Output):
    """Bounds on use; absent: none."""

    max_per_call_bps: int | None = None
    """Basis points of the tenant budget per call."""
    max_per_hour: int | None = None
    """Calls per hour."""
    max_tokens: int | None = None
    """Hard token ceiling per call."""


class PolicyInput(Input):
    """See, set, test or withdraw your delegations."""

    action: Literal["get", "set", "evaluate", "revoke"]
    """get rules and delegations, set rules, evaluate a delegation without making it, or revoke one."""
    rules: PolicyRules | None = None
    """For set: your new rules; they replace all before."""
    from_did: str | None = None
    """For evaluate: who would delegate."""
    to_did: str | None = None
    """For evaluate: who would receive."""
    capabilities: List[PolicyCapabilityObject | str] | None = None
    """For evaluate: what would be delegated."""
    max_redelegation_depth: int | None = None
    """How many further times it may be passed on. Default `0`."""
    expires_at: str | None = None
    """For evaluate: when it would end."""
    parent_token: str | None = None
    """For evaluate: delegation that would be passed on."""
    token_id: str | None = None
    """For revoke: the delegation to end, with all made from it."""
    reason: str | None = None
    """For revoke: why."""
    challenge_id: str | None = None
    """Challenge that you answered; needed where a policy demands it."""
    challenge_signature: str | None = None
    """Of the challenge's signing_input; needed with challenge_id."""
    public_key: str | None = None
    """Key that made your signatures; needed unless the engine keeps it."""
    limit: int | None = None
    """For get: delegations per page at most. Default `25`."""
    cursor: str | None = None
    """For get: next_cursor of the previous page."""


class PolicyRules(Input):
    """For set: your new rules; they replace all before."""

    max_depth: int | None = None
    """How many times a delegated capability may be delegated further."""
    max_ttl_seconds: int | None = None
    """How long a delegation may last."""
    never: List[str] | None = None
    """Capabilities that are never delegated."""
    require_challenge: List[str] | None = None
    """Capabilities that are delegated only with an answered challenge."""
    allow_kinds: List[str] | None = None
    """Kinds of identity that may receive; absent: all."""


class PolicyCapabilityObject(Input):
    """A part of the above."""

    name: str
    """Capability, or svc.<protocol>.* for a whole protocol."""
    expires_at: str | None = None
    """When it ends; absent: with the delegation."""
    limits: PolicyCapabilityObjectLimits | None = None
    """Bounds on its use; those of the source are added."""
    caveats: List[str] | None = None
    """Conditions such as time:09-17; those of the source are added."""


class PolicyCapabilityObjectLimits(Input):
    """Bounds on its use; those of the source are added."""

    max_per_call_bps: int | None = None
    """Basis points of the tenant budget per call."""
    max_per_hour: int | None = None
    """Calls per hour."""
    max_tokens: int | None = None
    """Hard token ceiling per call."""


class PolicyOutput(Output):
    """Answer of Aegis policy."""

    rules: PolicyOutputRules | None = None
    """Your rules; for get and set."""
    version: int | None = None
    """0 if no rules were ever set."""
    in_force_from: str | None = None
    """When they were set; absent: never."""
    delegations: List[PolicyOutputDelegation] | None = None
    """Delegations you gave or received; for get."""
    next_cursor: str | None = None
    """There may be more delegations."""
    allowed: bool | None = None
    """Whether it could be made; for evaluate."""
    reasons: List[str] | None = None
    """Why not; for evaluate."""
    revoked: List[str] | None = None
    """Delegations that ended; for revoke."""
    at: str | None = None
    """When they ended; for revoke."""


class PolicyOutputRules(Output):
    """Your rules; for get and set."""

    max_depth: int | None = None
    """How many times a delegated capability may be delegated further."""
    max_ttl_seconds: int | None = None
    """How long a delegation may last."""
    never: List[str] | None = None
    """Capabilities that are never delegated."""
    require_challenge: List[str] | None = None
    """Capabilities that are delegated only with an answered challenge."""
    allow_kinds: List[str] | None = None
    """Kinds of identity that may receive; absent: all."""


class PolicyOutputDelegation(Output):
    """A part of the above."""

    token_id: str
    """Hash of the token."""
    token: PolicyOutputDelegationToken
    """The delegation as signed."""
    parent_token: str | None = None
    """Delegation it passes on; absent: the delegator's own capabilities."""
    state: Literal["ACTIVE", "EXPIRED", "REVOKED", "PARENT_REVOKED"] | str
    """PARENT_REVOKED: a delegation it depends on was revoked."""
    issued_at: str
    """When it was made."""


class PolicyOutputDelegationToken(Output):
    """The delegation as signed."""

    from_did: str
    """Who delegates."""
    to_did: str
    """Who receives."""
    capabilities: List[PolicyOutputDelegationTokenCapability]
    """What is delegated; never more than the delegator holds."""
    max_redelegation_depth: int
    """How many times this may be delegated further; 0 means never."""
    expires_at: str
    """It ends then."""
    revocation_url: str | None = None
    """Where to check whether this token is revoked."""
    signature: str
    """By the delegator, base64url."""


class PolicyOutputDelegationTokenCapability(Output):
    """A part of the above."""

    name: str
    """Name as svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol."""
    expires_at: str | None = None
    """When it ends; absent: it does not end by itself."""
    limits: PolicyOutputDelegationTokenCapabilityLimits | None = None
    """Bounds on use; absent: none."""
    caveats: List[str]
    """Conditions such as time:09-17, jurisdiction:DE, weekly_budget:5 or action_kind:read; each must hold."""


class PolicyOutputDelegationTokenCapabilityLimits(Output):
    """Bounds on use; absent: none."""

    max_per_call_bps: int | None = None
    """Basis points of the tenant budget per call."""
    max_per_hour: int | None = None
    """Calls per hour."""
    max_tokens: int | None = None
    """Hard token ceiling per call."""


class Aegis(Operations):
    """Delegation: give another identity part of your authority, never more than you hold."""

    protocol = "Aegis"

    def challenge(
        self,
        *,
        subject_did: str,
        purpose: Literal["delegate", "accept", "revoke"],
        capabilities: List[str] | None = None,
    ) -> ChallengeOutput:
        """Get a nonce to sign before a sensitive delegation. A write: never retried."""
        return self._call("challenge", ChallengeInput, ChallengeOutput, {
            "subject_did": subject_did,
            "purpose": purpose,
            "capabilities": capabilities,
        })

    def delegate(
        self,
        *,
        to_did: str,
        capabilities: List[DelegateCapabilityObject | str],
        max_redelegation_depth: int | None = None,
        expires_at: str,
        revocation_url: str | None = None,
        parent_token: str | None = None,
        challenge_id: str | None = None,
        challenge_signature: str | None = None,
        public_key: str | None = None,
        signature: str | None = None,
    ) -> DelegateOutput:
        """Delegate part of your authority to another identity of your tenant, until a time. A write: never retried."""
        return self._call("delegate", DelegateInput, DelegateOutput, {
            "to_did": to_did,
            "capabilities": capabilities,
            "max_redelegation_depth": max_redelegation_depth,
            "expires_at": expires_at,
            "revocation_url": revocation_url,
            "parent_token": parent_token,
            "challenge_id": challenge_id,
            "challenge_signature": challenge_signature,
            "public_key": public_key,
            "signature": signature,
        })

    def policy(
        self,
        *,
        action: Literal["get", "set", "evaluate", "revoke"],
        rules: PolicyRules | None = None,
        from_did: str | None = None,
        to_did: str | None = None,
        capabilities: List[PolicyCapabilityObject | str] | None = None,
        max_redelegation_depth: int | None = None,
        expires_at: str | None = None,
        parent_token: str | None = None,
        token_id: str | None = None,
        reason: str | None = None,
        challenge_id: str | None = None,
        challenge_signature: str | None = None,
        public_key: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PolicyOutput:
        """See, set, test or withdraw your delegations. A write: never retried."""
        return self._call("policy", PolicyInput, PolicyOutput, {
            "action": action,
            "rules": rules,
            "from_did": from_did,
            "to_did": to_did,
            "capabilities": capabilities,
            "max_redelegation_depth": max_redelegation_depth,
            "expires_at": expires_at,
            "parent_token": parent_token,
            "token_id": token_id,
            "reason": reason,
            "challenge_id": challenge_id,
            "challenge_signature": challenge_signature,
            "public_key": public_key,
            "limit": limit,
            "cursor": cursor,
        })


class AsyncAegis(AsyncOperations):
    """Delegation: give another identity part of your authority, never more than you hold."""

    protocol = "Aegis"

    async def challenge(
        self,
        *,
        subject_did: str,
        purpose: Literal["delegate", "accept", "revoke"],
        capabilities: List[str] | None = None,
    ) -> ChallengeOutput:
        """Get a nonce to sign before a sensitive delegation. A write: never retried."""
        return await self._call("challenge", ChallengeInput, ChallengeOutput, {
            "subject_did": subject_did,
            "purpose": purpose,
            "capabilities": capabilities,
        })

    async def delegate(
        self,
        *,
        to_did: str,
        capabilities: List[DelegateCapabilityObject | str],
        max_redelegation_depth: int | None = None,
        expires_at: str,
        revocation_url: str | None = None,
        parent_token: str | None = None,
        challenge_id: str | None = None,
        challenge_signature: str | None = None,
        public_key: str | None = None,
        signature: str | None = None,
    ) -> DelegateOutput:
        """Delegate part of your authority to another identity of your tenant, until a time. A write: never retried."""
        return await self._call("delegate", DelegateInput, DelegateOutput, {
            "to_did": to_did,
            "capabilities": capabilities,
            "max_redelegation_depth": max_redelegation_depth,
            "expires_at": expires_at,
            "revocation_url": revocation_url,
            "parent_token": parent_token,
            "challenge_id": challenge_id,
            "challenge_signature": challenge_signature,
            "public_key": public_key,
            "signature": signature,
        })

    async def policy(
        self,
        *,
        action: Literal["get", "set", "evaluate", "revoke"],
        rules: PolicyRules | None = None,
        from_did: str | None = None,
        to_did: str | None = None,
        capabilities: List[PolicyCapabilityObject | str] | None = None,
        max_redelegation_depth: int | None = None,
        expires_at: str | None = None,
        parent_token: str | None = None,
        token_id: str | None = None,
        reason: str | None = None,
        challenge_id: str | None = None,
        challenge_signature: str | None = None,
        public_key: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PolicyOutput:
        """See, set, test or withdraw your delegations. A write: never retried."""
        return await self._call("policy", PolicyInput, PolicyOutput, {
            "action": action,
            "rules": rules,
            "from_did": from_did,
            "to_did": to_did,
            "capabilities": capabilities,
            "max_redelegation_depth": max_redelegation_depth,
            "expires_at": expires_at,
            "parent_token": parent_token,
            "token_id": token_id,
            "reason": reason,
            "challenge_id": challenge_id,
            "challenge_signature": challenge_signature,
            "public_key": public_key,
            "limit": limit,
            "cursor": cursor,
        })
