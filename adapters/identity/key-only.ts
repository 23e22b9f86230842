// Without an identity node there is only the key's own word: the DID stays unresolved and holds what its key carries.
import type { IdentityResolver } from '@svc/engine/ports'

export const key_only_resolver: IdentityResolver = {
  resolve: () => ({ outcome: 'Failed', reason: 'no identity node is bound' }),
}
