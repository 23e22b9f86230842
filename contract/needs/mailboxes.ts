// What mail needs beyond rows: how large a message may be, boxes that another organization opens, and room to wait.
import type { Vault } from './vault.ts'

export interface Mailboxes {
  /** JCS of the body and its headers; exactly this passes. */
  readonly message_bytes_max: number
  /** What is sent to an organization is sealed for it, not for who sent it. */
  vaultOf(tenant_id: string): Vault
  /** A place to wait in, to be left; undefined where too many wait already. */
  wait(tenant_id: string): (() => void) | undefined
}
