// What is left of the runway or of an envelope, in money or in units at the current rate.

import { tiers } from '@svc/contract/authority/tier'
import type { Envelope } from '@svc/contract/money/books'
import { envelopeDay, envelopeMonth, runway_counter } from '@svc/contract/money/budget-counter'
import { affordable, rateAt } from '@svc/contract/money/charge'
import { MicroUsd, microUsdOf, UsdText, usdText } from '@svc/contract/money/money'
import type { BudgetCounterState } from '@svc/contract/needs/budgets'
import type { OperationContext } from '@svc/contract/operation-context'
import type { Meter } from '@svc/contract/operation-facts'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, described, ListOf, OneOf, TenantId, Timestamp, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { spentSince } from '../usage/api.ts'
import { Department, EnvelopeState, isHeldAt, stateAt } from './envelope.ts'
import { envelopes_active_max } from './envelope-store.ts'

const burn_days = 7
const day_ms = 86_400_000
const hour_ms = 3_600_000

export const BudgetInput = Closed({
  tenant_id: described(TenantId, 'Your own organization.'),
  dimension: described(OneOf('usd', 'tokens', 'seconds', 'watts'), 'Unit of remaining.'),
  envelope_id: Type.Optional(described(Uuid, 'Also bounded by this envelope; absent: the whole runway.')),
})
type BudgetInput = Static<typeof BudgetInput>

export const Part = Closed({
  limit: described(UsdText, 'What may be spent.'),
  spent: described(UsdText, 'What was spent.'),
  reserved: described(UsdText, 'What running calls may still cost.'),
  remaining: described(UsdText, 'What is left.'),
})

export const BudgetOutput = Closed({
  remaining: Type.String({
    pattern: '^-?\\d+(\\.\\d{6})?$',
    description: 'USD with six places; whole tokens, seconds or kWh at the current rate.',
  }),
  remaining_usd: described(UsdText, 'What is left, in US dollars.'),
  remaining_micro_usd: described(MicroUsd, 'What is left, in whole millionths of a US dollar.'),
  reserved: described(UsdText, 'What running calls may still cost.'),
  accrued: described(UsdText, 'What was spent so far.'),
  paid_in: described(UsdText, 'What was paid in so far.'),
  credit_line: described(UsdText, 'What may be spent beyond what was paid in.'),
  burn_per_day: described(UsdText, 'Average of the last seven days.'),
  runway_days: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
    description: 'At the spending rate of the last seven days; null if nothing was spent.',
  }),
  level: described(
    OneOf('ample', 'low', 'critical', 'exhausted'),
    'low below 20 %, critical below 5 % of the runway; exhausted: calls are refused.',
  ),
  envelopes: described(
    ListOf(
      Closed({
        id: described(Uuid, 'Names the envelope.'),
        department: Department,
        state: EnvelopeState,
        day: described(Part, 'Of the current UTC day.'),
        month: described(Part, 'Of the current calendar month, UTC.'),
      }),
      0,
      envelopes_active_max,
    ),
    'Budgets of departments.',
  ),
  as_of: described(Timestamp, 'When these figures were read.'),
})

interface EnvelopeBudget {
  readonly envelope: Envelope
  readonly day: BudgetCounterState
  readonly month: BudgetCounterState
}

export async function tellBudget(
  { tenant_id, dimension, envelope_id }: BudgetInput,
  context: OperationContext<'budgets' | 'tenants'>,
) {
  requireOwnTenant(tenant_id, context)
  const { now } = context
  const books = await context.budgets.rules()
  const tier = await context.tenants.tierOf(tenant_id)
  const credit_line = books.credit_line_micro_usd ?? (tier ? tiers[tier].credit_line_micro_usd : 0n)
  const runway = await context.budgets.counter(runway_counter)
  const left = books.paid_in_micro_usd + credit_line - runway.spent_micro_usd - runway.reserved_micro_usd
  const envelopes = books.envelopes.filter(
    (one) => envelope_id === undefined || one.envelope_id === envelope_id,
  )
  if (envelope_id !== undefined && envelopes.length === 0) throw notFound('active envelope', envelope_id)
  const budgets = await budgetsOf(envelopes, context)
  const remaining = envelope_id === undefined ? left : least([left, ...budgets.flatMap(roomsOf)])
  const burn = await burnPerDay(context)
  const rates = rateAt(books.rates, Date.parse(now))
  return {
    remaining: dimension === 'usd' ? usdText(remaining) : buys(remaining, dimension, rates),
    remaining_usd: usdText(remaining),
    remaining_micro_usd: String(remaining),
    reserved: usdText(runway.reserved_micro_usd),
    accrued: usdText(runway.spent_micro_usd),
    paid_in: usdText(books.paid_in_micro_usd),
    credit_line: usdText(credit_line),
    burn_per_day: usdText(burn),
    runway_days: burn > 0n ? daysOf(left, burn) : null,
    level: books.level,
    envelopes: budgets.map((budget) =>
      envelopeAnswer(budget, isHeldAt(books.holds, budget.envelope.envelope_id, Date.parse(now))),
    ),
    as_of: now,
  }
}

/** Of the last seven days, starting at a full hour. */
async function burnPerDay({ db, tenant_id, now }: OperationContext): Promise<bigint> {
  const since_ms = Date.parse(now) - burn_days * day_ms
  const { quanta } = await spentSince(db, tenant_id, new Date(since_ms - (since_ms % hour_ms)))
  return microUsdOf(quanta / BigInt(burn_days))
}

function daysOf(left: bigint, burn: bigint): number {
  return left > 0n ? Math.min(Number(left / burn), Number.MAX_SAFE_INTEGER) : 0
}

/** A price of zero would allow infinite units, so the smallest price is used instead. */
function buys(micro_usd: bigint, dimension: Meter, rates: Parameters<typeof affordable>[2]): string {
  if (micro_usd <= 0n) return '0'
  const priced = { ...rates, [dimension]: rates[dimension] > 0n ? rates[dimension] : 1n }
  return String(affordable(micro_usd, dimension, priced))
}

function requireOwnTenant(tenant_id: string, context: OperationContext): void {
  if (tenant_id === context.tenant_id) return
  throw refuse('policy_denied', `This call runs in ${context.tenant_id}; ask for its own budget only.`, {
    reason: 'payload tenant does not match context tenant',
  })
}

function budgetsOf(
  envelopes: readonly Envelope[],
  context: OperationContext<'budgets'>,
): Promise<EnvelopeBudget[]> {
  return Promise.all(
    envelopes.map(async (envelope) => {
      const { envelope_id } = envelope
      const [day, month] = await Promise.all([
        context.budgets.counter(envelopeDay(envelope_id, context.now)),
        context.budgets.counter(envelopeMonth(envelope_id, context.now)),
      ])
      return { envelope, day, month }
    }),
  )
}

function roomIn(limit: bigint, { spent_micro_usd, reserved_micro_usd }: BudgetCounterState): bigint {
  return limit - spent_micro_usd - reserved_micro_usd
}

function roomsOf({ envelope, day, month }: EnvelopeBudget): bigint[] {
  return [roomIn(envelope.day_limit_micro_usd, day), roomIn(envelope.month_limit_micro_usd, month)]
}

function least(amounts: readonly bigint[]): bigint {
  return amounts.toSorted((a, b) => (a < b ? -1 : 1))[0]!
}

function envelopeAnswer({ envelope, day, month }: EnvelopeBudget, is_held: boolean) {
  const { envelope_id, department, day_limit_micro_usd, month_limit_micro_usd } = envelope
  return {
    id: envelope_id,
    department,
    state: stateAt('ACTIVE', envelope, { is_held, day, month }),
    day: partOf(day_limit_micro_usd, day),
    month: partOf(month_limit_micro_usd, month),
  }
}

export function partOf(limit: bigint, budget_counter: BudgetCounterState) {
  return {
    limit: usdText(limit),
    spent: usdText(budget_counter.spent_micro_usd),
    reserved: usdText(budget_counter.reserved_micro_usd),
    remaining: usdText(roomIn(limit, budget_counter)),
  }
}
