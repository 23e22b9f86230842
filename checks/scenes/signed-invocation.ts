// POST /invoke as another engine would send it, with any part of it replaced.
import { newIdentity } from '@svc/adapters/access/tenants'
import { authorizeRequest, readAuthorization } from '@svc/contract/identity/did-auth'
import { unresolved } from '@svc/contract/identity/identity'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { privateKeyOf, type SigningKey } from '@svc/contract/signing/signature'

export function newSigner(): SigningKey {
  const { did, public_key, private_key } = newIdentity('operator', 'service')
  return { did, public_key, private_key: privateKeyOf(Buffer.from(private_key, 'base64url')) }
}

export interface Invoking {
  readonly signer: SigningKey
  readonly audience: string
  readonly now_ms: number
  readonly id: string
  readonly tenant_id: string
  readonly agent_did: string
  readonly protocol?: string
  readonly operation?: string
  readonly payload?: unknown
  readonly ctx?: Record<string, unknown>
  /** More fields of the body, or another body. */
  readonly body?: Record<string, unknown> | string
  readonly headers?: Record<string, string | undefined>
}

export const invoked_correlation_id = '33333333-3333-4333-8333-333333333333'

export interface SignedInvocation {
  readonly headers: [name: string, value: string][]
  readonly body: string
}

export function signInvocation(invoking: Invoking): SignedInvocation {
  const { signer, audience, now_ms, id, operation = 'run', payload = {}, tenant_id, agent_did } = invoking
  const ctx = {
    correlation_id: invoked_correlation_id,
    tenant_id,
    agent_did,
    resolved_identity: unresolved(agent_did),
    timestamp: new Date(now_ms).toISOString(),
    metadata: { held: [{ name: 'svc.try.*', caveats: [], source: 'key' }] },
    ...invoking.ctx,
  }
  const { body: other = {} } = invoking
  const body = typeof other === 'string' ? other : canonicalJson({ operation, payload, ctx, ...other })
  const headers = Object.entries({
    'content-type': 'application/json',
    'x-svc-protocol': invoking.protocol ?? 'TRY',
    'x-svc-operation': operation,
    'x-svc-correlation-id': invoked_correlation_id,
    authorization: authorizeRequest(signer, { audience, body, now_ms }, id),
    ...invoking.headers,
  }).filter((header): header is [string, string] => header[1] !== undefined)
  return { headers, body }
}

/** Whether an answer is this engine's signed answer to this request. */
export function isAnswerOf(
  engine_did: string,
  { signer, id, now_ms }: Pick<Invoking, 'signer' | 'id' | 'now_ms'>,
  signature: string | null,
  text: string,
): boolean {
  const signed = readAuthorization(signature ?? undefined, { audience: signer.did, body: text, now_ms })
  return typeof signed === 'object' && signed.did === engine_did && signed.id === id
}
