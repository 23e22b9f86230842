// What this engine has committed itself it knows at once; the others hear of it from the database a moment later.
import type { TreatyCache } from '@svc/adapters/treaties/treaty-cache'
import { pairOf } from '@svc/adapters/treaties/treaty-cache'
import type { AuditEntry } from '@svc/contract/audit-record'
import type { EventType } from '@svc/contract/event'

const between_two: ReadonlySet<string> = new Set<EventType>([
  'TreatySigned',
  'TreatyActivated',
  'TreatySuspended',
  'TreatyResumed',
  'TreatyAmended',
  'Terminated',
])

const of_one: ReadonlySet<string> = new Set<EventType>([
  'PolicyAuthored',
  'DissolutionInitiated',
  'EnvelopeAllocated',
  'ThrottleSet',
  'HoldPlaced',
  'HoldReleased',
])

interface Caches {
  readonly treaties: Pick<TreatyCache, 'forget'>
  readonly policies: { forget(tenant_id: string): void }
  readonly books: { forget(tenant_id: string): void }
}

/** So whoever was answered that a treaty is signed may call under it, here, with its next request. */
export function forgetOwn(events: readonly AuditEntry[], { treaties, policies, books }: Caches): void {
  const parties = new Set<string>()
  for (const { event_type, tenant_id } of events) {
    if (between_two.has(event_type)) parties.add(tenant_id)
    if (!of_one.has(event_type)) continue
    books.forget(tenant_id)
    policies.forget(tenant_id)
  }
  const [one, other] = parties
  if (one !== undefined && other !== undefined) treaties.forget(pairOf(one, other))
}
