// What mail needs beyond rows: the message size limit, sealing for another organization, and waiting slots.
import type { Vault } from './vault.ts'

export interface Mailboxes {
  /** JCS of the body and its headers; up to exactly this size. */
  readonly message_bytes_max: number
  /** A message to an organization is sealed for it, not for the sender. */
  vaultOf(tenant_id: string): Vault
  /** A waiting slot, to be released; undefined where too many wait already. */
  wait(tenant_id: string): (() => void) | undefined
}
