// did:oas:<namespace>:<entity_kind>:<identifier>, where the identifier is the sha256 of the raw Ed25519 public key.
import { sha256Hex } from '../signing/canonical-json.ts'

export interface Did {
  namespace: string
  entity_kind: string
  identifier: string
}

export const did_form = /^did:oas:([a-z0-9-]{1,63}):([a-z][a-z-]{0,62}):([0-9a-f]{64})$/
export const did_pattern = did_form.source

export function parseDid(did: string): Did | undefined {
  const parts = did_form.exec(did)
  if (!parts) return undefined
  return { namespace: parts[1]!, entity_kind: parts[2]!, identifier: parts[3]! }
}

/** The DID a public key certifies: no other key has this digest. */
export function didOfKey(namespace: string, entity_kind: string, public_key: Uint8Array): string {
  if (public_key.length !== 32) throw new TypeError('an Ed25519 public key has 32 bytes')
  return `did:oas:${namespace}:${entity_kind}:${sha256Hex(public_key)}`
}

export function keyMatchesDid(did: string, public_key: Uint8Array): boolean {
  return parseDid(did)?.identifier === sha256Hex(public_key)
}
