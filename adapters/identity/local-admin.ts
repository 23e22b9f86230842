// Development only: the holder of the development key is the local admin. `svc-engine serve` never loads this file.
import { localAdmin, type ResolvedAgentIdentity } from '@svc/contract/identity/identity'
import type { Resolution } from '@svc/engine/known'
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

/** Who is an administrator may do everything; who it is still comes from the identity node, as for everybody. */
export function adminResolver(isAdmin: (did: string) => boolean, others: IdentityResolver): IdentityResolver {
  // One object for each resolved identity: what follows from it is cached by it.
  const admins = new WeakMap<ResolvedAgentIdentity, Resolution>()
  const unknown = localAdminResolver()
  /** A slow node does not change who it is. */
  const last = recent<Resolution>(identities_cached_max)
  const asAdmin = (did: string, resolution: Resolution): Resolution => {
    if (resolution.outcome === 'Failed' || resolution.outcome === 'Unavailable')
      return last.get(did) ?? (unknown.resolve(did) as Resolution)
    const { identity } = resolution
    if (identity.revoked) return resolution
    const { conformance_level, capabilities, auth_method } = localAdmin(did)
    const admin = admins.get(identity) ?? {
      ...resolution,
      identity: { ...identity, conformance_level, capabilities, auth_method },
    }
    admins.set(identity, admin)
    last.set(did, admin)
    return admin
  }
  return {
    resolve(did) {
      const resolution = others.resolve(did)
      if (!isAdmin(did)) return resolution
      return resolution instanceof Promise
        ? resolution.then((read) => asAdmin(did, read))
        : asAdmin(did, resolution)
    },
  }
}
