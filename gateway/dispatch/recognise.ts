// Identifies the sender of a refused call without any lookup.
import type { Credential } from '@svc/engine/call'
import { authenticate } from './authenticate.ts'
import type { DispatchHeaders } from './headers.ts'
import type { DispatchEndpoint } from './refusal-recorder.ts'

/** The sender of a call that was not admitted, where it is cached: a full engine makes no lookups. */
export function recognise(
  dispatch_endpoint: DispatchEndpoint,
  headers: DispatchHeaders,
): Credential | undefined {
  const { keys, clock, gateways, audit_log } = dispatch_endpoint
  if (gateways?.required || headers['x-svc-context'] !== undefined || !keys.known) return undefined
  const ring = { find: (key_id: string) => keys.known?.(key_id), used: () => {} }
  try {
    const credential = authenticate({ headers, method: '', path: '' }, { keys: ring, clock })
    return credential instanceof Promise || audit_log.ready(credential.tenant_id) ? undefined : credential
  } catch {
    return undefined
  }
}
