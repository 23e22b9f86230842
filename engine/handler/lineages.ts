// Descent of identities for handlers, from the resolutions that stage 0 uses and caches.
import { type Roots, roots_asked_max, rootsBehind, verifiedRoot } from '@svc/contract/identity/roots'
import type { Lineages } from '@svc/contract/needs/lineages'
import { refuse, unavailable } from '@svc/contract/refusal'
import type { Resolution } from '../known.ts'
import type { IdentityResolver } from '../ports.ts'

/** Limits parallel queries to the identity node. */
const resolved_at_once = 16

export function lineagesOf(identity: IdentityResolver): Lineages {
  return {
    async of(did) {
      const resolution = readable(await identity.resolve(did))
      return resolution.outcome === 'Failed' ? undefined : resolution.lineage
    },
    roots: (dids) => rootsOf(identity, dids),
  }
}

async function rootsOf(identity: IdentityResolver, dids: readonly string[]): Promise<Roots> {
  const distinct = [...new Set(dids)]
  if (distinct.length > roots_asked_max) throw tooMany(distinct.length)
  const roots: (readonly [string, string | undefined])[] = []
  for (let from = 0; from < distinct.length; from += resolved_at_once) {
    const some = distinct.slice(from, from + resolved_at_once)
    const resolutions = await Promise.all(some.map((did) => identity.resolve(did)))
    for (const [place, resolution] of resolutions.entries()) roots.push([some[place]!, rootIn(resolution)])
  }
  return rootsBehind(roots)
}

function rootIn(resolution: Resolution): string | undefined {
  const read = readable(resolution)
  return read.outcome === 'Failed' ? undefined : verifiedRoot(read.identity, read.lineage)
}

/** An outage must not change who counts. */
function readable(resolution: Resolution): Exclude<Resolution, { outcome: 'Unavailable' }> {
  if (resolution.outcome === 'Unavailable') throw unavailable('identity', resolution.reason)
  return resolution
}

function tooMany(identities: number) {
  return refuse(
    'invalid_payload',
    `${identities} different identities are named, and the roots of at most ${roots_asked_max} are looked up at once; name fewer.`,
    { reason: 'too_many_identities' },
  )
}
