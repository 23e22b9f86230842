// A registered service as an endpoint: calls are signed by this engine, and answers by the service, unless it is
// registered as unsigned.

import { isOnce } from '@svc/contract/authority/caveat'
import { answer_signature_header } from '@svc/contract/foreign/external-protocol'
import { authorizeRequest, readAuthorization } from '@svc/contract/identity/did-auth'
import type { InvokeContext } from '@svc/contract/invoke-context'
import type { OperationContext } from '@svc/contract/operation-context'
import type { Declaration, ModuleResponse } from '@svc/contract/protocol'
import { type Refusal, type RefusalCode, refuse } from '@svc/contract/refusal'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import type { SigningKey } from '@svc/contract/signing/signature'
import type { Clock } from '@svc/engine/ports'
import { faultsOf } from '@svc/engine/routing/registry'
import type { Endpoint } from '@svc/engine/routing/routing'
import { answer_bytes_max, askHealth, contractHeaders, dataIn, isWell } from '../endpoint/external-client.ts'
import { refusalOf, unanswered, unreadable } from '../endpoint/foreign-refusal.ts'
import {
  type Incoming,
  type OutboundError,
  type OutboundOptions,
  openOutbound,
} from '../outbound/outbound.ts'
import { moduleMetadata, tokensIn } from './answer-metadata.ts'
import type { Registration } from './registrations.ts'

/** The refusals that a module may give; every other failure is its own. */
const own_codes: readonly RefusalCode[] = [
  'invalid_payload',
  'policy_denied',
  'unknown_operation',
  'missing_capability',
  'payload_too_large',
  'idempotency_key_reused',
  'idempotency_in_flight',
  'timeout',
]

export interface ExternalEndpoint extends Endpoint {
  /** True if the service says it is healthy; never throws. */
  isHealthy(): Promise<boolean>
  close(): void
}

export interface EndpointParts {
  /** Signs as this engine; undefined without a key. */
  readonly signer: SigningKey | undefined
  readonly clock: Clock
  readonly outbound: OutboundOptions
  /** Parses bytes as JSON within the limits for foreign JSON. It takes ownership of the bytes. */
  readJson(bytes: Buffer): unknown
  /** Whether a treaty of the operator's, or its amendment, is in force. */
  isInForce(treaty_id: string): Promise<boolean>
}

export function externalEndpoint(
  registration: Registration,
  declaration: Declaration,
  parts: EndpointParts,
): ExternalEndpoint {
  const outbound = openOutbound(registration.endpoint, parts.outbound)
  const { name, timeout_ms } = registration
  const outputs = new Map(
    Object.entries(declaration.operations).map(([operation, { output }]) => [operation, faultsOf(output)]),
  )
  const invoke = async (
    operation: string,
    payload: unknown,
    context: OperationContext<'authority' | 'tokens'>,
  ) => {
    await requireTreaty(registration, parts)
    const { headers, body, jti } = await signedRequest(registration, parts, operation, payload, context)
    const outgoing = { method: 'POST', path: '/invoke', headers, body, timeout_ms, answer_bytes_max } as const
    const answer = await outbound
      .send({ ...outgoing, signal: context.signal })
      .catch((error: OutboundError) => {
        throw unanswered(name, timeout_ms, error)
      })
    if (registration.answers === 'signed') requireSignature(registration, parts, answer, jti)
    const read = await readBody(name, parts, answer)
    if (!isWell(answer))
      throw told(
        registration,
        refusalOf({ protocol: name, status: answer.status, answer: read, request: body }, own_codes),
      )
    return response(registration, read, outputs.get(operation), context)
  }
  return {
    id: registration.endpoint,
    kind: 'external',
    // Health is the breaker's matter: probes open and close it.
    healthy: true,
    weight: registration.weight,
    in_flight: 0,
    invoke,
    isHealthy: () => askHealth(outbound),
    close: () => outbound.close(),
  }
}

async function signedRequest(
  { name, version, did }: Registration,
  { signer, clock }: EndpointParts,
  operation: string,
  payload: unknown,
  context: OperationContext<'authority'>,
): Promise<{ headers: Record<string, string>; body: string; jti: string }> {
  if (!signer) throw noKey(name)
  const authority = await context.authority.ofCaller()
  // Limits are counted here, so the chains of delegations stay here, and rights to a single call too.
  const capabilities = authority.held
    .filter(({ caveats }) => !caveats.some(isOnce))
    .map(({ chain: _, ...capability }) => capability)
  // Last, so that nothing in a caller's own context can replace its capabilities.
  const metadata = { ...context.invoke.metadata, held: capabilities }
  const ctx: InvokeContext = { ...context.invoke, metadata }
  const body = canonicalJson({ operation, payload, ctx })
  const jti = clock.uuid()
  const headers = {
    ...contractHeaders(name, operation, context.invoke),
    'x-svc-version': version,
    authorization: authorizeRequest(signer, { audience: did, body, now_ms: clock.now_ms() }, jti),
  }
  const key = context.idempotency_key
  return { headers: key === undefined ? headers : { ...headers, 'idempotency-key': key }, body, jti }
}

function requireSignature(
  { name, did }: Registration,
  { signer, clock }: EndpointParts,
  { status, body, header }: Incoming,
  jti: string,
): void {
  const expected = { audience: signer!.did, body, now_ms: clock.now_ms() }
  const signed = readAuthorization(header(answer_signature_header), expected)
  if (typeof signed === 'string') throw notSigned(name, did, status, signed)
  if (signed.did !== did) throw notSigned(name, did, status, 'signed by somebody else')
  if (signed.id !== jti) throw notSigned(name, did, status, 'signed for another request')
}

async function readBody(name: string, { readJson }: EndpointParts, { body }: Incoming): Promise<unknown> {
  try {
    return await readJson(body)
  } catch (error) {
    throw unreadable(name, error)
  }
}

function response(
  { name, did, answers }: Registration,
  answer: unknown,
  faultsIn: ReturnType<typeof faultsOf> | undefined,
  context: OperationContext<'tokens'>,
): ModuleResponse {
  const data = dataIn(name, answer)
  const [fault] = faultsIn?.(data) ?? []
  if (fault) throw unreadable(name, new TypeError(`its data does not fit: ${fault.pointer} ${fault.message}`))
  const { metadata } = answer as { metadata?: unknown }
  context.tokens.use(...tokensIn(metadata))
  const supplied = moduleMetadata(metadata)
  const supplied_metadata = Object.keys(supplied).length > 0 ? { supplied } : {}
  return { data, metadata: { served_by: did, answers }, ...supplied_metadata }
}

/** A refusal says, like an answer, whether it is signed. */
function told({ answers }: Registration, refusal: Refusal): Refusal {
  return refusal.with({ answers })
}

/** A service under a treaty is used only while the treaty is in force. */
async function requireTreaty({ name, treaty_id }: Registration, { isInForce }: EndpointParts): Promise<void> {
  if (treaty_id === null || (await isInForce(treaty_id))) return
  throw refuse(
    'capability_denied',
    `${name} is served under a treaty that is not in force, so nothing was sent; its operator renews the treaty or removes the service.`,
    { reason: 'no active treaty', treaty_id },
  )
}

function noKey(name: string): Refusal {
  return refuse(
    'adapter_error',
    `${name} runs outside and this engine has no key to sign with; its operator sets SVC_AGENT_KEY.`,
    { reason: 'engine has no key' },
  )
}

function notSigned(name: string, did: string, status: number, why: string): Refusal {
  return refuse(
    'adapter_error',
    `The answer of ${name} is not signed by ${did}; ask its operator to check it.`,
    {
      reason: 'answer not signed',
      status,
      signature: why,
    },
  )
}
