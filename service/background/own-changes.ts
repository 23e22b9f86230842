// What this engine has committed itself it knows at once; the others hear of it from the database a moment later.
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
])

/** Statements of descent are kept with these; delegations are judged by who gave them. */
const of_identities: ReadonlySet<string> = new Set<EventType>(['IdentityVerified', 'IdentityDerived'])

interface Caches {
  readonly treaties: Pick<TreatyCache, 'forget'>
  readonly policies: { forget(tenant_id: string): void }
  readonly books: { forget(tenant_id: string): void }
  readonly resolver: { forgetAll(): void }
  readonly delegations: { forgetAll(): void }
}

/** So whoever was answered that a treaty is signed may call under it, here, with its next request. */
export function forgetOwn(events: readonly AuditEntry[], caches: Caches): void {
  const { treaties, policies, books, resolver, delegations } = caches
  const parties = new Set<string>()
  for (const { event_type, tenant_id } of events) {
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

/** A key that is revoked may have carried what its holder delegated. */
export function forgetsDelegations(keys: CachedKeyRing, { forgetAll }: Caches['delegations']): CachedKeyRing {
  return {
    ...keys,
    forget(key_id) {
      keys.forget(key_id)
      forgetAll()
    },
  }
}
