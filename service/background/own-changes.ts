// Invalidates this engine's caches right after its own commits; other engines are notified by the database.
import type { CachedKeyRing } from '@svc/adapters/access/key-ring'
import type { TreatyCache } from '@svc/adapters/treaties/treaty-cache'
import { pairOf } from '@svc/adapters/treaties/treaty-cache'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { EventType } from '@svc/contract/audit/event'

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
  'PolicyActivated',
  'PolicyRetired',
  'DissolutionInitiated',
  'EnvelopeAllocated',
  'ThrottleSet',
  'HoldPlaced',
  'HoldReleased',
  'RateChanged',
  'CreditGranted',
  'SettlementFinal',
  'ContractSettled',
  'ContractDefaulted',
  'InvoiceSettled',
  'AssetsDistributed',
  'CaseRemedyExecuted',
  'RoleChanged',
  'PersonChanged',
  'PersonJoined',
])

/** Lineage statements are cached with identities, and delegations depend on the delegator's identity. */
const of_identities: ReadonlySet<string> = new Set<EventType>([
  'IdentityVerified',
  'IdentityDerived',
  'KeyRotated',
  'KeyRecovered',
  'IdentityUpdated',
  'IdentitySuspended',
  'IdentityResumed',
  'IdentityRevoked',
])

/** Several keys and sessions may have ended. */
const of_keys: ReadonlySet<string> = new Set<EventType>([
  'KeyRotated',
  'KeyRecovered',
  'IdentityRevoked',
  'WorkloadRemoved',
  'PersonChanged',
])

interface Caches {
  readonly treaties: Pick<TreatyCache, 'forget'>
  readonly policies: { forget(tenant_id: string): void }
  readonly books: { forget(tenant_id: string): void }
  readonly resolver: { forgetAll(): void }
  readonly delegations: { forgetAll(): void }
  readonly keys: { forget(key_id: string): void; forgetAll(): void }
}

/** A caller that was told a treaty is signed can use it here with its next request. */
export function forgetOwn(events: readonly AuditEntry[], caches: Caches): void {
  const { treaties, policies, books, resolver, delegations, keys } = caches
  const parties = new Set<string>()
  for (const { event_type, tenant_id, meta } of events) {
    if (event_type === 'KeyRevoked') keys.forget(String(meta.key_id))
    if (of_keys.has(event_type)) keys.forgetAll()
    if (between_two.has(event_type)) parties.add(tenant_id)
    if (of_identities.has(event_type)) {
      resolver.forgetAll()
      delegations.forgetAll()
    }
    if (!of_one.has(event_type)) continue
    books.forget(tenant_id)
    policies.forget(tenant_id)
  }
  const [one, other] = parties
  if (one !== undefined && other !== undefined) treaties.forget(pairOf(one, other))
}

/** A revoked key may have carried capabilities that its holder delegated. */
export function forgetsDelegations(keys: CachedKeyRing, { forgetAll }: Caches['delegations']): CachedKeyRing {
  return {
    ...keys,
    forget(key_id) {
      keys.forget(key_id)
      forgetAll()
    },
  }
}
