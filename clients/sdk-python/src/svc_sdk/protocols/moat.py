# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MOAT v1.0.0. Treaties: the only way one organization may call another."""

from __future__ import annotations

from typing import Any, List, Literal

from pydantic import Field

from ..models import Input, Output
from ..operations import AsyncOperations, Operations


class ComplianceQueryInput(Input):
    """Ask whether an active treaty lets one party use a capability of another."""

    party_a: str
    """Calling side: a tenant, or one of its DIDs."""
    party_b: str
    """Called side: a tenant, or one of its DIDs."""
    capability: str
    """Capability that party_a would use."""
    at: str | None = None
    """Time to judge by; default now."""


class ComplianceQueryOutput(Output):
    """Answer of MOAT compliance_query."""

    active: bool
    """Whether the call would be allowed."""
    treaty_id: str | None = None
    """Treaty that decided; absent if there is none."""
    reason: str | None = None
    """Why not; absent if active."""
    caveats: List[str]
    """Conditions of the grant."""
    limits: ComplianceQueryOutputLimits
    """Bounds of the grant; empty if it has none."""
    remaining: ComplianceQueryOutputRemaining
    """What is left of each limit now."""
    expires_at: str | None = None
    """When the treaty ends."""
    state: Literal["PROPOSED", "PARTIALLY_SIGNED", "SIGNED", "ACTIVE", "SUSPENDED", "EXPIRED", "TERMINATED", "SUPERSEDED", "WITHDRAWN", "LAPSED"] | str | None = None
    """Only ACTIVE grants calls. LAPSED: not signed in time. WITHDRAWN: ended unsigned. SUPERSEDED: by an amendment."""


class ComplianceQueryOutputLimits(Output):
    """Bounds of the grant; empty if it has none."""

    max_per_call_bps: int | None = None
    """Basis points of the tenant budget per call."""
    max_per_hour: int | None = None
    """Calls per hour."""
    max_tokens: int | None = None
    """Hard token ceiling per call."""
    weekly_budget_usd: str | None = None
    """Decimal USD per ISO week."""


class ComplianceQueryOutputRemaining(Output):
    """What is left of each limit now."""

    per_hour: int | None
    """Calls left in this hour; null: no limit."""
    per_day: int | None
    """Calls left in this UTC day; null: no limit."""
    weekly_budget_usd: str | None
    """Decimal USD left in this ISO week; null: no budget."""
    weekly_budget_micro_usd: str | None
    """Micro-USD left in this ISO week; null: no budget."""


class EnforceInput(Input):
    """Check whether the other party complied with a treaty, then report, suspend, resume or claim."""

    treaty_id: str
    """Any treaty of the line."""
    period: EnforcePeriod
    """What to check, at most 92 days, half-open: from <= t < to."""
    measure: Literal["report", "suspend", "resume", "claim"] | None = None
    """Default report: only check. Suspend stops calls for up to 30 days; claim files a MOOT case."""
    finding_ids: List[str] | None = None
    """Findings to act on; default all."""
    reason: str | None = None
    """Required unless the measure is report."""


class EnforcePeriod(Input):
    """What to check, at most 92 days, half-open: from <= t < to."""

    from_: str = Field(validation_alias="from", serialization_alias="from")
    """First moment of the period."""
    to: str
    """End of the period, itself not included."""


class EnforceOutput(Output):
    """Answer of MOAT enforce."""

    findings: List[EnforceOutputFinding]
    """Breaches by the other party and its refused attempts, recomputed from records, budgets and contracts."""
    compliant: bool
    """True if no breach was found in the period; a refused attempt is none."""
    state: Literal["PROPOSED", "PARTIALLY_SIGNED", "SIGNED", "ACTIVE", "SUSPENDED", "EXPIRED", "TERMINATED", "SUPERSEDED", "WITHDRAWN", "LAPSED"] | str
    """Only ACTIVE grants calls. LAPSED: not signed in time. WITHDRAWN: ended unsigned. SUPERSEDED: by an amendment."""
    case_id: str | None = None
    """MOOT case, after claim."""


class EnforceOutputFinding(Output):
    """A part of the above."""

    id: str
    """Derived from its content: the same breach has the same id."""
    kind: Literal["rate_exceeded", "budget_exceeded", "out_of_grant", "refused_attempt", "payment_overdue", "settlement_missing"] | str
    """Limit, budget or grant exceeded, a call that the terms stopped, or payment late, or missing beyond the grace period."""
    about: str
    """The limit with its hour, day or week, the capability, or the contract and obligation."""
    observed: str
    """What happened, such as 12 calls."""
    allowed: str
    """What the treaty allows, such as 10 calls."""
    records: List[str]
    """Evidence: the first 64 audit records, or the contract."""


class ListInput(Input):
    """List the treaties and amendments of your organization, or read one in full."""

    treaty_id: str | None = None
    """Only this one."""
    state: Literal["PROPOSED", "PARTIALLY_SIGNED", "SIGNED", "ACTIVE", "SUSPENDED", "EXPIRED", "TERMINATED", "SUPERSEDED", "WITHDRAWN", "LAPSED"] | None = None
    """Only those in this state now."""
    kind: Literal["treaty", "amendment"] | None = None
    """Only first treaties, or only amendments."""
    partner: str | None = None
    """Only those with this organization."""
    include_detail: bool | None = None
    """Only with treaty_id. Default `false`."""
    since: str | None = None
    """Only entries from this time on, RFC 3339 in UTC."""
    limit: int | None = None
    """Entries per page. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class ListOutput(Output):
    """Answer of MOAT list."""

    items: List[ListOutputItem]
    """Treaties and amendments of your organization, newest first."""
    next_cursor: str | None = None
    """There may be more entries, even after a page that is not full."""


class ListOutputItem(Output):
    """A part of the above."""

    treaty_id: str
    """Hash of its terms."""
    root_id: str
    """First treaty of the line; usage counts against it across amendments."""
    parent: str | None = None
    """The version it replaces; absent for a first treaty."""
    kind: Literal["treaty", "amendment"] | str
    """A first treaty, or an amendment of one."""
    state: Literal["PROPOSED", "PARTIALLY_SIGNED", "SIGNED", "ACTIVE", "SUSPENDED", "EXPIRED", "TERMINATED", "SUPERSEDED", "WITHDRAWN", "LAPSED"] | str
    """Only ACTIVE grants calls. LAPSED: not signed in time. WITHDRAWN: ended unsigned. SUPERSEDED: by an amendment."""
    partner: str
    """The other organization."""
    parties: List[ListOutputItemParty]
    """The two organizations, ordered by tenant."""
    proposed_by: str
    """DID that proposed it."""
    proposed_at: str
    """When it was proposed."""
    sign_by: str
    """It lapses if both have not signed by then."""
    signed: List[str]
    """Organizations that have signed."""
    missing: List[str]
    """Organizations that have yet to sign."""
    effective_from: str
    """Start of the term."""
    expires_at: str
    """End of the term."""
    grants_to_partner: int
    """Number of grants to the partner."""
    grants_to_own: int
    """Number of grants to your organization."""
    activated_at: str | None = None
    """When the second signature was made."""
    in_force_at: str | None = None
    """When it became ACTIVE."""
    suspended: ListOutputItemSuspended | None = None
    """Last suspension; absent if there was none."""
    ended_at: str | None = None
    """When it was terminated, superseded or withdrawn, or lapsed."""
    detail: ListOutputItemDetail | None = None
    """Terms, signatures and history; with include_detail."""


class ListOutputItemParty(Output):
    """A tenant and the DID that represents it."""

    tenant: str
    """The organization."""
    did: str
    """DID that represents it."""


class ListOutputItemSuspended(Output):
    """Last suspension; absent if there was none."""

    from_: str = Field(validation_alias="from", serialization_alias="from")
    """When calls stopped."""
    until: str
    """When it ends by itself, unless a case is open."""
    by: str
    """Organization that suspended it."""


class ListOutputItemDetail(Output):
    """Terms, signatures and history; with include_detail."""

    body: ListOutputItemDetailBody
    """The terms that are hashed and signed."""
    signatures: List[ListOutputItemDetailSignature]
    """Those given so far."""
    reason: str | None = None
    """Why an amendment was proposed."""
    amendment: ListOutputItemDetailAmendment | None = None
    """Changes of an amendment, from `before` to `body`."""
    open_cases: List[str]
    """MOOT cases about it that are open."""
    ended_by: str | None = None
    """Who ended it: a DID, or the reference of a ruling or dissolution."""
    end_reason: str | None = None
    """Visible only to the party that gave it."""
    line: List[ListOutputItemDetailLine]
    """All versions, newest first."""


class ListOutputItemDetailBody(Output):
    """The terms that are hashed and signed."""

    v: int
    """Version of this form."""
    parent: str | None
    """Treaty that this amendment replaces; null in a new treaty."""
    parties: List[ListOutputItemParty]
    """The two organizations, ordered by tenant."""
    grants: List[ListOutputItemDetailBodyGrant]
    """What each organization may call at the other."""
    rate_limits: ListOutputItemDetailBodyRateLimits
    """Bounds on all calls of a party together."""
    settlement: ListOutputItemDetailBodySettlement
    """How payments between the parties are settled."""
    dispute_resolution: ListOutputItemDetailBodyDisputeResolution
    """Where disputes are heard."""
    effective_from: str
    """Start of the term."""
    expires_at: str
    """End of the term."""
    nonce: str
    """Makes the id of otherwise equal terms differ."""


class ListOutputItemDetailBodyGrant(Output):
    """A part of the above."""

    to: str
    """Organization that may make the calls."""
    capability: str
    """What it may call: svc.<protocol>.<operation>, or svc.<protocol>.*."""
    caveats: List[str] | None = None
    """Conditions such as time:09-17 or jurisdiction:DE; each must hold for a call."""
    limits: ListOutputItemDetailBodyGrantLimits | None = None
    """Bounds on this grant's use; absent: none."""


class ListOutputItemDetailBodyGrantLimits(Output):
    """Bounds on this grant's use; absent: none."""

    max_per_call_bps: int | None = None
    """Basis points of the tenant budget per call."""
    max_per_hour: int | None = None
    """Calls per hour."""
    max_tokens: int | None = None
    """Hard token ceiling per call."""
    weekly_budget_usd: str | None = None
    """Decimal USD per ISO week."""


class ListOutputItemDetailBodyRateLimits(Output):
    """Bounds on all calls of a party together."""

    per_hour: int | None = None
    """Calls of one party in an hour, all grants together; absent: no limit."""
    per_day: int | None = None
    """Calls of one party in a UTC day, all grants together; absent: no limit."""


class ListOutputItemDetailBodySettlement(Output):
    """How payments between the parties are settled."""

    rail: str
    """How payments move; internal is the ledger of this engine."""
    currency: str
    """Asset in which the parties settle."""
    clearing_fee_bps: int
    """Basis points of the settled amount."""


class ListOutputItemDetailBodyDisputeResolution(Output):
    """Where disputes are heard."""

    via: str
    """Protocol that hears disputes."""
    venue: str
    """Tenant or DID where disputes are heard."""


class ListOutputItemDetailSignature(Output):
    """A part of the above."""

    tenant: str
    """Organization that is bound."""
    signed_by: str
    """DID that signed."""
    timestamp: str
    """When it was signed; part of the signed text."""
    public_key: str
    """Key that verifies the signature."""
    signature: str
    """Signature over the treaty, base64url."""
    method: Literal["own", "custodial"] | str
    """Own: signed by the signer's key. Custodial: by the engine, which keeps the key."""
    authority: str | None = None
    """Verdict that authorized the signature."""


class ListOutputItemDetailAmendment(Output):
    """Changes of an amendment, from `before` to `body`."""

    before: ListOutputItemDetailBody
    """The terms it replaces."""
    diff: List[ListOutputItemDetailAmendmentDiff]
    """What it changes, as JSON Patch."""
    widening: bool
    """Whether it grants more than before, so that signing needs a charter verdict."""


class ListOutputItemDetailAmendmentDiff(Output):
    """A part of the above."""

    op: Literal["add", "remove", "replace"] | str
    """JSON Patch operation."""
    path: str
    """JSON Pointer into the body of the parent."""
    value: Any = None
    """New value; absent for remove."""


class ListOutputItemDetailLine(Output):
    """A part of the above."""

    treaty_id: str
    """Hash of this version's terms."""
    parent: str | None = None
    """The version it replaces; absent for the first."""
    state: Literal["PROPOSED", "PARTIALLY_SIGNED", "SIGNED", "ACTIVE", "SUSPENDED", "EXPIRED", "TERMINATED", "SUPERSEDED", "WITHDRAWN", "LAPSED"] | str
    """Only ACTIVE grants calls. LAPSED: not signed in time. WITHDRAWN: ended unsigned. SUPERSEDED: by an amendment."""
    proposed_at: str
    """When this version was proposed."""


class ProposeInput(Input):
    """Propose a treaty to another organization."""

    counterparty_did: str
    """DID that represents the other organization."""
    capability_schedule: List[ProposeCapabilitySchedule]
    """What may be called, and by whom; one entry may grant to both parties."""
    rate_limits: ProposeRateLimits | None = None
    """Bounds on all calls of a party together; absent: none."""
    settlement_terms: ProposeSettlementTerms | None = None
    """How payments are settled; absent: internal, usd, fee of your tier."""
    dispute_clause: ProposeDisputeClause | None = None
    """Where disputes are heard; absent: at the operator."""
    expires_at: str
    """End of the term, at most five years ahead."""
    effective_from: str | None = None
    """Start of the term; default now."""


class ProposeCapabilitySchedule(Input):
    """A part of the above."""

    capability: str
    """Capability that the treaty grants, or svc.<protocol>.* for a whole protocol."""
    caveats: List[str] | None = None
    """Conditions such as time:09-17 or jurisdiction:DE; each must hold for a call."""
    granted_to: Literal["counterparty", "proposer", "both"]
    """Who may call the other with it; always stated, since it opens one side to the other."""
    limits: ProposeCapabilityScheduleLimits | None = None
    """Bounds on this grant's use; absent: none."""


class ProposeCapabilityScheduleLimits(Input):
    """Bounds on this grant's use; absent: none."""

    max_per_call_bps: int | None = None
    """Basis points of the tenant budget per call."""
    max_per_hour: int | None = None
    """Calls per hour."""
    max_tokens: int | None = None
    """Hard token ceiling per call."""
    weekly_budget_usd: str | None = None
    """Decimal USD per ISO week."""


class ProposeRateLimits(Input):
    """Bounds on all calls of a party together; absent: none."""

    per_hour: int | None = None
    """Calls of one party in an hour, all grants together; absent: no limit."""
    per_day: int | None = None
    """Calls of one party in a UTC day, all grants together; absent: no limit."""


class ProposeSettlementTerms(Input):
    """How payments are settled; absent: internal, usd, fee of your tier."""

    rail: str | None = None
    """How payments move; internal is the ledger of this engine. Default `"internal"`."""
    currency: str | None = None
    """Asset in which the parties settle. Default `"usd"`."""
    clearing_fee_bps: int | None = None
    """Share of each settlement; default: the tier's."""


class ProposeDisputeClause(Input):
    """Where disputes are heard; absent: at the operator."""

    via: Literal["MOOT"]
    """Protocol that hears disputes."""
    venue: str
    """Where disputes are heard: a tenant, or one of its DIDs."""


class ProposeOutput(Output):
    """Answer of MOAT propose."""

    treaty_id: str
    """Hash of the terms; both parties sign it."""
    state: Literal["PROPOSED", "PARTIALLY_SIGNED", "SIGNED", "ACTIVE", "SUSPENDED", "EXPIRED", "TERMINATED", "SUPERSEDED", "WITHDRAWN", "LAPSED"] | str
    """Only ACTIVE grants calls. LAPSED: not signed in time. WITHDRAWN: ended unsigned. SUPERSEDED: by an amendment."""
    body: ProposeOutputBody
    """The terms that are hashed and signed."""
    signing_input: str
    """The text to sign now; send its timestamp with the signature."""
    sign_by: str
    """It lapses if both have not signed by then."""


class ProposeOutputBody(Output):
    """The terms that are hashed and signed."""

    v: int
    """Version of this form."""
    parent: str | None
    """Treaty that this amendment replaces; null in a new treaty."""
    parties: List[ProposeOutputBodyParty]
    """The two organizations, ordered by tenant."""
    grants: List[ProposeOutputBodyGrant]
    """What each organization may call at the other."""
    rate_limits: ProposeOutputBodyRateLimits
    """Bounds on all calls of a party together."""
    settlement: ProposeOutputBodySettlement
    """How payments between the parties are settled."""
    dispute_resolution: ProposeOutputBodyDisputeResolution
    """Where disputes are heard."""
    effective_from: str
    """Start of the term."""
    expires_at: str
    """End of the term."""
    nonce: str
    """Makes the id of otherwise equal terms differ."""


class ProposeOutputBodyParty(Output):
    """A tenant and the DID that represents it."""

    tenant: str
    """The organization."""
    did: str
    """DID that represents it."""


class ProposeOutputBodyGrant(Output):
    """A part of the above."""

    to: str
    """Organization that may make the calls."""
    capability: str
    """What it may call: svc.<protocol>.<operation>, or svc.<protocol>.*."""
    caveats: List[str] | None = None
    """Conditions such as time:09-17 or jurisdiction:DE; each must hold for a call."""
    limits: ProposeOutputBodyGrantLimits | None = None
    """Bounds on this grant's use; absent: none."""


class ProposeOutputBodyGrantLimits(Output):
    """Bounds on this grant's use; absent: none."""

    max_per_call_bps: int | None = None
    """Basis points of the tenant budget per call."""
    max_per_hour: int | None = None
    """Calls per hour."""
    max_tokens: int | None = None
    """Hard token ceiling per call."""
    weekly_budget_usd: str | None = None
    """Decimal USD per ISO week."""


class ProposeOutputBodyRateLimits(Output):
    """Bounds on all calls of a party together."""

    per_hour: int | None = None
    """Calls of one party in an hour, all grants together; absent: no limit."""
    per_day: int | None = None
    """Calls of one party in a UTC day, all grants together; absent: no limit."""


class ProposeOutputBodySettlement(Output):
    """How payments between the parties are settled."""

    rail: str
    """How payments move; internal is the ledger of this engine."""
    currency: str
    """Asset in which the parties settle."""
    clearing_fee_bps: int
    """Basis points of the settled amount."""


class ProposeOutputBodyDisputeResolution(Output):
    """Where disputes are heard."""

    via: str
    """Protocol that hears disputes."""
    venue: str
    """Tenant or DID where disputes are heard."""


class ProposeAmendmentInput(Input):
    """Propose new terms for an existing treaty."""

    treaty_id: str
    """Any treaty of the line; its newest version in force is amended."""
    changes: ProposeAmendmentChanges
    """New terms; what is absent stays as it is."""
    reason: str
    """Why, for the other party; visible to both."""


class ProposeAmendmentChanges(Input):
    """New terms; what is absent stays as it is."""

    capability_schedule: List[ProposeAmendmentChangesCapabilitySchedule] | None = None
    """Replaces all grants."""
    rate_limits: ProposeAmendmentChangesRateLimits | None = None
    """Replaces all rate limits."""
    settlement_terms: ProposeAmendmentChangesSettlementTerms | None = None
    """Replaces the fields it names."""
    dispute_clause: ProposeAmendmentChangesDisputeClause | None = None
    """Replaces where disputes are heard."""
    expires_at: str | None = None
    """New end; at most five years ahead."""


class ProposeAmendmentChangesCapabilitySchedule(Input):
    """A part of the above."""

    capability: str
    """Capability that the treaty grants, or svc.<protocol>.* for a whole protocol."""
    caveats: List[str] | None = None
    """Conditions such as time:09-17 or jurisdiction:DE; each must hold for a call."""
    granted_to: Literal["counterparty", "proposer", "both"]
    """Who may call the other with it; always stated, since it opens one side to the other."""
    limits: ProposeAmendmentChangesCapabilityScheduleLimits | None = None
    """Bounds on this grant's use; absent: none."""


class ProposeAmendmentChangesCapabilityScheduleLimits(Input):
    """Bounds on this grant's use; absent: none."""

    max_per_call_bps: int | None = None
    """Basis points of the tenant budget per call."""
    max_per_hour: int | None = None
    """Calls per hour."""
    max_tokens: int | None = None
    """Hard token ceiling per call."""
    weekly_budget_usd: str | None = None
    """Decimal USD per ISO week."""


class ProposeAmendmentChangesRateLimits(Input):
    """Replaces all rate limits."""

    per_hour: int | None = None
    """Calls of one party in an hour, all grants together; absent: no limit."""
    per_day: int | None = None
    """Calls of one party in a UTC day, all grants together; absent: no limit."""


class ProposeAmendmentChangesSettlementTerms(Input):
    """Replaces the fields it names."""

    rail: str | None = None
    """How payments move; internal is the ledger of this engine. Default `"internal"`."""
    currency: str | None = None
    """Asset in which the parties settle. Default `"usd"`."""
    clearing_fee_bps: int | None = None
    """Share of each settlement; default: the tier's."""


class ProposeAmendmentChangesDisputeClause(Input):
    """Replaces where disputes are heard."""

    via: Literal["MOOT"]
    """Protocol that hears disputes."""
    venue: str
    """Where disputes are heard: a tenant, or one of its DIDs."""


class ProposeAmendmentOutput(Output):
    """Answer of MOAT propose_amendment."""

    amendment_id: str
    """Hash of the new terms; sign it with sign_amendment."""
    parent: str
    """Treaty it would replace."""
    diff: List[ProposeAmendmentOutputDiff]
    """What changes, as JSON Patch."""
    widening: bool
    """Signing it needs a charter-level verdict."""
    state: Literal["PROPOSED", "PARTIALLY_SIGNED", "SIGNED", "ACTIVE", "SUSPENDED", "EXPIRED", "TERMINATED", "SUPERSEDED", "WITHDRAWN", "LAPSED"] | str
    """Only ACTIVE grants calls. LAPSED: not signed in time. WITHDRAWN: ended unsigned. SUPERSEDED: by an amendment."""


class ProposeAmendmentOutputDiff(Output):
    """A part of the above."""

    op: Literal["add", "remove", "replace"] | str
    """JSON Patch operation."""
    path: str
    """JSON Pointer into the body of the parent."""
    value: Any = None
    """New value; absent for remove."""


class SignInput(Input):
    """Sign a proposed treaty for your organization."""

    treaty_id: str
    """Treaty to sign."""
    signature: str | None = None
    """Of the text to sign; absent: the engine signs if it keeps your key."""
    timestamp: str | None = None
    """The one in the text you signed; needed with signature."""
    public_key: str | None = None
    """Key that made the signature; needed unless the engine keeps it."""
    authority: str | None = None
    """Verdict of your charter; absent: a fitting unused one is taken."""


class SignOutput(Output):
    """Answer of MOAT sign."""

    treaty_id: str
    """Hash of the terms that were signed."""
    state: Literal["PROPOSED", "PARTIALLY_SIGNED", "SIGNED", "ACTIVE", "SUSPENDED", "EXPIRED", "TERMINATED", "SUPERSEDED", "WITHDRAWN", "LAPSED"] | str
    """Only ACTIVE grants calls. LAPSED: not signed in time. WITHDRAWN: ended unsigned. SUPERSEDED: by an amendment."""
    signatures: List[SignOutputSignature]
    """Those given so far."""
    missing: List[str]
    """Organizations that have yet to sign."""
    active_from: str | None = None
    """When calls are allowed from; absent until both have signed."""


class SignOutputSignature(Output):
    """A part of the above."""

    tenant: str
    """Organization that is bound."""
    signed_by: str
    """DID that signed."""
    timestamp: str
    """When it was signed; part of the signed text."""
    public_key: str
    """Key that verifies the signature."""
    signature: str
    """Signature over the treaty, base64url."""
    method: Literal["own", "custodial"] | str
    """Own: signed by the signer's key. Custodial: by the engine, which keeps the key."""


class SignAmendmentInput(Input):
    """Sign an amendment for your organization."""

    amendment_id: str
    """Amendment to sign."""
    signature: str | None = None
    """Of the text to sign; absent: the engine signs if it keeps your key."""
    timestamp: str | None = None
    """The one in the text you signed; needed with signature."""
    public_key: str | None = None
    """Key that made the signature; needed unless the engine keeps it."""
    authority: str | None = None
    """Verdict of your charter; absent: a fitting unused one is taken."""


class SignAmendmentOutput(Output):
    """Answer of MOAT sign_amendment."""

    treaty_id: str
    """Hash of the terms that were signed."""
    state: Literal["PROPOSED", "PARTIALLY_SIGNED", "SIGNED", "ACTIVE", "SUSPENDED", "EXPIRED", "TERMINATED", "SUPERSEDED", "WITHDRAWN", "LAPSED"] | str
    """Only ACTIVE grants calls. LAPSED: not signed in time. WITHDRAWN: ended unsigned. SUPERSEDED: by an amendment."""
    signatures: List[SignAmendmentOutputSignature]
    """Those given so far."""
    missing: List[str]
    """Organizations that have yet to sign."""
    active_from: str | None = None
    """When calls are allowed from; absent until both have signed."""


class SignAmendmentOutputSignature(Output):
    """A part of the above."""

    tenant: str
    """Organization that is bound."""
    signed_by: str
    """DID that signed."""
    timestamp: str
    """When it was signed; part of the signed text."""
    public_key: str
    """Key that verifies the signature."""
    signature: str
    """Signature over the treaty, base64url."""
    method: Literal["own", "custodial"] | str
    """Own: signed by the signer's key. Custodial: by the engine, which keeps the key."""


class TerminateInput(Input):
    """Terminate a treaty unilaterally, at any time."""

    treaty_id: str
    """Any treaty of the line ends its version in force; an unsigned one is withdrawn."""
    reason: str
    """Why; visible to your organization only."""


class TerminateOutput(Output):
    """Answer of MOAT terminate."""

    treaty_id: str
    """The version that ended."""
    state: Literal["PROPOSED", "PARTIALLY_SIGNED", "SIGNED", "ACTIVE", "SUSPENDED", "EXPIRED", "TERMINATED", "SUPERSEDED", "WITHDRAWN", "LAPSED"] | str
    """Only ACTIVE grants calls. LAPSED: not signed in time. WITHDRAWN: ended unsigned. SUPERSEDED: by an amendment."""
    terminated_at: str
    """When it ended; the first time if it had ended already."""
    open_obligations: List[str]
    """Contracts under the treaty that remain due."""


class Moat(Operations):
    """Treaties: the only way one organization may call another."""

    protocol = "MOAT"

    def compliance_query(
        self,
        *,
        party_a: str,
        party_b: str,
        capability: str,
        at: str | None = None,
    ) -> ComplianceQueryOutput:
        """Ask whether an active treaty lets one party use a capability of another. A read: retried."""
        return self._call("compliance_query", ComplianceQueryInput, ComplianceQueryOutput, {
            "party_a": party_a,
            "party_b": party_b,
            "capability": capability,
            "at": at,
        })

    def enforce(
        self,
        *,
        treaty_id: str,
        period: EnforcePeriod,
        measure: Literal["report", "suspend", "resume", "claim"] | None = None,
        finding_ids: List[str] | None = None,
        reason: str | None = None,
    ) -> EnforceOutput:
        """Check whether the other party complied with a treaty, then report, suspend, resume or claim. A write: never retried."""
        return self._call("enforce", EnforceInput, EnforceOutput, {
            "treaty_id": treaty_id,
            "period": period,
            "measure": measure,
            "finding_ids": finding_ids,
            "reason": reason,
        })

    def list(
        self,
        *,
        treaty_id: str | None = None,
        state: Literal["PROPOSED", "PARTIALLY_SIGNED", "SIGNED", "ACTIVE", "SUSPENDED", "EXPIRED", "TERMINATED", "SUPERSEDED", "WITHDRAWN", "LAPSED"] | None = None,
        kind: Literal["treaty", "amendment"] | None = None,
        partner: str | None = None,
        include_detail: bool | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List the treaties and amendments of your organization, or read one in full. A read: retried."""
        return self._call("list", ListInput, ListOutput, {
            "treaty_id": treaty_id,
            "state": state,
            "kind": kind,
            "partner": partner,
            "include_detail": include_detail,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    def propose(
        self,
        *,
        counterparty_did: str,
        capability_schedule: List[ProposeCapabilitySchedule],
        rate_limits: ProposeRateLimits | None = None,
        settlement_terms: ProposeSettlementTerms | None = None,
        dispute_clause: ProposeDisputeClause | None = None,
        expires_at: str,
        effective_from: str | None = None,
    ) -> ProposeOutput:
        """Propose a treaty to another organization. A write: never retried."""
        return self._call("propose", ProposeInput, ProposeOutput, {
            "counterparty_did": counterparty_did,
            "capability_schedule": capability_schedule,
            "rate_limits": rate_limits,
            "settlement_terms": settlement_terms,
            "dispute_clause": dispute_clause,
            "expires_at": expires_at,
            "effective_from": effective_from,
        })

    def propose_amendment(
        self,
        *,
        treaty_id: str,
        changes: ProposeAmendmentChanges,
        reason: str,
    ) -> ProposeAmendmentOutput:
        """Propose new terms for an existing treaty. A write: never retried."""
        return self._call("propose_amendment", ProposeAmendmentInput, ProposeAmendmentOutput, {
            "treaty_id": treaty_id,
            "changes": changes,
            "reason": reason,
        })

    def sign(
        self,
        *,
        treaty_id: str,
        signature: str | None = None,
        timestamp: str | None = None,
        public_key: str | None = None,
        authority: str | None = None,
    ) -> SignOutput:
        """Sign a proposed treaty for your organization. A write: never retried."""
        return self._call("sign", SignInput, SignOutput, {
            "treaty_id": treaty_id,
            "signature": signature,
            "timestamp": timestamp,
            "public_key": public_key,
            "authority": authority,
        })

    def sign_amendment(
        self,
        *,
        amendment_id: str,
        signature: str | None = None,
        timestamp: str | None = None,
        public_key: str | None = None,
        authority: str | None = None,
    ) -> SignAmendmentOutput:
        """Sign an amendment for your organization. A write: never retried."""
        return self._call("sign_amendment", SignAmendmentInput, SignAmendmentOutput, {
            "amendment_id": amendment_id,
            "signature": signature,
            "timestamp": timestamp,
            "public_key": public_key,
            "authority": authority,
        })

    def terminate(
        self,
        *,
        treaty_id: str,
        reason: str,
    ) -> TerminateOutput:
        """Terminate a treaty unilaterally, at any time. A write: never retried."""
        return self._call("terminate", TerminateInput, TerminateOutput, {
            "treaty_id": treaty_id,
            "reason": reason,
        })


class AsyncMoat(AsyncOperations):
    """Treaties: the only way one organization may call another."""

    protocol = "MOAT"

    async def compliance_query(
        self,
        *,
        party_a: str,
        party_b: str,
        capability: str,
        at: str | None = None,
    ) -> ComplianceQueryOutput:
        """Ask whether an active treaty lets one party use a capability of another. A read: retried."""
        return await self._call("compliance_query", ComplianceQueryInput, ComplianceQueryOutput, {
            "party_a": party_a,
            "party_b": party_b,
            "capability": capability,
            "at": at,
        })

    async def enforce(
        self,
        *,
        treaty_id: str,
        period: EnforcePeriod,
        measure: Literal["report", "suspend", "resume", "claim"] | None = None,
        finding_ids: List[str] | None = None,
        reason: str | None = None,
    ) -> EnforceOutput:
        """Check whether the other party complied with a treaty, then report, suspend, resume or claim. A write: never retried."""
        return await self._call("enforce", EnforceInput, EnforceOutput, {
            "treaty_id": treaty_id,
            "period": period,
            "measure": measure,
            "finding_ids": finding_ids,
            "reason": reason,
        })

    async def list(
        self,
        *,
        treaty_id: str | None = None,
        state: Literal["PROPOSED", "PARTIALLY_SIGNED", "SIGNED", "ACTIVE", "SUSPENDED", "EXPIRED", "TERMINATED", "SUPERSEDED", "WITHDRAWN", "LAPSED"] | None = None,
        kind: Literal["treaty", "amendment"] | None = None,
        partner: str | None = None,
        include_detail: bool | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List the treaties and amendments of your organization, or read one in full. A read: retried."""
        return await self._call("list", ListInput, ListOutput, {
            "treaty_id": treaty_id,
            "state": state,
            "kind": kind,
            "partner": partner,
            "include_detail": include_detail,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    async def propose(
        self,
        *,
        counterparty_did: str,
        capability_schedule: List[ProposeCapabilitySchedule],
        rate_limits: ProposeRateLimits | None = None,
        settlement_terms: ProposeSettlementTerms | None = None,
        dispute_clause: ProposeDisputeClause | None = None,
        expires_at: str,
        effective_from: str | None = None,
    ) -> ProposeOutput:
        """Propose a treaty to another organization. A write: never retried."""
        return await self._call("propose", ProposeInput, ProposeOutput, {
            "counterparty_did": counterparty_did,
            "capability_schedule": capability_schedule,
            "rate_limits": rate_limits,
            "settlement_terms": settlement_terms,
            "dispute_clause": dispute_clause,
            "expires_at": expires_at,
            "effective_from": effective_from,
        })

    async def propose_amendment(
        self,
        *,
        treaty_id: str,
        changes: ProposeAmendmentChanges,
        reason: str,
    ) -> ProposeAmendmentOutput:
        """Propose new terms for an existing treaty. A write: never retried."""
        return await self._call("propose_amendment", ProposeAmendmentInput, ProposeAmendmentOutput, {
            "treaty_id": treaty_id,
            "changes": changes,
            "reason": reason,
        })

    async def sign(
        self,
        *,
        treaty_id: str,
        signature: str | None = None,
        timestamp: str | None = None,
        public_key: str | None = None,
        authority: str | None = None,
    ) -> SignOutput:
        """Sign a proposed treaty for your organization. A write: never retried."""
        return await self._call("sign", SignInput, SignOutput, {
            "treaty_id": treaty_id,
            "signature": signature,
            "timestamp": timestamp,
            "public_key": public_key,
            "authority": authority,
        })

    async def sign_amendment(
        self,
        *,
        amendment_id: str,
        signature: str | None = None,
        timestamp: str | None = None,
        public_key: str | None = None,
        authority: str | None = None,
    ) -> SignAmendmentOutput:
        """Sign an amendment for your organization. A write: never retried."""
        return await self._call("sign_amendment", SignAmendmentInput, SignAmendmentOutput, {
            "amendment_id": amendment_id,
            "signature": signature,
            "timestamp": timestamp,
            "public_key": public_key,
            "authority": authority,
        })

    async def terminate(
        self,
        *,
        treaty_id: str,
        reason: str,
    ) -> TerminateOutput:
        """Terminate a treaty unilaterally, at any time. A write: never retried."""
        return await self._call("terminate", TerminateInput, TerminateOutput, {
            "treaty_id": treaty_id,
            "reason": reason,
        })
