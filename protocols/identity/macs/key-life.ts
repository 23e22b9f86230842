// What changes of an identity's keys and document have in common: what it is now, the next document, and its publication.
import type { IdentityDocument, UnsignedDocument } from '@svc/contract/identity/identity-document'
import { documentHash, documentInput } from '@svc/contract/identity/identity-document'
import {
  type EventSignature,
  type KeyEvent,
  key_events_max,
  keyEventInput,
  keyEventsFault,
  keyOrderFault,
  type Recovery,
  type UnsignedKeyEvent,
} from '@svc/contract/identity/key-events'
import { document_bytes_max } from '@svc/contract/identity/received-document'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { isSignedBy } from '@svc/contract/signing/signature'
import { keepKeyEvents, keyEventsOf, lockKeys } from '../keys/api.ts'
import { hasDerived } from './derivation-store.ts'
import { lineageOf } from './lineage-store.ts'

const rotations_max = 48
/** The rest is left for a recovery, which nobody can make impossible by filling the document. */
const usual_bytes_max = document_bytes_max / 2

export interface Subject {
  readonly did: string
  readonly document: IdentityDocument
  readonly events: readonly KeyEvent[]
}

/** The identity as its node and this engine know it: whichever has more of its keys. */
export async function subjectOf(did: string, context: OperationContext<'readIdentity'>): Promise<Subject> {
  await lockKeys(context.db, did)
  const document = await context.readIdentity(did)
  if (!document) throw notFound('identity document', did)
  const stored = await keyEventsOf(context.db, did)
  const published = document.key_events ?? []
  const events = published.length > stored.length ? published : stored
  const other = events === stored ? published : stored
  if (canonicalJson(events.slice(0, other.length)) !== canonicalJson(other)) throw disagreement(document.name)
  return { did, document, events }
}

function disagreement(name = 'this identity') {
  return refuse(
    'policy_denied',
    `The identity node and this engine know different keys of ${name}; ask the operator of the node.`,
    { reason: 'key events disagree' },
  )
}

/** Oneself, or a proven descendant. */
export async function requireOwn(
  did: string,
  context: OperationContext,
  otherwise = () => notFound('identity', did),
): Promise<void> {
  if (did === context.caller.did) return
  const lineage = await lineageOf(context.db, did)
  if (lineage.some(({ parent_did }) => parent_did === context.caller.did)) return
  // Another descent that an identity proved later does not free it from those who derived it.
  if (!(await hasDerived(context.db, context.caller.did, did))) throw otherwise()
}

/** Whoever derived an identity can give it a new key, unless it names others. */
export function usualRecovery(parent_did: string | undefined): { recovery?: Recovery } {
  return parent_did === undefined ? {} : { recovery: { dids: [parent_did], threshold: 1 } }
}

export function nextDocument(
  { document }: Subject,
  at: string,
  changes: Partial<UnsignedDocument>,
): UnsignedDocument {
  const { proof: _, key_events: __, ...current } = document
  return { ...current, ...changes, version: current.version + 1, updated_at: at }
}

/** With the document that the last of these keys signed; refuses where anything does not hold. */
export async function publishChanged(
  { did }: Subject,
  next: { readonly document: UnsignedDocument; readonly events: readonly KeyEvent[]; readonly proof: string },
  context: OperationContext<'publishIdentity'>,
  bytes_max = usual_bytes_max,
): Promise<{ document_version: number; document_hash: string }> {
  const { document, events, proof } = next
  const key = document.public_key
  if (!isSignedBy(key, documentInput(document), proof)) throw badSignature('document_proof', did, context)
  const signed: IdentityDocument = {
    ...document,
    ...(events.length > 0 && { key_events: [...events] }),
    proof,
  }
  if (Buffer.byteLength(canonicalJson(signed)) > bytes_max)
    throw refuse(
      'policy_denied',
      `The document would be larger than ${bytes_max} bytes; declare less, or derive a new identity.`,
      {
        reason: 'document too large',
      },
    )
  if (!(await keepKeyEvents(context.db, did, events))) throw disagreement(signed.name)
  const why_not = await context.publishIdentity(signed)
  if (why_not !== undefined)
    throw refuse(
      'policy_denied',
      `The document was not accepted by the identity node: ${why_not}. Try again.`,
      {
        reason: why_not,
      },
    )
  return { document_version: signed.version, document_hash: documentHash(signed) }
}

export function withSignature(
  did: string,
  event: UnsignedKeyEvent,
  signatures: readonly EventSignature[],
  earlier: readonly KeyEvent[],
  context: OperationContext,
): KeyEvent[] {
  // Some are left for recoveries, so that nobody makes one impossible by rotating.
  if (earlier.length >= (event.kind === 'recovery' ? key_events_max : rotations_max))
    throw refuse(
      'policy_denied',
      `An identity changes its key at most ${rotations_max} times; derive a new one.`,
      {
        reason: 'too many keys',
      },
    )
  const events = [...earlier, { ...event, signatures: [...signatures] }]
  const fault = keyEventsFault(did, events)
  if (!fault) return events
  throw keyRefused(did, event, fault.replace(/^key event \d+: /, ''), context)
}

/** Before anything is signed: whoever stores new keys first must not store some that cannot be changed to. */
export function requireKeyOrder(
  did: string,
  event: UnsignedKeyEvent,
  earlier: readonly KeyEvent[],
  context: OperationContext,
): void {
  const fault = keyOrderFault(did, event, earlier)
  if (fault) throw keyRefused(did, event, fault, context)
}

function keyRefused(did: string, event: UnsignedKeyEvent, reason: string, context: OperationContext) {
  context.alarm(reason, { agent_did: did, kind: event.kind })
  return refuse(
    'policy_denied',
    `The new key is refused: ${reason}; see “Change and recover keys” in the guide to identities.`,
    {
      reason,
      signing_input: keyEventInput(did, event),
    },
  )
}

export function badSignature(field: string, did: string, context: OperationContext) {
  context.alarm('signature invalid', { agent_did: did })
  return refuse(
    'policy_denied',
    `The ${field} is not a signature of the text that was answered; sign it, byte for byte.`,
    {
      reason: 'signature invalid',
    },
  )
}

const minutes_max = 10

/** The time in a signed text: a client that signs sends it back. */
export function momentOf(at: string | undefined, now: string): string {
  if (at === undefined) return now
  const age_ms = Date.parse(now) - Date.parse(at)
  if (age_ms >= 0 && age_ms <= minutes_max * 60_000) return at
  throw refuse(
    'invalid_payload',
    `at must be within the last ${minutes_max} minutes; ask for a new text to sign.`,
    {
      reason: 'out of time',
      faults: [{ pointer: '/at', message: `must be within the last ${minutes_max} minutes` }],
    },
  )
}
