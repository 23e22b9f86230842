# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MIMESIS v1.0.0. Precedent: find recurring decisions of an organization and propose policies from them."""

from __future__ import annotations

from typing import Any, Dict, List, Literal

from pydantic import Field

from ..models import Input, Output
from ..operations import AsyncOperations, Operations


class FormalizeInput(Input):
    """Propose a policy from a precedent and backtest it; nothing is enacted."""

    pattern_id: str
    """Pattern that the rule is made from, as surface returns it."""
    proposed_maxim: str
    """Cedar text, as MAXIM author accepts it."""
    proposal_target: Literal["MAXIM", "MACE"] | str
    """MAXIM: a draft only. MACE: a charter motion is convened on it. A motion id: the motion that already binds this policy."""
    policy_id: str | None = None
    """Name of a policy."""
    active_from: str | None = None
    """When the policy takes effect; part of what the council decides. Default: 14 days from now."""


class FormalizeOutput(Output):
    """Answer of MIMESIS formalize."""

    proposal_id: str
    """Names the proposal."""
    policy_id: str
    """Name of a policy."""
    version: str
    """Version that the policy will have."""
    active_from: str
    """When the policy takes effect, if it is adopted."""
    digest: str
    """Hash of the policy: what the council decides on."""
    backtest: FormalizeOutputBacktest
    """What the rule would have changed, had it been in force."""
    state: Literal["PROPOSED", "IN_COUNCIL", "ENACTED", "REJECTED"] | str
    """It follows the council's verdict and MAXIM author; nothing is enacted by itself."""
    motion_id: str | None = None
    """Motion of the council on it; absent for a draft only."""
    next: FormalizeOutputNext | None = None
    """The next step; absent if there is none."""


class FormalizeOutputBacktest(Output):
    """What the rule would have changed, had it been in force."""

    window: FormalizeOutputBacktestWindow
    """Half-open: from <= t < to."""
    evaluated: int
    """Recorded requests that were judged again with the rule."""
    undecided: int
    """Requests whose record lacks facts that the policies need."""
    would_flip_allow_to_deny: int
    """Allowed requests that the rule would refuse."""
    would_flip_deny_to_allow: int
    """Refused requests that the rule would allow."""
    agrees_with_pattern_bps: int
    """Cases of the pattern that end the same under the rule, in hundredths of a percent."""
    flips: List[str]
    """Audit records of requests that would be decided otherwise."""
    truncated: bool
    """The window contains older records that were not tested."""


class FormalizeOutputBacktestWindow(Output):
    """Half-open: from <= t < to."""

    from_: str = Field(validation_alias="from", serialization_alias="from")
    """First moment of the period."""
    to: str
    """End of the period, itself not included."""


class FormalizeOutputNext(Output):
    """The next step; absent if there is none."""

    protocol: str
    """Protocol to call."""
    operation: str
    """Operation to call."""
    input: Dict[str, Any]
    """Input of that call."""


class SurfaceInput(Input):
    """Find recurring decisions of your organization."""

    window_days: int
    """How many days back to look."""
    min_recurrences: int
    """How often something must recur to be a pattern."""
    scope: Literal["tenant"] | str | SurfaceScopeObject
    """Where to look: the whole tenant, one protocol, or a selection."""
    min_consistency_bps: int | None = None
    """How often like cases must end alike, in hundredths of a percent. Default `9000`."""
    limit: int | None = None
    """The most patterns to return. Default `50`."""


class SurfaceScopeObject(Input):
    """A part of the above."""

    protocols: List[str] | None = None
    """Only calls of these protocols."""
    outcomes: List[Literal["success", "refused", "error"]] | None = None
    """Outcome of the reported cases. Consistency counts all outcomes."""
    caller_did: str | None = None
    """Only calls of this identity."""


class SurfaceOutput(Output):
    """Answer of MIMESIS surface."""

    patterns: List[SurfaceOutputPattern]
    """What was found, the most frequent first."""
    records_scanned: int
    """Audit records that were read."""
    head: str
    """Hash of the newest record that was read."""
    truncated: List[Literal["records", "sequences"] | str]
    """What was left out because of limits; empty where nothing was."""


class SurfaceOutputPattern(Output):
    """A part of the above."""

    pattern_id: str
    """Names the pattern; formalize takes it."""
    kind: Literal["decision", "sequence"] | str
    """decision: like requests end alike; sequence: steps that follow each other."""
    features: SurfaceOutputPatternFeatures | None = None
    """What the requests have in common; for a decision."""
    per: Literal["correlation", "caller"] | str | None = None
    """Whether the steps are of one request or of one caller; for a sequence."""
    sequence: List[SurfaceOutputPatternSequence] | None = None
    """The steps in order; for a sequence."""
    outcome: Literal["success", "refused", "error"] | str
    """How the cases end."""
    recurrences: int
    """How often it occurred."""
    consistency_bps: int
    """Share of the cases with the same features, whatever the reason; for a sequence, of those with the same first steps."""
    lift: int
    """In basis points; 10000 means the outcome is as frequent elsewhere."""
    first_seen: str
    """When the first case was recorded."""
    last_seen: str
    """When the newest case was recorded."""
    exemplars: List[str]
    """Audit records that show it."""
    counterexamples: List[str]
    """Audit records of like cases that ended otherwise."""
    covered_by_policy: str | None = None
    """Policy in force that says the same already."""
    suggested_cedar: str | None = None
    """Rule to begin with for formalize, without facts that the cases only happen to share; only for refusals."""
    confirmed_bps: int | None = None
    """Of the latest third of the cases that the rule would refuse, the share that was refused."""
    no_rule: Literal["missing_grant", "not_confirmed", "too_few_later"] | str | None = None
    """Why no rule is suggested. missing_grant: a right was missing, or a limit reached, which forbids nothing; not_confirmed: the latest third of the cases ended otherwise; too_few_later: fewer than three are later."""
    proposals: List[SurfaceOutputPatternProposal]
    """Rules already proposed from this pattern."""


class SurfaceOutputPatternFeatures(Output):
    """What the requests have in common; for a decision."""

    protocol: str | None = None
    """Protocol that was called."""
    operation: str | None = None
    """Operation that was called."""
    caller_kind: str | None = None
    """Kind of identity that called."""
    level: Literal["L0", "L1", "L2"] | str | None = None
    """Conformance level of the caller."""
    origin: str | None = None
    """Where the calls came from, such as http or mcp."""
    hour_bucket: Literal["00-06", "06-12", "12-18", "18-24"] | str | None = None
    """Hours of the day in UTC."""
    cross_org: bool | None = None
    """Whether caller and target were of different organizations."""
    reason: str | None = None
    """Why it was refused or failed."""


class SurfaceOutputPatternSequence(Output):
    """A part of the above."""

    event_type: str
    """What was recorded."""
    protocol: str | None = None
    """Protocol that was called."""
    operation: str | None = None
    """Operation that was called."""
    outcome: Literal["success", "refused", "error"] | str
    """How the step ended."""


class SurfaceOutputPatternProposal(Output):
    """A part of the above."""

    proposal_id: str
    """Names the proposal."""
    state: Literal["PROPOSED", "IN_COUNCIL", "ENACTED", "REJECTED"] | str
    """PROPOSED, IN_COUNCIL, ENACTED or REJECTED."""


class Mimesis(Operations):
    """Precedent: find recurring decisions of an organization and propose policies from them."""

    protocol = "MIMESIS"

    def formalize(
        self,
        *,
        pattern_id: str,
        proposed_maxim: str,
        proposal_target: Literal["MAXIM", "MACE"] | str,
        policy_id: str | None = None,
        active_from: str | None = None,
    ) -> FormalizeOutput:
        """Propose a policy from a precedent and backtest it; nothing is enacted. A write: never retried."""
        return self._call("formalize", FormalizeInput, FormalizeOutput, {
            "pattern_id": pattern_id,
            "proposed_maxim": proposed_maxim,
            "proposal_target": proposal_target,
            "policy_id": policy_id,
            "active_from": active_from,
        })

    def surface(
        self,
        *,
        window_days: int,
        min_recurrences: int,
        scope: Literal["tenant"] | str | SurfaceScopeObject,
        min_consistency_bps: int | None = None,
        limit: int | None = None,
    ) -> SurfaceOutput:
        """Find recurring decisions of your organization. A write: never retried."""
        return self._call("surface", SurfaceInput, SurfaceOutput, {
            "window_days": window_days,
            "min_recurrences": min_recurrences,
            "scope": scope,
            "min_consistency_bps": min_consistency_bps,
            "limit": limit,
        })


class AsyncMimesis(AsyncOperations):
    """Precedent: find recurring decisions of an organization and propose policies from them."""

    protocol = "MIMESIS"

    async def formalize(
        self,
        *,
        pattern_id: str,
        proposed_maxim: str,
        proposal_target: Literal["MAXIM", "MACE"] | str,
        policy_id: str | None = None,
        active_from: str | None = None,
    ) -> FormalizeOutput:
        """Propose a policy from a precedent and backtest it; nothing is enacted. A write: never retried."""
        return await self._call("formalize", FormalizeInput, FormalizeOutput, {
            "pattern_id": pattern_id,
            "proposed_maxim": proposed_maxim,
            "proposal_target": proposal_target,
            "policy_id": policy_id,
            "active_from": active_from,
        })

    async def surface(
        self,
        *,
        window_days: int,
        min_recurrences: int,
        scope: Literal["tenant"] | str | SurfaceScopeObject,
        min_consistency_bps: int | None = None,
        limit: int | None = None,
    ) -> SurfaceOutput:
        """Find recurring decisions of your organization. A write: never retried."""
        return await self._call("surface", SurfaceInput, SurfaceOutput, {
            "window_days": window_days,
            "min_recurrences": min_recurrences,
            "scope": scope,
            "min_consistency_bps": min_consistency_bps,
            "limit": limit,
        })
