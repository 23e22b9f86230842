// Effective = what the identity declares + what the key carries + delegations, treaties, envelopes - what is revoked.
import type { ResolvedAgentIdentity } from '@svc/contract/identity'
import type { Capabilities, Credential, EffectiveCapability } from '@svc/engine/ports'

/** Declared and key-borne capabilities; the other sources join this list as their protocols arrive. */
export function effectiveCapabilities(): Capabilities {
  // Identity and credential are themselves cached objects: when either is loaded anew, so is what follows from them.
  const composed = new WeakMap<ResolvedAgentIdentity, WeakMap<Credential, readonly EffectiveCapability[]>>()
  return {
    effective(caller, credential, tenant_id) {
      // Toward another tenant only a treaty counts, and treaties are MOAT's to give.
      if (caller.revoked || credential.tenant_id !== tenant_id) return []
      let by_credential = composed.get(caller)
      if (!by_credential) {
        by_credential = new WeakMap()
        composed.set(caller, by_credential)
      }
      let held = by_credential.get(credential)
      if (!held) {
        held = compose(caller, credential)
        by_credential.set(credential, held)
      }
      return held
    },
  }
}

function compose(caller: ResolvedAgentIdentity, credential: Credential): readonly EffectiveCapability[] {
  const declared = caller.capabilities.map((capability) => ({ ...capability, source: 'declared' as const }))
  const carried = credential.capabilities.map((capability) => ({ ...capability, source: 'key' as const }))
  return [...declared, ...carried]
}
