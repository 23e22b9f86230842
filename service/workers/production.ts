// Choices of every production process.
import type { IdentityResolver } from '@svc/engine/ports'

/** Identities come from the identity node only; there is no development identity. */
export const asNamed = (oas: IdentityResolver): IdentityResolver => oas

/** How long open connections may still be used and receive a last answer. */
export const drain_ms_max = 3_000
