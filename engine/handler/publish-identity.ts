// A new identity's document goes to the node that answers for identities. What goes wrong is said, not thrown.
import type { IdentityDocument } from '@svc/contract/identity/identity-document'
import type { InvokeContext } from '@svc/contract/invoke-context'
import { Refusal } from '@svc/contract/refusal'
import type { Ports } from '../ports.ts'

export async function publishIdentity(
  { publisher, log }: Pick<Ports, 'publisher' | 'log'>,
  document: IdentityDocument,
  context: InvokeContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!publisher) return 'no identity node is bound'
  try {
    await publisher.publish(document, context, signal)
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.details.reason ?? error.code
    log.warn({ err: error, did: document.id }, 'publishing an identity failed')
    return 'the identity node failed'
  }
}
