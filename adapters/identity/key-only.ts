// Without an identity node only the key counts: the DID stays unresolved and has the key's capabilities.
import type { IdentityResolver } from '@svc/engine/ports'

export const key_only_resolver: IdentityResolver = {
  resolve: () => ({ outcome: 'Failed', reason: 'no identity node is bound' }),
}
