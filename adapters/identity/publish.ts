// Publishes new identities through the bound identity node, if that node accepts documents.

import type { InvokeContext } from '@svc/contract/invoke-context'
import type { Needs } from '@svc/contract/needs/needs'
import { Refusal } from '@svc/contract/refusal'
import type { Log } from '@svc/engine/ports'
import type { ExternalClient } from '../endpoint/external-client.ts'

/** Failures are returned, not thrown: the identity exists whether or not it was published. */
export function publishThrough(
  client: ExternalClient | undefined,
  context: InvokeContext,
  signal: AbortSignal,
  log: Log,
): Needs['publishIdentity'] {
  return async (document) => {
    if (!client) return 'no identity node is bound'
    signal.throwIfAborted()
    try {
      await client.invoke('publish', { document }, context, signal)
      return undefined
    } catch (error) {
      if (error instanceof Refusal) return error.details.reason ?? error.code
      log.warn({ err: error, did: document.id }, 'publishing an identity failed')
      return 'the identity node failed'
    }
  }
}
