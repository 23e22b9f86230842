// Development only: the holder of the development key is the local admin. `svc-engine serve` never loads this file.
import { localAdmin, type ResolvedAgentIdentity } from '@svc/contract/identity/identity'
import { recent } from '@svc/engine/limits/recent'
import type { IdentityResolver } from '@svc/engine/ports'

const identities_cached_max = 10_000

export function localAdminResolver(
  identities = recent<ResolvedAgentIdentity>(identities_cached_max),
): IdentityResolver {
  return {
    resolve(did) {
      const identity = identities.get(did) ?? localAdmin(did)
      identities.set(did, identity)
      return { outcome: 'Resolved', identity }
    },
  }
}
