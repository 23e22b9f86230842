# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MAX v1.0.0. The record: every decision, allowed or refused, provable offline."""

from __future__ import annotations

from typing import Any, Dict, List, Literal

from pydantic import Field

from ..models import Input, Output, SecretOutput
from ..operations import AsyncOperations, Operations


class AuditLogEntryInput(Input):
    """Append a record of your own to your tenant's audit log and get its place in the chain."""

    event_type: str
    """Use custom.<name>; an unknown type is stored as Error, one of the service is refused."""
    outcome: Literal["success", "refused", "error"] | None = None
    """How what you record ended. Default success."""
    correlation_id: str | None = None
    """Request it belongs to; default this one."""
    protocol: str | None = None
    """Protocol the record is about."""
    operation: str | None = None
    """Operation the record is about."""
    meta: Dict[str, Any]
    """Your own data, up to 64 KiB; it cannot be changed or deleted later."""


class AuditLogEntryOutput(Output):
    """Answer of MAX audit_log_entry."""

    seq: int
    """Place of the record in the chain."""
    record_hash: str
    """Hash of the new record."""
    previous_hash: str
    """Hash of the record before it."""
    chain_head: str
    """Hash of the newest record of the log then."""
    stored_event_type: str
    """Event type it was stored under; Error where yours is unknown."""


class AuditQueryInput(Input):
    """Find records in your tenant's audit log, or in another's that both took part in, with proofs on request."""

    correlation_id: str | None = None
    """Only records of this request."""
    correlation_ids: List[str] | None = None
    """Only records of these requests."""
    include_inputs: bool | None = None
    """Also return retained inputs: of your own calls, or of all for charter members. Default `false`."""
    tenant_id: str | None = None
    """Whose log is read; default your own."""
    event_type: List[str] | None = None
    """Only records of one of these types."""
    protocol: str | None = None
    """Only calls of this protocol."""
    operation: str | None = None
    """Only calls of this operation."""
    outcome: Literal["success", "refused", "error"] | None = None
    """Only records with this outcome."""
    caller_did: str | None = None
    """Only calls of this identity."""
    from_: str | None = Field(default=None, validation_alias="from", serialization_alias="from")
    """Only records from this time on."""
    to: str | None = None
    """Only records before this time."""
    after_seq: int | None = None
    """Only records after this one, the oldest first."""
    before_seq: int | None = None
    """Only records before this one, the newest first."""
    limit: int | None = None
    """Records per page. Default `100`."""
    verify: bool | None = None
    """Recompute the hashes and signatures of the returned records. Default `false`."""
    proof_report: str | None = None
    """Adds a path from each record to the tree of this compliance report."""
    include_checkpoints: bool | None = None
    """Adds keys, and the notes signed at a record of the page. Default `false`."""
    include_proofs: bool | None = None
    """Adds a path from each record to a signed note. Default `false`."""


class AuditQueryOutput(Output):
    """Answer of MAX audit_query."""

    records: List[AuditQueryOutputRecord]
    """Matching records in order of seq."""
    inputs: Dict[str, Any] | None = None
    """Retained inputs by input_hash; only with include_inputs."""
    head: str
    """Hash of the newest record of the log."""
    next_after_seq: int | None = None
    """Pass it as after_seq for the next page; absent where no more follow."""
    next_before_seq: int | None = None
    """Pass it as before_seq for the next page; absent where no more follow."""
    verified: AuditQueryOutputVerified | None = None
    """Result of the check; with verify, and always for another tenant's log."""
    proofs: List[AuditQueryOutputProof] | None = None
    """Inclusion path of each record; with include_proofs or proof_report."""
    keys: List[AuditQueryOutputKey] | None = None
    """Public keys that signed the log; with include_checkpoints or include_proofs."""
    checkpoints: List[AuditQueryOutputCheckpoint] | None = None
    """Signed notes that cover the records."""
    newest_checkpoint: AuditQueryOutputCheckpoint | None = None
    """Newest signed note of the whole log."""


class AuditQueryOutputRecord(Output):
    """A part of the above."""

    id: str
    """Names the record."""
    seq: int
    """Place in the tenant's chain, counted from 1 without gaps."""
    event_type: str
    """What was recorded, e.g. ProtocolInvocation, Error or a domain event."""
    correlation_id: str
    """Ties the record to its call, retries and nested calls."""
    timestamp: str
    """When it happened."""
    tenant_id: str
    """Organization whose log it is in."""
    caller_did: str
    """Who made the call that was recorded."""
    protocol: str | None = None
    """Id of the protocol that was called; absent where the record is of no call."""
    operation: str | None = None
    """Operation of the protocol that was called."""
    outcome: Literal["success", "refused", "error"] | str
    """success; refused: a rule said no; error: it failed."""
    latency_ms: float
    """Milliseconds from receiving the call to its outcome."""
    meta: Dict[str, Any]
    """Details of the event: names, sizes and commitments, never content."""
    previous_hash: str
    """Hash of the record before it; zeros for the first."""
    record_hash: str
    """sha256 of previous_hash and this record."""


class AuditQueryOutputVerified(Output):
    """Result of the check; with verify, and always for another tenant's log."""

    ok: bool
    """Every returned record matches its hash and signature."""
    first_bad_seq: int | None = None
    """First record that did not verify."""


class AuditQueryOutputProof(Output):
    """A part of the above."""

    seq: int
    """Record that is proved."""
    tree_size: int
    """Number of records in the tree the path leads to."""
    inclusion_path: List[str]
    """RFC 6962 sibling hashes from the record's leaf to the root."""


class AuditQueryOutputKey(Output):
    """A part of the above."""

    key_id: str
    """Short id of the key, as signed notes name it."""
    public_key: str
    """The key itself, base64url."""
    from_seq: int
    """First record signed with this key."""
    until_seq: int | None
    """Null for the key that signs now."""


class AuditQueryOutputCheckpoint(Output):
    """A part of the above."""

    size: int
    """Number of records the note covers."""
    note: str
    """C2SP signed note: origin, size, root, signatures."""


class ComplianceReportInput(Input):
    """Get a signed attestation of your audit log over a period, for an auditor."""

    period: ComplianceReportPeriod
    """Half-open: from <= t < to."""
    framework: Literal["core", "soc2", "eu-ai-act", "iso42001"] | None = None
    """Standard whose controls are answered from the log. Default core."""
    include_controls: bool | None = None
    """Answer the controls; without them only the chain is verified and counted. Default `true`."""


class ComplianceReportPeriod(Input):
    """Half-open: from <= t < to."""

    from_: str = Field(validation_alias="from", serialization_alias="from")
    """First moment of the period."""
    to: str
    """End of the period, itself not included."""


class ComplianceReportOutput(Output):
    """Answer of MAX compliance_report."""

    report_id: str
    """Names the report: the hash of its content."""
    attestation: str
    """JWS, EdDSA, by the tenant's audit key."""
    head: str
    """Hash of the last record that the report covers."""
    first_seq: int
    """First record of the period; 0 where there is none."""
    last_seq: int
    """Last record of the period; 0 where there is none."""
    record_count: int
    """Records in the period."""
    merkle_root: str
    """Root of the tree over the records it covers."""
    tree_size: int
    """Records in the tree of merkle_root, from the first of the log."""
    counts: ComplianceReportOutputCounts
    """Records of the period by outcome and by event."""
    chain_verified: bool
    """Every hash and signature of the period was recomputed and matched."""
    first_bad_seq: int | None = None
    """First record that did not verify; absent where all did."""
    gaps: List[int]
    """Places in the chain where a record is missing."""
    authorities: List[ComplianceReportOutputAuthority]
    """Delegations, treaties and envelopes that allowed calls, the most used first."""
    authorities_truncated: bool
    """More were used than are listed."""
    framework_about: str
    """Which text the controls map, and what of it they leave out."""
    controls: List[ComplianceReportOutputControl]
    """Controls of the framework: what each asks, what the log of the period shows, and what it cannot show."""
    mars_ref: str | None
    """Entry of the report in the registry; null, as reports are not registered yet."""


class ComplianceReportOutputCounts(Output):
    """Records of the period by outcome and by event."""

    success: int
    """Records with outcome success."""
    refused: int
    """Records with outcome refused."""
    error: int
    """Records with outcome error."""
    by_event: Dict[str, Any]
    """Number of records for each event type."""


class ComplianceReportOutputAuthority(Output):
    """A part of the above."""

    source: Literal["delegation", "treaty", "envelope"] | str
    """Kind of authority."""
    ref: str
    """Delegation token, treaty or envelope that was used."""
    calls: int
    """Calls it allowed in the period."""


class ComplianceReportOutputControl(Output):
    """A part of the above."""

    id: str
    """The control in its framework, such as CC6.1, A.9.4 or Art. 12(1)."""
    title: str
    """Short title in our own words."""
    question: str
    """What the control asks, in our own words."""
    status: Literal["evidence", "no_evidence", "not_shown"] | str
    """evidence: records of the period speak to it. no_evidence: records could, and the period has none. not_shown: no log of calls can show it. None says that a control is satisfied."""
    evidence: List[ComplianceReportOutputControlEvidence]
    """Each query that answers it, and what it found."""
    gap: str
    """What this log cannot show of the control."""


class ComplianceReportOutputControlEvidence(Output):
    """A part of the above."""

    counts: str
    """What was counted, in words."""
    event_types: List[str]
    """Types of records that were counted; empty for any."""
    operations: List[str]
    """Operations whose records were counted; empty for any."""
    outcomes: List[str]
    """Outcomes that were counted; empty for any."""
    where: ComplianceReportOutputControlEvidenceWhere | None = None
    """A further condition on what was counted; absent where there was none."""
    must: ComplianceReportOutputControlEvidenceMust | None = None
    """What each counted record must say; absent where to be there is enough."""
    count: int
    """Records of the period that matched. Notes of callers, dry runs and stored answers given again never count; of many equal refusals in a second, one record has the number."""
    first: ComplianceReportOutputControlEvidenceFirst | None = None
    """The first of them; absent where there is none."""
    last: ComplianceReportOutputControlEvidenceFirst | None = None
    """The last of them; absent where there is none."""
    exceptions: int
    """How many of them do not say what they must."""
    exception_refs: List[str]
    """The first of the exceptions."""


class ComplianceReportOutputControlEvidenceWhere(Output):
    """A further condition on what was counted; absent where there was none."""

    field: str
    """A field of meta, with dots for fields in it."""
    one_of: List[str]
    """Values of which it had one."""


class ComplianceReportOutputControlEvidenceMust(Output):
    """What each counted record must say; absent where to be there is enough."""

    field: str
    """A field of meta that each counted record must have."""
    equals: str | None = None
    """The value it must have; absent for any."""


class ComplianceReportOutputControlEvidenceFirst(Output):
    """The first of them; absent where there is none."""

    seq: int
    """Place of the record in the log."""
    ref: str
    """The record; audit_query with proof_report proves that the report covers it."""


class ComplianceReportFileInput(Input):
    """Get an issued compliance report as CSV or PDF, with its proofs, to hand on."""

    report_id: str
    """As compliance_report answered it."""
    format: Literal["csv", "pdf"]
    """csv: for spreadsheets. pdf: to read and print."""


class ComplianceReportFileOutput(Output):
    """Answer of MAX compliance_report_file."""

    report_id: str
    """The report that the file shows."""
    file_name: str
    """A name for the file."""
    media_type: str
    """What kind of file it is."""
    content: str
    """The file in base64. The same report always gives the same bytes."""
    sha256: str
    """Hash of the file."""


class ExplainabilityRequestInput(Input):
    """Ask why a request was allowed or refused, and what would have changed it."""

    correlation_id: str
    """Request that is explained."""
    audience: Literal["subject", "operator", "auditor"] | None = None
    """subject (default) hides the DIDs of other agents; operator and auditor see them."""
    counterfactuals: bool | None = None
    """Also say which single changes would have led to another decision. Default `true`."""


class ExplainabilityRequestOutput(Output):
    """Answer of MAX explainability_request."""

    decision: Literal["allowed", "refused", "failed"] | str
    """allowed; refused by a rule; failed while it ran."""
    stage: int
    """Stage that decided, 0 to 8: 4 is Capability, 5 Circuit breaker and budget."""
    code: str | None = None
    """Code of the refusal or failure; absent where it was allowed."""
    reason: str
    """Rule that decided, in a few words."""
    capability: ExplainabilityRequestOutputCapability
    """What the call needed and what granted it."""
    policies: List[ExplainabilityRequestOutputPolicy]
    """Policies that determined the decision, as they were then."""
    council: ExplainabilityRequestOutputCouncil | None = None
    """Council decision behind it; absent where none was needed."""
    limits: Dict[str, Any] | None = None
    """Limits that were hit, e.g. retry_after_ms."""
    counterfactuals: List[ExplainabilityRequestOutputCounterfactual]
    """Changes that were tried by judging the recorded call again, each with what it would have led to. A combination is named where no single change is enough."""
    appeal_path: str | None = None
    """How to contest the refusal."""
    narrative: str
    """The whole decision in sentences for people."""
    evidence: List[str]
    """Audit records the explanation was made from."""
    consistent: bool
    """False where the rules, applied again, contradict the record."""


class ExplainabilityRequestOutputCapability(Output):
    """What the call needed and what granted it."""

    requested: str | None = None
    """Capability that the call needed."""
    matched: str | None = None
    """Capability of the caller that covered the request; absent where none did."""
    source: str | None = None
    """Where it came from: declared, key, delegation, treaty, envelope, role, or open to all."""
    ref: str | None = None
    """Delegation token, treaty or envelope that gave the capability."""
    credential: str | None = None
    """Id of the API key, `token:` or `session:` that was presented."""


class ExplainabilityRequestOutputPolicy(Output):
    """A part of the above."""

    id: str
    """Policy id."""
    version: str
    """Version in force at the time of the call."""
    effect: str
    """permit or forbid."""
    text: str
    """The policy in Cedar."""


class ExplainabilityRequestOutputCouncil(Output):
    """Council decision behind it; absent where none was needed."""

    verdict: str | None
    """Verdict that was used; null where there was none."""
    pass_: bool = Field(validation_alias="pass", serialization_alias="pass")
    """Whether the council allowed it."""
    dissent: List[Any]
    """Opinions of members who voted otherwise."""


class ExplainabilityRequestOutputCounterfactual(Output):
    """A part of the above."""

    change: str
    """What would have been different."""
    outcome: Literal["passes", "refused_next", "not_judged"] | str
    """passes: judged again with this change, nothing that the log can judge refuses it; stages after it depend on budgets, endpoints and modules of that time. refused_next: another rule refuses it then. not_judged: the log lacks what it depends on."""
    result: str
    """What would have happened then, in words."""
    next: ExplainabilityRequestOutputCounterfactualNext | None = None
    """The refusal that comes next; with refused_next."""


class ExplainabilityRequestOutputCounterfactualNext(Output):
    """The refusal that comes next; with refused_next."""

    stage: int
    """Stage that would have refused it."""
    code: str
    """Code of that refusal."""
    reason: str
    """Rule behind that refusal."""


class ListViewsInput(Input):
    """List your saved views and those of your organization."""


class ListViewsOutput(Output):
    """Answer of MAX list_views."""

    items: List[ListViewsOutputItem]
    """Your own views and those of your organization, by name."""


class ListViewsOutputItem(Output):
    """A part of the above."""

    name: str
    """Names the view among yours, or among those of your organization."""
    shared: bool | None = None
    """A view of your organization, for all; otherwise your own. Default `false`."""
    operation: str
    """The operation it reads, such as MAX.audit_query."""
    filters: Dict[str, Any]
    """Input of that operation, up to 8 KiB."""
    page: str | None = None
    """Page of the console that shows it."""
    schedule: ListViewsOutputItemSchedule | None = None
    """When it runs by itself, with the rights of whoever set it, at that moment."""
    set_by: str
    """Whoever set it last, and as whom it runs by itself."""
    set_at: str
    """When it was set last."""
    next_run_at: str | None = None
    """When it runs next; absent without a schedule."""
    last_run_at: str | None = None
    """When it last made a file."""
    last_failure: str | None = None
    """Why the newest run made none."""
    has_file: bool
    """A run has made a file, which view_file answers."""


class ListViewsOutputItemSchedule(Output):
    """When it runs by itself, with the rights of whoever set it, at that moment."""

    every: Literal["daily", "weekly", "monthly"] | str
    """How often it runs."""
    at: str
    """Time of day, such as 07:30."""
    day: int | None = None
    """Day of the week from Monday, 1 to 7, or of the month, 1 to 28. Default 1."""
    time_zone: str | None = None
    """Such as Europe/Berlin. Default UTC."""
    mail_to: List[str] | None = None
    """Logins of people who get the file by e-mail; each must be an e-mail address. Without any it is only fetched."""


class ListWebhooksInput(Input):
    """List your organization's webhooks, and how their deliveries go."""


class ListWebhooksOutput(Output):
    """Answer of MAX list_webhooks."""

    items: List[ListWebhooksOutputItem]
    """All webhooks, by name."""


class ListWebhooksOutputItem(Output):
    """A part of the above."""

    name: str
    """Names the webhook within your organization."""
    address: str
    """Where events are posted: public and over https, or an address that the operator of this engine allows."""
    event_types: List[str]
    """Event types of the audit log that are sent, such as ApprovalRequested."""
    state: Literal["ACTIVE", "RETRYING", "STOPPED"] | str
    """RETRYING after a failure; STOPPED until it is set again."""
    set_by: str
    """Whoever set it last; it stops when they may no longer read the log."""
    set_at: str
    """When it was set last."""
    last_delivered_at: str | None = None
    """Newest delivery that was accepted."""
    last_failure: str | None = None
    """Why the newest delivery failed, or why it was stopped."""
    next_attempt_at: str | None = None
    """When a failed delivery is tried again."""
    seconds_behind: int
    """Age of the oldest event that is still to be delivered; 0 where none is."""


class RemoveViewInput(Input):
    """Remove a saved view and its file."""

    name: str
    """Names the view among yours, or among those of your organization."""
    shared: bool | None = None
    """A view of your organization, for all; otherwise your own. Default `false`."""


class RemoveViewOutput(Output):
    """Answer of MAX remove_view."""

    name: str
    """Names the view among yours, or among those of your organization."""
    removed_at: str
    """From when on it is gone, with its file."""


class RemoveWebhookInput(Input):
    """Stop a webhook for good; what it has not delivered is not sent any more."""

    name: str
    """Names the webhook within your organization."""
    reason: str | None = None
    """Why, for the audit log."""


class RemoveWebhookOutput(Output):
    """Answer of MAX remove_webhook."""

    name: str
    """Names the webhook within your organization."""
    removed_at: str
    """From when on nothing more is sent."""


class SetViewInput(Input):
    """Save a query under a name, for yourself or all, and have it run by itself."""

    name: str
    """Names the view among yours, or among those of your organization."""
    shared: bool | None = None
    """A view of your organization, for all; otherwise your own. Default `false`."""
    operation: str
    """The operation it reads, such as MAX.audit_query."""
    filters: Dict[str, Any]
    """Input of that operation, up to 8 KiB."""
    page: str | None = None
    """Page of the console that shows it."""
    schedule: SetViewSchedule | None = None
    """When it runs by itself, with the rights of whoever set it, at that moment."""


class SetViewSchedule(Input):
    """When it runs by itself, with the rights of whoever set it, at that moment."""

    every: Literal["daily", "weekly", "monthly"]
    """How often it runs."""
    at: str
    """Time of day, such as 07:30."""
    day: int | None = None
    """Day of the week from Monday, 1 to 7, or of the month, 1 to 28. Default 1."""
    time_zone: str | None = None
    """Such as Europe/Berlin. Default UTC."""
    mail_to: List[str] | None = None
    """Logins of people who get the file by e-mail; each must be an e-mail address. Without any it is only fetched."""


class SetViewOutput(Output):
    """Answer of MAX set_view."""

    name: str
    """Names the view among yours, or among those of your organization."""
    shared: bool | None = None
    """A view of your organization, for all; otherwise your own. Default `false`."""
    operation: str
    """The operation it reads, such as MAX.audit_query."""
    filters: Dict[str, Any]
    """Input of that operation, up to 8 KiB."""
    page: str | None = None
    """Page of the console that shows it."""
    schedule: SetViewOutputSchedule | None = None
    """When it runs by itself, with the rights of whoever set it, at that moment."""
    set_by: str
    """Whoever set it last, and as whom it runs by itself."""
    set_at: str
    """When it was set last."""
    next_run_at: str | None = None
    """When it runs next; absent without a schedule."""
    last_run_at: str | None = None
    """When it last made a file."""
    last_failure: str | None = None
    """Why the newest run made none."""
    has_file: bool
    """A run has made a file, which view_file answers."""


class SetViewOutputSchedule(Output):
    """When it runs by itself, with the rights of whoever set it, at that moment."""

    every: Literal["daily", "weekly", "monthly"] | str
    """How often it runs."""
    at: str
    """Time of day, such as 07:30."""
    day: int | None = None
    """Day of the week from Monday, 1 to 7, or of the month, 1 to 28. Default 1."""
    time_zone: str | None = None
    """Such as Europe/Berlin. Default UTC."""
    mail_to: List[str] | None = None
    """Logins of people who get the file by e-mail; each must be an e-mail address. Without any it is only fetched."""


class SetWebhookInput(Input):
    """Have events of your audit log posted, signed, to an address of yours, or change where and which."""

    name: str
    """Names the webhook within your organization."""
    address: str
    """Where events are posted: public and over https, or an address that the operator of this engine allows."""
    event_types: List[str]
    """Event types of the audit log that are sent, such as ApprovalRequested."""
    new_secret: bool | None = None
    """Replaces the secret of a webhook that exists. Default `false`."""


class SetWebhookOutput(SecretOutput):
    """Answer of MAX set_webhook."""

    name: str
    """Names the webhook within your organization."""
    address: str
    """Where events are posted: public and over https, or an address that the operator of this engine allows."""
    event_types: List[str]
    """Event types of the audit log that are sent, such as ApprovalRequested."""
    secret: str | None = None
    """Verifies the signatures of its deliveries. Shown only now: when it is new or replaced."""


class TraceabilityGraphInput(Input):
    """Rebuild the whole story of a request as a graph."""

    correlation_id: str
    """Request whose records are shown."""
    depth: int | None = None
    """How many steps from the request the graph goes. Default `2`."""
    format: Literal["json", "prov"] | None = None
    """prov adds the graph as PROV-JSON. Default json."""


class TraceabilityGraphOutput(Output):
    """Answer of MAX traceability_graph."""

    nodes: List[Dict[str, Any]]
    """Requests, stages, records, agents, policies and treaties, each with id, type, label and data."""
    edges: List[TraceabilityGraphOutputEdge]
    """How the nodes are related; effects point at causes."""
    prov: Dict[str, Any] | None = None
    """The same graph as PROV-JSON; only with format prov."""
    metadata: Dict[str, Any]
    """What the protocol reported about the call, e.g. the path it took."""
    complete: bool
    """The request has ended and its last record was found."""
    missing: List[str]
    """What the graph lacks, in words."""
    heads: Dict[str, Any]
    """Newest record hash of each tenant's chain that was read."""


class TraceabilityGraphOutputEdge(Output):
    """A part of the above."""

    from_: str = Field(validation_alias="from", serialization_alias="from")
    """Id of the node that is the effect."""
    to: str
    """Id of the node that is the cause."""
    rel: str
    """Relation in words of W3C PROV, or authorizedBy, refusedBy."""


class ViewFileInput(Input):
    """Get the rows of a saved view as CSV, read with your own rights."""

    name: str
    """Names the view among yours, or among those of your organization."""
    shared: bool | None = None
    """A view of your organization, for all; otherwise your own. Default `false`."""
    period: ViewFilePeriod | None = None
    """Only what is from this time, where the operation can tell."""
    scheduled: bool | None = None
    """The file of its newest run by itself, instead of a new one. Default `false`."""


class ViewFilePeriod(Input):
    """Only what is from this time, where the operation can tell."""

    from_: str = Field(validation_alias="from", serialization_alias="from")
    """First moment of the period."""
    to: str
    """End of the period, itself not included."""


class ViewFileOutput(Output):
    """Answer of MAX view_file."""

    name: str
    """Names the view among yours, or among those of your organization."""
    media_type: str
    """text/csv; charset=utf-8."""
    content: str
    """The rows as CSV, with the names of their fields first."""
    rows: int | None = None
    """How many rows it has; absent for a scheduled file."""
    truncated: bool | None = None
    """There is more than a file can have: ten pages, 2 MiB and 64 columns. Absent for a scheduled file."""


class Max(Operations):
    """The record: every decision, allowed or refused, provable offline."""

    protocol = "MAX"

    def audit_log_entry(
        self,
        *,
        event_type: str,
        outcome: Literal["success", "refused", "error"] | None = None,
        correlation_id: str | None = None,
        protocol: str | None = None,
        operation: str | None = None,
        meta: Dict[str, Any],
    ) -> AuditLogEntryOutput:
        """Append a record of your own to your tenant's audit log and get its place in the chain. A write: never retried."""
        return self._call("audit_log_entry", AuditLogEntryInput, AuditLogEntryOutput, {
            "event_type": event_type,
            "outcome": outcome,
            "correlation_id": correlation_id,
            "protocol": protocol,
            "operation": operation,
            "meta": meta,
        })

    def audit_query(
        self,
        *,
        correlation_id: str | None = None,
        correlation_ids: List[str] | None = None,
        include_inputs: bool | None = None,
        tenant_id: str | None = None,
        event_type: List[str] | None = None,
        protocol: str | None = None,
        operation: str | None = None,
        outcome: Literal["success", "refused", "error"] | None = None,
        caller_did: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        after_seq: int | None = None,
        before_seq: int | None = None,
        limit: int | None = None,
        verify: bool | None = None,
        proof_report: str | None = None,
        include_checkpoints: bool | None = None,
        include_proofs: bool | None = None,
    ) -> AuditQueryOutput:
        """Find records in your tenant's audit log, or in another's that both took part in, with proofs on request. A read: retried."""
        return self._call("audit_query", AuditQueryInput, AuditQueryOutput, {
            "correlation_id": correlation_id,
            "correlation_ids": correlation_ids,
            "include_inputs": include_inputs,
            "tenant_id": tenant_id,
            "event_type": event_type,
            "protocol": protocol,
            "operation": operation,
            "outcome": outcome,
            "caller_did": caller_did,
            "from_": from_,
            "to": to,
            "after_seq": after_seq,
            "before_seq": before_seq,
            "limit": limit,
            "verify": verify,
            "proof_report": proof_report,
            "include_checkpoints": include_checkpoints,
            "include_proofs": include_proofs,
        })

    def compliance_report(
        self,
        *,
        period: ComplianceReportPeriod,
        framework: Literal["core", "soc2", "eu-ai-act", "iso42001"] | None = None,
        include_controls: bool | None = None,
    ) -> ComplianceReportOutput:
        """Get a signed attestation of your audit log over a period, for an auditor. A write: never retried."""
        return self._call("compliance_report", ComplianceReportInput, ComplianceReportOutput, {
            "period": period,
            "framework": framework,
            "include_controls": include_controls,
        })

    def compliance_report_file(
        self,
        *,
        report_id: str,
        format: Literal["csv", "pdf"],
    ) -> ComplianceReportFileOutput:
        """Get an issued compliance report as CSV or PDF, with its proofs, to hand on. A read: retried."""
        return self._call("compliance_report_file", ComplianceReportFileInput, ComplianceReportFileOutput, {
            "report_id": report_id,
            "format": format,
        })

    def explainability_request(
        self,
        *,
        correlation_id: str,
        audience: Literal["subject", "operator", "auditor"] | None = None,
        counterfactuals: bool | None = None,
    ) -> ExplainabilityRequestOutput:
        """Ask why a request was allowed or refused, and what would have changed it. A read: retried."""
        return self._call("explainability_request", ExplainabilityRequestInput, ExplainabilityRequestOutput, {
            "correlation_id": correlation_id,
            "audience": audience,
            "counterfactuals": counterfactuals,
        })

    def list_views(self) -> ListViewsOutput:
        """List your saved views and those of your organization. A read: retried."""
        return self._call("list_views", ListViewsInput, ListViewsOutput, {})

    def list_webhooks(self) -> ListWebhooksOutput:
        """List your organization's webhooks, and how their deliveries go. A read: retried."""
        return self._call("list_webhooks", ListWebhooksInput, ListWebhooksOutput, {})

    def remove_view(
        self,
        *,
        name: str,
        shared: bool | None = None,
    ) -> RemoveViewOutput:
        """Remove a saved view and its file. A write: never retried."""
        return self._call("remove_view", RemoveViewInput, RemoveViewOutput, {
            "name": name,
            "shared": shared,
        })

    def remove_webhook(
        self,
        *,
        name: str,
        reason: str | None = None,
    ) -> RemoveWebhookOutput:
        """Stop a webhook for good; what it has not delivered is not sent any more. A write: never retried."""
        return self._call("remove_webhook", RemoveWebhookInput, RemoveWebhookOutput, {
            "name": name,
            "reason": reason,
        })

    def set_view(
        self,
        *,
        name: str,
        shared: bool | None = None,
        operation: str,
        filters: Dict[str, Any],
        page: str | None = None,
        schedule: SetViewSchedule | None = None,
    ) -> SetViewOutput:
        """Save a query under a name, for yourself or all, and have it run by itself. A write: never retried."""
        return self._call("set_view", SetViewInput, SetViewOutput, {
            "name": name,
            "shared": shared,
            "operation": operation,
            "filters": filters,
            "page": page,
            "schedule": schedule,
        })

    def set_webhook(
        self,
        *,
        name: str,
        address: str,
        event_types: List[str],
        new_secret: bool | None = None,
    ) -> SetWebhookOutput:
        """Have events of your audit log posted, signed, to an address of yours, or change where and which. A write: never retried."""
        return self._call("set_webhook", SetWebhookInput, SetWebhookOutput, {
            "name": name,
            "address": address,
            "event_types": event_types,
            "new_secret": new_secret,
        })

    def traceability_graph(
        self,
        *,
        correlation_id: str,
        depth: int | None = None,
        format: Literal["json", "prov"] | None = None,
    ) -> TraceabilityGraphOutput:
        """Rebuild the whole story of a request as a graph. A read: retried."""
        return self._call("traceability_graph", TraceabilityGraphInput, TraceabilityGraphOutput, {
            "correlation_id": correlation_id,
            "depth": depth,
            "format": format,
        })

    def view_file(
        self,
        *,
        name: str,
        shared: bool | None = None,
        period: ViewFilePeriod | None = None,
        scheduled: bool | None = None,
    ) -> ViewFileOutput:
        """Get the rows of a saved view as CSV, read with your own rights. A read: retried."""
        return self._call("view_file", ViewFileInput, ViewFileOutput, {
            "name": name,
            "shared": shared,
            "period": period,
            "scheduled": scheduled,
        })


class AsyncMax(AsyncOperations):
    """The record: every decision, allowed or refused, provable offline."""

    protocol = "MAX"

    async def audit_log_entry(
        self,
        *,
        event_type: str,
        outcome: Literal["success", "refused", "error"] | None = None,
        correlation_id: str | None = None,
        protocol: str | None = None,
        operation: str | None = None,
        meta: Dict[str, Any],
    ) -> AuditLogEntryOutput:
        """Append a record of your own to your tenant's audit log and get its place in the chain. A write: never retried."""
        return await self._call("audit_log_entry", AuditLogEntryInput, AuditLogEntryOutput, {
            "event_type": event_type,
            "outcome": outcome,
            "correlation_id": correlation_id,
            "protocol": protocol,
            "operation": operation,
            "meta": meta,
        })

    async def audit_query(
        self,
        *,
        correlation_id: str | None = None,
        correlation_ids: List[str] | None = None,
        include_inputs: bool | None = None,
        tenant_id: str | None = None,
        event_type: List[str] | None = None,
        protocol: str | None = None,
        operation: str | None = None,
        outcome: Literal["success", "refused", "error"] | None = None,
        caller_did: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        after_seq: int | None = None,
        before_seq: int | None = None,
        limit: int | None = None,
        verify: bool | None = None,
        proof_report: str | None = None,
        include_checkpoints: bool | None = None,
        include_proofs: bool | None = None,
    ) -> AuditQueryOutput:
        """Find records in your tenant's audit log, or in another's that both took part in, with proofs on request. A read: retried."""
        return await self._call("audit_query", AuditQueryInput, AuditQueryOutput, {
            "correlation_id": correlation_id,
            "correlation_ids": correlation_ids,
            "include_inputs": include_inputs,
            "tenant_id": tenant_id,
            "event_type": event_type,
            "protocol": protocol,
            "operation": operation,
            "outcome": outcome,
            "caller_did": caller_did,
            "from_": from_,
            "to": to,
            "after_seq": after_seq,
            "before_seq": before_seq,
            "limit": limit,
            "verify": verify,
            "proof_report": proof_report,
            "include_checkpoints": include_checkpoints,
            "include_proofs": include_proofs,
        })

    async def compliance_report(
        self,
        *,
        period: ComplianceReportPeriod,
        framework: Literal["core", "soc2", "eu-ai-act", "iso42001"] | None = None,
        include_controls: bool | None = None,
    ) -> ComplianceReportOutput:
        """Get a signed attestation of your audit log over a period, for an auditor. A write: never retried."""
        return await self._call("compliance_report", ComplianceReportInput, ComplianceReportOutput, {
            "period": period,
            "framework": framework,
            "include_controls": include_controls,
        })

    async def compliance_report_file(
        self,
        *,
        report_id: str,
        format: Literal["csv", "pdf"],
    ) -> ComplianceReportFileOutput:
        """Get an issued compliance report as CSV or PDF, with its proofs, to hand on. A read: retried."""
        return await self._call("compliance_report_file", ComplianceReportFileInput, ComplianceReportFileOutput, {
            "report_id": report_id,
            "format": format,
        })

    async def explainability_request(
        self,
        *,
        correlation_id: str,
        audience: Literal["subject", "operator", "auditor"] | None = None,
        counterfactuals: bool | None = None,
    ) -> ExplainabilityRequestOutput:
        """Ask why a request was allowed or refused, and what would have changed it. A read: retried."""
        return await self._call("explainability_request", ExplainabilityRequestInput, ExplainabilityRequestOutput, {
            "correlation_id": correlation_id,
            "audience": audience,
            "counterfactuals": counterfactuals,
        })

    async def list_views(self) -> ListViewsOutput:
        """List your saved views and those of your organization. A read: retried."""
        return await self._call("list_views", ListViewsInput, ListViewsOutput, {})

    async def list_webhooks(self) -> ListWebhooksOutput:
        """List your organization's webhooks, and how their deliveries go. A read: retried."""
        return await self._call("list_webhooks", ListWebhooksInput, ListWebhooksOutput, {})

    async def remove_view(
        self,
        *,
        name: str,
        shared: bool | None = None,
    ) -> RemoveViewOutput:
        """Remove a saved view and its file. A write: never retried."""
        return await self._call("remove_view", RemoveViewInput, RemoveViewOutput, {
            "name": name,
            "shared": shared,
        })

    async def remove_webhook(
        self,
        *,
        name: str,
        reason: str | None = None,
    ) -> RemoveWebhookOutput:
        """Stop a webhook for good; what it has not delivered is not sent any more. A write: never retried."""
        return await self._call("remove_webhook", RemoveWebhookInput, RemoveWebhookOutput, {
            "name": name,
            "reason": reason,
        })

    async def set_view(
        self,
        *,
        name: str,
        shared: bool | None = None,
        operation: str,
        filters: Dict[str, Any],
        page: str | None = None,
        schedule: SetViewSchedule | None = None,
    ) -> SetViewOutput:
        """Save a query under a name, for yourself or all, and have it run by itself. A write: never retried."""
        return await self._call("set_view", SetViewInput, SetViewOutput, {
            "name": name,
            "shared": shared,
            "operation": operation,
            "filters": filters,
            "page": page,
            "schedule": schedule,
        })

    async def set_webhook(
        self,
        *,
        name: str,
        address: str,
        event_types: List[str],
        new_secret: bool | None = None,
    ) -> SetWebhookOutput:
        """Have events of your audit log posted, signed, to an address of yours, or change where and which. A write: never retried."""
        return await self._call("set_webhook", SetWebhookInput, SetWebhookOutput, {
            "name": name,
            "address": address,
            "event_types": event_types,
            "new_secret": new_secret,
        })

    async def traceability_graph(
        self,
        *,
        correlation_id: str,
        depth: int | None = None,
        format: Literal["json", "prov"] | None = None,
    ) -> TraceabilityGraphOutput:
        """Rebuild the whole story of a request as a graph. A read: retried."""
        return await self._call("traceability_graph", TraceabilityGraphInput, TraceabilityGraphOutput, {
            "correlation_id": correlation_id,
            "depth": depth,
            "format": format,
        })

    async def view_file(
        self,
        *,
        name: str,
        shared: bool | None = None,
        period: ViewFilePeriod | None = None,
        scheduled: bool | None = None,
    ) -> ViewFileOutput:
        """Get the rows of a saved view as CSV, read with your own rights. A read: retried."""
        return await self._call("view_file", ViewFileInput, ViewFileOutput, {
            "name": name,
            "shared": shared,
            "period": period,
            "scheduled": scheduled,
        })
