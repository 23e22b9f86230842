// The refusals that a call of an operation can get.
import type { OperationFacts } from '@svc/contract/operation-facts'
import type { Declaration } from '@svc/contract/protocol'
import { type RefusalCode, refusals } from '@svc/contract/refusal'

/** What the endpoint, the stages and the module can refuse, less what this operation's facts rule out. */
export function refusalsOf(protocol: Declaration, operation: OperationFacts): RefusalCode[] {
  const only_writes: RefusalCode[] = ['idempotency_key_reused', 'idempotency_in_flight']
  const not_exempt: RefusalCode[] = ['rate_limited', 'circuit_open']
  // Possible before any operation is known.
  const never_here: readonly string[] = ['unknown_protocol', 'unknown_operation', 'not_found']
  return (Object.keys(refusals) as RefusalCode[]).filter((code) => {
    if (only_writes.includes(code)) return operation.effect === 'write'
    if (not_exempt.includes(code)) return operation.exempt !== true
    if (code === 'adapter_error') return protocol.estate === 'adapter'
    return !never_here.includes(code)
  })
}
