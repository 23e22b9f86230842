// Stage 5, after the breaker: is there budget? The worst case is reserved in advance, so nobody overdraws.
import type { Books, Envelope, Hold } from '@svc/contract/money/books'
import {
  key_holder,
  type ParsedCounter,
  parseCounter,
  runway_counter,
} from '@svc/contract/money/budget-counter'
import { usdText } from '@svc/contract/money/money'
import { type Refusal, type RefusalCode, refuse } from '@svc/contract/refusal'
import type { Budgeted, Call, Guarded, Placed, Take, Worst } from '../call.ts'
import { costOf, envelopeFor, runwayLimit, takesOf, worstOf } from '../limits/budget.ts'
import type { NoRoom } from '../limits/reservations.ts'
import type { Ports } from '../ports.ts'

const bps_whole = 10_000n
const hour_ms = 3_600_000
/** When to try again what calls under way leave no room for: longer than nearly all calls take. */
const held_retry_ms = 1_000

export interface BudgetPlan {
  readonly worst: Worst
  /** What is reserved of the worst case at first. */
  readonly reserved: Worst
  readonly cost: bigint
  readonly envelope: Envelope | undefined
  readonly takes: readonly Take[]
}

/** Waits only where the budget counters are remote, or used for the first time. */
export function reserveBudget(call: Guarded, ports: Ports): Budgeted | Promise<Budgeted> {
  const plan = planBudget(call, ports)
  const { tenant_id } = call.asked.credential
  const lacking = ports.budget_counters.reserve(tenant_id, plan.takes, !call.asked.dry_run)
  return lacking instanceof Promise
    ? lacking.then((without_room) => concludeBudget(call, plan, without_room, ports))
    : concludeBudget(call, plan, lacking, ports)
}

export function planBudget(call: Guarded, ports: Ports): BudgetPlan {
  call.stage = 5
  const { essential, exempt } = call.operation.facts
  const worst = worstOf(call, call.grant.limits?.max_tokens)
  const reserved = ports.reservations.expected(call.operation, worst)
  const cost = costOf(call, reserved, ports.settings.watts_per_core)
  const envelope = envelopeFor(call)
  if (!essential && !exempt) {
    requireNoHold(call, envelope)
    requireShare(call, envelope, costOf(call, worst, ports.settings.watts_per_core))
  }
  return { worst, reserved, cost, envelope, takes: takesOf(call, envelope, cost) }
}

/** `lacking` is the take that did not fit. */
export function concludeBudget(
  call: Guarded,
  { worst, reserved, cost, envelope, takes }: BudgetPlan,
  lacking: Take | undefined,
  { reservations, budget_counters }: Pick<Ports, 'reservations' | 'budget_counters'>,
): Budgeted | Promise<Budgeted> {
  const budgeted = Object.assign(call, { worst, reserved, envelope_id: envelope?.envelope_id })
  const { dry_run, credential, signal } = call.asked
  const conclude = (no_room: NoRoom | undefined) => {
    if (no_room) throw noRoom(call, envelope, no_room, cost)
    return Object.assign(budgeted, { takes: dry_run ? undefined : takes })
  }
  if (!lacking) return conclude(undefined)
  if (dry_run) return conclude({ take: lacking, is_held: false })
  return reservations.wait(budget_counters, credential.tenant_id, takes, lacking, { signal }).then(conclude)
}

/**
 * Reserves more for a call that has outgrown what was reserved for it. Throws where there is no room: it must stop then, or it would use
 * more than is paid for. Only what meters tokens grows: of everything else at most a second is charged.
 */
export function growBudget(
  call: Placed,
  taken: { readonly ms: number; readonly tokens: number },
  ports: Ports,
): Promise<void> {
  call.growing ??= grow(call, taken, ports).finally(() => {
    call.growing = undefined
  })
  return call.growing
}

export function hasOutgrown(
  { reserved, worst }: Placed,
  taken: { readonly ms: number; readonly tokens: number },
): boolean {
  return (
    (taken.ms > reserved.ms && reserved.ms < worst.ms) ||
    (taken.tokens > reserved.tokens && reserved.tokens < worst.tokens)
  )
}

async function grow(
  call: Placed,
  taken: { readonly ms: number; readonly tokens: number },
  { reservations, budget_counters, settings }: Ports,
): Promise<void> {
  const { reserved, takes, asked } = call
  const { tenant_id } = asked.credential
  const grown = reservations.grown(reserved, call.worst, taken)
  const cost = costOf(call, grown, settings.watts_per_core)
  const isPaid = ({ counts, amount }: Take) => counts === 'usd' && amount > 0n
  const more = (takes ?? []).filter(isPaid).map((take) => ({ ...take, amount: cost - take.amount }))
  const lacking = await budget_counters.reserve(tenant_id, more, true)
  const no_room =
    lacking &&
    (await reservations.wait(budget_counters, tenant_id, more, lacking, {
      signal: asked.signal,
      own: cost - lacking.amount,
    }))
  if (no_room) throw noRoom(call, envelopeFor(call), no_room, cost)
  // It ended meanwhile, and what it had was released.
  if (call.takes !== takes) return budget_counters.settle(tenant_id, more, 0n)
  call.takes = takes?.map((take) => (isPaid(take) ? { ...take, amount: cost } : take))
  call.reserved = grown
}

/** Releases the reservation of a call that was not charged. */
export function releaseBudget(call: Call, { budget_counters }: Pick<Ports, 'budget_counters'>): void {
  spend(call, budget_counters, 0n)
}

/** Once per reservation. */
export function spend(call: Call, budget_counters: Ports['budget_counters'], quanta: bigint): void {
  const { takes } = call
  if (!takes) return
  call.takes = undefined
  budget_counters.settle(call.asked.credential.tenant_id, takes, quanta)
}

function requireNoHold(call: Guarded, envelope: Envelope | undefined): void {
  const binding = call.books.holds.find((hold) => binds(hold, call, envelope))
  if (!binding) return
  const until = new Date(binding.until_ms).toISOString()
  const sentence = `${call.operation.capability} is held until ${until}: ${binding.reason}. Whoever placed the hold or a charter member can release it.`
  throw denied('policy_denied', sentence, `held: ${binding.reason}`, {
    hold_id: binding.hold_id,
    appeal_path: 'MOOT file',
  })
}

function binds({ scope, until_ms }: Hold, call: Guarded, envelope: Envelope | undefined): boolean {
  if (until_ms <= call.now_ms) return false
  if (scope === 'tenant') return true
  const [kind, name] = [scope.slice(0, scope.indexOf(':')), scope.slice(scope.indexOf(':') + 1)]
  if (kind === 'envelope') return name === envelope?.envelope_id
  if (kind === 'agent') return name === call.caller.did
  return name.toUpperCase() === call.registered.facts.id.toUpperCase()
}

/** A grant may limit each call to a share of the budget: the envelope's month, else all the tenant has. */
function requireShare(call: Guarded, envelope: Envelope | undefined, cost: bigint): void {
  const { max_per_call_bps: bps } = call.grant.limits ?? {}
  if (bps === undefined) return
  const budget = envelope?.month_limit_micro_usd ?? tenantLimit(call)
  const most = (budget * BigInt(bps)) / bps_whole
  if (cost <= most) return
  const sentence = `${call.operation.capability} may cost ${usdText(cost)} USD, and the grant ${call.grant.name} allows ${usdText(most)} a call; ask for less, or for a wider grant.`
  throw denied('policy_denied', sentence, 'capability max_per_call_bps exceeded', {
    denying_policy: call.grant.name,
  })
}

function tenantLimit({ books, asked }: Guarded & { books: Books }): bigint {
  return runwayLimit(books, asked.credential.tier)
}

function noRoom(
  call: Guarded,
  envelope: Envelope | undefined,
  { take: { budget_counter, limit }, is_held }: NoRoom,
  cost: bigint,
): Refusal {
  const { capability } = call.operation
  const may_cost = `${capability} may cost up to ${usdText(cost)} USD`
  if (is_held) return heldByOthers(limit, may_cost)
  if (budget_counter === runway_counter) {
    const { tenant_id } = call.asked.credential
    const sentence = `${may_cost}, more than is left of the ${usdText(limit)} USD tenant ${tenant_id} has paid in or may owe; settle a top-up with MADE economic_contract_settle, or ask the operator for credit.`
    const appeal_path = 'MADE economic_contract_settle'
    return denied('policy_denied', sentence, 'tenant runway exhausted', { appeal_path })
  }
  const [kind] = budget_counter.split('/')
  if (kind === 'envelope') return envelopeFull(call, envelope!, budget_counter, limit, cost)
  if (kind === 'treaty') return treatyFull(call, budget_counter, limit, may_cost)
  const counter = parseCounter(budget_counter)
  if ('holder' in counter && counter.holder.startsWith(key_holder)) return keyFull(call, limit, may_cost)
  return grantFull(call, counter, limit, may_cost)
}

/** Nothing is used up: what is reserved and not spent is free again when those calls end. */
function heldByOthers(limit: bigint, may_cost: string): Refusal {
  const sentence = `${may_cost}. Of the ${usdText(limit)} USD allowed enough is unspent, but calls under way have reserved it; try again in ${held_retry_ms} ms.`
  return denied('rate_limited', sentence, 'reserved by calls under way', { retry_after_ms: held_retry_ms })
}

function keyFull({ asked: { credential } }: Guarded, limit: bigint, may_cost: string): Refusal {
  const { key_id, budget } = credential
  const sentence = `${may_cost}, more than is left of the ${usdText(limit)} USD a week that the API key ${JSON.stringify(budget!.key_name)} may spend; wait for Monday, 00:00 UTC, or use another key.`
  return denied('policy_denied', sentence, 'key budget reached', { key_id })
}

/** The limit of a delegation is shared, so its holder is named: it may not be the caller. */
function grantFull(call: Guarded, counter: ParsedCounter, limit: bigint, may_cost: string): Refusal {
  const { name, chain } = call.grant
  const holder = chain && 'holder' in counter ? { holder: counter.holder } : {}
  if (counter.kind === 'week') {
    const shared = chain ? ', shared by everyone in the chain of this delegation' : ''
    const sentence = `${may_cost}, more than is left of the ${usdText(limit)} USD a week under ${name}${shared}; wait for Monday, 00:00 UTC, or ask for a wider grant.`
    return denied('capability_denied', sentence, 'caveat not satisfied', { denying_policy: name, ...holder })
  }
  const retry_after_ms = hour_ms - (call.now_ms % hour_ms)
  const made = chain
    ? `The ${limit} calls an hour that everyone in the chain of this delegation of ${name} shares have been made`
    : `This identity has made the ${limit} calls an hour that its grant ${name} allows`
  const sentence = `${made}; try again in ${retry_after_ms} ms.`
  return denied('rate_limited', sentence, 'capability max_per_hour reached', { retry_after_ms, ...holder })
}

function envelopeFull(
  call: Guarded,
  { department }: Envelope,
  budget_counter: string,
  limit: bigint,
  cost: bigint,
): Refusal {
  const is_day = budget_counter.split('/')[2]!.length === 'yyyy-mm-dd'.length
  const [cost_usd, limit_usd] = [usdText(cost), usdText(limit)]
  const sentence = `${call.operation.capability} may cost up to ${cost_usd} USD, more than is left of the ${limit_usd} USD ${department} has ${is_day ? 'today' : 'this month'} (${call.timestamp.slice(0, 10)} UTC); wait for the next, or raise it with MANA allocate.`
  const reason = is_day ? 'envelope day limit reached' : 'envelope month limit reached'
  return denied('policy_denied', sentence, reason, { appeal_path: 'MANA allocate', cost_usd, limit_usd })
}

/** Named as in MOAT compliance_query. */
function treatyFull(call: Guarded, budget_counter: string, limit: bigint, may_cost: string): Refusal {
  const [, , span = '', capability] = budget_counter.split('/')
  const { source_ref: denying_policy } = call.grant
  const appeal_path = 'MOAT propose_amendment'
  if (span.startsWith('w')) {
    const sentence = `${may_cost}, more than is left of the ${usdText(limit)} USD a week that the treaty grants for ${capability}; wait for Monday, 00:00 UTC, or amend the treaty.`
    const reason = 'limit reached: weekly_budget_usd'
    return denied('capability_denied', sentence, reason, { denying_policy, appeal_path })
  }
  const is_day = span.length === 'yyyy-mm-dd'.length
  const name = capability ? 'max_per_hour' : is_day ? 'per_day' : 'per_hour'
  const span_ms = is_day ? 24 * hour_ms : hour_ms
  const retry_after_ms = span_ms - (call.now_ms % span_ms)
  const sentence = `The treaty allows ${limit} calls ${is_day ? 'a day' : 'an hour'}${capability ? ` of ${capability}` : ''}, and they have been made; try again in ${retry_after_ms} ms.`
  return denied('rate_limited', sentence, `limit reached: ${name}`, {
    retry_after_ms,
    denying_policy,
    appeal_path,
  })
}

function denied(
  code: RefusalCode,
  sentence: string,
  reason: string,
  more: Record<string, unknown> = {},
): Refusal {
  return refuse(code, sentence, { denying_policy: 'MANA', ...more, reason, gate: 'MANA' })
}
