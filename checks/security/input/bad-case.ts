// One thing nobody should send, and what must become of it.
import type { RefusalCode } from '@svc/contract/refusal'
import type { Caller } from '../attacked-engine.ts'
import { type Parts, requestBytes } from './raw-http.ts'

/** Callers of every kind a case may need; `powerless` holds nothing beyond what every key carries. */
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
  /** Where it is not the code's own. */
  readonly status?: number
  /** In whose log it is kept: that of the tenant whose credential was shown, else the operator's. */
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

/** A call that is well formed and allowed: what each case spoils in one place. */
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
