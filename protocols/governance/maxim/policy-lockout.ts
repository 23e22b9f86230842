// No policy may lock out those who could change it: tested with every charter member before enactment.
import type { Cedar, PolicySet, Scene } from '@svc/contract/authority/policy'
import { ruleOn } from '@svc/contract/authority/policy-ruling'

/** Operations that must be possible at some hour of the week. */
const guarded: readonly Scene['resource'][] = [
  { protocol: 'MACE', operation: 'convene', state_changing: true },
  { protocol: 'MACE', operation: 'deliberate', state_changing: true },
  { protocol: 'MACE', operation: 'tally', state_changing: true },
  { protocol: 'MAXIM', operation: 'author', state_changing: true },
  { protocol: 'MOOT', operation: 'file', state_changing: true },
  { protocol: 'MAX', operation: 'audit_query', state_changing: false },
]

const hours_of_week = 168
/** Limits the search: a policy with different hours for each member is too costly to test. */
const probes_max = 20_000

export interface Member {
  readonly principal: Scene['principal']
  readonly jurisdiction: string | undefined
}

export interface Lockout {
  readonly did: string
  readonly operation: string
}

/** Yields regularly to other work. Returns who would be locked out of what, or that it is unknown. */
export function* findLockout(
  cedar: Cedar,
  set: PolicySet,
  members: readonly Member[],
): Generator<undefined, Lockout | 'too many probes' | undefined> {
  let probes = 0
  // The hour that worked for one member usually works for the next.
  let likely = 0
  for (const member of members) {
    for (const resource of guarded) {
      let open = false
      for (const hour of hoursFrom(cedar, set, sceneOf(member, resource, likely), likely)) {
        if (++probes > probes_max) return 'too many probes'
        if (isAllowed(cedar, set, sceneOf(member, resource, hour))) {
          likely = hour
          open = true
          break
        }
      }
      yield
      if (!open) return { did: member.principal.did, operation: `${resource.protocol}.${resource.operation}` }
    }
  }
  return undefined
}

/** Only hours that matter: if the policies ignore the clock, one is enough. */
function* hoursFrom(cedar: Cedar, set: PolicySet, first: Scene, likely: number): Generator<number> {
  yield likely
  const open = cedar.unknownsOf(set, first, ['hour', 'weekday'])
  for (let step = 1; step < hours_of_week; step++) {
    const hour = (likely + step) % hours_of_week
    if (!open.includes('weekday') && step >= 24) return
    if (!open.includes('hour') && step % 24 !== 0) continue
    yield hour
  }
}

function isAllowed(cedar: Cedar, set: PolicySet, scene: Scene): boolean {
  return ruleOn(set.set_digest, cedar.decide(set, scene), scene).allowed
}

function sceneOf({ principal, jurisdiction }: Member, resource: Scene['resource'], hour: number): Scene {
  const { tenant } = principal
  return {
    principal: { ...principal, level: 2, lineage_verified: true },
    resource,
    context: {
      tenant,
      target_tenant: tenant,
      hour: hour % 24,
      weekday: Math.floor(hour / 24) + 1,
      origin: 'http',
      jurisdiction,
    },
    at_ms: 0,
  }
}
