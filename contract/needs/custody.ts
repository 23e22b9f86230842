import type { Descent } from '../identity/lineage.ts'

export interface Custody {
  /** Undefined where the engine has no key of this DID. */
  publicKeyOf(did: string): Promise<string | undefined>
  /** Signs as this identity; undefined where its key is not here. */
  sign(did: string, text: string | Uint8Array): Promise<{ public_key: string; signature: string } | undefined>
  /** Derives the child's key from the parent's and stores it; the same descent gives the same key. */
  derive(parent_did: string, descent: Descent): Promise<{ did: string; public_key: string } | undefined>
  /** Makes a further key of an identity in custody, which signs nothing before it is in use. Returns its public half. */
  reserve(did: string): Promise<string>
  reserved(did: string): Promise<readonly string[]>
  /** From now on the identity signs with this reserved key. */
  use(did: string, public_key: string): Promise<void>
}
