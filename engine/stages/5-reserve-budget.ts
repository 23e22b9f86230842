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
import type { Budgeted, Call, Guarded, Take, Worst } from '../call.ts'
import { costOf, envelopeFor, runwayLimit, takesOf, worstOf } from '../limits/budget.ts'
import type { Ports } from '../ports.ts'

const bps_whole = 10_000n
const hour_ms = 3_600_000

export interface BudgetPlan {
  readonly worst: Worst
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
    ? lacking.then((without_room) => concludeBudget(call, plan, without_room))
    : concludeBudget(call, plan, lacking)
}

export function planBudget(call: Guarded, ports: Ports): BudgetPlan {
  call.stage = 5
  const { essential, exempt } = call.operation.facts
  const worst = worstOf(call, call.grant.limits?.max_tokens)
  const cost = costOf(call, worst, ports.settings.watts_per_core)
  const envelope = envelopeFor(call)
  if (!essential && !exempt) {
    requireNoHold(call, envelope)
    requireShare(call, envelope, cost)
  }
  return { worst, cost, envelope, takes: takesOf(call, envelope, cost) }
}

/** `lacking` is the take that did not fit. */
export function concludeBudget(
  call: Guarded,
  { worst, cost, envelope, takes }: BudgetPlan,
  lacking: Take | undefined,
): Budgeted {
  const budgeted = Object.assign(call, { worst, envelope_id: envelope?.envelope_id })
  if (lacking) throw noRoom(call, envelope, lacking, cost)
  return Object.assign(budgeted, { takes: call.asked.dry_run ? undefined : takes })
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
  { budget_counter, limit }: Take,
  cost: bigint,
): Refusal {
  const { capability } = call.operation
  const may_cost = `${capability} may cost up to ${usdText(cost)} USD`
  if (budget_counter === runway_counter) {
    const { tenant_id } = call.asked.credential
    const sentence = `${may_cost}, more than is left of the ${usdText(limit)} USD tenant ${tenant_id} has paid in or may owe; settle a top-up with MADE economic_contract_settle, or ask the operator for credit.`
    const appeal_path = 'MADE economic_contract_settle'
    return denied('policy_denied', sentence, 'tenant runway exhausted', { appeal_path })
  }
  const [kind] = budget_counter.split('/')
  if (kind === 'envelope') return envelopeFull(call, envelope!, budget_counter, limit, may_cost)
  if (kind === 'treaty') return treatyFull(call, budget_counter, limit, may_cost)
  const counter = parseCounter(budget_counter)
  if ('holder' in counter && counter.holder.startsWith(key_holder)) return keyFull(call, limit, may_cost)
  return grantFull(call, counter, limit, may_cost)
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
    : `${call.caller.did} has made the ${limit} calls an hour that its grant ${name} allows`
  const sentence = `${made}; try again in ${retry_after_ms} ms.`
  return denied('rate_limited', sentence, 'capability max_per_hour reached', { retry_after_ms, ...holder })
}

function envelopeFull(
  call: Guarded,
  { department }: Envelope,
  budget_counter: string,
  limit: bigint,
  may_cost: string,
): Refusal {
  const is_day = budget_counter.split('/')[2]!.length === 'yyyy-mm-dd'.length
  const sentence = `${may_cost}, more than is left of the ${usdText(limit)} USD ${department} has ${is_day ? 'today' : 'this month'} (${call.timestamp.slice(0, 10)} UTC); wait for the next, or raise it with MANA allocate.`
  const reason = is_day ? 'envelope day limit reached' : 'envelope month limit reached'
  return denied('policy_denied', sentence, reason, { appeal_path: 'MANA allocate' })
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
