// New identities become known through the bound identity node, where that node takes documents at all.
import type { IdentityPublisher } from '@svc/engine/ports'
import type { ExternalClient } from '../endpoint/external-client.ts'

export function publishThrough(client: ExternalClient): IdentityPublisher {
  return {
    async publish(document, context, signal) {
      await client.invoke('publish', { document }, context, signal)
    },
  }
}
