// Effective = what the identity declares + what the key carries + delegations, treaties, envelopes - what is revoked.
import type { Capabilities, EffectiveCapability } from '@svc/engine/ports'

/** Declared and key-borne capabilities; the other sources join this list as their protocols arrive. */
export function effectiveCapabilities(): Capabilities {
  return {
    effective(caller, credential, tenant_id) {
      if (caller.revoked) return []
      // Toward another tenant only a treaty counts, and treaties are MOAT's to give.
      if (credential.tenant_id !== tenant_id) return []
      const held: EffectiveCapability[] = []
      for (const capability of caller.capabilities) held.push({ ...capability, source: 'declared' })
      for (const capability of credential.capabilities) held.push({ ...capability, source: 'key' })
      return held
    },
  }
}
