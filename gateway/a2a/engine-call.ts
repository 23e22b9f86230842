// Calls of the engine for an A2A request, through the same eight stages as any other call.
import type { TraceContext } from '@svc/contract/invoke-context'
import { asRefusal } from '@svc/database/as-refusal'
import type { Credential } from '@svc/engine/call'
import type { Place } from '../dispatch/admission-control.ts'
import { errorBody } from '../dispatch/answer.ts'
import { type DispatchEndpoint, journalled, recordRefusedRequest } from '../dispatch/refusal-recorder.ts'
import type { Called, Fields } from './wire.ts'

/** Who asks, and under which id all calls of this request are recorded. */
export interface A2aCaller {
  readonly credential: Credential
  /** Checks again that the credential is valid; throws where it is not. */
  again(): Credential | Promise<Credential>
  readonly correlation_id: string
  readonly address: string | undefined
  readonly trace_context: TraceContext | undefined
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal
}

export interface A2aCall {
  readonly protocol: 'MIM' | 'MARS'
  readonly operation: string
  readonly input: Fields
  readonly idempotency_key?: string | undefined
}

export type CallEngine = (call: A2aCall) => Promise<Called>

export function engineFor(dispatch_endpoint: DispatchEndpoint, caller: A2aCaller): CallEngine {
  const { credential, correlation_id, address, trace_context, signal } = caller
  return async ({ protocol, operation, input, idempotency_key }) => {
    let place: Place | undefined
    try {
      // One request makes many calls, and its key may be revoked between them, or while one waits.
      await caller.again()
      place = dispatch_endpoint.admission?.enter(credential.tenant_id)
      const request = {
        protocol,
        version: 'v1',
        operation,
        input,
        tenant_id: credential.tenant_id,
        ...(idempotency_key !== undefined && { idempotency_key }),
      }
      const outcome = await dispatch_endpoint.engine.dispatch({
        request,
        credential,
        origin: 'a2a',
        correlation_id,
        address,
        signal,
        body_bytes: Buffer.byteLength(JSON.stringify(request)),
        ...(trace_context && { trace_context }),
      })
      if (input.wait_ms !== undefined) await caller.again()
      if (outcome.kind === 'dry_run') throw new Error('an A2A call is never a dry run')
      if (outcome.kind === 'success') return { ok: true, output: JSON.parse(outcome.output_text) }
      const { refusal } = outcome
      return { ok: false, error: errorBody(refusal, outcome).error, status: refusal.row.status }
    } catch (thrown) {
      const refusal = asRefusal(thrown)
      recordRefusedRequest(dispatch_endpoint, refusal, undefined, credential, correlation_id)
      await journalled(dispatch_endpoint)
      const audit_head = dispatch_endpoint.audit_log.head(credential.tenant_id)
      const { error } = errorBody(refusal, { correlation_id, stage: null, audit_head })
      return { ok: false, error, status: refusal.row.status }
    } finally {
      place?.leave()
    }
  }
}
