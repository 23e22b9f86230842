// What any replica changes is heard by all, and each forgets what it knew of it.
import { type ChangeListener, listenForChanges } from '@svc/adapters/access/changes'
import type { CachedKeyRing } from '@svc/adapters/access/key-ring'
import type { DelegationSource } from '@svc/adapters/capabilities/delegations'
import type { OasResolver } from '@svc/adapters/identity/oas'
import type { Log } from '@svc/engine/ports'
import type { People } from './people.ts'

interface Caches {
  readonly keys: CachedKeyRing
  readonly people: People
  readonly resolver: OasResolver
  readonly lent: DelegationSource
}

export function followChanges(db_url: string, caches: Caches, log: Log): Promise<ChangeListener> {
  const { keys, people, resolver, lent } = caches
  const onChange = (kind: string, id: string) => {
    if (kind === 'api_key') keys.forget(id)
    people.changed(kind, id)
    if (kind === 'identity' || kind === 'delegation') resolver.forgetAll()
    // A key that is revoked may have carried what its holder lent.
    if (kind === 'identity' || kind === 'delegation' || kind === 'api_key') lent.forgetAll()
  }
  const onGap = () => {
    keys.forgetAll()
    people.forgetAll()
    resolver.doubtAll()
    lent.forgetAll()
  }
  return listenForChanges(db_url, onChange, onGap, log)
}
