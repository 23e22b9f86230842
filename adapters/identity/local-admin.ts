// Development only: whoever holds the development key is the local admin. `svc-engine serve` has no path to this file.
import { localAdmin, type ResolvedAgentIdentity } from '@svc/contract/identity'
import type { IdentityResolver } from '@svc/engine/ports'

export function localAdminResolver(): IdentityResolver {
  const known = new Map<string, ResolvedAgentIdentity>()
  return {
    resolve(did) {
      const identity = known.get(did) ?? localAdmin(did)
      known.set(did, identity)
      return { outcome: 'Resolved', identity }
    },
  }
}
