// One identity as the engine resolves it: the same depth, parent and root as every other surface shows.
import { endedAmong } from '@svc/adapters/access/revocations'
import { oasResolver } from '@svc/adapters/identity/oas'
import { keepKeyEvents } from '@svc/protocols/identity/keys/api'
import { lineageOf } from '@svc/protocols/identity/macs/api'
import type { IdentityHome } from '../assembly/identities.ts'
import { ConfigError } from '../settings/config-error.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }

export async function viewIdentity({ db, clock, askNode }: IdentityHome, did: string) {
  const resolver = oasResolver({
    client: {
      url: 'the identity node',
      invoke: (operation, payload) => askNode(operation as 'resolve', payload as object),
      isHealthy: async () => true,
    },
    clock,
    log: silent,
    own: { tenant_id: 'operator', did: 'operator' },
    isTrustedIssuer: () => false,
    revocations: (dids) => endedAmong(db, dids),
    learnKeys: (did, events) => keepKeyEvents(db, did, events),
    lineageOf: (of) => lineageOf(db, of),
  })
  const resolution = await resolver.resolve(did)
  if (resolution.outcome === 'Failed' || resolution.outcome === 'Unavailable')
    throw new ConfigError(`${did} cannot be resolved: ${resolution.reason}.`)
  const { identity, lineage } = resolution
  return {
    did,
    name: identity.name ?? null,
    entity_kind: identity.entity_kind,
    lineage_verified: identity.lineage_verified,
    lineage_depth: identity.lineage_depth,
    parent_did: identity.creator_did ?? null,
    root_did: lineage?.root_did ?? null,
    revoked: identity.revoked,
  }
}
