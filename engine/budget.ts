// What a call may cost at most, and where that must fit. Pure: the books and the call say everything.
import { type Books, type Envelope, envelopeOf } from '@svc/contract/books'
import { chargeQuanta, energyOf, type Measured, rateAt } from '@svc/contract/charge'
import { microUsd, microUsdAbove } from '@svc/contract/money'
import { envelopeDay, envelopeMonth, grantHour, grantWeek, runway_purse } from '@svc/contract/purse'
import { type Tier, tiers } from '@svc/contract/tier'
import type { Authorised, Versioned } from './call.ts'
import type { Take } from './ports.ts'
import type { RegisteredOperation } from './routing.ts'

const tokens_max_default = 100_000
const deadline_ms_default = 30_000
/** What meters no tokens is a short piece of work: it is charged for a second at most, however long its database took. */
const charged_ms_max = 1_000
const weekly_budget = 'weekly_budget:'

/** So much is reserved before a call, and no more is ever charged for it. */
export interface Worst {
  readonly ms: number
  readonly tokens: number
}

/** How long a module may take: the operation's own deadline, or a shorter one that the caller set with its budget. */
export function deadlineOf({ operation, asked }: Pick<Versioned, 'operation' | 'asked'>): number {
  const declared = operation.facts.deadline_ms ?? deadline_ms_default
  return Math.min(declared, wishOf(operation, asked.request.input, 'deadline_ms') ?? declared)
}

export function worstOf(call: Versioned, tokens_granted: number | undefined): Worst {
  const { operation, asked } = call
  const deadline_ms = deadlineOf(call)
  // A millisecond is charged whatever happens, so it is reserved, too.
  const ms = Math.max(1, deadline_ms)
  if (operation.multipliers[0] === 0) return { ms: Math.min(ms, charged_ms_max), tokens: 0 }
  const ceiling = tokens_granted ?? tokens_max_default
  return {
    ms,
    tokens: Math.min(ceiling, wishOf(operation, asked.request.input, 'tokens') ?? ceiling),
  }
}

/** Operations that meter tokens take `budget: { tokens, deadline_ms }`; whatever else stands there is stage 7's to refuse. */
function wishOf(
  { multipliers }: RegisteredOperation,
  input: unknown,
  field: 'tokens' | 'deadline_ms',
): number | undefined {
  if (multipliers[0] === 0) return undefined
  const wish = (input as { budget?: Record<string, unknown> } | null)?.budget?.[field]
  return Number.isSafeInteger(wish) && (wish as number) >= 0 ? (wish as number) : undefined
}

export function costOf(call: Versioned & { books: Books }, worst: Worst, watts_per_core: number): bigint {
  const { ms, tokens } = worst
  const measured: Measured = { ms, tokens_in: tokens, tokens_out: 0, uwh: energyOf(ms, watts_per_core) }
  const rate = rateAt(call.books.rates, call.now_ms)
  return microUsdAbove(chargeQuanta(measured, rate, call.operation.multipliers))
}

export function runwayLimit({ paid_in_micro_usd, credit_line_micro_usd }: Books, tier: Tier): bigint {
  return paid_in_micro_usd + (credit_line_micro_usd ?? tiers[tier].credit_line_micro_usd)
}

export function envelopeFor({ books, caller, context }: Authorised): Envelope | undefined {
  if (books.envelopes.length === 0) return undefined
  return envelopeOf(books, caller.did, context.metadata.envelope_id)
}

/** Every purse the cost must fit into, the narrowest first. What is essential is counted, and held to nothing. */
export function takesOf(call: Authorised, envelope: Envelope | undefined, cost: bigint): Take[] {
  const { books, asked, grant, caller, timestamp, operation } = call
  const { essential, exempt } = operation.facts
  const amount = essential || exempt ? 0n : cost
  const takes: Take[] = []
  const { max_per_hour } = grant.limits ?? {}
  if (max_per_hour !== undefined && amount > 0n) {
    const purse = grantHour(caller.did, grant.name, timestamp)
    takes.push({ purse, limit: BigInt(max_per_hour), amount: 1n, counts: 'calls' })
  }
  const week = weeklyLimit(grant.caveats)
  if (week !== undefined) {
    takes.push({ purse: grantWeek(caller.did, grant.name, call.now_ms), limit: week, amount, counts: 'usd' })
  }
  if (envelope) {
    const { envelope_id, day_limit_micro_usd, month_limit_micro_usd } = envelope
    const [day, month] = [envelopeDay(envelope_id, timestamp), envelopeMonth(envelope_id, timestamp)]
    takes.push({ purse: day, limit: day_limit_micro_usd, amount, counts: 'usd' })
    takes.push({ purse: month, limit: month_limit_micro_usd, amount, counts: 'usd' })
  }
  const limit = runwayLimit(books, asked.credential.tier)
  takes.push({ purse: runway_purse, limit, amount, counts: 'usd' })
  return takes
}

/** The smallest, where a grant has been narrowed more than once. */
function weeklyLimit(caveats: readonly string[]): bigint | undefined {
  let smallest: bigint | undefined
  for (const caveat of caveats) {
    if (!caveat.startsWith(weekly_budget)) continue
    const limit = microUsd(caveat.slice(weekly_budget.length)) ?? 0n
    if (smallest === undefined || limit < smallest) smallest = limit
  }
  return smallest
}
