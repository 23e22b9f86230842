// What an agent may do at a given time, as a table for display. It grants nothing.
import {
  type AgentCapability,
  CapabilityLimits,
  global_wildcard,
  type HeldCapability,
} from '@svc/contract/authority/capability'
import { type CaveatFacts, isCaveatSatisfied, isWeeklyBudget } from '@svc/contract/authority/caveat'
import type { Authority } from '@svc/contract/needs/authority'
import { Closed, described, ListOf, OneOf, Timestamp } from '@svc/contract/schema'
import { Type } from 'typebox'

const ShownCapability = Closed({
  name: Type.String({ description: 'Name it is granted by, maybe a wildcard.' }),
  expires_at: Type.Optional(described(Timestamp, 'When it ends; absent: it does not end by itself.')),
  limits: Type.Optional(described(CapabilityLimits, 'Bounds on its use; absent: none.')),
  caveats: described(ListOf(Type.String()), 'Conditions, such as time:09-17.'),
  source: described(
    OneOf('declared', 'key', 'delegation', 'treaty', 'envelope', 'role'),
    'Where it comes from.',
  ),
  source_ref: Type.Optional(
    Type.String({ description: 'The delegation token, treaty, envelope or name of the role.' }),
  ),
  satisfied_now: Type.Boolean({ description: 'Whether all conditions hold at the time asked about.' }),
  unsatisfied: described(ListOf(Type.String()), 'Conditions that do not hold.'),
})

export const AuthorizationOutput = Closed({
  capabilities: described(ListOf(ShownCapability, 0, 4096), 'What it may do, before policies and limits.'),
  excluded: described(
    ListOf(
      Closed({
        name: Type.String({ description: 'Name of the capability.' }),
        why: described(
          OneOf('revoked', 'expired', 'over_depth'),
          'over_depth: delegated further than a delegator allows.',
        ),
      }),
      0,
      4096,
    ),
    'Capabilities that no longer count.',
  ),
  composed_at: described(Timestamp, 'When the list was made.'),
  cache_ttl_seconds: Type.Integer({ description: 'How long the engine itself may use such a list.' }),
})

export interface Moment {
  readonly agent_did: string
  readonly tenant_id: string
  /** RFC 3339 UTC. */
  readonly at: string
  readonly jurisdiction?: string
  /** Micro-USD spent in the week of that time, by grant and `weekly_budget`; absent if unknown. */
  readonly spent: ReadonlyMap<HeldCapability, ReadonlyMap<string, bigint>>
}

interface Shown extends AgentCapability {
  readonly source: HeldCapability['source']
  readonly source_ref?: string
  readonly satisfied_now: boolean
  readonly unsatisfied: string[]
}

type Excluded = Authority['excluded'][number]

export interface EffectiveView {
  readonly capabilities: Shown[]
  readonly excluded: Excluded[]
}

export function viewOf(
  { held, excluded }: Pick<Authority, 'held' | 'excluded'>,
  moment: Moment,
  protocol?: string,
): EffectiveView {
  const concerns = ({ name }: { name: string }) => concernsProtocol(name, protocol)
  const at_ms = Date.parse(moment.at)
  const named = held.filter(concerns)
  const expired = named.filter((grant) => isOver(grant, at_ms))
  const current = named.filter((grant) => !isOver(grant, at_ms))
  const capabilities = distinct(
    current.map((grant) => show(narrowestOf(grant, current), moment, moment.spent.get(grant))),
  )
  const left_out = [
    ...excluded.filter(concerns),
    ...expired.map(({ name }): Excluded => ({ name, why: 'expired' })),
  ]
  return { capabilities, excluded: distinct(left_out) }
}

/** Spending in the week of `at`: this week's own, zero in future weeks, unknown in past weeks. */
export function spentAt(
  spent_now: ReadonlyMap<string, bigint>,
  now: string,
  at: string,
): ReadonlyMap<string, bigint> | undefined {
  const [this_week, that_week] = [weekOf(now), weekOf(at)]
  if (that_week === this_week) return spent_now
  if (that_week < this_week) return undefined
  return new Map([...spent_now.keys()].map((caveat) => [caveat, 0n]))
}

export function isBudgeted({ caveats }: AgentCapability): boolean {
  return caveats.some(isWeeklyBudget)
}

const day_ms = 86_400_000

/** Weeks begin on Monday; the epoch was a Thursday. */
function weekOf(moment: string): number {
  return Math.floor((Date.parse(moment) / day_ms + 3) / 7)
}

function concernsProtocol(name: string, protocol: string | undefined): boolean {
  if (protocol === undefined || name === global_wildcard) return true
  return name.startsWith(`svc.${protocol.toLowerCase()}.`)
}

function isOver({ expires_at }: AgentCapability, at_ms: number): boolean {
  return expires_at !== undefined && !(Date.parse(expires_at) > at_ms)
}

const limit_names = ['max_per_call_bps', 'max_per_hour', 'max_tokens'] as const

/** If one name comes twice from the same kind of source, the narrowest limits apply. */
function narrowestOf(grant: HeldCapability, all: readonly HeldCapability[]): HeldCapability {
  const same = all.filter(({ name, source }) => name === grant.name && source === grant.source)
  const limits: Partial<Record<keyof CapabilityLimits, number>> = {}
  for (const limit of limit_names) {
    const set = same.flatMap(({ limits: own }) => own?.[limit] ?? [])
    if (set.length > 0) limits[limit] = Math.min(...set)
  }
  const { limits: _, ...rest } = grant
  return Object.keys(limits).length > 0 ? { ...rest, limits } : rest
}

function show(
  grant: HeldCapability,
  { at, jurisdiction, agent_did, tenant_id }: Moment,
  spent: ReadonlyMap<string, bigint> | undefined,
): Shown {
  const { name, expires_at, limits, caveats, source, source_ref } = grant
  const facts: CaveatFacts = {
    now: new Date(at),
    agent_did,
    tenant_id,
    ...(jurisdiction === undefined ? {} : { jurisdiction }),
    weekSpend: (caveat) => spent?.get(caveat),
  }
  const unsatisfied = caveats.filter((caveat) => !isCaveatSatisfied(caveat, facts))
  return {
    name,
    ...(expires_at === undefined ? {} : { expires_at }),
    ...(limits === undefined ? {} : { limits }),
    caveats: [...caveats],
    source,
    ...(source_ref === undefined ? {} : { source_ref }),
    satisfied_now: unsatisfied.length === 0,
    unsatisfied,
  }
}

function distinct<T>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()]
}
