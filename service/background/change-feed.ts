// Invalidates this replica's caches when any replica changes something.
import { type ChangeListener, listenForChanges } from '@svc/adapters/access/changes'
import type { CachedKeyRing } from '@svc/adapters/access/key-ring'
import { books_change } from '@svc/adapters/access/operator-tenant'
import { home_change, type TenantHomes } from '@svc/adapters/access/tenant-homes'
import type { TenantTiers } from '@svc/adapters/access/tenant-tiers'
import type { DelegationSource } from '@svc/adapters/capabilities/delegations'
import { type DatabaseChanges, news_change } from '@svc/adapters/change-notifications/database'
import { protocol_change } from '@svc/adapters/external/registrations'
import type { OasResolver } from '@svc/adapters/identity/oas'
import type { PoliciesCache } from '@svc/adapters/policy/policies-cache'
import { tier_change } from '@svc/adapters/rate-limit/tier-changes'
import type { BooksCache } from '@svc/adapters/treasury/books-cache'
import { type TreatyCache, treaty_change } from '@svc/adapters/treaties/treaty-cache'
import type { Log } from '@svc/engine/ports'
import type { People } from '../assembly/people.ts'
import type { Following } from './follow-registrations.ts'

interface Caches {
  readonly change_notifications: DatabaseChanges
  readonly keys: CachedKeyRing
  readonly people: People
  readonly resolver: OasResolver
  readonly delegations: DelegationSource
  readonly registrations: Following
  readonly homes: TenantHomes
  readonly tiers: TenantTiers
  readonly books: BooksCache
  readonly treaties: TreatyCache
  readonly policies: PoliciesCache
}

export function followChanges(db_url: string, caches: Caches, log: Log): Promise<ChangeListener> {
  const {
    change_notifications,
    keys,
    people,
    resolver,
    delegations,
    registrations,
    homes,
    tiers,
    books,
    treaties,
    policies,
  } = caches
  const onChange = (kind: string, id: string) => {
    if (kind === news_change) return change_notifications.arrived(id)
    if (kind === 'api_key') keys.forget(id)
    if (kind === tier_change) {
      keys.forgetAll()
      tiers.forgetAll()
    }
    // A change of policies is notified as a change of the books: both are invalidated before the next call.
    if (kind === books_change) {
      books.forget(id)
      policies.forget(id)
    }
    if (kind === home_change) homes.changed()
    if (kind === treaty_change) treaties.forget(id)
    people.changed(kind, id)
    if (kind === protocol_change) registrations.changed()
    if (kind === 'identity' || kind === 'delegation') resolver.forgetAll()
    // A revoked key may have carried capabilities that its holder delegated.
    if (kind === 'identity' || kind === 'delegation' || kind === 'api_key') delegations.forgetAll()
  }
  const onGap = () => {
    change_notifications.arrivedAll()
    keys.forgetAll()
    people.forgetAll()
    resolver.doubtAll()
    delegations.forgetAll()
    registrations.changed()
    homes.changed()
    tiers.forgetAll()
    books.doubtAll()
    policies.doubtAll()
    treaties.forgetAll()
  }
  return listenForChanges(db_url, onChange, onGap, log)
}
