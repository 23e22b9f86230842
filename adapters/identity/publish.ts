// Reads and publishes documents of identities through the bound identity node.

import { readDocument } from '@svc/contract/identity/received-document'
import type { InvokeContext } from '@svc/contract/invoke-context'
import type { Needs } from '@svc/contract/needs/needs'
import { Refusal, unavailable } from '@svc/contract/refusal'
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

export function readThrough(
  client: ExternalClient | undefined,
  context: InvokeContext,
  signal: AbortSignal,
): Needs['readIdentity'] {
  return async (did) => {
    if (!client) throw unavailable('identity', new Error('no identity node is bound'))
    const answer = (await client.invoke('resolve', { did }, context, signal)) as { document?: unknown } | null
    const document = readDocument(answer?.document ?? null, did)
    return typeof document === 'string' ? undefined : document
  }
}
