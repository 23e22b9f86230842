# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MOOT v1.0.0. Disputes between agents and organizations, decided by replaying the audit logs of both."""

from __future__ import annotations

from typing import Dict, List, Literal

from pydantic import Field

from ..models import Input, Output
from ..operations import AsyncOperations, Operations


class FileInput(Input):
    """File a case, or appeal a ruling."""

    respondent_did: str
    """Who the claim is against; in an appeal, the other party."""
    claim: str
    """What happened and what you claim."""
    evidence: List[str]
    """References to records, contracts, treaties or verdicts that you may read; at least one must verify."""
    requested_remedy: FileRequestedRemedy
    """What the court should order."""
    treaty_id: str | None = None
    """Treaty at issue; its dispute clause decides the venue."""
    venue: str | None = None
    """A tenant or DID; must be the agreed venue."""
    appeal_of: str | None = None
    """Case whose ruling you appeal."""


class FileRequestedRemedy(Input):
    """What the court should order."""

    kind: Literal["declaratory", "restore_capability", "specific_performance", "reverse_settlement", "terminate_treaty", "pay"]
    """declaratory: only state who is right. specific_performance: force payment under the contract."""
    amount_usd: str | float | None = None
    """Amount to pay; needed for pay."""
    target: str | None = None
    """What it applies to: made://contract/<id> or moat://<treaty_id>."""


class FileOutput(Output):
    """Answer of MOOT file."""

    case_id: str
    """Names the case in the other MOOT operations."""
    state: Literal["FILED", "PLEADED", "DEFAULTED", "HEARD", "RULED", "APPEALED", "REMEDIED", "CLOSED", "SETTLED", "WITHDRAWN", "DISMISSED"] | str
    """DEFAULTED: not answered in time. REMEDIED: remedy executed. CLOSED: nothing to execute. DISMISSED: no valid evidence."""
    venue: str
    """Organization where the case is heard."""
    panel: List[str]
    """Arbiters; empty until they are drawn, moments after the filing."""
    fee_usd: str
    """You owe it to the other side if the case is lost and the panel finds it frivolous, in US dollars."""
    plead_by: str
    """The other side answers by then; counted again from the day it was served."""
    evidence_check: List[FileOutputEvidenceCheck]
    """What verifying the evidence showed."""


class FileOutputEvidenceCheck(Output):
    """A part of the above."""

    ref: str
    """The evidence."""
    found: bool
    """Whether it exists and the court may read it."""
    hash_ok: bool
    """Whether its content matches its hash."""
    signature_ok: bool
    """Whether it is signed by who should have signed it."""


class HearInput(Input):
    """Replay and verify both parties' records of the disputed requests, side by side."""

    case_id: str
    """Case to hear."""
    scope: HearScope | None = None
    """Only records of this time; absent: all of the disputed requests."""


class HearScope(Input):
    """Only records of this time; absent: all of the disputed requests."""

    from_: str | None = Field(default=None, validation_alias="from", serialization_alias="from")
    """Only records from this time on."""
    to: str | None = None
    """Only records before this time."""


class HearOutput(Output):
    """Answer of MOOT hear."""

    hearing_id: str
    """Hash of this report."""
    state: Literal["FILED", "PLEADED", "DEFAULTED", "HEARD", "RULED", "APPEALED", "REMEDIED", "CLOSED", "SETTLED", "WITHDRAWN", "DISMISSED"] | str
    """DEFAULTED: not answered in time. REMEDIED: remedy executed. CLOSED: nothing to execute. DISMISSED: no valid evidence."""
    timeline: List[HearOutputTimeline]
    """Records of both parties, in order of time."""
    chain_verified: Dict[str, bool]
    """For each organization, whether its records verified."""
    heads: Dict[str, HearOutputHead]
    """For each organization, the newest record when it was read."""
    findings: List[HearOutputFinding]
    """What the records show, such as a call that only one side recorded."""
    evidence_check: List[HearOutputEvidenceCheck]
    """What verifying all evidence again showed."""
    unproven: List[str]
    """Evidence that did not verify."""


class HearOutputTimeline(Output):
    """A part of the above."""

    at: str
    """When it was recorded."""
    tenant: str
    """Organization whose audit log holds it."""
    record_hash: str
    """Hash of the record."""
    event_type: str
    """What happened, as the audit log names it."""
    protocol: str | None = None
    """Protocol of the call."""
    operation: str | None = None
    """Operation of the call."""
    outcome: str
    """How it ended: success, refused or error."""
    party: Literal["claimant", "respondent"] | str | None = None
    """Side that called; absent if it was neither."""


class HearOutputHead(Output):
    """A part of the above."""

    seq: int
    """Number of the record."""
    hash: str
    """Hash of the record."""


class HearOutputFinding(Output):
    """A part of the above."""

    fact: str
    """What was found, in words."""
    supported_by: List[str]
    """References that show it."""
    contradicted_by: List[str]
    """References that speak against it."""


class HearOutputEvidenceCheck(Output):
    """A part of the above."""

    ref: str
    """The evidence."""
    found: bool
    """Whether it exists and the court may read it."""
    hash_ok: bool
    """Whether its content matches its hash."""
    signature_ok: bool
    """Whether it is signed by who should have signed it."""


class ListInput(Input):
    """List the cases in which your organization is a party or the venue, or read one with its documents."""

    case_id: str | None = None
    """Only this case."""
    state: Literal["FILED", "PLEADED", "DEFAULTED", "HEARD", "RULED", "APPEALED", "REMEDIED", "CLOSED", "SETTLED", "WITHDRAWN", "DISMISSED"] | None = None
    """Only cases in this state now."""
    role: Literal["claimant", "respondent", "venue"] | None = None
    """Only cases in which your organization has this part."""
    include_detail: bool | None = None
    """Only with case_id. Default `false`."""
    since: str | None = None
    """Only entries from this time on, RFC 3339 in UTC."""
    limit: int | None = None
    """Entries per page. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class ListOutput(Output):
    """Answer of MOOT list."""

    items: List[ListOutputItem]
    """Cases of your organization, newest first."""
    next_cursor: str | None = None
    """There may be more entries, even after a page that is not full."""


class ListOutputItem(Output):
    """A part of the above."""

    case_id: str
    """Names the case in the other MOOT operations."""
    state: Literal["FILED", "PLEADED", "DEFAULTED", "HEARD", "RULED", "APPEALED", "REMEDIED", "CLOSED", "SETTLED", "WITHDRAWN", "DISMISSED"] | str
    """DEFAULTED: not answered in time. REMEDIED: remedy executed. CLOSED: nothing to execute. DISMISSED: no valid evidence."""
    roles: List[Literal["claimant", "respondent", "venue"] | str]
    """Parts of your organization."""
    claimant: ListOutputItemClaimant
    """Who claims."""
    respondent: ListOutputItemClaimant
    """Who the claim is against."""
    filed_by: Literal["claimant", "respondent"] | str
    """Side that filed; the respondent may file an appeal."""
    venue: str
    """Organization where the case is heard."""
    panel: List[str]
    """Arbiters."""
    requested_remedy: ListOutputItemRequestedRemedy
    """What the court should order."""
    treaty_id: str | None = None
    """Treaty at issue; absent: none."""
    filed_at: str
    """When it was filed."""
    plead_by: str
    """The respondent answers by then, or the case goes on without."""
    answered_at: str | None = None
    """When the respondent answered; absent: not yet."""
    rule_by: str | None = None
    """Arbiters vote until then; absent before a hearing."""
    appeal_until: str | None = None
    """An appeal may be filed until then."""
    closed_at: str | None = None
    """When it ended."""
    appeal_of: str | None = None
    """Case whose ruling this one appeals."""
    appealed_by: str | None = None
    """Case that appeals this one's ruling."""
    ruling: ListOutputItemRuling | None = None
    """The decision; absent before it."""
    detail: ListOutputItemDetail | None = None
    """Papers and hearings; with include_detail."""


class ListOutputItemClaimant(Output):
    """Who claims."""

    tenant_id: str
    """Organization of the party."""
    did: str
    """DID of the party."""


class ListOutputItemRequestedRemedy(Output):
    """What the court should order."""

    kind: Literal["declaratory", "restore_capability", "specific_performance", "reverse_settlement", "terminate_treaty", "pay"] | str
    """declaratory: only state who is right. specific_performance: force payment under the contract."""
    amount_usd: str | None = None
    """Amount to pay, in US dollars with six decimal places."""
    amount_micro_usd: str | None = None
    """Amount to pay, in whole millionths of a US dollar."""
    target: str | None = None
    """What it applies to: a contract or a treaty."""


class ListOutputItemRuling(Output):
    """The decision; absent before it."""

    ruling_id: str
    """Hash of the ruling."""
    ref: str
    """Reference to cite."""
    finding: Literal["no_jurisdiction", "for_respondent", "split", "for_claimant", "no_majority", "by_consent"] | str
    """Who is right; by_consent: both agreed; no_majority: the arbiters did not."""
    in_favour_of: Literal["claimant", "respondent"] | str
    """Side that the remedy favours."""
    remedy: ListOutputItemRequestedRemedy | None = None
    """What is ordered; absent: nothing."""
    remedy_state: Literal["PENDING", "EXECUTED", "IMPOSSIBLE", "SUPERSEDED"] | str | None = None
    """PENDING until no appeal is possible; SUPERSEDED: an appeal or agreement replaced it."""
    dissent: int
    """Number of outvoted arbiters."""
    ruled_at: str
    """When it was decided."""
    registered: str | None = None
    """Its entry in the registry."""


class ListOutputItemDetail(Output):
    """Papers and hearings; with include_detail."""

    docket: ListOutputItemDetailDocket
    """All papers of the case."""
    hearings: List[ListOutputItemDetailHearing]
    """Newest first."""


class ListOutputItemDetailDocket(Output):
    """All papers of the case."""

    claimant_did: str
    """Who claims."""
    respondent_did: str
    """Who the claim is against."""
    venue: str
    """Organization where the case is heard."""
    panel: List[str]
    """Arbiters; empty until they are drawn."""
    claim: str
    """What is claimed."""
    requested_remedy: ListOutputItemRequestedRemedy
    """What the court should order."""
    evidence_check: List[ListOutputItemDetailDocketEvidenceCheck]
    """What verifying the evidence showed."""
    plead_by: str
    """The other side answers by then, or the case goes on without."""
    served_at: str | None = None
    """When the other side was served; until then there is no default."""
    fee_usd: str
    """Owed by who filed if the case is lost and found frivolous, in US dollars."""
    draw: ListOutputItemDetailDocketDraw | None = None
    """How the panel is drawn; absent for cases of older releases."""
    pleadings: List[ListOutputItemDetailDocketPleading]
    """Pleadings in the order they were made."""
    ruling: ListOutputItemDetailDocketRuling | None = None
    """The decision; absent before it."""


class ListOutputItemDetailDocketEvidenceCheck(Output):
    """A part of the above."""

    ref: str
    """The evidence."""
    found: bool
    """Whether it exists and the court may read it."""
    hash_ok: bool
    """Whether its content matches its hash."""
    signature_ok: bool
    """Whether it is signed by who should have signed it."""


class ListOutputItemDetailDocketDraw(Output):
    """How the panel is drawn; absent for cases of older releases."""

    seats: int
    """Size of the panel."""
    eligible: List[ListOutputItemDetailDocketDrawEligible]
    """All who may sit, as on filing, by DID."""
    eligible_hash: str
    """Hash of {case_id, seats, eligible, follows}; stands in the record of the filing."""
    follows: str | None = None
    """Earlier case whose order comes first; absent: none."""
    filing: str
    """Correlation id of that record in the venue's audit log."""
    checkpoint: str | None = None
    """The first signed checkpoint of the venue's audit log that covers the record, as a note; absent until it is drawn."""
    order: List[str] | None = None
    """Order of the draw: the first sit. Absent until it is drawn."""


class ListOutputItemDetailDocketDrawEligible(Output):
    """A part of the above."""

    did: str
    """Arbiter who may sit."""
    root_did: str
    """Its root; of each root at most one sits."""


class ListOutputItemDetailDocketPleading(Output):
    """A part of the above."""

    side: Literal["claimant", "respondent"] | str
    """Side that pleaded."""
    by: str
    """DID that pleaded."""
    plea: Literal["deny", "admit", "counterclaim", "settle", "withdraw"] | str
    """What it pleaded."""
    argument: str
    """Its reasons."""
    evidence: List[ListOutputItemDetailDocketEvidenceCheck]
    """What verifying its evidence showed."""
    counterclaim: ListOutputItemDetailDocketPleadingCounterclaim | None = None
    """Its own claim."""
    settlement: ListOutputItemRequestedRemedy | None = None
    """What it offers."""
    at: str
    """When it pleaded."""


class ListOutputItemDetailDocketPleadingCounterclaim(Output):
    """Its own claim."""

    claim: str
    """What it claims."""
    requested_remedy: ListOutputItemRequestedRemedy
    """What it asks the court to order."""


class ListOutputItemDetailDocketRuling(Output):
    """The decision; absent before it."""

    ruling_id: str
    """Hash of the ruling."""
    finding: Literal["no_jurisdiction", "for_respondent", "split", "for_claimant", "no_majority", "by_consent"] | str
    """Who is right; by_consent: both agreed; no_majority: the arbiters did not."""
    remedy: ListOutputItemRequestedRemedy | None = None
    """What is ordered; absent: nothing."""
    in_favour_of: Literal["claimant", "respondent"] | str
    """Side that the remedy favours."""
    frivolous: bool | None = None
    """Most of the panel found that it should not have been filed; absent: not so."""
    majority: List[ListOutputItemDetailDocketRulingMajority]
    """Arbiters who carried it, with reasons."""
    dissent: List[ListOutputItemDetailDocketRulingMajority]
    """Arbiters who were outvoted, with reasons."""
    registered: str | None = None
    """Its entry in the registry."""
    appeal_until: str | None = None
    """An appeal may be filed until then; the remedy waits."""


class ListOutputItemDetailDocketRulingMajority(Output):
    """A part of the above."""

    did: str
    """Arbiter."""
    finding: Literal["no_jurisdiction", "for_respondent", "split", "for_claimant"] | str
    """What this arbiter found."""
    remedy: ListOutputItemRequestedRemedy | None = None
    """What this arbiter would order; absent: nothing."""
    reasoning: str
    """Why."""


class ListOutputItemDetailHearing(Output):
    """A part of the above."""

    hearing_id: str
    """Hash of the hearing's report."""
    held_by: str
    """Arbiter who held it."""
    held_at: str
    """When it was held."""
    chain_verified: Dict[str, bool]
    """For each organization, whether its records verified."""
    findings: int
    """Number of findings."""
    unproven: int
    """Number of references that did not verify."""


class PleadInput(Input):
    """Answer a case, offer to settle it, withdraw it, or read its documents."""

    case_id: str
    """The case."""
    plea: Literal["deny", "admit", "counterclaim", "settle", "withdraw", "view"]
    """view changes nothing. settle ends the case once both offer the same. withdraw is for who filed it."""
    argument: str | None = None
    """Required for every plea except view."""
    evidence: List[str] | None = None
    """References to records, contracts, treaties or verdicts."""
    counterclaim: PleadCounterclaim | None = None
    """The respondent's own claim; with plea counterclaim."""
    settlement: PleadSettlement | None = None
    """Your offer; with plea settle."""


class PleadCounterclaim(Input):
    """The respondent's own claim; with plea counterclaim."""

    claim: str
    """What happened and what you claim."""
    requested_remedy: PleadCounterclaimRequestedRemedy
    """What the court should order."""


class PleadCounterclaimRequestedRemedy(Input):
    """What the court should order."""

    kind: Literal["declaratory", "restore_capability", "specific_performance", "reverse_settlement", "terminate_treaty", "pay"]
    """declaratory: only state who is right. specific_performance: force payment under the contract."""
    amount_usd: str | float | None = None
    """Amount to pay; needed for pay."""
    target: str | None = None
    """What it applies to: made://contract/<id> or moat://<treaty_id>."""


class PleadSettlement(Input):
    """Your offer; with plea settle."""

    kind: Literal["declaratory", "restore_capability", "specific_performance", "reverse_settlement", "terminate_treaty", "pay"]
    """declaratory: only state who is right. specific_performance: force payment under the contract."""
    amount_usd: str | float | None = None
    """Amount to pay; needed for pay."""


class PleadOutput(Output):
    """Answer of MOOT plead."""

    case_id: str
    """The case."""
    state: Literal["FILED", "PLEADED", "DEFAULTED", "HEARD", "RULED", "APPEALED", "REMEDIED", "CLOSED", "SETTLED", "WITHDRAWN", "DISMISSED"] | str
    """DEFAULTED: not answered in time. REMEDIED: remedy executed. CLOSED: nothing to execute. DISMISSED: no valid evidence."""
    pleadings_count: int
    """Pleadings of both sides so far."""
    hear_after: str | None = None
    """It can be heard from then on; absent once it was."""
    evidence_check: List[PleadOutputEvidenceCheck] | None = None
    """What verifying your evidence showed."""
    docket: PleadOutputDocket | None = None
    """All papers of the case; with view."""


class PleadOutputEvidenceCheck(Output):
    """A part of the above."""

    ref: str
    """The evidence."""
    found: bool
    """Whether it exists and the court may read it."""
    hash_ok: bool
    """Whether its content matches its hash."""
    signature_ok: bool
    """Whether it is signed by who should have signed it."""


class PleadOutputDocket(Output):
    """All papers of the case; with view."""

    claimant_did: str
    """Who claims."""
    respondent_did: str
    """Who the claim is against."""
    venue: str
    """Organization where the case is heard."""
    panel: List[str]
    """Arbiters; empty until they are drawn."""
    claim: str
    """What is claimed."""
    requested_remedy: PleadOutputDocketRequestedRemedy
    """What the court should order."""
    evidence_check: List[PleadOutputEvidenceCheck]
    """What verifying the evidence showed."""
    plead_by: str
    """The other side answers by then, or the case goes on without."""
    served_at: str | None = None
    """When the other side was served; until then there is no default."""
    fee_usd: str
    """Owed by who filed if the case is lost and found frivolous, in US dollars."""
    draw: PleadOutputDocketDraw | None = None
    """How the panel is drawn; absent for cases of older releases."""
    pleadings: List[PleadOutputDocketPleading]
    """Pleadings in the order they were made."""
    ruling: PleadOutputDocketRuling | None = None
    """The decision; absent before it."""


class PleadOutputDocketRequestedRemedy(Output):
    """What the court should order."""

    kind: Literal["declaratory", "restore_capability", "specific_performance", "reverse_settlement", "terminate_treaty", "pay"] | str
    """declaratory: only state who is right. specific_performance: force payment under the contract."""
    amount_usd: str | None = None
    """Amount to pay, in US dollars with six decimal places."""
    amount_micro_usd: str | None = None
    """Amount to pay, in whole millionths of a US dollar."""
    target: str | None = None
    """What it applies to: a contract or a treaty."""


class PleadOutputDocketDraw(Output):
    """How the panel is drawn; absent for cases of older releases."""

    seats: int
    """Size of the panel."""
    eligible: List[PleadOutputDocketDrawEligible]
    """All who may sit, as on filing, by DID."""
    eligible_hash: str
    """Hash of {case_id, seats, eligible, follows}; stands in the record of the filing."""
    follows: str | None = None
    """Earlier case whose order comes first; absent: none."""
    filing: str
    """Correlation id of that record in the venue's audit log."""
    checkpoint: str | None = None
    """The first signed checkpoint of the venue's audit log that covers the record, as a note; absent until it is drawn."""
    order: List[str] | None = None
    """Order of the draw: the first sit. Absent until it is drawn."""


class PleadOutputDocketDrawEligible(Output):
    """A part of the above."""

    did: str
    """Arbiter who may sit."""
    root_did: str
    """Its root; of each root at most one sits."""


class PleadOutputDocketPleading(Output):
    """A part of the above."""

    side: Literal["claimant", "respondent"] | str
    """Side that pleaded."""
    by: str
    """DID that pleaded."""
    plea: Literal["deny", "admit", "counterclaim", "settle", "withdraw"] | str
    """What it pleaded."""
    argument: str
    """Its reasons."""
    evidence: List[PleadOutputEvidenceCheck]
    """What verifying its evidence showed."""
    counterclaim: PleadOutputDocketPleadingCounterclaim | None = None
    """Its own claim."""
    settlement: PleadOutputDocketRequestedRemedy | None = None
    """What it offers."""
    at: str
    """When it pleaded."""


class PleadOutputDocketPleadingCounterclaim(Output):
    """Its own claim."""

    claim: str
    """What it claims."""
    requested_remedy: PleadOutputDocketRequestedRemedy
    """What it asks the court to order."""


class PleadOutputDocketRuling(Output):
    """The decision; absent before it."""

    ruling_id: str
    """Hash of the ruling."""
    finding: Literal["no_jurisdiction", "for_respondent", "split", "for_claimant", "no_majority", "by_consent"] | str
    """Who is right; by_consent: both agreed; no_majority: the arbiters did not."""
    remedy: PleadOutputDocketRequestedRemedy | None = None
    """What is ordered; absent: nothing."""
    in_favour_of: Literal["claimant", "respondent"] | str
    """Side that the remedy favours."""
    frivolous: bool | None = None
    """Most of the panel found that it should not have been filed; absent: not so."""
    majority: List[PleadOutputDocketRulingMajority]
    """Arbiters who carried it, with reasons."""
    dissent: List[PleadOutputDocketRulingMajority]
    """Arbiters who were outvoted, with reasons."""
    registered: str | None = None
    """Its entry in the registry."""
    appeal_until: str | None = None
    """An appeal may be filed until then; the remedy waits."""


class PleadOutputDocketRulingMajority(Output):
    """A part of the above."""

    did: str
    """Arbiter."""
    finding: Literal["no_jurisdiction", "for_respondent", "split", "for_claimant"] | str
    """What this arbiter found."""
    remedy: PleadOutputDocketRequestedRemedy | None = None
    """What this arbiter would order; absent: nothing."""
    reasoning: str
    """Why."""


class RuleInput(Input):
    """Vote on a case as one of its arbiters, with reasons."""

    case_id: str
    """Case to decide."""
    finding: Literal["no_jurisdiction", "for_respondent", "split", "for_claimant"]
    """Who is right; no_jurisdiction: this court may not decide it."""
    reasoning: str
    """Why; published with the ruling, also if outvoted."""
    remedy: RuleRemedy | None = None
    """What to order, at most what was requested; needed if the claimant is right, even in part."""
    frivolous: bool | None = None
    """Whether it should not have been filed; if most of the panel say so, who filed it owes the fee. Only if it is lost. Default `false`."""
    signature: str | None = None
    """Of the vote; absent: the engine signs if it keeps your key."""
    public_key: str | None = None
    """Key that made the signature; needed unless the engine keeps it."""


class RuleRemedy(Input):
    """What to order, at most what was requested; needed if the claimant is right, even in part."""

    kind: Literal["declaratory", "restore_capability", "specific_performance", "reverse_settlement", "terminate_treaty", "pay"]
    """declaratory: only state who is right. specific_performance: force payment under the contract."""
    amount_usd: str | float | None = None
    """Amount to pay; needed for pay."""
    target: str | None = None
    """What it applies to: made://contract/<id> or moat://<treaty_id>."""


class RuleOutput(Output):
    """Answer of MOOT rule."""

    case_id: str
    """The case."""
    state: Literal["FILED", "PLEADED", "DEFAULTED", "HEARD", "RULED", "APPEALED", "REMEDIED", "CLOSED", "SETTLED", "WITHDRAWN", "DISMISSED"] | str
    """DEFAULTED: not answered in time. REMEDIED: remedy executed. CLOSED: nothing to execute. DISMISSED: no valid evidence."""
    votes_in: int
    """Arbiters who have voted."""
    votes_needed: int
    """Arbiters on the panel."""
    ruling: RuleOutputRuling | None = None
    """The decision; absent until the votes suffice."""


class RuleOutputRuling(Output):
    """The decision; absent until the votes suffice."""

    ruling_id: str
    """Hash of the ruling."""
    finding: Literal["no_jurisdiction", "for_respondent", "split", "for_claimant", "no_majority", "by_consent"] | str
    """Who is right; by_consent: both agreed; no_majority: the arbiters did not."""
    remedy: RuleOutputRulingRemedy | None = None
    """What is ordered; absent: nothing."""
    in_favour_of: Literal["claimant", "respondent"] | str
    """Side that the remedy favours."""
    frivolous: bool | None = None
    """Most of the panel found that it should not have been filed; absent: not so."""
    majority: List[RuleOutputRulingMajority]
    """Arbiters who carried it, with reasons."""
    dissent: List[RuleOutputRulingMajority]
    """Arbiters who were outvoted, with reasons."""
    registered: str | None = None
    """Its entry in the registry."""
    appeal_until: str | None = None
    """An appeal may be filed until then; the remedy waits."""


class RuleOutputRulingRemedy(Output):
    """What is ordered; absent: nothing."""

    kind: Literal["declaratory", "restore_capability", "specific_performance", "reverse_settlement", "terminate_treaty", "pay"] | str
    """declaratory: only state who is right. specific_performance: force payment under the contract."""
    amount_usd: str | None = None
    """Amount to pay, in US dollars with six decimal places."""
    amount_micro_usd: str | None = None
    """Amount to pay, in whole millionths of a US dollar."""
    target: str | None = None
    """What it applies to: a contract or a treaty."""


class RuleOutputRulingMajority(Output):
    """A part of the above."""

    did: str
    """Arbiter."""
    finding: Literal["no_jurisdiction", "for_respondent", "split", "for_claimant"] | str
    """What this arbiter found."""
    remedy: RuleOutputRulingRemedy | None = None
    """What this arbiter would order; absent: nothing."""
    reasoning: str
    """Why."""


class Moot(Operations):
    """Disputes between agents and organizations, decided by replaying the audit logs of both."""

    protocol = "MOOT"

    def file(
        self,
        *,
        respondent_did: str,
        claim: str,
        evidence: List[str],
        requested_remedy: FileRequestedRemedy,
        treaty_id: str | None = None,
        venue: str | None = None,
        appeal_of: str | None = None,
    ) -> FileOutput:
        """File a case, or appeal a ruling. A write: never retried."""
        return self._call("file", FileInput, FileOutput, {
            "respondent_did": respondent_did,
            "claim": claim,
            "evidence": evidence,
            "requested_remedy": requested_remedy,
            "treaty_id": treaty_id,
            "venue": venue,
            "appeal_of": appeal_of,
        })

    def hear(
        self,
        *,
        case_id: str,
        scope: HearScope | None = None,
    ) -> HearOutput:
        """Replay and verify both parties' records of the disputed requests, side by side. A write: never retried."""
        return self._call("hear", HearInput, HearOutput, {
            "case_id": case_id,
            "scope": scope,
        })

    def list(
        self,
        *,
        case_id: str | None = None,
        state: Literal["FILED", "PLEADED", "DEFAULTED", "HEARD", "RULED", "APPEALED", "REMEDIED", "CLOSED", "SETTLED", "WITHDRAWN", "DISMISSED"] | None = None,
        role: Literal["claimant", "respondent", "venue"] | None = None,
        include_detail: bool | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List the cases in which your organization is a party or the venue, or read one with its documents. A read: retried."""
        return self._call("list", ListInput, ListOutput, {
            "case_id": case_id,
            "state": state,
            "role": role,
            "include_detail": include_detail,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    def plead(
        self,
        *,
        case_id: str,
        plea: Literal["deny", "admit", "counterclaim", "settle", "withdraw", "view"],
        argument: str | None = None,
        evidence: List[str] | None = None,
        counterclaim: PleadCounterclaim | None = None,
        settlement: PleadSettlement | None = None,
    ) -> PleadOutput:
        """Answer a case, offer to settle it, withdraw it, or read its documents. A write: never retried."""
        return self._call("plead", PleadInput, PleadOutput, {
            "case_id": case_id,
            "plea": plea,
            "argument": argument,
            "evidence": evidence,
            "counterclaim": counterclaim,
            "settlement": settlement,
        })

    def rule(
        self,
        *,
        case_id: str,
        finding: Literal["no_jurisdiction", "for_respondent", "split", "for_claimant"],
        reasoning: str,
        remedy: RuleRemedy | None = None,
        frivolous: bool | None = None,
        signature: str | None = None,
        public_key: str | None = None,
    ) -> RuleOutput:
        """Vote on a case as one of its arbiters, with reasons. A write: never retried."""
        return self._call("rule", RuleInput, RuleOutput, {
            "case_id": case_id,
            "finding": finding,
            "reasoning": reasoning,
            "remedy": remedy,
            "frivolous": frivolous,
            "signature": signature,
            "public_key": public_key,
        })


class AsyncMoot(AsyncOperations):
    """Disputes between agents and organizations, decided by replaying the audit logs of both."""

    protocol = "MOOT"

    async def file(
        self,
        *,
        respondent_did: str,
        claim: str,
        evidence: List[str],
        requested_remedy: FileRequestedRemedy,
        treaty_id: str | None = None,
        venue: str | None = None,
        appeal_of: str | None = None,
    ) -> FileOutput:
        """File a case, or appeal a ruling. A write: never retried."""
        return await self._call("file", FileInput, FileOutput, {
            "respondent_did": respondent_did,
            "claim": claim,
            "evidence": evidence,
            "requested_remedy": requested_remedy,
            "treaty_id": treaty_id,
            "venue": venue,
            "appeal_of": appeal_of,
        })

    async def hear(
        self,
        *,
        case_id: str,
        scope: HearScope | None = None,
    ) -> HearOutput:
        """Replay and verify both parties' records of the disputed requests, side by side. A write: never retried."""
        return await self._call("hear", HearInput, HearOutput, {
            "case_id": case_id,
            "scope": scope,
        })

    async def list(
        self,
        *,
        case_id: str | None = None,
        state: Literal["FILED", "PLEADED", "DEFAULTED", "HEARD", "RULED", "APPEALED", "REMEDIED", "CLOSED", "SETTLED", "WITHDRAWN", "DISMISSED"] | None = None,
        role: Literal["claimant", "respondent", "venue"] | None = None,
        include_detail: bool | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List the cases in which your organization is a party or the venue, or read one with its documents. A read: retried."""
        return await self._call("list", ListInput, ListOutput, {
            "case_id": case_id,
            "state": state,
            "role": role,
            "include_detail": include_detail,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    async def plead(
        self,
        *,
        case_id: str,
        plea: Literal["deny", "admit", "counterclaim", "settle", "withdraw", "view"],
        argument: str | None = None,
        evidence: List[str] | None = None,
        counterclaim: PleadCounterclaim | None = None,
        settlement: PleadSettlement | None = None,
    ) -> PleadOutput:
        """Answer a case, offer to settle it, withdraw it, or read its documents. A write: never retried."""
        return await self._call("plead", PleadInput, PleadOutput, {
            "case_id": case_id,
            "plea": plea,
            "argument": argument,
            "evidence": evidence,
            "counterclaim": counterclaim,
            "settlement": settlement,
        })

    async def rule(
        self,
        *,
        case_id: str,
        finding: Literal["no_jurisdiction", "for_respondent", "split", "for_claimant"],
        reasoning: str,
        remedy: RuleRemedy | None = None,
        frivolous: bool | None = None,
        signature: str | None = None,
        public_key: str | None = None,
    ) -> RuleOutput:
        """Vote on a case as one of its arbiters, with reasons. A write: never retried."""
        return await self._call("rule", RuleInput, RuleOutput, {
            "case_id": case_id,
            "finding": finding,
            "reasoning": reasoning,
            "remedy": remedy,
            "frivolous": frivolous,
            "signature": signature,
            "public_key": public_key,
        })
