// Organizations for a rehearsal: identities with their own keys, and charters of them.
import { addMember } from '@svc/adapters/access/charter'
import { ensureTenant, newIdentity } from '@svc/adapters/access/tenants'
import { effectiveCapabilities } from '@svc/adapters/capabilities/effective'
import { keepSeed } from '@svc/adapters/custody/keystore'
import { localAdmin } from '@svc/contract/identity/identity'
import { privateKeyOf, type SigningKey } from '@svc/contract/signing/signature'
import type { IdentityResolver, Ports } from '@svc/engine/ports'
import { type Rehearsal, root_keys } from './rehearse.ts'

export interface Party {
  readonly did: string
  readonly tenant_id: string
}

export interface KeyedParty extends Party {
  readonly key: SigningKey
}

/** Every identity resolves as a local administrator; `lesser` only at L1, `poor` without capabilities. */
export function administrators({ lesser, poor }: Lacking = {}): Pick<Ports, 'identity' | 'capabilities'> {
  const identity: IdentityResolver = {
    resolve: (did) => ({
      outcome: 'Resolved',
      identity: {
        ...localAdmin(did),
        ...(lesser?.has(did) && { conformance_level: 'L1' as const }),
        ...(poor?.has(did) && { capabilities: [] }),
      },
    }),
  }
  return { identity, capabilities: effectiveCapabilities({ identity, keysOf: async () => [], grants: [] }) }
}

interface Lacking {
  readonly lesser?: ReadonlySet<string>
  readonly poor?: ReadonlySet<string>
}

/** A new identity; in custody, the engine signs for it. */
export async function newParty(
  { store }: Rehearsal,
  tenant_id: string,
  { in_custody = true, kind = 'agent' } = {},
): Promise<KeyedParty> {
  const { did, public_key, private_key } = newIdentity(tenant_id, kind)
  const seed = Buffer.from(private_key, 'base64url')
  await ensureTenant(store.engine, tenant_id, tenant_id, 'charter')
  if (in_custody) await keepSeed(store.engine, root_keys, tenant_id, did, seed)
  return { did, tenant_id, key: { did, public_key, private_key: privateKeyOf(seed) } }
}

export async function newCharter(
  stage: Rehearsal,
  tenant_id: string,
  members: number,
): Promise<[KeyedParty, ...KeyedParty[]]> {
  const charter: KeyedParty[] = []
  for (let place = 0; place < members; place++) {
    const party = await newParty(stage, tenant_id)
    await addMember(stage.store.engine, tenant_id, party.did, new Date(stage.ports.clock.now_ms()))
    charter.push(party)
  }
  return charter as [KeyedParty, ...KeyedParty[]]
}

/** The caller fields of a party, without its key. */
export const asCaller = ({ did, tenant_id }: Party) => ({ did, tenant_id })
