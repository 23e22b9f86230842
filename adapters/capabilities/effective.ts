// Effective at home = declared by the identity + carried by the key + delegations and envelopes - revoked.
import type { AgentCapability, HeldCapability } from '@svc/contract/authority/capability'
import { type ResolvedAgentIdentity, unresolved } from '@svc/contract/identity/identity'
import type { DelegationPath } from '@svc/contract/needs/access'
import type { Authority } from '@svc/contract/needs/authority'
import { type Dependency, unavailable } from '@svc/contract/refusal'
import type { Credential } from '@svc/engine/call'
import type { Effective } from '@svc/engine/known'
import type { Capabilities, IdentityResolver } from '@svc/engine/ports'

/** Delegations and grants to an identity. Each source has its own cache. */
export interface GrantSource {
  /** Toward this tenant. A value rather than a promise if cached: this runs before every call. */
  grantsTo(identity: ResolvedAgentIdentity, tenant_id: string): Grants | Promise<Grants>
  /** Where grants come by chains: each, also those that no longer count. */
  pathsTo?(did: string, tenant_id: string): Promise<readonly DelegationPath[]>
}

export interface Grants {
  readonly held: readonly HeldCapability[]
  readonly excluded: Authority['excluded']
  /** What could not be asked, and could have granted more. */
  readonly unknown?: Dependency
}

export interface AuthoritySources {
  readonly identity: IdentityResolver
  /** The capabilities of all live keys of an identity. */
  keysOf(did: string, tenant_id: string): Promise<readonly AgentCapability[]>
  /** Delegations and envelopes. */
  readonly grants: readonly GrantSource[]
}

export function effectiveCapabilities(sources: AuthoritySources): Capabilities {
  const own = ownCapabilities()
  return {
    effective(caller, credential, tenant_id) {
      if (caller.revoked) return nothing
      // Toward another tenant only a treaty counts, and stage 4 looks those up itself.
      const mine = credential.tenant_id === tenant_id ? own(caller, credential) : nothing
      if (sources.grants.length === 0) return mine
      const granted = grantsOf(sources.grants, caller, tenant_id)
      const add = (grants: Grants) => underDelegation(added(mine, grants), credential)
      return granted instanceof Promise ? granted.then(add) : add(granted)
    },
    async authorityOf(did, tenant_id) {
      const resolution = await sources.identity.resolve(did)
      if (resolution.outcome === 'Unavailable') throw unavailable('identity', resolution.reason)
      const identity = resolution.outcome === 'Failed' ? unresolved(did) : resolution.identity
      if (identity.revoked) return { identity, held: [], excluded: revokedNames(identity) }
      const keys = await sources.keysOf(did, tenant_id)
      const granted = await grantsOf(sources.grants, identity, tenant_id)
      if (granted.unknown) throw unavailable(granted.unknown)
      return { identity, held: [...compose(identity, keys), ...granted.held], excluded: granted.excluded }
    },
    async pathsTo(did, tenant_id) {
      const paths = await Promise.all(sources.grants.map((source) => source.pathsTo?.(did, tenant_id) ?? []))
      return paths.flat()
    },
  }
}

function underDelegation(effective: Effective, { delegation_id }: Credential): Effective {
  if (delegation_id === undefined) return effective
  const isOfIt = ({ source, source_ref }: HeldCapability) =>
    source === 'delegation' && source_ref === delegation_id
  return { ...effective, held: effective.held.filter(isOfIt) }
}

const nothing: Effective = { held: [] }

/** Runs before every call: if nothing is added, nothing is allocated. */
function added(mine: Effective, { held, unknown }: Grants): Effective {
  if (held.length === 0 && !unknown) return mine
  return { held: [...mine.held, ...held], ...(unknown && { unknown }) }
}

type Own = (caller: ResolvedAgentIdentity, credential: Credential) => Effective

/** Identity and credential are cached objects: when either is reloaded, what follows from them is computed again. */
function ownCapabilities(): Own {
  const composed = new WeakMap<ResolvedAgentIdentity, WeakMap<Credential, Effective>>()
  return (caller, credential) => {
    let by_credential = composed.get(caller)
    if (!by_credential) {
      by_credential = new WeakMap()
      composed.set(caller, by_credential)
    }
    let effective = by_credential.get(credential)
    if (!effective) {
      effective = { held: compose(caller, credential.capabilities) }
      by_credential.set(credential, effective)
    }
    return effective
  }
}

function compose(
  caller: ResolvedAgentIdentity,
  carried: readonly AgentCapability[],
): readonly HeldCapability[] {
  return [
    ...caller.capabilities.map((capability) => ({ ...capability, source: 'declared' as const })),
    ...carried.map((capability) => ({ ...capability, source: 'key' as const })),
  ]
}

function grantsOf(
  sources: readonly GrantSource[],
  identity: ResolvedAgentIdentity,
  tenant_id: string,
): Grants | Promise<Grants> {
  // Runs before every call: a single source, mostly with no delegations, is asked without building lists.
  if (sources.length === 1) return sources[0]!.grantsTo(identity, tenant_id)
  const grants_by_source = sources.map((source) => source.grantsTo(identity, tenant_id))
  return grants_by_source.some((grants) => grants instanceof Promise)
    ? Promise.all(grants_by_source).then(join)
    : join(grants_by_source as Grants[])
}

function join(grants: readonly Grants[]): Grants {
  const unknown = grants.find((some) => some.unknown)?.unknown
  return {
    held: grants.flatMap(({ held }) => held),
    excluded: grants.flatMap(({ excluded }) => excluded),
    ...(unknown && { unknown }),
  }
}

function revokedNames(identity: ResolvedAgentIdentity): Authority['excluded'] {
  return identity.capabilities.map(({ name }) => ({ name, why: 'revoked' as const }))
}
