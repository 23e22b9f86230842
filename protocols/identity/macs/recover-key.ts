// MACS recover_key: a new key for an identity that lost its own, or whose key was stolen, by those it had named.
import { parseDid } from '@svc/contract/identity/did'
import { documentInput } from '@svc/contract/identity/identity-document'
import {
  type EventSignature,
  type KeyEvent,
  keyEventInput,
  keyHash,
  placeAfter,
  Recovery,
} from '@svc/contract/identity/key-events'
import { document_bytes_max } from '@svc/contract/identity/received-document'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import {
  Closed,
  Did,
  described,
  Hash,
  HexHash,
  ListOf,
  OneOf,
  PublicKey,
  Signature,
} from '@svc/contract/schema'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { isKeyOf, isSignedBy } from '@svc/contract/signing/signature'
import { type Static, Type } from 'typebox'
import { isCurrentKey, keyEventsOf } from '../keys/api.ts'
import {
  badSignature,
  nextDocument,
  publishChanged,
  type Subject,
  subjectOf,
  withSignature,
} from './key-life.ts'
import { type KeyRecovery, keepRecovery, openRecoveries } from './recovery-store.ts'
import { commitKept, eventAfter, type LifeContext } from './rotate-key.ts'

export const RecoverInput = Closed({
  agent_did: described(Did, 'Identity whose key was lost or stolen.'),
  public_key: Type.Optional(
    Type.String({
      ...PublicKey,
      description: 'The new key. Where the engine keeps the keys, only to name an open recovery.',
    }),
  ),
  next_key_hash: Type.Optional(
    Type.String({ ...HexHash, description: 'With the first call: commits to the key after the new one.' }),
  ),
  recovery: Type.Optional(described(Recovery, 'Who may recover it later; default as before.')),
  signature: Type.Optional(Type.String({ ...Signature, description: 'Of signing_input, by the new key.' })),
  document_proof: Type.Optional(
    Type.String({ ...Signature, description: 'Of document_signing_input, by the new key.' }),
  ),
  own_signature: Type.Optional(
    Type.String({
      ...Signature,
      description: 'Of signing_input, by you; not needed where the engine keeps your key.',
    }),
  ),
  own_public_key: Type.Optional(described(PublicKey, 'Your key that made own_signature; needed with it.')),
})

export const RecoverOutput = Closed({
  agent_did: described(Did, 'The identity.'),
  state: described(OneOf('pending', 'recovered'), 'pending until all needed signatures are there.'),
  public_key: described(PublicKey, 'The new key.'),
  next_key_hash: described(HexHash, 'Commits to the key after it.'),
  recovery: Type.Optional(described(Recovery, 'Who may recover it later; absent: nobody.')),
  signing_input: Type.String({ description: 'Text for the recoverers and the new key to sign.' }),
  document_signing_input: Type.String({ description: 'Text for the new key to sign.' }),
  signed_by: described(ListOf(Did, 0, 10), 'Recoverers who have signed.'),
  missing: described(
    ListOf(OneOf('recoverers', 'new key', 'document'), 0, 3),
    'Signatures that are still needed.',
  ),
  threshold: Type.Integer({ minimum: 1, description: 'How many recoverers must sign.' }),
  document_version: Type.Integer({ minimum: 1, description: 'Version of its document with the new key.' }),
  document_hash: Type.Optional(described(Hash, 'Hash of that document; absent while pending.')),
  sessions_ended: Type.Integer({ minimum: 0, description: 'Number of sessions that ended.' }),
  keys_ended: Type.Integer({ minimum: 0, description: 'Number of API keys that ended.' }),
  workloads_removed: Type.Integer({
    minimum: 0,
    description: 'Number of workload mappings that were removed.',
  }),
})

type Input = Static<typeof RecoverInput>
type RecoverContext = LifeContext & OperationContext<'workloads'>

export async function recoverKey(input: Input, context: RecoverContext) {
  const subject = await namedSubject(input.agent_did, context)
  const { did } = subject
  const last = subject.events.at(-1)!
  const is_kept = (await context.custody.publicKeyOf(did)) !== undefined
  const previous = placeAfter(did, subject.events)
  const open = await openRecoveries(context.db, did, previous, context.now)
  const by_key = (one: KeyRecovery) => one.public_key === input.public_key
  const proposed = is_kept && input.public_key === undefined ? open[0] : open.find(by_key)
  if (proposed) requireSameTerms(proposed, input.recovery ?? last.recovery)
  const recovery = await signedBy(
    proposed ? await withCurrent(proposed, did, context) : await propose(subject, input, is_kept, context),
    input,
    context,
  )
  const quorum = last.recovery!
  const signers = quorum.dids.filter((named) => recovery.signatures.some((by) => by.did === named))
  const is_enough = signers.length >= quorum.threshold
  if (is_enough && is_kept)
    return await complete(subject, await signKept(did, recovery, context), signers, context)
  const missing = [
    ...(is_enough ? [] : (['recoverers'] as const)),
    ...(is_kept || recovery.signatures.some((by) => by.did === did) ? [] : (['new key'] as const)),
    ...(is_kept || recovery.document_proof ? [] : (['document'] as const)),
  ]
  if (missing.length === 0) return await complete(subject, recovery, signers, context)
  await keepRecovery(context.db, context.tenant_id, did, recovery, context.now)
  context.audit('KeyRecoveryAsked', {
    agent_did: did,
    public_key: recovery.public_key,
    signed_by: signers,
    missing,
  })
  return { ...shown(subject, recovery, signers), state: 'pending' as const, missing }
}

/** Whoever signs agrees to who can recover the identity next, and so must have said it, unless it stays as it is. */
function requireSameTerms({ event, public_key }: KeyRecovery, recovery: Recovery | undefined): void {
  if (canonicalJson(event.recovery ?? null) === canonicalJson(recovery ?? null)) return
  throw refuse(
    'policy_denied',
    'The open recovery names others who can recover this identity next; send the same recovery to agree with it.',
    { reason: 'other terms', public_key, recovery: event.recovery },
  )
}

/** A signature counts only while its key does. */
async function withCurrent(
  recovery: KeyRecovery,
  did: string,
  { db }: OperationContext,
): Promise<KeyRecovery> {
  const are_current = await Promise.all(
    recovery.signatures.map((by) => by.did === did || isCurrentKey(db, by.did, by.public_key)),
  )
  return { ...recovery, signatures: recovery.signatures.filter((_, place) => are_current[place]) }
}

/** One that named the caller; a committed one, because before that it has named nobody. */
async function namedSubject(did: string, context: RecoverContext): Promise<Subject> {
  if (parseDid(did)?.namespace !== context.tenant_id) throw notFound('identity', did)
  const subject = await subjectOf(did, context)
  const is_kept = subject.events.length === 0 && (await context.custody.publicKeyOf(did)) !== undefined
  const events = is_kept ? await commitKept(subject, context) : subject.events
  if (events.at(-1)?.recovery?.dids.includes(context.caller.did)) return { ...subject, events }
  context.alarm('not named for recovery', { agent_did: did })
  throw refuse(
    'policy_denied',
    events.length === 0
      ? 'This identity has named nobody who can recover it; its parent can revoke it with MACS set_state and derive another.'
      : 'This identity has not named you among those who can recover it; ask one of them.',
    { reason: 'not named for recovery' },
  )
}

async function propose(
  subject: Subject,
  input: Input,
  is_kept: boolean,
  context: RecoverContext,
): Promise<KeyRecovery> {
  const { did, events } = subject
  const keys = is_kept ? await reserveBoth(did, input, context) : ownKeys(input)
  const { recovery = events.at(-1)!.recovery } = input
  const event = eventAfter(subject, events, { kind: 'recovery', ...keys, recovery, at: context.now })
  const document = nextDocument(subject, context.now, { public_key: keys.public_key })
  const proposed_by = context.caller.did
  return { public_key: keys.public_key, proposed_by, event, document, signatures: [], document_proof: null }
}

async function reserveBoth(did: string, input: Input, context: RecoverContext) {
  for (const field of ['public_key', 'next_key_hash', 'signature', 'document_proof'] as const)
    if (input[field] !== undefined)
      throw unfit(field, 'is for keys that their owner keeps; the engine keeps those of this identity')
  const public_key = await context.custody.reserve(did)
  return { public_key, next_key_hash: keyHash(await context.custody.reserve(did)) }
}

function ownKeys({ public_key, next_key_hash }: Input) {
  if (public_key === undefined) throw unfit('public_key', 'is required: the new key of the identity')
  if (next_key_hash === undefined)
    throw unfit('next_key_hash', 'is required: it commits to the key after the new one')
  return { public_key, next_key_hash }
}

/** With what this call adds: the caller's signature, and those of the new key. */
async function signedBy(recovery: KeyRecovery, input: Input, context: RecoverContext): Promise<KeyRecovery> {
  const { agent_did, signature, document_proof } = input
  const text = keyEventInput(agent_did, recovery.event)
  const own = await ownSignature(text, input, context)
  const signatures = recovery.signatures.filter(({ did }) => did !== own?.did)
  if (own) signatures.push(own)
  if (signature !== undefined) {
    const { public_key } = recovery
    if (!isSignedBy(public_key, text, signature)) throw badSignature('signature', agent_did, context)
    if (!signatures.some(({ did }) => did === agent_did))
      signatures.push({ did: agent_did, public_key, signature })
  }
  const proof = document_proof ?? recovery.document_proof
  if (document_proof && !isSignedBy(recovery.public_key, documentInput(recovery.document), document_proof))
    throw badSignature('document_proof', agent_did, context)
  return { ...recovery, signatures, document_proof: proof }
}

async function ownSignature(
  text: string,
  { agent_did, own_signature, own_public_key }: Input,
  context: RecoverContext,
): Promise<EventSignature | undefined> {
  const { did } = context.caller
  if (own_signature === undefined) {
    const signed = await context.custody.sign(did, text)
    return signed && (await withEvents({ did, ...signed }, context))
  }
  if (own_public_key === undefined) throw unfit('own_public_key', 'is required with own_signature')
  if (
    !(await isCurrentKey(context.db, did, own_public_key)) ||
    !isSignedBy(own_public_key, text, own_signature)
  )
    throw badSignature('own_signature', agent_did, context)
  return await withEvents({ did, public_key: own_public_key, signature: own_signature }, context)
}

/** A key that is not the first is proven by the events that lead to it. */
async function withEvents(by: EventSignature, context: OperationContext): Promise<EventSignature> {
  if (isKeyOf(by.did, by.public_key)) return by
  return { ...by, key_events: await keyEventsOf(context.db, by.did) }
}

async function signKept(did: string, recovery: KeyRecovery, context: RecoverContext): Promise<KeyRecovery> {
  await context.custody.use(did, recovery.public_key)
  const signed = (await context.custody.sign(did, keyEventInput(did, recovery.event)))!
  const document_proof = (await context.custody.sign(did, documentInput(recovery.document)))!.signature
  return { ...recovery, signatures: [...recovery.signatures, { did, ...signed }], document_proof }
}

/** Whatever the old key made may be a thief's: its sessions, keys and workloads end. */
async function complete(
  subject: Subject,
  recovery: KeyRecovery,
  signers: readonly string[],
  context: RecoverContext,
): Promise<Static<typeof RecoverOutput>> {
  const { did, events: earlier } = subject
  const events: KeyEvent[] = withSignature(did, recovery.event, recovery.signatures, earlier, context)
  const next = { document: recovery.document, events, proof: recovery.document_proof! }
  const published = await publishChanged(subject, next, context, document_bytes_max)
  const ended = {
    sessions_ended: await context.keys.endSessions(did),
    keys_ended: await context.keys.endMadeBy(did),
    workloads_removed: await context.workloads.removeOf(did),
  }
  const { public_key, next_key_hash } = recovery.event
  context.audit('KeyRecovered', {
    agent_did: did,
    public_key,
    next_key_hash,
    signed_by: signers,
    ...published,
    ...ended,
  })
  return { ...shown(subject, recovery, signers), state: 'recovered', missing: [], ...published, ...ended }
}

function shown({ did, events }: Subject, { event, document }: KeyRecovery, signers: readonly string[]) {
  return {
    agent_did: did,
    public_key: event.public_key,
    next_key_hash: event.next_key_hash,
    ...(event.recovery && { recovery: event.recovery }),
    signing_input: keyEventInput(did, event),
    document_signing_input: documentInput(document),
    signed_by: [...signers],
    threshold: events.at(-1)!.recovery!.threshold,
    document_version: document.version,
    sessions_ended: 0,
    keys_ended: 0,
    workloads_removed: 0,
  }
}

function unfit(field: string, message: string) {
  return refuse('invalid_payload', `The input of svc.macs.recover_key is invalid: /${field} ${message}.`, {
    reason: 'invalid recovery',
    faults: [{ pointer: `/${field}`, message }],
  })
}
