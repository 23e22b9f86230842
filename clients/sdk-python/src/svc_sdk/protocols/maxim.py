# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MAXIM v1.0.0. Policies: the Cedar rules of an organization, evaluated on every call."""

from __future__ import annotations

from typing import Any, Dict, List, Literal

from pydantic import Field

from ..models import Input, Output, SecretOutput
from ..operations import AsyncOperations, Operations


class ApprovalDecideInput(Input):
    """Approve or refuse one call of somebody else that waits for your consent."""

    approval_id: str
    """The request to decide."""
    decision: Literal["approve", "refuse"]
    """Your decision; it cannot be changed."""
    note: str | None = None
    """Why, for whoever asked."""


class ApprovalDecideOutput(SecretOutput):
    """Answer of MAXIM approval_decide."""

    approval_id: str
    """Names the request; the caller repeats the same call once it is approved."""
    state: Literal["PENDING", "APPROVED", "USED", "REFUSED", "EXPIRED"] | str
    """APPROVED: the call may be made once, then USED. EXPIRED: not decided or not used in time."""
    caller: str
    """Who wants to make the call."""
    caller_name: str | None = None
    """As its own identity document says."""
    caller_tenant: str
    """Organization of the caller."""
    protocol: str
    """Protocol of the call."""
    operation: str
    """Operation of the call."""
    requested_at: str
    """When the call was made and stopped."""
    decide_until: str
    """Without a decision it expires then."""
    use_until: str | None = None
    """Once given: it may be used until then."""
    cost_usd_max: str
    """The most the call may cost."""
    needs: List[ApprovalDecideOutputNeed]
    """Consents that are still or were needed."""
    may_decide: bool
    """Whether you can decide it now."""
    version: str
    """Version of the protocol."""
    target_tenant: str
    """Organization in which the call would run."""
    correlation_id: str
    """Request in whose records the stopped call is found."""
    input: Any = None
    """What was asked, where it is retained."""
    input_hash: str
    """Hash of the input; only a call with this input is approved."""
    input_bytes: int
    """Size of the input."""
    input_shape: Dict[str, str]
    """Fields of the input and their kinds."""
    effects: Dict[str, Any]
    """What the call would do by its dry run: summary, read or write, and whether it acts outside."""
    decisions: List[ApprovalDecideOutputDecision]
    """Decisions made so far."""
    ended_reason: str | None = None
    """Why it ended early; absent if it did not."""
    used_by: str | None = None
    """The record of the call that used it."""


class ApprovalDecideOutputNeed(Output):
    """A part of the above."""

    who: str
    """In words."""
    count: int
    """How many must consent."""
    names: List[str]
    """People and roles who may consent."""
    by: Literal["policy", "caveat", "tool"] | str
    """What demands it: a policy, a caveat of the capability, or the tool."""
    ref: str
    """The policy, the capability or the tool that demands it."""
    given: int
    """How many have consented."""


class ApprovalDecideOutputDecision(Output):
    """A part of the above."""

    did: str
    """Who decided."""
    name: str | None = None
    """Name of who decided; absent if none is on record."""
    decision: Literal["approve", "refuse"] | str
    """What was decided."""
    at: str
    """When it was decided."""
    note: str | None = None
    """The decider's own words."""


class ApprovalGetInput(Input):
    """Read one approval: what was asked, what it may cost and do, who can decide and who has."""

    approval_id: str
    """The request to show."""


class ApprovalGetOutput(SecretOutput):
    """Answer of MAXIM approval_get."""

    approval_id: str
    """Names the request; the caller repeats the same call once it is approved."""
    state: Literal["PENDING", "APPROVED", "USED", "REFUSED", "EXPIRED"] | str
    """APPROVED: the call may be made once, then USED. EXPIRED: not decided or not used in time."""
    caller: str
    """Who wants to make the call."""
    caller_name: str | None = None
    """As its own identity document says."""
    caller_tenant: str
    """Organization of the caller."""
    protocol: str
    """Protocol of the call."""
    operation: str
    """Operation of the call."""
    requested_at: str
    """When the call was made and stopped."""
    decide_until: str
    """Without a decision it expires then."""
    use_until: str | None = None
    """Once given: it may be used until then."""
    cost_usd_max: str
    """The most the call may cost."""
    needs: List[ApprovalGetOutputNeed]
    """Consents that are still or were needed."""
    may_decide: bool
    """Whether you can decide it now."""
    version: str
    """Version of the protocol."""
    target_tenant: str
    """Organization in which the call would run."""
    correlation_id: str
    """Request in whose records the stopped call is found."""
    input: Any = None
    """What was asked, where it is retained."""
    input_hash: str
    """Hash of the input; only a call with this input is approved."""
    input_bytes: int
    """Size of the input."""
    input_shape: Dict[str, str]
    """Fields of the input and their kinds."""
    effects: Dict[str, Any]
    """What the call would do by its dry run: summary, read or write, and whether it acts outside."""
    decisions: List[ApprovalGetOutputDecision]
    """Decisions made so far."""
    ended_reason: str | None = None
    """Why it ended early; absent if it did not."""
    used_by: str | None = None
    """The record of the call that used it."""


class ApprovalGetOutputNeed(Output):
    """A part of the above."""

    who: str
    """In words."""
    count: int
    """How many must consent."""
    names: List[str]
    """People and roles who may consent."""
    by: Literal["policy", "caveat", "tool"] | str
    """What demands it: a policy, a caveat of the capability, or the tool."""
    ref: str
    """The policy, the capability or the tool that demands it."""
    given: int
    """How many have consented."""


class ApprovalGetOutputDecision(Output):
    """A part of the above."""

    did: str
    """Who decided."""
    name: str | None = None
    """Name of who decided; absent if none is on record."""
    decision: Literal["approve", "refuse"] | str
    """What was decided."""
    at: str
    """When it was decided."""
    note: str | None = None
    """The decider's own words."""


class ApprovalsInput(Input):
    """List the calls that wait for your approval, or your own calls that wait for others."""

    side: Literal["to_decide", "requested"] | None = None
    """Those you may decide, or those you asked for; default to_decide."""
    state: Literal["PENDING", "APPROVED", "USED", "REFUSED", "EXPIRED"] | None = None
    """Only those in this state now."""
    since: str | None = None
    """Only entries from this time on, RFC 3339 in UTC."""
    limit: int | None = None
    """Entries per page. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class ApprovalsOutput(Output):
    """Answer of MAXIM approvals."""

    items: List[ApprovalsOutputItem]
    """Requests for approval, newest first."""
    next_cursor: str | None = None
    """There may be more entries, even after a page that is not full."""


class ApprovalsOutputItem(Output):
    """A part of the above."""

    approval_id: str
    """Names the request; the caller repeats the same call once it is approved."""
    state: Literal["PENDING", "APPROVED", "USED", "REFUSED", "EXPIRED"] | str
    """APPROVED: the call may be made once, then USED. EXPIRED: not decided or not used in time."""
    caller: str
    """Who wants to make the call."""
    caller_name: str | None = None
    """As its own identity document says."""
    caller_tenant: str
    """Organization of the caller."""
    protocol: str
    """Protocol of the call."""
    operation: str
    """Operation of the call."""
    requested_at: str
    """When the call was made and stopped."""
    decide_until: str
    """Without a decision it expires then."""
    use_until: str | None = None
    """Once given: it may be used until then."""
    cost_usd_max: str
    """The most the call may cost."""
    needs: List[ApprovalsOutputItemNeed]
    """Consents that are still or were needed."""
    may_decide: bool
    """Whether you can decide it now."""


class ApprovalsOutputItemNeed(Output):
    """A part of the above."""

    who: str
    """In words."""
    count: int
    """How many must consent."""
    names: List[str]
    """People and roles who may consent."""
    by: Literal["policy", "caveat", "tool"] | str
    """What demands it: a policy, a caveat of the capability, or the tool."""
    ref: str
    """The policy, the capability or the tool that demands it."""
    given: int
    """How many have consented."""


class AuthorInput(Input):
    """Enact a policy, replace it with a new version, or retire it."""

    policy_id: str
    """Name of a policy."""
    policy_body: str
    """Cedar: 1 to 64 static policies of namespace Svc; empty to retire the policy."""
    version: str
    """Semantic version; greater than all before."""
    active_from: str
    """When it takes effect; at most a year ahead."""
    authority: str | None = None
    """Verdict of your charter; absent: a fitting unused one is taken."""
    retire: bool | None = None
    """True: the policy ends with this version; its body is empty. Default `false`."""
    rationale: str | None = None
    """Why, for those who read it later."""


class AuthorOutput(Output):
    """Answer of MAXIM author."""

    policy_id: str
    """Name of a policy."""
    version: str
    """Semantic version, greater than the previous one: 1.2.0."""
    digest: str
    """Hash of policy, version and start; the charter verdict binds it."""
    state: Literal["SCHEDULED", "ACTIVE", "SUPERSEDED", "RETIRED"] | str
    """SCHEDULED: takes effect later. SUPERSEDED: a later version is in force."""
    active_from: str
    """When it takes effect."""
    set_digest: str
    """Hash of all policies in force from then on."""
    warnings: List[str]
    """Possible mistakes that Cedar found."""
    lockout_checked: bool
    """Always true: charter members can still govern under it."""


class BacktestInput(Input):
    """Test a draft policy on the newest decisions in your audit log; nothing is enacted or stored."""

    policy_id: str
    """Policy that the draft replaces or adds."""
    policy_body: str
    """Cedar: 1 to 64 static policies of namespace Svc; empty to retire the policy."""
    retire: bool | None = None
    """Tests the removal of the policy. Default `false`."""
    decisions: int | None = None
    """How many of the newest decisions in the audit log to test. Default `1000`."""
    window_days: int | None = None
    """How far to look back, in days. Default `90`."""
    protocols: List[str] | None = None
    """Only decisions about these protocols; absent: all."""
    include_scheduled: bool | None = None
    """Includes planned policies besides those in force. Default `false`."""


class BacktestOutput(Output):
    """Answer of MAXIM backtest."""

    policy_id: str
    """Name of a policy."""
    warnings: List[str]
    """Possible mistakes that Cedar found."""
    window: BacktestOutputWindow
    """Time that was looked at; half-open: from <= t < to."""
    head: str
    """Hash of the newest record of your audit log when it was read."""
    decisions: int
    """Decisions looked at."""
    evaluated: int
    """Decisions that could be judged again."""
    undecided: int
    """Depend on facts that their records do not contain."""
    unjudged: int
    """Ended before any policy was evaluated."""
    denied_anyway: int
    """Calls that today's policies deny with or without the draft; not its effect, so not counted below."""
    would_flip_allow_to_deny: int
    """Calls that today's policies allow and the draft would deny."""
    would_flip_deny_to_allow: int
    """Calls that today's policies deny and the draft would allow."""
    flips: List[BacktestOutputFlip]
    """Newest first."""
    truncated: bool
    """The window contains older decisions that were not tested."""
    binding: bool
    """Always false: nothing is enacted."""


class BacktestOutputWindow(Output):
    """Time that was looked at; half-open: from <= t < to."""

    from_: str = Field(validation_alias="from", serialization_alias="from")
    """First moment of the period."""
    to: str
    """End of the period, itself not included."""


class BacktestOutputFlip(Output):
    """A part of the above."""

    record: str
    """The audit record of the decision."""
    at: str
    """When it was made."""
    caller_did: str
    """Who called."""
    protocol: str | None = None
    """Protocol of the call."""
    operation: str | None = None
    """Operation of the call."""
    was: Literal["success", "refused", "error"] | str
    """How the call ended. Refused: a rule did not allow it."""
    would_be: Literal["allow", "deny"] | str
    """What the draft would decide."""
    by: str | None = None
    """The policy that would deny it: maxim://<policy_id>@<version>."""


class ConstitutionalInterpretationInput(Input):
    """Ask how the policies in force decide a case, which of them apply, and which facts are missing."""

    question: str | None = None
    """What you want to know, in words; it does not change the result."""
    scenario: ConstitutionalInterpretationScenario
    """The call to judge."""
    include_scheduled: bool | None = None
    """Judge by planned policies too. Default `false`."""


class ConstitutionalInterpretationScenario(Input):
    """The call to judge."""

    principal_did: str
    """Who would call: an identity of your organization."""
    protocol: str
    """Protocol id as in the catalogue: MARKET."""
    operation: str
    """Operation of the protocol."""
    context: ConstitutionalInterpretationScenarioContext | None = None
    """Facts of the call; what is absent may be reported as unknown."""
    at: str | None = None
    """When it would be made; default now."""
    state_changing: bool | None = None
    """If omitted, the operation counts as a write. Default `true`."""


class ConstitutionalInterpretationScenarioContext(Input):
    """Facts of the call; what is absent may be reported as unknown."""

    target_tenant: str | None = None
    """Organization in which the call would run; default your own."""
    hour: int | None = None
    """UTC hour of the day; default that of at."""
    weekday: int | None = None
    """1 is Monday."""
    origin: Literal["http", "mcp", "a2a", "invoke", "internal"] | None = None
    """How the call would arrive; default http."""
    jurisdiction: str | None = None
    """Jurisdiction of the caller, such as DE; default that of its identity."""
    amount_micro_usd: str | None = None
    """Amount that the call moves, in micro-USD."""
    action_kind: str | None = None
    """Kind of action, as caveats name it."""
    treaty_id: str | None = None
    """Treaty under which the call would be made."""
    input: Dict[str, Any] | None = None
    """Input of the call, where policies read it."""


class ConstitutionalInterpretationOutput(Output):
    """Answer of MAXIM constitutional_interpretation."""

    decision: Literal["allow", "deny", "approval_required"] | str
    """approval_required: only a forbid that a person may lift stands against it."""
    determining: List[ConstitutionalInterpretationOutputDetermining]
    """Policies that made the decision."""
    errors: List[ConstitutionalInterpretationOutputError]
    """Policies that could not be evaluated."""
    counterfactuals: List[ConstitutionalInterpretationOutputCounterfactual]
    """What would be decided without one of the policies."""
    unknown_inputs: List[str]
    """Facts of the context that were not given and might matter."""
    precedents: List[str]
    """Records of earlier decisions about the same operation by the same kind of caller."""
    set_digest: str
    """Hash of the policies it was judged by."""
    binding: bool
    """Always false: it authorizes nothing."""


class ConstitutionalInterpretationOutputDetermining(Output):
    """A part of the above."""

    policy_id: str
    """Name of a policy."""
    version: str
    """Semantic version, greater than the previous one: 1.2.0."""
    effect: Literal["permit", "forbid"] | str
    """Whether it allows or denies."""
    text: str
    """The policy in Cedar."""
    reason: str | None = None
    """Its @reason, given with a refusal."""
    appeal: str | None = None
    """Its @appeal: where to contest it."""
    approval: str | None = None
    """Whose consent lifts it, such as role:finance or 2 of anna,bob,cyd."""


class ConstitutionalInterpretationOutputError(Output):
    """A part of the above."""

    policy_id: str
    """Name of a policy."""
    version: str
    """Semantic version, greater than the previous one: 1.2.0."""
    effect: Literal["permit", "forbid"] | str
    """What it would have done."""
    message: str
    """What Cedar reported."""


class ConstitutionalInterpretationOutputCounterfactual(Output):
    """A part of the above."""

    without: str
    """The policy left out."""
    decision: Literal["allow", "deny", "approval_required"] | str
    """approval_required: only a forbid that a person may lift stands against it."""


class DeliberateDilemmaInput(Input):
    """Rank the options of a dilemma by the policies in force and by the values they serve."""

    dilemma: str
    """The conflict, in words."""
    options: List[DeliberateDilemmaOption]
    """What could be done; each once."""
    values: List[DeliberateDilemmaValue]
    """What matters, and how much."""
    precedent_limit: int | None = None
    """Earlier decisions to cite at most. Default `10`."""


class DeliberateDilemmaOption(Input):
    """A part of the above."""

    id: str
    """Your name for the option; the ranking uses it."""
    description: str
    """What would be done."""
    scenario: DeliberateDilemmaOptionScenario | None = None
    """The call to check against the policies; absent: counts as lawful."""
    effects: List[DeliberateDilemmaOptionEffect]
    """How the option serves or harms your values."""


class DeliberateDilemmaOptionScenario(Input):
    """The call to check against the policies; absent: counts as lawful."""

    principal_did: str
    """Who would call: an identity of your organization."""
    protocol: str
    """Protocol id as in the catalogue: MARKET."""
    operation: str
    """Operation of the protocol."""
    context: DeliberateDilemmaOptionScenarioContext | None = None
    """Facts of the call; what is absent may be reported as unknown."""
    at: str | None = None
    """When it would be made; default now."""
    state_changing: bool | None = None
    """If omitted, the operation counts as a write. Default `true`."""


class DeliberateDilemmaOptionScenarioContext(Input):
    """Facts of the call; what is absent may be reported as unknown."""

    target_tenant: str | None = None
    """Organization in which the call would run; default your own."""
    hour: int | None = None
    """UTC hour of the day; default that of at."""
    weekday: int | None = None
    """1 is Monday."""
    origin: Literal["http", "mcp", "a2a", "invoke", "internal"] | None = None
    """How the call would arrive; default http."""
    jurisdiction: str | None = None
    """Jurisdiction of the caller, such as DE; default that of its identity."""
    amount_micro_usd: str | None = None
    """Amount that the call moves, in micro-USD."""
    action_kind: str | None = None
    """Kind of action, as caveats name it."""
    treaty_id: str | None = None
    """Treaty under which the call would be made."""
    input: Dict[str, Any] | None = None
    """Input of the call, where policies read it."""


class DeliberateDilemmaOptionEffect(Input):
    """A part of the above."""

    value: str
    """Name of a listed value."""
    weight: int
    """Below zero harms the value, above serves it."""


class DeliberateDilemmaValue(Input):
    """A part of the above."""

    name: str
    """Your name for the value; effects use it."""
    priority: int
    """Greater means more important."""


class DeliberateDilemmaOutput(Output):
    """Answer of MAXIM deliberate_dilemma."""

    dilemma_id: str
    """Names the stored deliberation."""
    ranking: List[DeliberateDilemmaOutputRanking]
    """Options that are not dominated, best first; unlawful ones last."""
    recommendation: str | None = None
    """The best option; absent if ambiguous."""
    dominated: List[DeliberateDilemmaOutputDominated]
    """Options that another is at least as good as in every value."""
    ambiguous: bool
    """Whether the best two are too close, or none is lawful."""
    dissent: List[DeliberateDilemmaOutputDissent]
    """The best argument for each option not recommended."""
    escalate_to: Literal["MACE"] | str | None = None
    """Where to decide it; only if ambiguous."""
    precedents: List[str]
    """Records of earlier decisions about the same operation by the same kind of caller."""
    set_digest: str
    """Hash of the policies in force."""
    binding: bool
    """Always false: it authorizes nothing."""


class DeliberateDilemmaOutputRanking(Output):
    """A part of the above."""

    option_id: str
    """The option."""
    lawful: bool
    """Whether no policy forbids it."""
    score: int
    """Sum of effect weights times priorities."""
    violated: List[str]
    """Policies that forbid it."""
    values_served: List[str]
    """Values it serves."""
    values_harmed: List[str]
    """Values it harms."""


class DeliberateDilemmaOutputDominated(Output):
    """A part of the above."""

    option_id: str
    """The weaker option."""
    by: str
    """The option that beats it."""


class DeliberateDilemmaOutputDissent(Output):
    """A part of the above."""

    option_id: str
    """The option."""
    argument: str
    """What speaks for it."""


class ListInput(Input):
    """List the policies of your organization by version, or read one in full with its Cedar text."""

    policy_id: str | None = None
    """Only versions of this policy."""
    version: str | None = None
    """Only this version."""
    state: Literal["SCHEDULED", "ACTIVE", "SUPERSEDED", "RETIRED"] | None = None
    """Only versions in this state now."""
    include_detail: bool | None = None
    """Only with policy_id; applies to the newest matching version. Default `false`."""
    since: str | None = None
    """Only entries from this time on, RFC 3339 in UTC."""
    limit: int | None = None
    """Entries per page. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class ListOutput(Output):
    """Answer of MAXIM list."""

    items: List[ListOutputItem]
    """Versions of policies, newest first."""
    next_cursor: str | None = None
    """There may be more entries, even after a page that is not full."""


class ListOutputItem(Output):
    """A part of the above."""

    policy_id: str
    """Name of a policy."""
    version: str
    """Semantic version, greater than the previous one: 1.2.0."""
    ordinal: int
    """Position among the versions of the policy."""
    state: Literal["SCHEDULED", "ACTIVE", "SUPERSEDED", "RETIRED"] | str
    """SCHEDULED: takes effect later. SUPERSEDED: a later version is in force. RETIRED: ended by a version."""
    digest: str
    """Hash of policy, version and start; the charter verdict binds it."""
    retires: bool
    """Whether this version ends the policy."""
    active_from: str
    """When it takes effect."""
    active_until: str | None = None
    """When a later version replaces or replaced it."""
    authored_by: str
    """Who enacted it."""
    authored_at: str
    """When it was enacted."""
    authority: str
    """Verdict that authorized it."""
    rationale: str | None = None
    """Why, in its author's words."""
    characters: int
    """Length of the text."""
    detail: ListOutputItemDetail | None = None
    """Text, validation and versions; with include_detail."""


class ListOutputItemDetail(Output):
    """Text, validation and versions; with include_detail."""

    policy_body: str
    """The policy in Cedar; empty if it retires the policy."""
    validation: ListOutputItemDetailValidation
    """Validation of the text against the current schema."""
    versions: List[ListOutputItemDetailVersion]
    """Versions of this policy, newest first."""


class ListOutputItemDetailValidation(Output):
    """Validation of the text against the current schema."""

    policies: int
    """Number of Cedar policies in the text."""
    faults: List[ListOutputItemDetailValidationFault]
    """What makes it invalid."""
    warnings: List[ListOutputItemDetailValidationFault]
    """Possible mistakes."""


class ListOutputItemDetailValidationFault(Output):
    """A part of the above."""

    message: str
    """What is wrong."""
    from_: int | None = Field(default=None, validation_alias="from", serialization_alias="from")
    """In UTF-16 units."""
    to: int | None = None
    """End of the place in the text, in UTF-16 units."""


class ListOutputItemDetailVersion(Output):
    """A part of the above."""

    version: str
    """Semantic version, greater than the previous one: 1.2.0."""
    ordinal: int
    """Position among the versions of the policy."""
    state: Literal["SCHEDULED", "ACTIVE", "SUPERSEDED", "RETIRED"] | str
    """SCHEDULED: takes effect later. SUPERSEDED: a later version is in force. RETIRED: ended by a version."""
    digest: str
    """Hash of policy, version and start; the charter verdict binds it."""
    retires: bool
    """Whether this version ends the policy."""
    active_from: str
    """When it takes effect."""
    active_until: str | None = None
    """When a later version replaces or replaced it."""


class Maxim(Operations):
    """Policies: the Cedar rules of an organization, evaluated on every call."""

    protocol = "MAXIM"

    def approval_decide(
        self,
        *,
        approval_id: str,
        decision: Literal["approve", "refuse"],
        note: str | None = None,
    ) -> ApprovalDecideOutput:
        """Approve or refuse one call of somebody else that waits for your consent. A write: never retried."""
        return self._call("approval_decide", ApprovalDecideInput, ApprovalDecideOutput, {
            "approval_id": approval_id,
            "decision": decision,
            "note": note,
        })

    def approval_get(
        self,
        *,
        approval_id: str,
    ) -> ApprovalGetOutput:
        """Read one approval: what was asked, what it may cost and do, who can decide and who has. A read: retried."""
        return self._call("approval_get", ApprovalGetInput, ApprovalGetOutput, {
            "approval_id": approval_id,
        })

    def approvals(
        self,
        *,
        side: Literal["to_decide", "requested"] | None = None,
        state: Literal["PENDING", "APPROVED", "USED", "REFUSED", "EXPIRED"] | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ApprovalsOutput:
        """List the calls that wait for your approval, or your own calls that wait for others. A read: retried."""
        return self._call("approvals", ApprovalsInput, ApprovalsOutput, {
            "side": side,
            "state": state,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    def author(
        self,
        *,
        policy_id: str,
        policy_body: str,
        version: str,
        active_from: str,
        authority: str | None = None,
        retire: bool | None = None,
        rationale: str | None = None,
    ) -> AuthorOutput:
        """Enact a policy, replace it with a new version, or retire it. A write: never retried."""
        return self._call("author", AuthorInput, AuthorOutput, {
            "policy_id": policy_id,
            "policy_body": policy_body,
            "version": version,
            "active_from": active_from,
            "authority": authority,
            "retire": retire,
            "rationale": rationale,
        })

    def backtest(
        self,
        *,
        policy_id: str,
        policy_body: str,
        retire: bool | None = None,
        decisions: int | None = None,
        window_days: int | None = None,
        protocols: List[str] | None = None,
        include_scheduled: bool | None = None,
    ) -> BacktestOutput:
        """Test a draft policy on the newest decisions in your audit log; nothing is enacted or stored. A read: retried."""
        return self._call("backtest", BacktestInput, BacktestOutput, {
            "policy_id": policy_id,
            "policy_body": policy_body,
            "retire": retire,
            "decisions": decisions,
            "window_days": window_days,
            "protocols": protocols,
            "include_scheduled": include_scheduled,
        })

    def constitutional_interpretation(
        self,
        *,
        question: str | None = None,
        scenario: ConstitutionalInterpretationScenario,
        include_scheduled: bool | None = None,
    ) -> ConstitutionalInterpretationOutput:
        """Ask how the policies in force decide a case, which of them apply, and which facts are missing. A read: retried."""
        return self._call("constitutional_interpretation", ConstitutionalInterpretationInput, ConstitutionalInterpretationOutput, {
            "question": question,
            "scenario": scenario,
            "include_scheduled": include_scheduled,
        })

    def deliberate_dilemma(
        self,
        *,
        dilemma: str,
        options: List[DeliberateDilemmaOption],
        values: List[DeliberateDilemmaValue],
        precedent_limit: int | None = None,
    ) -> DeliberateDilemmaOutput:
        """Rank the options of a dilemma by the policies in force and by the values they serve. A write: never retried."""
        return self._call("deliberate_dilemma", DeliberateDilemmaInput, DeliberateDilemmaOutput, {
            "dilemma": dilemma,
            "options": options,
            "values": values,
            "precedent_limit": precedent_limit,
        })

    def list(
        self,
        *,
        policy_id: str | None = None,
        version: str | None = None,
        state: Literal["SCHEDULED", "ACTIVE", "SUPERSEDED", "RETIRED"] | None = None,
        include_detail: bool | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List the policies of your organization by version, or read one in full with its Cedar text. A read: retried."""
        return self._call("list", ListInput, ListOutput, {
            "policy_id": policy_id,
            "version": version,
            "state": state,
            "include_detail": include_detail,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })


class AsyncMaxim(AsyncOperations):
    """Policies: the Cedar rules of an organization, evaluated on every call."""

    protocol = "MAXIM"

    async def approval_decide(
        self,
        *,
        approval_id: str,
        decision: Literal["approve", "refuse"],
        note: str | None = None,
    ) -> ApprovalDecideOutput:
        """Approve or refuse one call of somebody else that waits for your consent. A write: never retried."""
        return await self._call("approval_decide", ApprovalDecideInput, ApprovalDecideOutput, {
            "approval_id": approval_id,
            "decision": decision,
            "note": note,
        })

    async def approval_get(
        self,
        *,
        approval_id: str,
    ) -> ApprovalGetOutput:
        """Read one approval: what was asked, what it may cost and do, who can decide and who has. A read: retried."""
        return await self._call("approval_get", ApprovalGetInput, ApprovalGetOutput, {
            "approval_id": approval_id,
        })

    async def approvals(
        self,
        *,
        side: Literal["to_decide", "requested"] | None = None,
        state: Literal["PENDING", "APPROVED", "USED", "REFUSED", "EXPIRED"] | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ApprovalsOutput:
        """List the calls that wait for your approval, or your own calls that wait for others. A read: retried."""
        return await self._call("approvals", ApprovalsInput, ApprovalsOutput, {
            "side": side,
            "state": state,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    async def author(
        self,
        *,
        policy_id: str,
        policy_body: str,
        version: str,
        active_from: str,
        authority: str | None = None,
        retire: bool | None = None,
        rationale: str | None = None,
    ) -> AuthorOutput:
        """Enact a policy, replace it with a new version, or retire it. A write: never retried."""
        return await self._call("author", AuthorInput, AuthorOutput, {
            "policy_id": policy_id,
            "policy_body": policy_body,
            "version": version,
            "active_from": active_from,
            "authority": authority,
            "retire": retire,
            "rationale": rationale,
        })

    async def backtest(
        self,
        *,
        policy_id: str,
        policy_body: str,
        retire: bool | None = None,
        decisions: int | None = None,
        window_days: int | None = None,
        protocols: List[str] | None = None,
        include_scheduled: bool | None = None,
    ) -> BacktestOutput:
        """Test a draft policy on the newest decisions in your audit log; nothing is enacted or stored. A read: retried."""
        return await self._call("backtest", BacktestInput, BacktestOutput, {
            "policy_id": policy_id,
            "policy_body": policy_body,
            "retire": retire,
            "decisions": decisions,
            "window_days": window_days,
            "protocols": protocols,
            "include_scheduled": include_scheduled,
        })

    async def constitutional_interpretation(
        self,
        *,
        question: str | None = None,
        scenario: ConstitutionalInterpretationScenario,
        include_scheduled: bool | None = None,
    ) -> ConstitutionalInterpretationOutput:
        """Ask how the policies in force decide a case, which of them apply, and which facts are missing. A read: retried."""
        return await self._call("constitutional_interpretation", ConstitutionalInterpretationInput, ConstitutionalInterpretationOutput, {
            "question": question,
            "scenario": scenario,
            "include_scheduled": include_scheduled,
        })

    async def deliberate_dilemma(
        self,
        *,
        dilemma: str,
        options: List[DeliberateDilemmaOption],
        values: List[DeliberateDilemmaValue],
        precedent_limit: int | None = None,
    ) -> DeliberateDilemmaOutput:
        """Rank the options of a dilemma by the policies in force and by the values they serve. A write: never retried."""
        return await self._call("deliberate_dilemma", DeliberateDilemmaInput, DeliberateDilemmaOutput, {
            "dilemma": dilemma,
            "options": options,
            "values": values,
            "precedent_limit": precedent_limit,
        })

    async def list(
        self,
        *,
        policy_id: str | None = None,
        version: str | None = None,
        state: Literal["SCHEDULED", "ACTIVE", "SUPERSEDED", "RETIRED"] | None = None,
        include_detail: bool | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List the policies of your organization by version, or read one in full with its Cedar text. A read: retried."""
        return await self._call("list", ListInput, ListOutput, {
            "policy_id": policy_id,
            "version": version,
            "state": state,
            "include_detail": include_detail,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })
