# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MEAL v1.0.0. Metering and billing: every call counted once, priced exactly, and provable from the chain alone."""

from __future__ import annotations

from typing import List, Literal

from pydantic import Field

from ..models import Input, Output
from ..operations import AsyncOperations, Operations


class AdminInput(Input):
    """Set tier and credit of an organization, and close or settle its periods; for the operator alone."""

    action: Literal["set_tier", "grant_credit", "set_credit_line", "close_period", "mark_settled", "write_off"]
    """What to change: tier, credit, or the invoice of a period."""
    tenant_id: str
    """Organization that is billed."""
    authority: str | None = None
    """Charter verdict that allows it; not needed to close a month that has ended."""
    tier: Literal["sandbox", "charter", "institution", "sovereign"] | None = None
    """New tier; for set_tier."""
    amount_usd: str | float | None = None
    """US dollars with at most six decimal places, best as a string."""
    period: AdminPeriod | None = None
    """Half-open: from <= t < to."""
    contract_id: str | None = None
    """Settled MADE contract that paid the invoice; for mark_settled."""


class AdminPeriod(Input):
    """Half-open: from <= t < to."""

    from_: str = Field(validation_alias="from", serialization_alias="from")
    """First moment of the period."""
    to: str
    """End of the period, itself not included."""


class AdminOutput(Output):
    """Answer of MEAL admin."""

    action: Literal["set_tier", "grant_credit", "set_credit_line", "close_period", "mark_settled", "write_off"] | str
    """What was done."""
    tenant_id: str
    """Organization that is billed."""
    authority: str | None = None
    """Charter verdict that was used."""
    tier: Literal["sandbox", "charter", "institution", "sovereign"] | str | None = None
    """Tier from now on; for set_tier."""
    previous_tier: Literal["sandbox", "charter", "institution", "sovereign"] | str | None = None
    """Tier before; for set_tier."""
    amount_usd: str | None = None
    """US dollars with six decimal places."""
    amount_micro_usd: str | None = None
    """The amount in whole millionths of a US dollar."""
    credit_line_usd: str | None = None
    """Null: the default of the tier."""
    journal_id: str | None = None
    """Ledger journal that booked it; absent where no money moved."""
    invoice: AdminOutputInvoice | None = None
    """The invoice after the action."""


class AdminOutputInvoice(Output):
    """The invoice after the action."""

    invoice_id: str
    """Names the invoice: meal://invoice/<tenant>/<start of the period>."""
    tenant_id: str
    """Organization that is billed."""
    period: AdminOutputInvoicePeriod
    """Half-open: from <= t < to."""
    state: Literal["CLOSED", "SETTLED", "OVERDUE", "DISPUTED"] | str
    """CLOSED: issued and not yet paid; SETTLED; OVERDUE; DISPUTED."""
    amount_usd: str
    """US dollars with six decimal places."""
    amount_micro_usd: str
    """Amount of the invoice, in whole millionths of a US dollar."""
    due_usd: str
    """US dollars with six decimal places."""
    due_micro_usd: str
    """What is still to be paid, in whole millionths of a US dollar."""
    event_count: int
    """Metered events it charges."""
    events_root: str
    """Merkle root of the metered events it charges."""
    statement_hash: str
    """Hash of the statement it was made from."""
    issued_at: str
    """When it was issued."""
    due_at: str
    """When it has to be paid."""
    settled_at: str | None = None
    """When it was paid; absent until then."""
    contract_id: str | None = None
    """MADE contract that paid it; absent until then."""
    written_off: bool
    """The operator gave up the amount due."""


class AdminOutputInvoicePeriod(Output):
    """Half-open: from <= t < to."""

    from_: str = Field(validation_alias="from", serialization_alias="from")
    """First moment of the period."""
    to: str
    """End of the period, itself not included."""


class AdminSetRateInput(Input):
    """Give an organization prices of its own from a moment on; for the operator alone."""

    tenant_id: str
    """Organization whose rate changes."""
    overrides: AdminSetRateOverrides
    """What is left out stays as it is."""
    effective_from: str
    """From when the new rate counts."""
    authority: str
    """Charter verdict of the operator for exactly this change."""


class AdminSetRateOverrides(Input):
    """What is left out stays as it is."""

    tokens_per_million_usd: str | float | None = None
    """US dollars with at most six decimal places, best as a string."""
    seconds_per_million_usd: str | float | None = None
    """US dollars with at most six decimal places, best as a string."""
    watts_per_kwh_usd: str | float | None = None
    """US dollars with at most six decimal places, best as a string."""


class AdminSetRateOutput(Output):
    """Answer of MEAL admin_set_rate."""

    rate_version: int
    """Number of the new rate."""
    previous: int
    """The version it takes the place of; 0 is the base rate."""
    effective_from: str
    """From when the new rate counts."""


class MeterInput(Input):
    """Report usage of a service outside, once for each event id."""

    event_id: str
    """Chosen by you: the same id counts once."""
    tenant_id: str
    """Organization that used it."""
    protocol: str
    """External protocol that reports its own usage."""
    operation: str
    """Operation that was performed."""
    correlation_id: str
    """Call that caused the usage."""
    tokens_in: int | None = None
    """Tokens read. Default 0."""
    tokens_out: int | None = None
    """Tokens written. Default 0."""
    milliseconds: int
    """Time the operation took."""
    energy_uwh: int | None = None
    """Energy used, in millionths of a watt-hour. Default 0."""
    occurred_at: str
    """When it was used."""
    origin: str | None = None
    """Where the call came from, such as http or mcp; statements group by it."""


class MeterOutput(Output):
    """Answer of MEAL meter."""

    event_id: str
    """The event that was reported."""
    charge_quanta: str
    """In 10^-19 USD."""
    accepted: bool
    """The usage is counted."""
    duplicate: bool
    """It was reported before, and counts once."""
    late: bool
    """Its period is closed, so it counts in the next one."""


class ReconcileInput(Input):
    """Prove that chain, meter, prices, journals, balances and invoices agree, and name what does not."""

    period: ReconcilePeriod
    """Half-open: from <= t < to."""
    repair: bool | None = None
    """Add what is missing; needs svc.meal.admin. Default `false`."""


class ReconcilePeriod(Input):
    """Half-open: from <= t < to."""

    from_: str = Field(validation_alias="from", serialization_alias="from")
    """First moment of the period."""
    to: str
    """End of the period, itself not included."""


class ReconcileOutput(Output):
    """Answer of MEAL reconcile."""

    balanced: bool
    """Every check holds."""
    checks: List[ReconcileOutputCheck]
    """What was compared."""
    drift: List[ReconcileOutputDrift]
    """Single differences that were found."""
    drift_micro_usd: str
    """How far the books are apart, in whole millionths of a US dollar."""
    unbalanced_record: str | None = None
    """Audit record of the drift; absent where all is balanced."""
    repaired: int | None = None
    """How many rows were added or are made again."""


class ReconcileOutputCheck(Output):
    """A part of the above."""

    name: str
    """What must hold."""
    ok: bool
    """Whether it holds."""
    detail: str
    """holds, or how many faults were found."""


class ReconcileOutputDrift(Output):
    """A part of the above."""

    kind: Literal["missing_meter", "orphan_meter", "charge_mismatch", "duplicate", "journal_mismatch", "balance_cache"] | str
    """Usage not metered, metered without a call, or twice; or a wrong charge, journal or balance."""
    ref: str
    """Record, event, journal, account or invoice that is off."""
    expected: str
    """What it should be."""
    actual: str
    """What it is."""


class StatementInput(Input):
    """Get an exact statement of what your organization used and owes in a period."""

    tenant_id: str
    """Organization whose usage is added up."""
    period: StatementPeriod
    """Half-open: from <= t < to."""
    include_breakdown: bool | None = None
    """Adds a group for each operation where no other is asked for. Default `false`."""
    group_by: List[Literal["protocol", "operation", "agent", "department", "day", "origin"]] | None = None
    """Also return sums for each combination of these."""


class StatementPeriod(Input):
    """Half-open: from <= t < to."""

    from_: str = Field(validation_alias="from", serialization_alias="from")
    """First moment of the period."""
    to: str
    """End of the period, itself not included."""


class StatementOutput(Output):
    """Answer of MEAL statement."""

    totals: StatementOutputTotals
    """Sums over the period."""
    by_protocol: List[StatementOutputByProtocol]
    """Sums for each protocol; they add up to the totals."""
    groups: List[StatementOutputGroup] | None = None
    """Sums for each combination of group_by."""
    settlement_status: Literal["open", "invoiced", "settled", "overdue", "disputed"] | str
    """State of the invoices of the period; open while a part of it has none."""
    next_invoice_at: str
    """When the next invoice is issued."""
    rate_versions: List[StatementOutputRateVersion]
    """Rates that were applied."""
    event_count: int
    """Metered events in the period."""
    events_root: str
    """Merkle root of the metered events of the period."""
    statement_hash: str
    """Hash of this statement; the same usage gives the same hash."""


class StatementOutputTotals(Output):
    """Sums over the period."""

    calls: int
    """Number of calls."""
    tokens: int
    """Tokens read and written."""
    seconds: float
    """Time the calls took."""
    watts_k_wh: float = Field(validation_alias="watts_kWh", serialization_alias="watts_kWh")
    """Energy in kilowatt-hours."""
    amount_usd: str
    """US dollars with six decimal places."""
    amount_micro_usd: str
    """What it costs, in whole millionths of a US dollar."""
    quanta: str
    """Before rounding, in 10^-19 USD."""


class StatementOutputByProtocol(Output):
    """A part of the above."""

    protocol: str
    """Protocol id."""
    calls: int
    """Number of calls."""
    tokens: int
    """Tokens read and written."""
    seconds: float
    """Time the calls took."""
    watts_k_wh: float = Field(validation_alias="watts_kWh", serialization_alias="watts_kWh")
    """Energy in kilowatt-hours."""
    amount_usd: str
    """US dollars with six decimal places."""
    amount_micro_usd: str
    """What it costs, in whole millionths of a US dollar."""


class StatementOutputGroup(Output):
    """A part of the above."""

    key: StatementOutputGroupKey
    """What the group has in common."""
    calls: int
    """Number of calls."""
    tokens: int
    """Tokens read and written."""
    seconds: float
    """Time the calls took."""
    watts_k_wh: float = Field(validation_alias="watts_kWh", serialization_alias="watts_kWh")
    """Energy in kilowatt-hours."""
    amount_usd: str
    """US dollars with six decimal places."""
    amount_micro_usd: str
    """What it costs, in whole millionths of a US dollar."""


class StatementOutputGroupKey(Output):
    """What the group has in common."""

    protocol: str | None = None
    """Protocol that was called."""
    operation: str | None = None
    """Operation that was called."""
    agent: str | None = None
    """DID of the caller."""
    department: str | None = None
    """Department whose envelope paid; null where none did."""
    day: str | None = None
    """Day in UTC, as YYYY-MM-DD."""
    origin: str | None = None
    """Where the calls came from, such as http or mcp; null where unknown."""


class StatementOutputRateVersion(Output):
    """A part of the above."""

    version: int
    """Number of the rate; 0 is the base rate."""
    effective_from: str | None = None
    """From when it counts; absent for the base rate."""
    tokens_per_million_usd: str
    """USD for a million tokens."""
    seconds_per_million_usd: str
    """USD for a million seconds."""
    watts_per_kwh_usd: str
    """USD for a kilowatt-hour."""


class Meal(Operations):
    """Metering and billing: every call counted once, priced exactly, and provable from the chain alone."""

    protocol = "MEAL"

    def admin(
        self,
        *,
        action: Literal["set_tier", "grant_credit", "set_credit_line", "close_period", "mark_settled", "write_off"],
        tenant_id: str,
        authority: str | None = None,
        tier: Literal["sandbox", "charter", "institution", "sovereign"] | None = None,
        amount_usd: str | float | None = None,
        period: AdminPeriod | None = None,
        contract_id: str | None = None,
    ) -> AdminOutput:
        """Set tier and credit of an organization, and close or settle its periods; for the operator alone. A write: never retried."""
        return self._call("admin", AdminInput, AdminOutput, {
            "action": action,
            "tenant_id": tenant_id,
            "authority": authority,
            "tier": tier,
            "amount_usd": amount_usd,
            "period": period,
            "contract_id": contract_id,
        })

    def admin_set_rate(
        self,
        *,
        tenant_id: str,
        overrides: AdminSetRateOverrides,
        effective_from: str,
        authority: str,
    ) -> AdminSetRateOutput:
        """Give an organization prices of its own from a moment on; for the operator alone. A write: never retried."""
        return self._call("admin_set_rate", AdminSetRateInput, AdminSetRateOutput, {
            "tenant_id": tenant_id,
            "overrides": overrides,
            "effective_from": effective_from,
            "authority": authority,
        })

    def meter(
        self,
        *,
        event_id: str,
        tenant_id: str,
        protocol: str,
        operation: str,
        correlation_id: str,
        tokens_in: int | None = None,
        tokens_out: int | None = None,
        milliseconds: int,
        energy_uwh: int | None = None,
        occurred_at: str,
        origin: str | None = None,
    ) -> MeterOutput:
        """Report usage of a service outside, once for each event id. A write: never retried."""
        return self._call("meter", MeterInput, MeterOutput, {
            "event_id": event_id,
            "tenant_id": tenant_id,
            "protocol": protocol,
            "operation": operation,
            "correlation_id": correlation_id,
            "tokens_in": tokens_in,
            "tokens_out": tokens_out,
            "milliseconds": milliseconds,
            "energy_uwh": energy_uwh,
            "occurred_at": occurred_at,
            "origin": origin,
        })

    def reconcile(
        self,
        *,
        period: ReconcilePeriod,
        repair: bool | None = None,
    ) -> ReconcileOutput:
        """Prove that chain, meter, prices, journals, balances and invoices agree, and name what does not. A write: never retried."""
        return self._call("reconcile", ReconcileInput, ReconcileOutput, {
            "period": period,
            "repair": repair,
        })

    def statement(
        self,
        *,
        tenant_id: str,
        period: StatementPeriod,
        include_breakdown: bool | None = None,
        group_by: List[Literal["protocol", "operation", "agent", "department", "day", "origin"]] | None = None,
    ) -> StatementOutput:
        """Get an exact statement of what your organization used and owes in a period. A read: retried."""
        return self._call("statement", StatementInput, StatementOutput, {
            "tenant_id": tenant_id,
            "period": period,
            "include_breakdown": include_breakdown,
            "group_by": group_by,
        })


class AsyncMeal(AsyncOperations):
    """Metering and billing: every call counted once, priced exactly, and provable from the chain alone."""

    protocol = "MEAL"

    async def admin(
        self,
        *,
        action: Literal["set_tier", "grant_credit", "set_credit_line", "close_period", "mark_settled", "write_off"],
        tenant_id: str,
        authority: str | None = None,
        tier: Literal["sandbox", "charter", "institution", "sovereign"] | None = None,
        amount_usd: str | float | None = None,
        period: AdminPeriod | None = None,
        contract_id: str | None = None,
    ) -> AdminOutput:
        """Set tier and credit of an organization, and close or settle its periods; for the operator alone. A write: never retried."""
        return await self._call("admin", AdminInput, AdminOutput, {
            "action": action,
            "tenant_id": tenant_id,
            "authority": authority,
            "tier": tier,
            "amount_usd": amount_usd,
            "period": period,
            "contract_id": contract_id,
        })

    async def admin_set_rate(
        self,
        *,
        tenant_id: str,
        overrides: AdminSetRateOverrides,
        effective_from: str,
        authority: str,
    ) -> AdminSetRateOutput:
        """Give an organization prices of its own from a moment on; for the operator alone. A write: never retried."""
        return await self._call("admin_set_rate", AdminSetRateInput, AdminSetRateOutput, {
            "tenant_id": tenant_id,
            "overrides": overrides,
            "effective_from": effective_from,
            "authority": authority,
        })

    async def meter(
        self,
        *,
        event_id: str,
        tenant_id: str,
        protocol: str,
        operation: str,
        correlation_id: str,
        tokens_in: int | None = None,
        tokens_out: int | None = None,
        milliseconds: int,
        energy_uwh: int | None = None,
        occurred_at: str,
        origin: str | None = None,
    ) -> MeterOutput:
        """Report usage of a service outside, once for each event id. A write: never retried."""
        return await self._call("meter", MeterInput, MeterOutput, {
            "event_id": event_id,
            "tenant_id": tenant_id,
            "protocol": protocol,
            "operation": operation,
            "correlation_id": correlation_id,
            "tokens_in": tokens_in,
            "tokens_out": tokens_out,
            "milliseconds": milliseconds,
            "energy_uwh": energy_uwh,
            "occurred_at": occurred_at,
            "origin": origin,
        })

    async def reconcile(
        self,
        *,
        period: ReconcilePeriod,
        repair: bool | None = None,
    ) -> ReconcileOutput:
        """Prove that chain, meter, prices, journals, balances and invoices agree, and name what does not. A write: never retried."""
        return await self._call("reconcile", ReconcileInput, ReconcileOutput, {
            "period": period,
            "repair": repair,
        })

    async def statement(
        self,
        *,
        tenant_id: str,
        period: StatementPeriod,
        include_breakdown: bool | None = None,
        group_by: List[Literal["protocol", "operation", "agent", "department", "day", "origin"]] | None = None,
    ) -> StatementOutput:
        """Get an exact statement of what your organization used and owes in a period. A read: retried."""
        return await self._call("statement", StatementInput, StatementOutput, {
            "tenant_id": tenant_id,
            "period": period,
            "include_breakdown": include_breakdown,
            "group_by": group_by,
        })
