// The most a call may cost, and the counters it must fit. Pure: depends only on the books and the call.

import { type ChainLink, type Grant, linksOf } from '@svc/contract/authority/capability'
import { isWeeklyBudget } from '@svc/contract/authority/caveat'
import { type Tier, tiers } from '@svc/contract/authority/tier'
import { treatyRates, weeklyLimit } from '@svc/contract/authority/treaty-grants'
import { type Books, type Envelope, envelopeOf } from '@svc/contract/money/books'
import {
  envelopeDay,
  envelopeMonth,
  grantHour,
  grantWeek,
  keyLink,
  keyWeek,
  runway_counter,
  treatyGrantHour,
  treatyGrantWeek,
} from '@svc/contract/money/budget-counter'
import { chargeQuanta, energyOf, type Measured, rateAt } from '@svc/contract/money/charge'
import { microUsd, microUsdAbove } from '@svc/contract/money/money'
import type { KeyBudget } from '@svc/contract/needs/keys'
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Authorised, Take, Worst } from '../call.ts'
import { chargedEventMs, event_bytes_max } from '../handler/events.ts'
import type { RegisteredOperation } from '../routing/routing.ts'

const tokens_max_default = 100_000
const deadline_ms_default = 30_000
/** An operation without token metering is short: it is charged for a second at most, however long its database took. */
const charged_ms_max = 1_000

/** The parts of a call its worst case depends on. */
export interface Priced {
  readonly operation: RegisteredOperation
  readonly asked: {
    readonly request: { readonly input: unknown }
    readonly credential: { readonly tier: Tier }
  }
}

/**
 * How long a module may take: the operation's own deadline, or a shorter one of the caller's budget. An operation with token metering
 * computes, and no longer than the caller's tier allows.
 */
export function deadlineOf({ operation, asked }: Priced): number {
  const declared = operation.facts.deadline_ms ?? deadline_ms_default
  if (operation.multipliers[0] === 0) return declared
  const wish = wishOf(operation, asked.request.input, 'deadline_ms') ?? declared
  return Math.min(declared, wish, tiers[asked.credential.tier].compute_ms_max)
}

export function worstOf(call: Priced, tokens_granted: number | undefined): Worst {
  const { operation, asked } = call
  const deadline_ms = deadlineOf(call)
  // At least a millisecond is charged, so it is reserved too.
  const ms = Math.max(1, deadline_ms)
  const events = operation.facts.foreign ? { event_ms: chargedEventMs(event_bytes_max) } : {}
  if (operation.multipliers[0] === 0) return { ms: Math.min(ms, charged_ms_max), tokens: 0, ...events }
  const ceiling = tokens_granted ?? tokens_max_default
  return {
    ms,
    ...events,
    tokens: Math.min(ceiling, wishOf(operation, asked.request.input, 'tokens') ?? ceiling),
  }
}

/** Operations that meter tokens take `budget: { tokens, deadline_ms }`; stage 7 refuses anything else there. */
function wishOf(
  { facts }: RegisteredOperation,
  input: unknown,
  field: 'tokens' | 'deadline_ms',
): number | undefined {
  const wish = (input as { budget?: Record<string, unknown> } | null)?.budget?.[field]
  return Number.isSafeInteger(wish) && (wish as number) >= 0
    ? (wish as number)
    : facts.budget_default?.[field]
}

export function tokensExhausted(capability: string, tokens_max: number): Refusal {
  return refuse(
    'policy_denied',
    `${capability} has used the ${tokens_max} tokens reserved for it and was stopped; give it a larger budget.`,
    { reason: 'token budget exhausted' },
  )
}

export function costOf(
  call: Pick<Priced, 'operation'> & { readonly books: Books; readonly now_ms: number },
  worst: Worst,
  watts_per_core: number,
): bigint {
  const { ms, tokens, event_ms = 0 } = worst
  const measured: Measured = {
    ms: ms + event_ms,
    tokens_in: tokens,
    tokens_out: 0,
    uwh: energyOf(ms, watts_per_core),
  }
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

/** Under a treaty those of the whole organization. */
function hourOf({ treaty }: Grant, { holder, capability: { name } }: ChainLink, at: string): string {
  return treaty ? treatyGrantHour(treaty.root_id, name, at) : grantHour(holder, name, at)
}

function weekOf({ treaty }: Grant, { holder, capability: { name } }: ChainLink, at_ms: number): string {
  return treaty ? treatyGrantWeek(treaty.root_id, name, at_ms) : grantWeek(holder, name, at_ms)
}

function hasCountedLimit({ capability: { limits, caveats } }: ChainLink): boolean {
  return limits?.max_per_hour !== undefined || caveats.some(isWeeklyBudget)
}

/**
 * The counter of each weekly budget of a grant, by its caveat. One that a delegation inherited counts at the highest holder that has it:
 * everything used below is counted there.
 */
export function weekCounters(grant: Grant, did: string, at_ms: number): Map<string, string> {
  const counters = new Map<string, string>()
  for (const link of linksOf(grant, did))
    for (const caveat of link.capability.caveats)
      if (isWeeklyBudget(caveat)) counters.set(caveat, weekOf(grant, link, at_ms))
  return counters
}

/** Calls are counted whatever they cost: a free one counts too. The limits of a delegation count at everyone in its chain. */
function takesOfGrant(call: Authorised, amount: bigint, is_limited: boolean): Take[] {
  const { grant, caller, timestamp, now_ms } = call
  const takes: Take[] = []
  if (!grant.limits && grant.caveats.length === 0 && !grant.treaty && !grant.chain) return takes
  if (is_limited)
    for (const { budget_counter, limit } of treatyRates(grant, timestamp))
      takes.push({ budget_counter, limit, amount: 1n, counts: 'calls' })
  for (const link of linksOf(grant, caller.did)) {
    const { limits, caveats } = link.capability
    const [calls, limit] = [limits?.max_per_hour, weeklyLimit(caveats)]
    if (is_limited && calls !== undefined) {
      const budget_counter = hourOf(grant, link, timestamp)
      takes.push({ budget_counter, limit: BigInt(calls), amount: 1n, counts: 'calls' })
    }
    if (limit !== undefined)
      takes.push({ budget_counter: weekOf(grant, link, now_ms), limit, amount, counts: 'usd' })
  }
  return takes
}

/** Whatever is called: a key's budget is the most that whoever has it may cost. */
function takeOfKey(key_id: string, { weekly_usd }: KeyBudget, amount: bigint, at_ms: number): Take {
  return { budget_counter: keyWeek(key_id, at_ms), limit: microUsd(weekly_usd) ?? 0n, amount, counts: 'usd' }
}

/** Every budget counter the cost must fit, narrowest first. An essential operation is counted but not limited. */
export function takesOf(call: Authorised, envelope: Envelope | undefined, cost: bigint): Take[] {
  const { books, asked, timestamp, operation } = call
  const { essential, exempt } = operation.facts
  const is_limited = !(essential || exempt)
  const amount = is_limited ? cost : 0n
  const takes = takesOfGrant(call, amount, is_limited)
  if (asked.credential.budget)
    takes.unshift(takeOfKey(asked.credential.key_id, asked.credential.budget, cost, call.now_ms))
  if (envelope) {
    const { envelope_id, day_limit_micro_usd, month_limit_micro_usd } = envelope
    const [day, month] = [envelopeDay(envelope_id, timestamp), envelopeMonth(envelope_id, timestamp)]
    takes.push({ budget_counter: day, limit: day_limit_micro_usd, amount, counts: 'usd' })
    takes.push({ budget_counter: month, limit: month_limit_micro_usd, amount, counts: 'usd' })
  }
  const limit = runwayLimit(books, asked.credential.tier)
  takes.push({ budget_counter: runway_counter, limit, amount, counts: 'usd' })
  return takes
}

/** Whose limits it counted against, beside its caller's: without it their counters could not be restored. */
export function chainNames({ grant: { chain }, asked: { credential } }: Authorised): string[] | undefined {
  // The first delegator may get a limit at any time; a token never changes.
  const names = chain
    ?.filter((link, place) => hasCountedLimit(link) || place === chain.length - 1)
    .map(({ holder, capability }) => `${holder}/${capability.name}`)
  return credential.budget ? [...(names ?? []), keyLink(credential.key_id)] : names
}
