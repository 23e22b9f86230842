// What the stored row of a key means for a call: whose it is, whether it may be replayed, how its answer is sealed. Pure.

import { type Refusal, refuse, unavailable } from '@svc/contract/refusal'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { asRefusal } from '@svc/database/as-refusal'
import { inputText, type Placed } from '../call.ts'
import type { Ports } from '../ports.ts'

const kept_hours = 24
const held_up_retry_ms = 200

export interface StoredAnswer {
  readonly caller_did: string
  readonly fingerprint: string
  readonly created_at: Date
  /** Null while another call holds the key. */
  readonly output_text: string | null
}

/** A call as it asks for the row of its key. */
export interface Asking {
  readonly call: Placed
  readonly key: string
  readonly fingerprint: string
}

export function oldestKept({ now_ms }: Placed): Date {
  return new Date(now_ms - kept_hours * 3_600_000)
}

/** Another request is refused at once, even while the first is running. */
export function isHeld(asking: Asking, row: StoredAnswer): boolean {
  refuseOthers(asking, row)
  return row.output_text === null
}

export function refuseOthers({ call, key, fingerprint }: Asking, row: StoredAnswer): void {
  if (row.caller_did === call.caller.did && row.fingerprint === fingerprint) return
  throw refuse(
    'idempotency_key_reused',
    `Idempotency key ${key} was used within ${kept_hours} hours for another request or by another caller; choose a new key.`,
    { reason: row.caller_did === call.caller.did ? 'another request' : 'another caller' },
  )
}

/** A final refusal by the module, so nothing was done. */
export function isFinal({ row }: Refusal): boolean {
  return row.outcome === 'refused' && row.retry === 'never'
}

export function stillRunning(key: string, wait_ms: number): Refusal {
  return refuse(
    'idempotency_in_flight',
    `Another call with idempotency key ${key} is still running after ${wait_ms / 1000} s; ask again later with the same key.`,
    { reason: 'in flight', retry_after_ms: wait_ms },
  )
}

export function heldUp(key: string): Refusal {
  return refuse(
    'idempotency_in_flight',
    `The engine was held up after it had claimed idempotency key ${key}, so nothing was done; ask again with the same key.`,
    { reason: 'held up', retry_after_ms: held_up_retry_ms },
  )
}

/** What is outside has happened: a busy database must not answer that nothing was done. */
export function asDone(thrown: unknown): unknown {
  const { code } = asRefusal(thrown)
  return code === 'no_endpoint_available' ? unavailable('database', thrown, 'unknown') : thrown
}

export function fingerprintOf(call: Placed): string {
  const about = canonicalJson({
    operation: call.operation.name,
    protocol: call.registered.facts.id,
    // As requested: a retry stays the same request when another version is rolled out in between.
    version: call.asked.request.version,
  })
  // The canonical text of all four: `input` sorts first.
  return sha256Hex(`{"input":${inputText(call)},${about.slice(1)}`)
}

/** No JSON text begins like this. */
const sealed_mark = 'sealed:'

type Custody = Pick<Ports, 'custody'>

export function sealAnswer(call: Placed, key: string, output_text: string, { custody }: Custody): string {
  if (!call.operation.facts.secret_output) return output_text
  return sealed_mark + custody.sealText(output_text, nameOf(call, key))
}

/** An unsealed answer is returned as it is. */
export function openAnswer(call: Placed, key: string, sealed: string, { custody }: Custody): string {
  if (!sealed.startsWith(sealed_mark)) return sealed
  return custody.openText(sealed.slice(sealed_mark.length), nameOf(call, key))
}

function nameOf({ context }: Placed, key: string): string {
  return `answer kept under ${key} in ${context.tenant_id}`
}
