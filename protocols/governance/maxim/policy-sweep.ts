// Policies take effect on time without a caller; that is announced once.

import { leaveInOutbox } from '@svc/audit/chain/outbox'
import { type PolicyState, type PolicyVersion, policyStateAt } from '@svc/contract/authority/policy-timeline'
import type { Database } from '@svc/contract/database'
import type { Tick } from '@svc/contract/tick'
import { announce, type DuePolicy, findDuePolicies, readVersions } from '../policies/api.ts'

const batch_max = 64

/** As the engine's role. Returns how many were due; a full batch means there may be more. */
export async function sweepPolicies(db: Database, tick: Tick): Promise<number> {
  const due = await findDuePolicies(db, tick.now, batch_max)
  for (const policy of due) await db.transaction((transaction) => tellMoment(transaction, policy, tick))
  return due.length
}

async function tellMoment(db: Database, due: DuePolicy, { now, newId }: Tick): Promise<void> {
  const authored_by = await announce(db, due, now)
  if (authored_by === undefined) return
  const versions = await readVersions(db, due.tenant_id, due.policy_id)
  const own = versions.find(({ version }) => version === due.version)!
  // Judged at its own start, even if late: a version replaced before it began is not announced.
  const event_type = eventOf(policyStateAt(own, versions, own.active_from_ms))
  if (!event_type) return
  await leaveInOutbox(db, {
    id: newId(),
    event_type,
    correlation_id: newId(),
    timestamp: now.toISOString(),
    tenant_id: due.tenant_id,
    caller_did: authored_by,
    protocol: 'MAXIM',
    outcome: 'success',
    latency_ms: 0,
    meta: momentMeta(own),
  })
}

/** Undefined if it has not started or was replaced before. */
export function eventOf(state: PolicyState): 'PolicyActivated' | 'PolicyRetired' | undefined {
  if (state === 'ACTIVE') return 'PolicyActivated'
  return state === 'RETIRED' ? 'PolicyRetired' : undefined
}

export function momentMeta({ policy_id, version, digest, active_from_ms }: PolicyVersion) {
  return { policy_id, version, digest, active_from: new Date(active_from_ms).toISOString() }
}
