// One invalid request, and its expected outcome.
import type { RefusalCode } from '@svc/contract/refusal'
import type { Caller } from '../attacked-engine.ts'
import { type Parts, requestBytes } from './raw-http.ts'

/** Callers of every kind a case may need; `powerless` has only what every key carries. */
export interface Cast {
  readonly acme: Caller
  readonly rival: Caller
  readonly powerless: Caller
  readonly expired: Caller
  readonly revoked: Caller
}

export interface BadCase {
  readonly name: string
  bytes(cast: Cast): Buffer | string
  readonly code: RefusalCode
  /** Unless it is the code's own. */
  readonly status?: number
  /** Which log records it: the log of the credential's tenant, else the operator's. */
  readonly audit_log: 'acme' | 'rival' | 'operator'
}

export type HeaderLines = readonly (readonly [string, string])[]

export function headersOf(caller: Caller): HeaderLines {
  return [
    ['Authorization', `Bearer ${caller.api_key}`],
    ['X-Agent-Did', caller.agent_did],
    ['Content-Type', 'application/json'],
  ]
}

/** A valid, allowed call: each case breaks it in one place. */
export function soundEnvelope({ tenant_id }: Pick<Caller, 'tenant_id'>): Record<string, unknown> {
  return { protocol: 'PROBE', version: 'v1', operation: 'look', tenant_id, input: {} }
}

export function soundBody(caller: Pick<Caller, 'tenant_id'>): string {
  return JSON.stringify(soundEnvelope(caller))
}

/** A request of a caller, with some parts replaced. */
export function requestOf(caller: Caller, parts: Partial<Parts> = {}): Buffer {
  return requestBytes({ headers: headersOf(caller), body: soundBody(caller), ...parts })
}

/** As acme, with this envelope. */
export function envelopeCase(
  name: string,
  code: RefusalCode,
  change: (cast: Cast) => Record<string, unknown>,
): BadCase {
  const bytes = (cast: Cast) =>
    requestOf(cast.acme, { body: JSON.stringify({ ...soundEnvelope(cast.acme), ...change(cast) }) })
  return { name, code, audit_log: 'acme', bytes }
}
