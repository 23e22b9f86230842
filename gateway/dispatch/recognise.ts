// Who a refused call is from, without asking anybody.
import type { Credential } from '@svc/engine/call'
import { authenticate } from './authenticate.ts'
import type { DispatchHeaders } from './headers.ts'
import type { DispatchEndpoint } from './refusal-recorder.ts'

/** Who a call without a place came from, where that is known without asking anybody: a full engine asks nobody. */
export function recognise(
  dispatch_endpoint: DispatchEndpoint,
  headers: DispatchHeaders,
): Credential | undefined {
  const { keys, clock, gateways, audit_log } = dispatch_endpoint
  if (gateways?.required || headers['x-svc-context'] !== undefined || !keys.known) return undefined
  const ring = { find: (key_id: string) => keys.known?.(key_id), used: () => {} }
  try {
    const credential = authenticate(headers.authorization, headers['x-agent-did'], ring, clock)
    return credential instanceof Promise || audit_log.ready(credential.tenant_id) ? undefined : credential
  } catch {
    return undefined
  }
}
