# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MOTIF v1.0.0. Measurements over time: windows, repeating patterns, anomalies, changepoints and alerts."""

from __future__ import annotations

from typing import Dict, List, Literal

from pydantic import Field

from ..models import Input, Output
from ..operations import AsyncOperations, Operations


class AcknowledgeAlertInput(Input):
    """Take on an alert, so that others see who deals with it."""

    alert_id: str
    """As list_alerts shows it."""
    note: str | None = None
    """For your colleagues and the audit log."""


class AcknowledgeAlertOutput(Output):
    """Answer of MOTIF acknowledge_alert."""

    alert_id: str
    """Names the alert."""
    rule: str
    """Names the rule within your organization."""
    state: Literal["FIRING", "RESOLVED"] | str
    """FIRING: the value is above, or was until just now."""
    severity: Literal["info", "warning", "critical"] | str
    """How urgent it is; it changes nothing else."""
    watches: Literal["refusals", "latency", "slo", "spend", "breakers", "log", "keys", "treaties"] | str
    """What is watched. refusals: calls that were refused or failed; latency: latency of calls that were answered; slo: how fast the error budget of a service level objective burns; spend: spend, from a full hour on; breakers: calls that an open circuit breaker stopped; log: records of the audit log that do not verify; keys: API keys that expire within the window; treaties: treaties in force that expire within the window."""
    above: float
    """It fires while the value is above this, in calls, ms, USD, keys, treaties, broken records, or how many times too fast an error budget burns."""
    window_minutes: int
    """How far back it looks, in minutes; for keys and treaties how far ahead. An objective must burn too fast over it, and over its last twelfth."""
    protocol: str | None = None
    """Only calls of this protocol, in any letter case."""
    operation: str | None = None
    """Only calls of this operation; needs protocol."""
    code: Literal["invalid_request", "unauthenticated", "capability_denied", "missing_capability", "approval_required", "not_found", "unknown_protocol", "unknown_version", "unknown_operation", "idempotency_in_flight", "payload_too_large", "invalid_payload", "policy_denied", "idempotency_key_reused", "rate_limited", "protocol_error", "internal", "adapter_error", "circuit_open", "no_endpoint_available", "draining", "unavailable", "timeout"] | str | None = None
    """Only refusals with this code."""
    percentile: Literal["p50", "p95", "p99"] | str | None = None
    """Of latency. Default p95."""
    target: float | None = None
    """Of an objective: the share of calls that must be good, such as 0.999."""
    threshold_ms: float | None = None
    """Of an objective: only calls that were answered within it are good. Absent: all that were answered, or refused by a rule."""
    value: float | None = None
    """The newest value while it fired; absent of spend without svc.meal.statement."""
    fired_at: str
    """When the value was first above."""
    resolved_at: str | None = None
    """When it resolved; absent while it fires."""
    told_at: str | None = None
    """When people were told; absent while silenced."""
    acknowledged_at: str | None = None
    """When somebody took it on."""
    acknowledged_by: str | None = None
    """Who took it on."""
    note: str | None = None
    """What whoever acknowledged it wrote."""


class DetectInput(Input):
    """Find repeating patterns, anomalies and changepoints in a series."""

    metric: str
    """As it was emitted; svc_… for what the engine measures."""
    labels: Dict[str, str] | None = None
    """Labels a series must have."""
    from_: str | None = Field(default=None, validation_alias="from", serialization_alias="from")
    """Look at points from this time on; default: a day before to."""
    to: str | None = None
    """Look at points before this time; default now."""
    window: int | None = None
    """Points a pattern is long; a twentieth of all where absent."""
    kinds: List[Literal["motif", "anomaly", "changepoint", "season"]] | None = None
    """What to look for; default all."""
    all_tenants: bool | None = None
    """Every organization's; for the operator's own agents that hold svc.admin.observability. Default `false`."""


class DetectOutput(Output):
    """Answer of MOTIF detect."""

    points: int
    """Measured points that were looked at."""
    series: int
    """Series that matched, looked at together."""
    step_ms: int
    """From one point to the next, as most of them lie."""
    window: int
    """Points a pattern is long."""
    motifs: List[DetectOutputMotif]
    """The two windows most alike."""
    discord: DetectOutputDiscord | None = None
    """The window least like any other."""
    anomalies: List[DetectOutputAnomaly]
    """Points far from what was expected."""
    changepoints: List[DetectOutputChangepoint]
    """Times at which the average changed."""
    period_ms: int | None = None
    """How often the series repeats itself, at least three times in the range; absent: it does not."""


class DetectOutputMotif(Output):
    """A part of the above."""

    a: str
    """When the first one starts."""
    b: str
    """When the second one starts."""
    distance: float
    """Between z-normalised windows: 0 for the same shape."""


class DetectOutputDiscord(Output):
    """The window least like any other."""

    at: str
    """When it starts."""
    distance: float
    """Between z-normalised windows: 0 for the same shape."""


class DetectOutputAnomaly(Output):
    """A part of the above."""

    at: str
    """When it was measured."""
    score: float
    """Robust standard deviations."""
    expected: float
    """Value that was expected there."""


class DetectOutputChangepoint(Output):
    """A part of the above."""

    at: str
    """First time with the new average."""
    before: float
    """Average before."""
    after: float
    """Average after."""
    p: float
    """Upper bound of how likely such a step is, anywhere in a series as long and as correlated with itself, where nothing changed."""


class HistoryInput(Input):
    """Read how many calls were made, refused and failed, how long they took and what they cost, over time."""

    from_: str = Field(validation_alias="from", serialization_alias="from")
    """Calls from this time on."""
    to: str
    """Calls before this time."""
    step_ms: int | None = None
    """Length of a window, in whole minutes. By default one that gives up to 120 windows."""
    by: Literal["protocol", "operation", "agent", "department", "outcome", "code", "reason", "tenant"] | None = None
    """Also sums by this. tenant needs all_tenants; absent means no groups."""
    top: int | None = None
    """How many groups to show: the largest. Default `10`."""
    rank: Literal["calls", "refused", "failed", "spend"] | None = None
    """What makes a group large. Default calls."""
    protocol: str | None = None
    """Only calls of this protocol, as it is listed."""
    operation: str | None = None
    """Only calls of this operation, without its protocol."""
    agent_did: str | None = None
    """Only calls of this agent or person."""
    department: str | None = None
    """Only calls paid by an envelope of this department."""
    outcome: Literal["success", "refused", "error"] | None = None
    """Only calls that ended so."""
    code: str | None = None
    """Only calls with this refusal code; ok for successes."""
    reason: str | None = None
    """Only refusals and failures with this reason."""
    all_tenants: bool | None = None
    """Every organization's; for the operator's own agents that hold svc.admin.observability. Default `false`."""


class HistoryOutput(Output):
    """Answer of MOTIF history."""

    from_: str = Field(validation_alias="from", serialization_alias="from")
    """Beginning of what is summed: from, at a full step of the stored resolution."""
    to: str
    """End of what is summed, itself not included."""
    step_ms: int
    """Length of a window: as requested, or the finest still stored."""
    resolution_ms: int
    """Resolution of the stored sums."""
    partial: bool
    """The range begins before what is stored, or ends in the future."""
    total: HistoryOutputTotal
    """All windows together."""
    before: HistoryOutputTotal | None
    """The period of the same length before it; null where that is no longer stored."""
    points: List[HistoryOutputPoint]
    """Windows in order of time; those without calls are left out."""
    groups: List[HistoryOutputGroup]
    """Largest groups first; empty without by. What is missing to the total belongs to smaller ones."""


class HistoryOutputTotal(Output):
    """All windows together."""

    calls: int
    """All calls, nested ones included; dry runs are none."""
    refused: int
    """Calls that a rule refused."""
    failed: int
    """Calls that failed."""
    spend_usd: str | None
    """What they cost in US dollars, with usage that services reported; null without svc.meal.statement."""
    p50_ms: float | None
    """Milliseconds within which half of the calls ended that were not refused; null without any."""
    p95_ms: float | None
    """Milliseconds within which 95 % of the calls ended that were not refused; null without any."""
    p99_ms: float | None
    """Milliseconds within which 99 % of the calls ended that were not refused; null without any."""


class HistoryOutputPoint(Output):
    """A part of the above."""

    at: str
    """Beginning of the window."""
    calls: int
    """All calls, nested ones included; dry runs are none."""
    refused: int
    """Calls that a rule refused."""
    failed: int
    """Calls that failed."""
    spend_usd: str | None
    """What they cost in US dollars, with usage that services reported; null without svc.meal.statement."""
    p50_ms: float | None
    """Milliseconds within which half of the calls ended that were not refused; null without any."""
    p95_ms: float | None
    """Milliseconds within which 95 % of the calls ended that were not refused; null without any."""
    p99_ms: float | None
    """Milliseconds within which 99 % of the calls ended that were not refused; null without any."""


class HistoryOutputGroup(Output):
    """A part of the above."""

    name: str
    """The protocol, PROTOCOL.operation, DID, department and so on. Empty: calls without one, or with more names at a time than are kept apart."""
    total: HistoryOutputTotal
    """All windows of the group together."""
    before: HistoryOutputTotal | None
    """The same in the period before it."""
    points: List[HistoryOutputPoint]
    """Windows in order of time; those without calls are left out."""


class ListAlertRulesInput(Input):
    """List your organization's alert rules with their newest values, and rules that are offered."""


class ListAlertRulesOutput(Output):
    """Answer of MOTIF list_alert_rules."""

    items: List[ListAlertRulesOutputItem]
    """All rules, by name."""
    suggestions: List[ListAlertRulesOutputSuggestion]
    """Rules that are offered and not set: inputs of set_alert_rule."""


class ListAlertRulesOutputItem(Output):
    """A part of the above."""

    name: str
    """Names the rule within your organization."""
    watches: Literal["refusals", "latency", "slo", "spend", "breakers", "log", "keys", "treaties"] | str
    """What is watched. refusals: calls that were refused or failed; latency: latency of calls that were answered; slo: how fast the error budget of a service level objective burns; spend: spend, from a full hour on; breakers: calls that an open circuit breaker stopped; log: records of the audit log that do not verify; keys: API keys that expire within the window; treaties: treaties in force that expire within the window."""
    above: float
    """It fires while the value is above this, in calls, ms, USD, keys, treaties, broken records, or how many times too fast an error budget burns."""
    window_minutes: int
    """How far back it looks, in minutes; for keys and treaties how far ahead. An objective must burn too fast over it, and over its last twelfth."""
    protocol: str | None = None
    """Only calls of this protocol, in any letter case."""
    operation: str | None = None
    """Only calls of this operation; needs protocol."""
    code: Literal["invalid_request", "unauthenticated", "capability_denied", "missing_capability", "approval_required", "not_found", "unknown_protocol", "unknown_version", "unknown_operation", "idempotency_in_flight", "payload_too_large", "invalid_payload", "policy_denied", "idempotency_key_reused", "rate_limited", "protocol_error", "internal", "adapter_error", "circuit_open", "no_endpoint_available", "draining", "unavailable", "timeout"] | str | None = None
    """Only refusals with this code."""
    percentile: Literal["p50", "p95", "p99"] | str | None = None
    """Of latency. Default p95."""
    target: float | None = None
    """Of an objective: the share of calls that must be good, such as 0.999."""
    threshold_ms: float | None = None
    """Of an objective: only calls that were answered within it are good. Absent: all that were answered, or refused by a rule."""
    severity: Literal["info", "warning", "critical"] | str
    """How urgent it is; it changes nothing else."""
    resolve_after_minutes: int
    """How long the value must stay at or below the threshold until the alert resolves, in minutes."""
    mail_to: List[str]
    """Logins of people who are told by e-mail; each must be an e-mail address."""
    mailboxes: List[str]
    """Identities of your organization whose MIM mailbox gets a message."""
    set_by: str
    """Whoever set it last."""
    set_at: str
    """When it was set last."""
    silenced_until: str | None = None
    """Nobody is told until then; absent where not silenced."""
    last_value: float | None = None
    """The newest value; absent before the first reading, and of spend without svc.meal.statement."""
    last_read_at: str | None = None
    """When the newest value was read."""
    last_failure: str | None = None
    """Why the newest reading failed; absent where it succeeded."""


class ListAlertRulesOutputSuggestion(Output):
    """A part of the above."""

    name: str
    """Names the rule within your organization."""
    watches: Literal["refusals", "latency", "slo", "spend", "breakers", "log", "keys", "treaties"] | str
    """What is watched. refusals: calls that were refused or failed; latency: latency of calls that were answered; slo: how fast the error budget of a service level objective burns; spend: spend, from a full hour on; breakers: calls that an open circuit breaker stopped; log: records of the audit log that do not verify; keys: API keys that expire within the window; treaties: treaties in force that expire within the window."""
    above: float | None = None
    """It fires while the value is above this, in calls, ms, USD, keys, treaties, broken records, or how many times too fast an error budget burns."""
    window_minutes: int | None = None
    """How far back it looks, in minutes; for keys and treaties how far ahead. An objective must burn too fast over it, and over its last twelfth."""
    severity: Literal["info", "warning", "critical"] | str
    """How urgent it is; it changes nothing else."""


class ListAlertsInput(Input):
    """List alerts that fire now or did, newest first."""

    state: Literal["FIRING", "RESOLVED"] | None = None
    """Only those in this state."""
    rule: str | None = None
    """Only those of this rule."""
    severity: Literal["info", "warning", "critical"] | None = None
    """Only those of this severity."""
    since: str | None = None
    """Only entries from this time on, RFC 3339 in UTC."""
    limit: int | None = None
    """Entries per page. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class ListAlertsOutput(Output):
    """Answer of MOTIF list_alerts."""

    items: List[ListAlertsOutputItem]
    """Alerts of your organization, newest first."""
    next_cursor: str | None = None
    """There may be more entries, even after a page that is not full."""


class ListAlertsOutputItem(Output):
    """A part of the above."""

    alert_id: str
    """Names the alert."""
    rule: str
    """Names the rule within your organization."""
    state: Literal["FIRING", "RESOLVED"] | str
    """FIRING: the value is above, or was until just now."""
    severity: Literal["info", "warning", "critical"] | str
    """How urgent it is; it changes nothing else."""
    watches: Literal["refusals", "latency", "slo", "spend", "breakers", "log", "keys", "treaties"] | str
    """What is watched. refusals: calls that were refused or failed; latency: latency of calls that were answered; slo: how fast the error budget of a service level objective burns; spend: spend, from a full hour on; breakers: calls that an open circuit breaker stopped; log: records of the audit log that do not verify; keys: API keys that expire within the window; treaties: treaties in force that expire within the window."""
    above: float
    """It fires while the value is above this, in calls, ms, USD, keys, treaties, broken records, or how many times too fast an error budget burns."""
    window_minutes: int
    """How far back it looks, in minutes; for keys and treaties how far ahead. An objective must burn too fast over it, and over its last twelfth."""
    protocol: str | None = None
    """Only calls of this protocol, in any letter case."""
    operation: str | None = None
    """Only calls of this operation; needs protocol."""
    code: Literal["invalid_request", "unauthenticated", "capability_denied", "missing_capability", "approval_required", "not_found", "unknown_protocol", "unknown_version", "unknown_operation", "idempotency_in_flight", "payload_too_large", "invalid_payload", "policy_denied", "idempotency_key_reused", "rate_limited", "protocol_error", "internal", "adapter_error", "circuit_open", "no_endpoint_available", "draining", "unavailable", "timeout"] | str | None = None
    """Only refusals with this code."""
    percentile: Literal["p50", "p95", "p99"] | str | None = None
    """Of latency. Default p95."""
    target: float | None = None
    """Of an objective: the share of calls that must be good, such as 0.999."""
    threshold_ms: float | None = None
    """Of an objective: only calls that were answered within it are good. Absent: all that were answered, or refused by a rule."""
    value: float | None = None
    """The newest value while it fired; absent of spend without svc.meal.statement."""
    fired_at: str
    """When the value was first above."""
    resolved_at: str | None = None
    """When it resolved; absent while it fires."""
    told_at: str | None = None
    """When people were told; absent while silenced."""
    acknowledged_at: str | None = None
    """When somebody took it on."""
    acknowledged_by: str | None = None
    """Who took it on."""
    note: str | None = None
    """What whoever acknowledged it wrote."""


class ListMetricsInput(Input):
    """List the metrics of your organization, with their labels."""

    prefix: str | None = None
    """Only names that begin with it."""
    limit: int | None = None
    """Metrics per page. Default `100`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class ListMetricsOutput(Output):
    """Answer of MOTIF list_metrics."""

    items: List[ListMetricsOutputItem]
    """By name."""
    next_cursor: str | None = None
    """There are more; absent on the last page."""


class ListMetricsOutputItem(Output):
    """A part of the above."""

    metric: str
    """As it was emitted; svc_… for what the engine measures."""
    kind: Literal["counter", "gauge", "histogram"] | str
    """counter: only grows; gauge: goes up and down; histogram: counts by size."""
    series: int
    """Combinations of labels it has."""
    label_names: List[str]
    """Labels that its series have, to filter and group by."""
    last_measured_at: str
    """When a measurement of it arrived last."""


class QueryInput(Input):
    """Read measurements: your own series, and the metrics of your calls."""

    metric: str
    """As it was emitted; svc_… for what the engine measures."""
    labels: Dict[str, str] | None = None
    """Labels a series must have."""
    from_: str = Field(validation_alias="from", serialization_alias="from")
    """Points from this time on."""
    to: str
    """Points before this time."""
    step_ms: int | None = None
    """Length of a window. Default `60000`."""
    function: Literal["raw", "rate", "increase", "sum", "count", "avg", "min", "max", "p50", "p95", "p99"] | None = None
    """What to compute of each window; rate is per second. Default raw: its last value."""
    by: List[str] | None = None
    """Labels to group by: series that agree in them are computed as one, all of them where the list is empty. Absent: each series alone."""
    all_tenants: bool | None = None
    """Every organization's; for the operator's own agents that hold svc.admin.observability. Default `false`."""


class QueryOutput(Output):
    """Answer of MOTIF query."""

    series: List[QueryOutputSery]
    """Series that match, each with its labels; with by the groups, each with the labels asked for."""
    step_ms: int
    """The length of a window: as requested, or the finest stored resolution."""
    resolution_ms: int
    """The resolution of the stored points."""
    partial: bool
    """More series matched than are shown, or the range lies partly outside of the stored time."""


class QueryOutputSery(Output):
    """A part of the above."""

    labels: Dict[str, str]
    """Labels that tell the series apart."""
    kind: Literal["counter", "gauge", "histogram"] | str
    """counter: only grows. gauge: goes up and down. histogram: counts by size."""
    points: List[List[float]]
    """Value of each window that has one."""


class RemoveAlertRuleInput(Input):
    """Remove an alert rule; its alert resolves."""

    name: str
    """Names the rule within your organization."""
    reason: str | None = None
    """Why, for the audit log."""


class RemoveAlertRuleOutput(Output):
    """Answer of MOTIF remove_alert_rule."""

    name: str
    """Names the rule within your organization."""
    removed_at: str
    """From when on it is not read any more."""


class SetAlertRuleInput(Input):
    """Have people, mailboxes and webhooks told when a value of your organization is too high."""

    name: str
    """Names the rule within your organization."""
    watches: Literal["refusals", "latency", "slo", "spend", "breakers", "log", "keys", "treaties"]
    """What is watched. refusals: calls that were refused or failed; latency: latency of calls that were answered; slo: how fast the error budget of a service level objective burns; spend: spend, from a full hour on; breakers: calls that an open circuit breaker stopped; log: records of the audit log that do not verify; keys: API keys that expire within the window; treaties: treaties in force that expire within the window."""
    above: float | None = None
    """It fires while the value is above this, in calls, ms, USD, keys, treaties, broken records, or how many times too fast an error budget burns."""
    window_minutes: int | None = None
    """How far back it looks, in minutes; for keys and treaties how far ahead. An objective must burn too fast over it, and over its last twelfth."""
    protocol: str | None = None
    """Only calls of this protocol, in any letter case."""
    operation: str | None = None
    """Only calls of this operation; needs protocol."""
    code: Literal["invalid_request", "unauthenticated", "capability_denied", "missing_capability", "approval_required", "not_found", "unknown_protocol", "unknown_version", "unknown_operation", "idempotency_in_flight", "payload_too_large", "invalid_payload", "policy_denied", "idempotency_key_reused", "rate_limited", "protocol_error", "internal", "adapter_error", "circuit_open", "no_endpoint_available", "draining", "unavailable", "timeout"] | None = None
    """Only refusals with this code."""
    percentile: Literal["p50", "p95", "p99"] | None = None
    """Of latency. Default p95."""
    target: float | None = None
    """Of an objective: the share of calls that must be good, such as 0.999."""
    threshold_ms: float | None = None
    """Of an objective: only calls that were answered within it are good. Absent: all that were answered, or refused by a rule."""
    severity: Literal["info", "warning", "critical"] | None = None
    """How urgent it is; it changes nothing else."""
    resolve_after_minutes: int | None = None
    """How long the value must stay at or below the threshold until the alert resolves, in minutes. Default `5`."""
    mail_to: List[str] | None = None
    """Logins of people who are told by e-mail; each must be an e-mail address."""
    mailboxes: List[str] | None = None
    """Identities of your organization whose MIM mailbox gets a message."""


class SetAlertRuleOutput(Output):
    """Answer of MOTIF set_alert_rule."""

    name: str
    """Names the rule within your organization."""
    watches: Literal["refusals", "latency", "slo", "spend", "breakers", "log", "keys", "treaties"] | str
    """What is watched. refusals: calls that were refused or failed; latency: latency of calls that were answered; slo: how fast the error budget of a service level objective burns; spend: spend, from a full hour on; breakers: calls that an open circuit breaker stopped; log: records of the audit log that do not verify; keys: API keys that expire within the window; treaties: treaties in force that expire within the window."""
    above: float
    """It fires while the value is above this, in calls, ms, USD, keys, treaties, broken records, or how many times too fast an error budget burns."""
    window_minutes: int
    """How far back it looks, in minutes; for keys and treaties how far ahead. An objective must burn too fast over it, and over its last twelfth."""
    protocol: str | None = None
    """Only calls of this protocol, in any letter case."""
    operation: str | None = None
    """Only calls of this operation; needs protocol."""
    code: Literal["invalid_request", "unauthenticated", "capability_denied", "missing_capability", "approval_required", "not_found", "unknown_protocol", "unknown_version", "unknown_operation", "idempotency_in_flight", "payload_too_large", "invalid_payload", "policy_denied", "idempotency_key_reused", "rate_limited", "protocol_error", "internal", "adapter_error", "circuit_open", "no_endpoint_available", "draining", "unavailable", "timeout"] | str | None = None
    """Only refusals with this code."""
    percentile: Literal["p50", "p95", "p99"] | str | None = None
    """Of latency. Default p95."""
    target: float | None = None
    """Of an objective: the share of calls that must be good, such as 0.999."""
    threshold_ms: float | None = None
    """Of an objective: only calls that were answered within it are good. Absent: all that were answered, or refused by a rule."""
    severity: Literal["info", "warning", "critical"] | str
    """How urgent it is; it changes nothing else."""
    resolve_after_minutes: int
    """How long the value must stay at or below the threshold until the alert resolves, in minutes."""
    mail_to: List[str]
    """Logins of people who are told by e-mail; each must be an e-mail address."""
    mailboxes: List[str]
    """Identities of your organization whose MIM mailbox gets a message."""


class SilenceAlertRuleInput(Input):
    """Have nobody told of a rule until a time; its alerts are still recorded."""

    name: str
    """Names the rule within your organization."""
    until: str | None = None
    """Nobody is told before this time, at most 30 days ahead. Absent: ends the silence."""
    reason: str | None = None
    """Why, for the audit log."""


class SilenceAlertRuleOutput(Output):
    """Answer of MOTIF silence_alert_rule."""

    name: str
    """Names the rule within your organization."""
    silenced_until: str | None = None
    """End of the silence; absent where it has ended."""


class Motif(Operations):
    """Measurements over time: windows, repeating patterns, anomalies, changepoints and alerts."""

    protocol = "MOTIF"

    def acknowledge_alert(
        self,
        *,
        alert_id: str,
        note: str | None = None,
    ) -> AcknowledgeAlertOutput:
        """Take on an alert, so that others see who deals with it. A write: never retried."""
        return self._call("acknowledge_alert", AcknowledgeAlertInput, AcknowledgeAlertOutput, {
            "alert_id": alert_id,
            "note": note,
        })

    def detect(
        self,
        *,
        metric: str,
        labels: Dict[str, str] | None = None,
        from_: str | None = None,
        to: str | None = None,
        window: int | None = None,
        kinds: List[Literal["motif", "anomaly", "changepoint", "season"]] | None = None,
        all_tenants: bool | None = None,
    ) -> DetectOutput:
        """Find repeating patterns, anomalies and changepoints in a series. A read: retried."""
        return self._call("detect", DetectInput, DetectOutput, {
            "metric": metric,
            "labels": labels,
            "from_": from_,
            "to": to,
            "window": window,
            "kinds": kinds,
            "all_tenants": all_tenants,
        })

    def history(
        self,
        *,
        from_: str,
        to: str,
        step_ms: int | None = None,
        by: Literal["protocol", "operation", "agent", "department", "outcome", "code", "reason", "tenant"] | None = None,
        top: int | None = None,
        rank: Literal["calls", "refused", "failed", "spend"] | None = None,
        protocol: str | None = None,
        operation: str | None = None,
        agent_did: str | None = None,
        department: str | None = None,
        outcome: Literal["success", "refused", "error"] | None = None,
        code: str | None = None,
        reason: str | None = None,
        all_tenants: bool | None = None,
    ) -> HistoryOutput:
        """Read how many calls were made, refused and failed, how long they took and what they cost, over time. A read: retried."""
        return self._call("history", HistoryInput, HistoryOutput, {
            "from_": from_,
            "to": to,
            "step_ms": step_ms,
            "by": by,
            "top": top,
            "rank": rank,
            "protocol": protocol,
            "operation": operation,
            "agent_did": agent_did,
            "department": department,
            "outcome": outcome,
            "code": code,
            "reason": reason,
            "all_tenants": all_tenants,
        })

    def list_alert_rules(self) -> ListAlertRulesOutput:
        """List your organization's alert rules with their newest values, and rules that are offered. A read: retried."""
        return self._call("list_alert_rules", ListAlertRulesInput, ListAlertRulesOutput, {})

    def list_alerts(
        self,
        *,
        state: Literal["FIRING", "RESOLVED"] | None = None,
        rule: str | None = None,
        severity: Literal["info", "warning", "critical"] | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListAlertsOutput:
        """List alerts that fire now or did, newest first. A read: retried."""
        return self._call("list_alerts", ListAlertsInput, ListAlertsOutput, {
            "state": state,
            "rule": rule,
            "severity": severity,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    def list_metrics(
        self,
        *,
        prefix: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListMetricsOutput:
        """List the metrics of your organization, with their labels. A read: retried."""
        return self._call("list_metrics", ListMetricsInput, ListMetricsOutput, {
            "prefix": prefix,
            "limit": limit,
            "cursor": cursor,
        })

    def query(
        self,
        *,
        metric: str,
        labels: Dict[str, str] | None = None,
        from_: str,
        to: str,
        step_ms: int | None = None,
        function: Literal["raw", "rate", "increase", "sum", "count", "avg", "min", "max", "p50", "p95", "p99"] | None = None,
        by: List[str] | None = None,
        all_tenants: bool | None = None,
    ) -> QueryOutput:
        """Read measurements: your own series, and the metrics of your calls. A read: retried."""
        return self._call("query", QueryInput, QueryOutput, {
            "metric": metric,
            "labels": labels,
            "from_": from_,
            "to": to,
            "step_ms": step_ms,
            "function": function,
            "by": by,
            "all_tenants": all_tenants,
        })

    def remove_alert_rule(
        self,
        *,
        name: str,
        reason: str | None = None,
    ) -> RemoveAlertRuleOutput:
        """Remove an alert rule; its alert resolves. A write: never retried."""
        return self._call("remove_alert_rule", RemoveAlertRuleInput, RemoveAlertRuleOutput, {
            "name": name,
            "reason": reason,
        })

    def set_alert_rule(
        self,
        *,
        name: str,
        watches: Literal["refusals", "latency", "slo", "spend", "breakers", "log", "keys", "treaties"],
        above: float | None = None,
        window_minutes: int | None = None,
        protocol: str | None = None,
        operation: str | None = None,
        code: Literal["invalid_request", "unauthenticated", "capability_denied", "missing_capability", "approval_required", "not_found", "unknown_protocol", "unknown_version", "unknown_operation", "idempotency_in_flight", "payload_too_large", "invalid_payload", "policy_denied", "idempotency_key_reused", "rate_limited", "protocol_error", "internal", "adapter_error", "circuit_open", "no_endpoint_available", "draining", "unavailable", "timeout"] | None = None,
        percentile: Literal["p50", "p95", "p99"] | None = None,
        target: float | None = None,
        threshold_ms: float | None = None,
        severity: Literal["info", "warning", "critical"] | None = None,
        resolve_after_minutes: int | None = None,
        mail_to: List[str] | None = None,
        mailboxes: List[str] | None = None,
    ) -> SetAlertRuleOutput:
        """Have people, mailboxes and webhooks told when a value of your organization is too high. A write: never retried."""
        return self._call("set_alert_rule", SetAlertRuleInput, SetAlertRuleOutput, {
            "name": name,
            "watches": watches,
            "above": above,
            "window_minutes": window_minutes,
            "protocol": protocol,
            "operation": operation,
            "code": code,
            "percentile": percentile,
            "target": target,
            "threshold_ms": threshold_ms,
            "severity": severity,
            "resolve_after_minutes": resolve_after_minutes,
            "mail_to": mail_to,
            "mailboxes": mailboxes,
        })

    def silence_alert_rule(
        self,
        *,
        name: str,
        until: str | None = None,
        reason: str | None = None,
    ) -> SilenceAlertRuleOutput:
        """Have nobody told of a rule until a time; its alerts are still recorded. A write: never retried."""
        return self._call("silence_alert_rule", SilenceAlertRuleInput, SilenceAlertRuleOutput, {
            "name": name,
            "until": until,
            "reason": reason,
        })


class AsyncMotif(AsyncOperations):
    """Measurements over time: windows, repeating patterns, anomalies, changepoints and alerts."""

    protocol = "MOTIF"

    async def acknowledge_alert(
        self,
        *,
        alert_id: str,
        note: str | None = None,
    ) -> AcknowledgeAlertOutput:
        """Take on an alert, so that others see who deals with it. A write: never retried."""
        return await self._call("acknowledge_alert", AcknowledgeAlertInput, AcknowledgeAlertOutput, {
            "alert_id": alert_id,
            "note": note,
        })

    async def detect(
        self,
        *,
        metric: str,
        labels: Dict[str, str] | None = None,
        from_: str | None = None,
        to: str | None = None,
        window: int | None = None,
        kinds: List[Literal["motif", "anomaly", "changepoint", "season"]] | None = None,
        all_tenants: bool | None = None,
    ) -> DetectOutput:
        """Find repeating patterns, anomalies and changepoints in a series. A read: retried."""
        return await self._call("detect", DetectInput, DetectOutput, {
            "metric": metric,
            "labels": labels,
            "from_": from_,
            "to": to,
            "window": window,
            "kinds": kinds,
            "all_tenants": all_tenants,
        })

    async def history(
        self,
        *,
        from_: str,
        to: str,
        step_ms: int | None = None,
        by: Literal["protocol", "operation", "agent", "department", "outcome", "code", "reason", "tenant"] | None = None,
        top: int | None = None,
        rank: Literal["calls", "refused", "failed", "spend"] | None = None,
        protocol: str | None = None,
        operation: str | None = None,
        agent_did: str | None = None,
        department: str | None = None,
        outcome: Literal["success", "refused", "error"] | None = None,
        code: str | None = None,
        reason: str | None = None,
        all_tenants: bool | None = None,
    ) -> HistoryOutput:
        """Read how many calls were made, refused and failed, how long they took and what they cost, over time. A read: retried."""
        return await self._call("history", HistoryInput, HistoryOutput, {
            "from_": from_,
            "to": to,
            "step_ms": step_ms,
            "by": by,
            "top": top,
            "rank": rank,
            "protocol": protocol,
            "operation": operation,
            "agent_did": agent_did,
            "department": department,
            "outcome": outcome,
            "code": code,
            "reason": reason,
            "all_tenants": all_tenants,
        })

    async def list_alert_rules(self) -> ListAlertRulesOutput:
        """List your organization's alert rules with their newest values, and rules that are offered. A read: retried."""
        return await self._call("list_alert_rules", ListAlertRulesInput, ListAlertRulesOutput, {})

    async def list_alerts(
        self,
        *,
        state: Literal["FIRING", "RESOLVED"] | None = None,
        rule: str | None = None,
        severity: Literal["info", "warning", "critical"] | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListAlertsOutput:
        """List alerts that fire now or did, newest first. A read: retried."""
        return await self._call("list_alerts", ListAlertsInput, ListAlertsOutput, {
            "state": state,
            "rule": rule,
            "severity": severity,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    async def list_metrics(
        self,
        *,
        prefix: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListMetricsOutput:
        """List the metrics of your organization, with their labels. A read: retried."""
        return await self._call("list_metrics", ListMetricsInput, ListMetricsOutput, {
            "prefix": prefix,
            "limit": limit,
            "cursor": cursor,
        })

    async def query(
        self,
        *,
        metric: str,
        labels: Dict[str, str] | None = None,
        from_: str,
        to: str,
        step_ms: int | None = None,
        function: Literal["raw", "rate", "increase", "sum", "count", "avg", "min", "max", "p50", "p95", "p99"] | None = None,
        by: List[str] | None = None,
        all_tenants: bool | None = None,
    ) -> QueryOutput:
        """Read measurements: your own series, and the metrics of your calls. A read: retried."""
        return await self._call("query", QueryInput, QueryOutput, {
            "metric": metric,
            "labels": labels,
            "from_": from_,
            "to": to,
            "step_ms": step_ms,
            "function": function,
            "by": by,
            "all_tenants": all_tenants,
        })

    async def remove_alert_rule(
        self,
        *,
        name: str,
        reason: str | None = None,
    ) -> RemoveAlertRuleOutput:
        """Remove an alert rule; its alert resolves. A write: never retried."""
        return await self._call("remove_alert_rule", RemoveAlertRuleInput, RemoveAlertRuleOutput, {
            "name": name,
            "reason": reason,
        })

    async def set_alert_rule(
        self,
        *,
        name: str,
        watches: Literal["refusals", "latency", "slo", "spend", "breakers", "log", "keys", "treaties"],
        above: float | None = None,
        window_minutes: int | None = None,
        protocol: str | None = None,
        operation: str | None = None,
        code: Literal["invalid_request", "unauthenticated", "capability_denied", "missing_capability", "approval_required", "not_found", "unknown_protocol", "unknown_version", "unknown_operation", "idempotency_in_flight", "payload_too_large", "invalid_payload", "policy_denied", "idempotency_key_reused", "rate_limited", "protocol_error", "internal", "adapter_error", "circuit_open", "no_endpoint_available", "draining", "unavailable", "timeout"] | None = None,
        percentile: Literal["p50", "p95", "p99"] | None = None,
        target: float | None = None,
        threshold_ms: float | None = None,
        severity: Literal["info", "warning", "critical"] | None = None,
        resolve_after_minutes: int | None = None,
        mail_to: List[str] | None = None,
        mailboxes: List[str] | None = None,
    ) -> SetAlertRuleOutput:
        """Have people, mailboxes and webhooks told when a value of your organization is too high. A write: never retried."""
        return await self._call("set_alert_rule", SetAlertRuleInput, SetAlertRuleOutput, {
            "name": name,
            "watches": watches,
            "above": above,
            "window_minutes": window_minutes,
            "protocol": protocol,
            "operation": operation,
            "code": code,
            "percentile": percentile,
            "target": target,
            "threshold_ms": threshold_ms,
            "severity": severity,
            "resolve_after_minutes": resolve_after_minutes,
            "mail_to": mail_to,
            "mailboxes": mailboxes,
        })

    async def silence_alert_rule(
        self,
        *,
        name: str,
        until: str | None = None,
        reason: str | None = None,
    ) -> SilenceAlertRuleOutput:
        """Have nobody told of a rule until a time; its alerts are still recorded. A write: never retried."""
        return await self._call("silence_alert_rule", SilenceAlertRuleInput, SilenceAlertRuleOutput, {
            "name": name,
            "until": until,
            "reason": reason,
        })
