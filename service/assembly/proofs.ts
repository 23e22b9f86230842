// Agents that call with proof of their own key instead of an API key.
import { type TenantTiers, tenantTiers } from '@svc/adapters/access/tenant-tiers'
import { system_clock } from '@svc/adapters/clock/system'
import type { Database } from '@svc/contract/database'
import { parseDid } from '@svc/contract/identity/did'
import type { ResolvedAgentIdentity } from '@svc/contract/identity/identity'
import type { OperationFacts } from '@svc/contract/operation-facts'
import { unavailable } from '@svc/contract/refusal'
import type { IdentityResolver, Ports } from '@svc/engine/ports'
import type { Registry } from '@svc/engine/routing/routing'
import { openProofs, type ProofSettings, type Proofs, type Signer } from '@svc/gateway/dispatch/proofs'
import { isCurrentKey, wasKeyOf } from '@svc/protocols/identity/keys/api'

export function proofSettings(
  publicUrl: () => string,
  { registry, identity, tenants }: Pick<Ports, 'registry' | 'identity' | 'tenants'>,
  db: Database,
  claim: ProofSettings['claim'],
): ProofSettings {
  return {
    publicUrl,
    claim,
    isWrite: (protocol, operation) =>
      someVersion(registry, protocol, operation, ({ effect }) => effect === 'write'),
    // Not those that a plugin declares open: its organization's identities can call it with a session.
    isOpen: (protocol, operation) =>
      protocol.toUpperCase() === 'MACS' &&
      someVersion(registry, protocol, operation, ({ open_to }) => open_to === 'anyone'),
    signerOf: newcomers(identity, tenants, db),
  }
}

export function someVersion(
  registry: Registry,
  protocol: string,
  operation: string,
  test: (facts: OperationFacts) => boolean,
): boolean {
  const versions = registry.versions(protocol) ?? []
  return versions.some(({ operations }) => {
    const facts = operations.get(operation)?.facts
    return facts !== undefined && test(facts)
  })
}

/**
 * Only identities with a document: otherwise anybody could make DIDs in a tenant's name and fill its audit log.
 * A gateway without a resolver leaves that to the engine.
 */
function newcomers(
  identity: IdentityResolver | undefined,
  tiers: Pick<TenantTiers, 'tierOf'>,
  db: Database,
): ProofSettings['signerOf'] {
  return async (did, public_key) => {
    const is_current = await isCurrentKey(db, did, public_key)
    if (!is_current && !(await wasKeyOf(db, did, public_key))) return undefined
    const resolution = await identity?.resolve(did)
    if (resolution?.outcome === 'Unavailable') throw unavailable('identity', resolution.reason)
    if (resolution?.outcome === 'Failed') return undefined
    const tenant_id = parseDid(did)!.namespace
    const tier = await tiers.tierOf(tenant_id)
    if (!tier) return undefined
    const credential = { key_id: `proof:${did.slice(-16)}`, did, tenant_id, tier, capabilities: [] }
    return { credential, fault: is_current ? faultOf(resolution?.identity) : 'former key' }
  }
}

function faultOf(identity: ResolvedAgentIdentity | undefined): Signer['fault'] {
  if (!identity?.revoked) return undefined
  return identity.suspended ? 'identity suspended' : 'identity revoked'
}

/** What a call is and whether it was made before, the engine decides. */
export function proofsAtGateway(
  public_url: string,
  identity: IdentityResolver | undefined,
  db: Database,
): Proofs {
  const settings = {
    publicUrl: () => public_url,
    signerOf: newcomers(identity, tenantTiers(db, system_clock), db),
    isWrite: () => false,
    isOpen: () => true,
    claim: async () => true,
  }
  return openProofs(settings, system_clock)
}
