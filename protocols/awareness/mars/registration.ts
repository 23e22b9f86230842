// Adds signed, versioned entries to the registry; registering the same content again is a heartbeat.

import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { canonicalJson, contentHash } from '@svc/contract/signing/canonical-json'
import {
  bodyAt,
  type EntryBody,
  type EntryKind,
  type EntrySignature,
  type EntryState,
  endByWithdrawal,
  extendEntry,
  findNewest,
  insertEntry,
  lockSubject,
  type NewestEntry,
  type Proof,
  placeAfter,
  registrationInput,
  requireSignature,
  type Statement,
  stateAt,
  supersedeEntry,
  verifySignature,
  withdrawalInput,
} from '../registry/api.ts'
import { forgetEndpoints, wakeEndpoints, watchEndpoints } from './endpoint-health.ts'

const content_bytes_max = 256 * 1024

export interface Registered {
  readonly entry: string
  readonly version: number
  readonly previous: string | null
  readonly state: EntryState
  readonly expires_at: Date | null
  /** The same content was already registered. */
  readonly unchanged: boolean
}

/** The only way into the registry, for every kind; part of the calling operation's transaction. */
export async function registerEntry(
  context: OperationContext<'audit_log' | 'custody'>,
  entry: Omit<Statement, 'tenant_id'>,
  proof: Proof,
): Promise<Registered> {
  const statement: Statement = { ...entry, tenant_id: context.tenant_id }
  requireSmallContent(statement.content)
  await lockSubject(context.db, statement)
  const newest = await findNewest(context.db, statement)
  if (newest && newest.ended_at === null) {
    const same = bodyAt(statement, newest)
    if (contentHash(same) === newest.hash) return keepAlive(context, newest, same, proof)
  }
  const body = bodyAt(statement, placeAfter(newest))
  const signature = await requireSignature(context, registrationInput(body), proof, {
    kind: body.kind,
    names: contentHash(body),
    outdated: newest && registrationInput(bodyAt(statement, newest)),
  })
  return insertVersion(context, body, signature, newest)
}

export async function withdrawEntry(
  context: OperationContext<'audit_log' | 'custody'>,
  kind: EntryKind,
  subject: string,
  proof: Proof,
): Promise<Registered> {
  const { db, tenant_id } = context
  await lockSubject(db, { tenant_id, kind, subject })
  const newest = await findNewest(db, { tenant_id, kind, subject })
  if (!newest) throw notFound(`registered ${kind}`, subject)
  if (newest.ended_at !== null) return { ...answerOf(newest), state: newest.state, unchanged: true }
  const text = withdrawalInput(newest.hash)
  const signature = await requireSignature(context, text, proof, { kind, names: newest.hash })
  await endByWithdrawal(db, newest.hash, momentAfter(newest, context.now), signature)
  await forgetEndpoints(db, newest.hash)
  return { ...answerOf(newest), state: 'WITHDRAWN', unchanged: false }
}

/** The stored signature already covers this content, so only an invalid new signature is refused. */
async function keepAlive(
  context: OperationContext<'custody'>,
  newest: NewestEntry,
  body: EntryBody,
  proof: Proof,
): Promise<Registered> {
  if (proof.signature !== undefined) await verifySignature(context, registrationInput(body), proof)
  const now = new Date(context.now)
  const expiry = expiryOf(body, now)
  const expires_at = expiry && (await extendEntry(context.db, newest.hash, expiry))
  await wakeEndpoints(context.db, newest.hash, now)
  const state = stateAt({ ...newest, expires_at }, now)
  return { ...answerOf(newest), state, expires_at, unchanged: true }
}

async function insertVersion(
  context: OperationContext,
  body: EntryBody,
  signature: EntrySignature,
  newest: NewestEntry | undefined,
): Promise<Registered> {
  const hash = contentHash(body)
  const registered_at = momentAfter(newest, context.now)
  const expires_at = expiryOf(body, registered_at)
  if (newest) await supersedeEntry(context.db, newest.hash, registered_at)
  await insertEntry(context.db, { hash, body, signature, registered_at, expires_at })
  await watchEndpoints(
    context.db,
    {
      tenant_id: body.tenant_id,
      entry: hash,
      previous: body.previous,
      endpoints: endpointsOf(body.content),
    },
    new Date(context.now),
  )
  return {
    entry: hash,
    version: body.version,
    previous: body.previous,
    state: 'LIVE',
    expires_at,
    unchanged: false,
  }
}

function answerOf({ hash, version, previous, expires_at }: NewestEntry) {
  return { entry: hash, version, previous, expires_at }
}

/** Strictly after the previous version, whatever replicas' clocks say: one is in force at any time. */
function momentAfter(newest: NewestEntry | undefined, now: string): Date {
  const now_ms = Date.parse(now)
  return new Date(newest ? Math.max(now_ms, newest.registered_at.getTime() + 1) : now_ms)
}

function expiryOf({ ttl_seconds }: EntryBody, from: Date): Date | null {
  return ttl_seconds === null ? null : new Date(from.getTime() + ttl_seconds * 1000)
}

function endpointsOf({ service_endpoints }: EntryBody['content']) {
  return (service_endpoints ?? []) as { kind: string; url: string }[]
}

function requireSmallContent(content: Statement['content']): void {
  if (Buffer.byteLength(canonicalJson(content)) <= content_bytes_max) return
  throw refuse(
    'invalid_payload',
    `An entry of the registry may hold ${content_bytes_max} bytes; register a hash of what is larger.`,
    { reason: 'too_large' },
  )
}
