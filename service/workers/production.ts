// What every process of a production engine is assembled with.
import type { IdentityResolver } from '@svc/engine/ports'

/** Identities are what the identity node says: there is no development identity here. */
export const asNamed = (oas: IdentityResolver): IdentityResolver => oas

/** How long whoever holds a connection may still use it, and be told there to take another one. */
export const drain_ms_max = 3_000
