// Whether one organization may do this in another now. Stage 4 and MOAT compliance_query share it, so they cannot differ.
import type { HeldCapability } from '@svc/contract/authority/capability'
import { type CaveatFacts, isCaveatSatisfied, isWeeklyBudget } from '@svc/contract/authority/caveat'
import {
  type CrossTenantCall,
  grantsByTreaty,
  type TreatyAnswer,
  treatyRates,
  weeklyLimit,
} from '@svc/contract/authority/treaty-grants'
import { treatyGrantHour, treatyGrantWeek } from '@svc/contract/money/budget-counter'
import type { CrossTenantVerdict } from '@svc/contract/needs/treaties'
import { costOf, worstOf } from './limits/budget.ts'
import type { Ports } from './ports.ts'

export function crossTenantCallGrants(
  ports: Ports,
  cross_tenant_call: CrossTenantCall,
): TreatyAnswer | Promise<TreatyAnswer> {
  const treaties = ports.treaties.between(cross_tenant_call.from_tenant, cross_tenant_call.to_tenant)
  return treaties instanceof Promise
    ? treaties.then((standing_treaties) => grantsByTreaty(standing_treaties, cross_tenant_call))
    : grantsByTreaty(treaties, cross_tenant_call)
}

export function unsatisfiedCaveat({ caveats }: HeldCapability, facts: CaveatFacts): string | undefined {
  return caveats.find((caveat) => !isCaveatSatisfied(caveat, facts))
}

const unlimited: CrossTenantVerdict['remaining'] = {
  per_hour: null,
  per_day: null,
  weekly_budget_micro_usd: null,
}

/** The complete answer, limits included, for a call without input. Takes nothing from any limit. */
export async function judgeCrossTenantCall(
  ports: Ports,
  cross_tenant_call: CrossTenantCall,
  jurisdiction: string | undefined,
): Promise<CrossTenantVerdict> {
  const answer = await crossTenantCallGrants(ports, cross_tenant_call)
  const { reason, treaty } = answer
  if (reason) return { active: false, reason, treaty, remaining: unlimited }
  let nearest: CrossTenantVerdict | undefined
  for (const grant of answer.grants) {
    const judged = await judgeGrant(ports, cross_tenant_call, grant, jurisdiction)
    if (judged.active) return judged
    nearest ??= judged
  }
  return nearest!
}

async function judgeGrant(
  ports: Ports,
  cross_tenant_call: CrossTenantCall,
  grant: HeldCapability,
  jurisdiction: string | undefined,
): Promise<CrossTenantVerdict> {
  const { from_tenant, to_tenant, at_ms } = cross_tenant_call
  const treaty = (await ports.treaties.between(from_tenant, to_tenant)).find(
    ({ id }) => id === grant.source_ref,
  )
  const root_id = grant.treaty!.root_id
  const { spent_micro_usd, reserved_micro_usd } = await ports.budget_counters.state(
    from_tenant,
    treatyGrantWeek(root_id, grant.name, at_ms),
  )
  const week_spend_micro_usd = spent_micro_usd + reserved_micro_usd
  const call_cost_micro_usd = await costFor(ports, cross_tenant_call, grant)
  const facts = {
    now: new Date(at_ms),
    jurisdiction,
    tenant_id: to_tenant,
    weekSpend: () => week_spend_micro_usd,
    call_cost_micro_usd,
  }
  const left = await callsLeft(ports, cross_tenant_call, grant)
  const week = weeklyLimit(grant.caveats)
  const remaining = {
    per_hour: left.per_hour ?? null,
    per_day: left.per_day ?? null,
    weekly_budget_micro_usd: week === undefined ? null : above0(week - week_spend_micro_usd),
  }
  const caveat = unsatisfiedCaveat(grant, facts)
  const full = (['per_hour', 'per_day', 'max_per_hour'] as const).find((name) => left[name] === 0n)
  const reason = caveat ? unmet(caveat) : full && `limit reached: ${full}`
  return { active: reason === undefined, reason, treaty, grant, remaining }
}

/** A spent budget is a limit; every other caveat is unsatisfied. */
export function unmet(caveat: string): string {
  return isWeeklyBudget(caveat) ? 'limit reached: weekly_budget_usd' : `caveat unsatisfied: ${caveat}`
}

type CallsLeft = Partial<Record<'per_hour' | 'per_day' | 'max_per_hour', bigint>>

async function callsLeft(
  { budget_counters }: Ports,
  { from_tenant, at_ms }: CrossTenantCall,
  grant: HeldCapability,
): Promise<CallsLeft> {
  const at = new Date(at_ms).toISOString()
  const left: CallsLeft = {}
  for (const { name, budget_counter, limit } of treatyRates(grant, at))
    left[name] = above0(limit - (await budget_counters.calls(from_tenant, budget_counter)))
  const { max_per_hour } = grant.limits ?? {}
  if (max_per_hour !== undefined) {
    const made = await budget_counters.calls(
      from_tenant,
      treatyGrantHour(grant.treaty!.root_id, grant.name, at),
    )
    left.max_per_hour = above0(BigInt(max_per_hour) - made)
  }
  return left
}

/** What stage 5 would reserve; undefined for a whole protocol, which has no price. */
async function costFor(
  ports: Ports,
  { capability, from_tenant, at_ms: now_ms }: CrossTenantCall,
  { limits }: HeldCapability,
): Promise<bigint | undefined> {
  const [, protocol = '', ...name] = capability.split('.')
  const registered = ports.registry.versions(protocol)?.[0]
  const operation = registered?.operations.get(name.join('.'))
  if (!operation) return undefined
  const credential = { tier: (await ports.tenants.tierOf(from_tenant)) ?? 'sovereign' }
  const call = { operation, asked: { request: { input: {} }, credential }, now_ms }
  const books = await ports.treasury.of(from_tenant)
  return costOf({ ...call, books }, worstOf(call, limits?.max_tokens), ports.settings.watts_per_core)
}

function above0(left: bigint): bigint {
  return left > 0n ? left : 0n
}
