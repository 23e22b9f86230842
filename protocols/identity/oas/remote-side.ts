import type { Remote } from '@svc/contract/needs/remote'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'

/** The remote service of an adapter. It is missing only in a partly configured engine. */
export function remoteSide(protocol: string, { remote }: OperationContext<'remote'>): Remote {
  if (remote) return remote
  throw refuse(
    'no_endpoint_available',
    `No ${protocol} node is bound to this engine; ask its operator for one.`,
    {
      reason: 'no endpoint',
    },
  )
}
