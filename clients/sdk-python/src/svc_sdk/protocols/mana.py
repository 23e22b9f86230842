# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MANA v1.0.0. The treasury: what is left, who may spend how much of it, and work put out to tender."""

from __future__ import annotations

from typing import List, Literal

from ..models import Input, Output
from ..operations import AsyncOperations, Operations


class AgentProfileInput(Input):
    """Read an agent's economic profile, or set what it says about itself."""

    agent_did: str | None = None
    """Whose profile; default: yourself."""
    set: AgentProfileSet | None = None
    """Your new profile; it replaces the one before. Absent: only read."""


class AgentProfileSet(Input):
    """Your new profile; it replaces the one before. Absent: only read."""

    display_name: str | None = None
    """For people to read."""
    skills: List[str] | None = None
    """What it can do, in its own words."""
    unit_prices: List[AgentProfileSetUnitPrice] | None = None
    """What it asks for its work; stated by itself."""
    capacity_per_hour: int | None = None
    """Calls it can serve in an hour; stated by itself."""
    accepts_bids: bool | None = None
    """Whether it wants to be invited to tenders."""


class AgentProfileSetUnitPrice(Input):
    """A part of the above."""

    capability: str
    """Capability that is offered."""
    asset_id: str
    """Asset in which it is paid."""
    amount: str
    """Price of one call, in the smallest unit of the asset."""


class AgentProfileOutput(Output):
    """Answer of MANA agent_profile."""

    agent_did: str
    """Whose profile it is."""
    profile: AgentProfileOutputProfile
    """What it says about itself."""
    version: int
    """0 if no profile was ever set."""
    completed_contracts: int
    """Contracts it fulfilled."""
    defaulted_contracts: int
    """Contracts it did not fulfil in time."""
    merit_score: int | None = None
    """Rating by MERIT, 0 to 10000; absent: none."""
    envelopes: List[AgentProfileOutputEnvelope] | None = None
    """Envelopes it is a member of; to its own organization."""
    spend: AgentProfileOutputSpend | None = None
    """What its calls cost; to its own organization."""
    earnings: List[AgentProfileOutputEarning] | None = None
    """What it was paid; to its own organization."""


class AgentProfileOutputProfile(Output):
    """What it says about itself."""

    display_name: str | None = None
    """For people to read."""
    skills: List[str] | None = None
    """What it can do, in its own words."""
    unit_prices: List[AgentProfileOutputProfileUnitPrice] | None = None
    """What it asks for its work; stated by itself."""
    capacity_per_hour: int | None = None
    """Calls it can serve in an hour; stated by itself."""
    accepts_bids: bool | None = None
    """Whether it wants to be invited to tenders."""


class AgentProfileOutputProfileUnitPrice(Output):
    """A part of the above."""

    capability: str
    """Capability that is offered."""
    asset_id: str
    """Asset in which it is paid."""
    amount: str
    """Price of one call, in the smallest unit of the asset."""


class AgentProfileOutputEnvelope(Output):
    """A part of the above."""

    envelope_id: str
    """Names the envelope."""
    department: str
    """A part of the organization."""


class AgentProfileOutputSpend(Output):
    """What its calls cost; to its own organization."""

    today_usd: str
    """In this UTC day."""
    month_usd: str
    """In this calendar month, UTC."""


class AgentProfileOutputEarning(Output):
    """A part of the above."""

    asset_id: str
    """Asset it was paid in."""
    amount: str
    """Sum, in the smallest unit of the asset."""


class AllocateInput(Input):
    """Give a department a budget and powers, change both, or close its envelope."""

    envelope: AllocateEnvelope
    """Department, limits and members."""
    capabilities_granted: List[str]
    """Capabilities its members get through it; never more than you hold."""
    authority: str
    """Verdict that binds MANA.allocate to the department."""


class AllocateEnvelope(Input):
    """Department, limits and members."""

    department: str
    """A part of the organization."""
    max_per_month_usd: str | float
    """What its members may spend together in a calendar month, UTC."""
    max_per_day_usd: str | float
    """What its members may spend together in a UTC day; at most the month's."""
    members: List[str] | None = None
    """Identities whose calls are charged to it; default: as before, or none."""
    envelope_id: str | None = None
    """Envelope to change or close; absent: a new one, where the department has none."""
    close: bool | None = None
    """Closes the envelope for good; it no longer limits its members. Default `false`."""


class AllocateOutput(Output):
    """Answer of MANA allocate."""

    envelope_id: str
    """Names the envelope."""
    version: int
    """Grows with each change."""
    state: Literal["ACTIVE", "HELD", "EXHAUSTED", "CLOSED"] | str
    """EXHAUSTED: a limit is reached until its day or month ends. HELD: frozen. CLOSED: for good."""
    granted: List[str]
    """Capabilities its members have through it."""
    members: int
    """Number of members."""
    effective_at: str
    """When it took effect."""
    tenant_committed_usd: str
    """Month limits of all envelopes together, in US dollars."""
    tenant_committed_micro_usd: str
    """Month limits of all envelopes together, in whole millionths."""


class BidSubmissionInput(Input):
    """Put work out to tender, bid for it under seal, or award it to the lowest at the second price."""

    action: Literal["solicit", "bid", "withdraw", "award", "view"] | None = None
    """view shows one lot, or those that are open. Default `"bid"`."""
    lot_id: str | None = None
    """The lot; for bid, withdraw and award, or to view one."""
    task: str | None = None
    """For solicit: the work, in words."""
    capability: str | None = None
    """For solicit: capability a bidder must hold."""
    asset_id: str | None = None
    """For solicit: asset in which bids are made and the work is paid."""
    reserve_price: str | None = None
    """For solicit: the most you pay, in the smallest unit of the asset."""
    closes_at: str | None = None
    """For solicit: bids are taken until then, at most 90 days ahead."""
    visibility: Literal["tenant", "treaty"] | None = None
    """For solicit: who may bid; treaty includes treaty partners. Default tenant."""
    price: str | None = None
    """For bid: what you ask, in the smallest unit of the asset."""
    eta_seconds: int | None = None
    """For bid: time you need for the work."""
    valid_until: str | None = None
    """For bid: your bid counts until then; absent: until the award."""
    treaty_id: str | None = None
    """For bid: treaty between the two organizations; needed if they differ."""
    signature: str | None = None
    """For award: of the contract; absent: the engine signs if it keeps your key."""
    public_key: str | None = None
    """For award: key that made the signature."""
    limit: int | None = None
    """For view: lots per page at most. Default `20`."""
    cursor: str | None = None
    """For view: next_cursor of the previous page."""


class BidSubmissionOutput(Output):
    """Answer of MANA bid_submission."""

    lot_id: str | None = None
    """The lot."""
    state: Literal["OPEN", "AWARDED", "CANCELLED", "EXPIRED"] | str | None = None
    """CANCELLED: withdrawn by who solicited it. EXPIRED: closed without a valid bid."""
    bids_count: int | None = None
    """Bids that count; the bids themselves stay sealed until the award."""
    bid_id: str | None = None
    """Your bid."""
    commitment: str | None = None
    """Hash of your sealed bid, as the audit log has it."""
    winner_did: str | None = None
    """Who won; after the award."""
    clearing_price: str | None = None
    """What is paid: the second-lowest bid, or the reserve price if there was one bid."""
    contract_id: str | None = None
    """MADE contract offered to the winner."""
    losing: List[BidSubmissionOutputLosing] | None = None
    """Bids that lost; after the award, to who solicited it."""
    lots: List[BidSubmissionOutputLot] | None = None
    """Open lots, or the one asked for; for view."""
    next_cursor: str | None = None
    """There are more lots."""


class BidSubmissionOutputLosing(Output):
    """A part of the above."""

    bid_id: str
    """Names the bid."""
    bidder_did: str
    """Who bid."""
    price: str
    """What was asked, in the smallest unit of the asset."""
    eta_seconds: int
    """Time needed for the work."""
    valid_until: str | None = None
    """It counted until then; absent: until the award."""
    commitment: str
    """Hash that the audit log has of the sealed bid."""
    salt: str
    """Random part of the hash; with it anyone can verify the bid."""


class BidSubmissionOutputLot(Output):
    """A part of the above."""

    lot_id: str
    """Names the lot, to bid for it."""
    solicitor_did: str
    """Who put it out to tender."""
    task: str
    """The work, in words."""
    capability: str
    """Capability a bidder must hold."""
    asset_id: str
    """Asset in which bids are made and the work is paid."""
    reserve_price: str
    """The most that is paid, in the smallest unit of the asset."""
    visibility: Literal["tenant", "treaty"] | str
    """Who may bid; treaty includes treaty partners."""
    closes_at: str
    """Bids are taken until then."""


class BudgetInput(Input):
    """Read what is left of the runway or of an envelope, and how long it lasts."""

    tenant_id: str
    """Your own organization."""
    dimension: Literal["usd", "tokens", "seconds", "watts"]
    """Unit of remaining."""
    envelope_id: str | None = None
    """Also bounded by this envelope; absent: the whole runway."""


class BudgetOutput(Output):
    """Answer of MANA budget."""

    remaining: str
    """USD with six places; whole tokens, seconds or kWh at the current rate."""
    remaining_usd: str
    """What is left, in US dollars."""
    remaining_micro_usd: str
    """What is left, in whole millionths of a US dollar."""
    reserved: str
    """What running calls may still cost."""
    accrued: str
    """What was spent so far."""
    paid_in: str
    """What was paid in so far."""
    credit_line: str
    """What may be spent beyond what was paid in."""
    burn_per_day: str
    """Average of the last seven days."""
    runway_days: int | None
    """At the spending rate of the last seven days; null if nothing was spent."""
    level: Literal["ample", "low", "critical", "exhausted"] | str
    """low below 20 %, critical below 5 % of the runway; exhausted: calls are refused."""
    envelopes: List[BudgetOutputEnvelope]
    """Budgets of departments."""
    as_of: str
    """When these figures were read."""


class BudgetOutputEnvelope(Output):
    """A part of the above."""

    id: str
    """Names the envelope."""
    department: str
    """A part of the organization."""
    state: Literal["ACTIVE", "HELD", "EXHAUSTED", "CLOSED"] | str
    """EXHAUSTED: a limit is reached until its day or month ends. HELD: frozen. CLOSED: for good."""
    day: BudgetOutputEnvelopeDay
    """Of the current UTC day."""
    month: BudgetOutputEnvelopeDay
    """Of the current calendar month, UTC."""


class BudgetOutputEnvelopeDay(Output):
    """Of the current UTC day."""

    limit: str
    """What may be spent."""
    spent: str
    """What was spent."""
    reserved: str
    """What running calls may still cost."""
    remaining: str
    """What is left."""


class HoldInput(Input):
    """Freeze a tenant, envelope, agent or protocol until a moment, or release it."""

    reason: str
    """Why; callers are told it."""
    scope: str
    """tenant, envelope:<id>, agent:<did> or protocol:<ID>."""
    until: str
    """When the hold ends, at most 90 days ahead; now or earlier releases."""
    hold_id: str | None = None
    """For a release: only this hold; absent: all of the scope that you may release."""


class HoldOutput(Output):
    """Answer of MANA hold."""

    hold_id: str
    """The hold; the first one if several were released."""
    state: Literal["HELD", "RELEASED"] | str
    """HELD: matching calls are refused."""
    affects: HoldOutputAffects
    """What is frozen or released."""
    until: str | None = None
    """It ends by itself then; absent after a release."""
    released: int | None = None
    """Number of holds that were released."""
    still_held: int | None = None
    """Holds of this scope that remain."""


class HoldOutputAffects(Output):
    """What is frozen or released."""

    kind: Literal["tenant", "envelope", "agent", "protocol"] | str
    """What the scope names."""
    id: str | None = None
    """Which one; absent for the tenant."""
    members: int | None = None
    """Members of the envelope."""


class ListInput(Input):
    """List envelopes with budget, spending, throttles and holds, or list the holds themselves."""

    kind: Literal["envelopes", "holds"] | None = None
    """What to list. Default `"envelopes"`."""
    state: Literal["ACTIVE", "HELD", "EXHAUSTED", "CLOSED", "RELEASED"] | None = None
    """Of envelopes ACTIVE, HELD, EXHAUSTED or CLOSED; of holds HELD or RELEASED."""
    envelope_id: str | None = None
    """Only this envelope."""
    department: str | None = None
    """Only envelopes of this department."""
    scope: str | None = None
    """Of holds."""
    include_detail: bool | None = None
    """With envelope_id: all versions of the envelope. Default `false`."""
    since: str | None = None
    """Only entries from this time on, RFC 3339 in UTC."""
    limit: int | None = None
    """Entries per page. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class ListOutput(Output):
    """Answer of MANA list."""

    envelopes: List[ListOutputEnvelope] | None = None
    """Envelopes, newest first; for kind envelopes."""
    holds: List[ListOutputHold] | None = None
    """Holds, newest first; for kind holds."""
    next_cursor: str | None = None
    """There may be more entries, even after a page that is not full."""


class ListOutputEnvelope(Output):
    """A part of the above."""

    envelope_id: str
    """Names the envelope."""
    version: int
    """Grows with each change."""
    department: str
    """A part of the organization."""
    state: Literal["ACTIVE", "HELD", "EXHAUSTED", "CLOSED"] | str
    """EXHAUSTED: a limit is reached until its day or month ends. HELD: frozen. CLOSED: for good."""
    day: ListOutputEnvelopeDay
    """Of the current UTC day."""
    month: ListOutputEnvelopeDay
    """Of the current calendar month, UTC."""
    granted: List[str]
    """Capabilities its members have through it."""
    members: List[str]
    """Identities whose calls are charged to it."""
    authority: str
    """Verdict that authorized its current version."""
    allocated_by: str
    """Who made its current version."""
    created_at: str
    """When it was first allocated."""
    effective_at: str
    """When its current version took effect."""
    throttle: ListOutputEnvelopeThrottle | None = None
    """How its members are slowed down; absent: not at all."""
    held_by: List[ListOutputEnvelopeHeldBy]
    """Holds that freeze it now."""
    detail: ListOutputEnvelopeDetail | None = None
    """With include_detail."""


class ListOutputEnvelopeDay(Output):
    """Of the current UTC day."""

    limit: str
    """What may be spent."""
    spent: str
    """What was spent."""
    reserved: str
    """What running calls may still cost."""
    remaining: str
    """What is left."""


class ListOutputEnvelopeThrottle(Output):
    """How its members are slowed down; absent: not at all."""

    throttle_id: str
    """Names this list of rules."""
    rules: List[ListOutputEnvelopeThrottleRule]
    """Which calls are slowed, and how much."""
    set_by: str
    """Who set it."""
    in_force_from: str
    """When it was set."""


class ListOutputEnvelopeThrottleRule(Output):
    """A part of the above."""

    match: str
    """A capability, the wildcard of a protocol, or * for all."""
    factor_bps: int
    """Share of the normal rate that is left, in basis points."""


class ListOutputEnvelopeHeldBy(Output):
    """A part of the above."""

    hold_id: str
    """Names the hold."""
    scope: str
    """What is frozen."""
    reason: str
    """Why, as callers are told."""
    until: str
    """It ends by itself then."""


class ListOutputEnvelopeDetail(Output):
    """With include_detail."""

    versions: List[ListOutputEnvelopeDetailVersion]
    """All versions, newest first."""


class ListOutputEnvelopeDetailVersion(Output):
    """A part of the above."""

    version: int
    """Grows with each change."""
    state: Literal["ACTIVE", "CLOSED"] | str
    """CLOSED: this version ended the envelope."""
    max_per_day_usd: str
    """Limit of a UTC day."""
    max_per_month_usd: str
    """Limit of a calendar month, UTC."""
    granted: List[str]
    """Capabilities its members had through it."""
    members: List[str]
    """Its members."""
    authority: str
    """Verdict that authorized it."""
    allocated_by: str
    """Who made this version."""
    effective_at: str
    """When it took effect."""
    ended_at: str | None = None
    """When a later one replaced it; absent: it counts now."""


class ListOutputHold(Output):
    """A part of the above."""

    hold_id: str
    """Names the hold, to release it."""
    scope: str
    """What is frozen: tenant, envelope:<id>, agent:<did> or protocol:<ID>."""
    state: Literal["HELD", "RELEASED"] | str
    """HELD: matching calls are refused."""
    reason: str
    """Why, as callers are told."""
    placed_by: str
    """Who placed it."""
    placed_at: str
    """When it was placed."""
    until: str
    """It ends by itself then."""
    released_at: str | None = None
    """When it was released early; absent: it was not."""
    released_by: str | None = None
    """Who released it."""


class ThrottleInput(Input):
    """Slow an envelope's members down by rules, without stopping them; an empty list lifts it."""

    envelope_id: str
    """Envelope whose members are slowed down."""
    rules: List[ThrottleRule]
    """Replaces all rules before; empty lifts the throttle."""


class ThrottleRule(Input):
    """A part of the above."""

    match: str | Literal["*"]
    """A capability, the wildcard of a protocol, or * for all."""
    factor: float
    """0 stops it, 1 leaves it as it is."""


class ThrottleOutput(Output):
    """Answer of MANA throttle."""

    throttle_id: str
    """Names this list of rules."""
    rules: List[ThrottleOutputRule]
    """The rules in force from now on."""
    in_force_from: str
    """When they took effect."""
    effective: List[ThrottleOutputEffective]
    """For each name, what is left of the normal rate."""
    ignored_for: List[str]
    """What the rules cannot slow, such as reads of the audit log."""


class ThrottleOutputRule(Output):
    """A part of the above."""

    match: str
    """A capability, the wildcard of a protocol, or * for all."""
    factor_bps: int
    """Share of the normal rate that is left, in basis points."""


class ThrottleOutputEffective(Output):
    """A part of the above."""

    match: str
    """A capability, the wildcard of a protocol, or * for all."""
    factor_bps: int
    """Share of the normal rate that is left, in basis points."""
    protocol: str | None = None
    """Protocol that is slowed; absent if it is not one."""
    capacity: float | None = None
    """Calls in a burst that are left to its members."""
    refill: float | None = None
    """Per second."""


class Mana(Operations):
    """The treasury: what is left, who may spend how much of it, and work put out to tender."""

    protocol = "MANA"

    def agent_profile(
        self,
        *,
        agent_did: str | None = None,
        set: AgentProfileSet | None = None,
    ) -> AgentProfileOutput:
        """Read an agent's economic profile, or set what it says about itself. A write: never retried."""
        return self._call("agent_profile", AgentProfileInput, AgentProfileOutput, {
            "agent_did": agent_did,
            "set": set,
        })

    def allocate(
        self,
        *,
        envelope: AllocateEnvelope,
        capabilities_granted: List[str],
        authority: str,
    ) -> AllocateOutput:
        """Give a department a budget and powers, change both, or close its envelope. A write: never retried."""
        return self._call("allocate", AllocateInput, AllocateOutput, {
            "envelope": envelope,
            "capabilities_granted": capabilities_granted,
            "authority": authority,
        })

    def bid_submission(
        self,
        *,
        action: Literal["solicit", "bid", "withdraw", "award", "view"] | None = None,
        lot_id: str | None = None,
        task: str | None = None,
        capability: str | None = None,
        asset_id: str | None = None,
        reserve_price: str | None = None,
        closes_at: str | None = None,
        visibility: Literal["tenant", "treaty"] | None = None,
        price: str | None = None,
        eta_seconds: int | None = None,
        valid_until: str | None = None,
        treaty_id: str | None = None,
        signature: str | None = None,
        public_key: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> BidSubmissionOutput:
        """Put work out to tender, bid for it under seal, or award it to the lowest at the second price. A write: never retried."""
        return self._call("bid_submission", BidSubmissionInput, BidSubmissionOutput, {
            "action": action,
            "lot_id": lot_id,
            "task": task,
            "capability": capability,
            "asset_id": asset_id,
            "reserve_price": reserve_price,
            "closes_at": closes_at,
            "visibility": visibility,
            "price": price,
            "eta_seconds": eta_seconds,
            "valid_until": valid_until,
            "treaty_id": treaty_id,
            "signature": signature,
            "public_key": public_key,
            "limit": limit,
            "cursor": cursor,
        })

    def budget(
        self,
        *,
        tenant_id: str,
        dimension: Literal["usd", "tokens", "seconds", "watts"],
        envelope_id: str | None = None,
    ) -> BudgetOutput:
        """Read what is left of the runway or of an envelope, and how long it lasts. A read: retried."""
        return self._call("budget", BudgetInput, BudgetOutput, {
            "tenant_id": tenant_id,
            "dimension": dimension,
            "envelope_id": envelope_id,
        })

    def hold(
        self,
        *,
        reason: str,
        scope: str,
        until: str,
        hold_id: str | None = None,
    ) -> HoldOutput:
        """Freeze a tenant, envelope, agent or protocol until a moment, or release it. A write: never retried."""
        return self._call("hold", HoldInput, HoldOutput, {
            "reason": reason,
            "scope": scope,
            "until": until,
            "hold_id": hold_id,
        })

    def list(
        self,
        *,
        kind: Literal["envelopes", "holds"] | None = None,
        state: Literal["ACTIVE", "HELD", "EXHAUSTED", "CLOSED", "RELEASED"] | None = None,
        envelope_id: str | None = None,
        department: str | None = None,
        scope: str | None = None,
        include_detail: bool | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List envelopes with budget, spending, throttles and holds, or list the holds themselves. A read: retried."""
        return self._call("list", ListInput, ListOutput, {
            "kind": kind,
            "state": state,
            "envelope_id": envelope_id,
            "department": department,
            "scope": scope,
            "include_detail": include_detail,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    def throttle(
        self,
        *,
        envelope_id: str,
        rules: List[ThrottleRule],
    ) -> ThrottleOutput:
        """Slow an envelope's members down by rules, without stopping them; an empty list lifts it. A write: never retried."""
        return self._call("throttle", ThrottleInput, ThrottleOutput, {
            "envelope_id": envelope_id,
            "rules": rules,
        })


class AsyncMana(AsyncOperations):
    """The treasury: what is left, who may spend how much of it, and work put out to tender."""

    protocol = "MANA"

    async def agent_profile(
        self,
        *,
        agent_did: str | None = None,
        set: AgentProfileSet | None = None,
    ) -> AgentProfileOutput:
        """Read an agent's economic profile, or set what it says about itself. A write: never retried."""
        return await self._call("agent_profile", AgentProfileInput, AgentProfileOutput, {
            "agent_did": agent_did,
            "set": set,
        })

    async def allocate(
        self,
        *,
        envelope: AllocateEnvelope,
        capabilities_granted: List[str],
        authority: str,
    ) -> AllocateOutput:
        """Give a department a budget and powers, change both, or close its envelope. A write: never retried."""
        return await self._call("allocate", AllocateInput, AllocateOutput, {
            "envelope": envelope,
            "capabilities_granted": capabilities_granted,
            "authority": authority,
        })

    async def bid_submission(
        self,
        *,
        action: Literal["solicit", "bid", "withdraw", "award", "view"] | None = None,
        lot_id: str | None = None,
        task: str | None = None,
        capability: str | None = None,
        asset_id: str | None = None,
        reserve_price: str | None = None,
        closes_at: str | None = None,
        visibility: Literal["tenant", "treaty"] | None = None,
        price: str | None = None,
        eta_seconds: int | None = None,
        valid_until: str | None = None,
        treaty_id: str | None = None,
        signature: str | None = None,
        public_key: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> BidSubmissionOutput:
        """Put work out to tender, bid for it under seal, or award it to the lowest at the second price. A write: never retried."""
        return await self._call("bid_submission", BidSubmissionInput, BidSubmissionOutput, {
            "action": action,
            "lot_id": lot_id,
            "task": task,
            "capability": capability,
            "asset_id": asset_id,
            "reserve_price": reserve_price,
            "closes_at": closes_at,
            "visibility": visibility,
            "price": price,
            "eta_seconds": eta_seconds,
            "valid_until": valid_until,
            "treaty_id": treaty_id,
            "signature": signature,
            "public_key": public_key,
            "limit": limit,
            "cursor": cursor,
        })

    async def budget(
        self,
        *,
        tenant_id: str,
        dimension: Literal["usd", "tokens", "seconds", "watts"],
        envelope_id: str | None = None,
    ) -> BudgetOutput:
        """Read what is left of the runway or of an envelope, and how long it lasts. A read: retried."""
        return await self._call("budget", BudgetInput, BudgetOutput, {
            "tenant_id": tenant_id,
            "dimension": dimension,
            "envelope_id": envelope_id,
        })

    async def hold(
        self,
        *,
        reason: str,
        scope: str,
        until: str,
        hold_id: str | None = None,
    ) -> HoldOutput:
        """Freeze a tenant, envelope, agent or protocol until a moment, or release it. A write: never retried."""
        return await self._call("hold", HoldInput, HoldOutput, {
            "reason": reason,
            "scope": scope,
            "until": until,
            "hold_id": hold_id,
        })

    async def list(
        self,
        *,
        kind: Literal["envelopes", "holds"] | None = None,
        state: Literal["ACTIVE", "HELD", "EXHAUSTED", "CLOSED", "RELEASED"] | None = None,
        envelope_id: str | None = None,
        department: str | None = None,
        scope: str | None = None,
        include_detail: bool | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List envelopes with budget, spending, throttles and holds, or list the holds themselves. A read: retried."""
        return await self._call("list", ListInput, ListOutput, {
            "kind": kind,
            "state": state,
            "envelope_id": envelope_id,
            "department": department,
            "scope": scope,
            "include_detail": include_detail,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    async def throttle(
        self,
        *,
        envelope_id: str,
        rules: List[ThrottleRule],
    ) -> ThrottleOutput:
        """Slow an envelope's members down by rules, without stopping them; an empty list lifts it. A write: never retried."""
        return await self._call("throttle", ThrottleInput, ThrottleOutput, {
            "envelope_id": envelope_id,
            "rules": rules,
        })
