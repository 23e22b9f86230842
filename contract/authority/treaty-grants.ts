// What a treaty allows one organization in another at a given time. Pure: stage 4 and MOAT compliance_query share this code.

import { treatyDay, treatyHour } from '../money/budget-counter.ts'
import { microUsd } from '../money/money.ts'
import { covers, type Grant, type HeldCapability, namesThatGrant } from './capability.ts'
import type { StandingTreaty, TreatyState } from './treaty.ts'

/** Only ACTIVE grants anything. */
export function treatyStateAt(treaty: StandingTreaty, at_ms: number): TreatyState {
  const { state, activated_at, ended_at, suspended, effective_from, expires_at } = treaty
  if (ended_at !== null && at_ms >= Date.parse(ended_at)) return state
  if (activated_at === null) return state
  if (at_ms < Math.max(Date.parse(activated_at), Date.parse(effective_from))) return 'SIGNED'
  if (at_ms >= Date.parse(expires_at)) return 'EXPIRED'
  if (suspended && at_ms >= Date.parse(suspended.from) && at_ms < Date.parse(suspended.until))
    return 'SUSPENDED'
  return 'ACTIVE'
}

export interface CrossTenantCall {
  /** The calling and the called tenant. */
  readonly from_tenant: string
  readonly to_tenant: string
  readonly capability: string
  readonly at_ms: number
}

export const no_treaty = 'no active treaty'

export type NotGranted =
  | typeof no_treaty
  | 'capability not granted'
  | 'treaty grant expired'
  | 'treaty suspended'

/** Without a reason there is at least one grant. */
export interface TreatyAnswer {
  readonly grants: readonly HeldCapability[]
  readonly reason?: NotGranted
  /** The one that would have granted it. */
  readonly treaty?: StandingTreaty
}

/** Grants with their caveats and limits, exact name before the protocol's wildcard; or why there is none. */
export function grantsByTreaty(
  treaties: readonly StandingTreaty[],
  cross_tenant_call: CrossTenantCall,
): TreatyAnswer {
  const between = treaties.filter((treaty) => isBetween(treaty, cross_tenant_call))
  const inState = (state: TreatyState) =>
    between.filter((treaty) => treatyStateAt(treaty, cross_tenant_call.at_ms) === state)
  const active = inState('ACTIVE')
  const grants = namesThatGrant(cross_tenant_call.capability).flatMap((name) =>
    active.flatMap((treaty) => grantsOf(treaty, cross_tenant_call.from_tenant, name)),
  )
  if (grants.length > 0) return { grants }
  const granting = (treaty: StandingTreaty) =>
    treaty.grants.some(
      ({ to, capability }) =>
        to === cross_tenant_call.from_tenant && covers(capability, cross_tenant_call.capability),
    )
  if (active[0]) return { grants: [], reason: 'capability not granted', treaty: active[0] }
  const suspended = inState('SUSPENDED').find(granting)
  if (suspended) return { grants: [], reason: 'treaty suspended', treaty: suspended }
  const expired = inState('EXPIRED').find(granting)
  if (expired) return { grants: [], reason: 'treaty grant expired', treaty: expired }
  return { grants: [], reason: no_treaty }
}

function isBetween({ parties }: StandingTreaty, { from_tenant, to_tenant }: CrossTenantCall): boolean {
  const tenants = parties.map(({ tenant }) => tenant)
  return from_tenant !== to_tenant && tenants.includes(from_tenant) && tenants.includes(to_tenant)
}

/** Never the global wildcard, even if a treaty names it: nobody can grant every operation of every protocol. */
function grantsOf(treaty: StandingTreaty, to_tenant: string, name: string): HeldCapability[] {
  if (name === 'svc.*.*') return []
  return treaty.grants
    .filter(({ to, capability }) => to === to_tenant && capability === name)
    .map(({ capability, caveats = [], limits: { weekly_budget_usd, ...limits } = {} }) => ({
      name: capability,
      // A weekly budget counts once, whichever way it was written.
      caveats: weekly_budget_usd === undefined ? caveats : [...caveats, `weekly_budget:${weekly_budget_usd}`],
      limits,
      expires_at: treaty.expires_at,
      source: 'treaty' as const,
      source_ref: treaty.id,
      treaty: { root_id: treaty.root_id, rate_limits: treaty.rate_limits },
    }))
}

/** A call limit of a treaty for all its grants. */
export interface TreatyRate {
  readonly name: 'per_hour' | 'per_day'
  readonly budget_counter: string
  readonly limit: bigint
}

export function treatyRates({ treaty }: Grant, at: string): TreatyRate[] {
  if (!treaty) return []
  const { per_hour, per_day } = treaty.rate_limits
  const rates: TreatyRate[] = []
  if (per_hour !== undefined)
    rates.push({ name: 'per_hour', budget_counter: treatyHour(treaty.root_id, at), limit: BigInt(per_hour) })
  if (per_day !== undefined)
    rates.push({ name: 'per_day', budget_counter: treatyDay(treaty.root_id, at), limit: BigInt(per_day) })
  return rates
}

const weekly_budget = 'weekly_budget:'

/** The smallest, where a grant has been narrowed more than once. */
export function weeklyLimit(caveats: readonly string[]): bigint | undefined {
  let smallest: bigint | undefined
  for (const caveat of caveats) {
    if (!caveat.startsWith(weekly_budget)) continue
    const limit = microUsd(caveat.slice(weekly_budget.length)) ?? 0n
    if (smallest === undefined || limit < smallest) smallest = limit
  }
  return smallest
}
