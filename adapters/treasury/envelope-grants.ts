// Capabilities that departments give their members: they apply exactly while the envelope is active.

import type { HeldCapability } from '@svc/contract/authority/capability'
import { parseDid } from '@svc/contract/identity/did'
import type { Books } from '@svc/contract/money/books'
import { type Recent, recent } from '@svc/engine/limits/recent'
import type { Treasury } from '@svc/engine/ports'
import type { GrantSource, Grants } from '../capabilities/effective.ts'

const nothing: Grants = { held: [], excluded: [] }

const members_cached_max = 10_000

/** Caches only what follows from books that are themselves cached. */
export function envelopeGrants(treasury: Treasury): GrantSource {
  const grants_of = new WeakMap<Books, Recent<Grants>>()
  const grantsIn = (books: Books, did: string, tenant_id: string): Grants => {
    if (books.envelopes.length === 0) return nothing
    let by_did = grants_of.get(books)
    if (!by_did) {
      by_did = recent(members_cached_max)
      grants_of.set(books, by_did)
    }
    let grants = by_did.get(did)
    if (!grants) {
      grants = findGrants(books, did, tenant_id)
      by_did.set(did, grants)
    }
    return grants
  }
  return {
    grantsTo({ did }, tenant_id) {
      const books = treasury.of(tenant_id)
      return books instanceof Promise
        ? books.then((read) => grantsIn(read, did, tenant_id))
        : grantsIn(books, did, tenant_id)
    },
  }
}

function findGrants({ envelopes }: Books, did: string, tenant_id: string): Grants {
  // Between tenants there are treaties, not departments.
  if (parseDid(did)?.namespace !== tenant_id) return nothing
  const capabilities = envelopes
    .filter(({ members }) => members.has(did))
    .flatMap(({ envelope_id, granted }) =>
      granted.map(
        (name): HeldCapability => ({ name, caveats: [], source: 'envelope', source_ref: envelope_id }),
      ),
    )
  return capabilities.length > 0 ? { held: capabilities, excluded: [] } : nothing
}
