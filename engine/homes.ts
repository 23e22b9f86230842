// What an engine asks about where a tenant lives.
import type { Refusal } from '@svc/contract/refusal'

/** Tenants that are being moved to another database, or were. */
export interface Homes {
  /** Why no call of this tenant may begin here. A value rather than a promise while the cache is trusted. */
  refusal(tenant_id: string): Refusal | undefined | Promise<Refusal | undefined>
  /** A call of this tenant begins: a move waits until it has left. */
  enter(tenant_id: string): void
  leave(tenant_id: string): void
}
