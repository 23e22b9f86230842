// MACS rotate_key: the next key of an identity, to which it committed before. With the first call an identity commits.
import { parseDid } from '@svc/contract/identity/did'
import { documentInput, type UnsignedDocument } from '@svc/contract/identity/identity-document'
import {
  type KeyEvent,
  keyEventInput,
  keyHash,
  placeAfter,
  Recovery,
  type UnsignedKeyEvent,
} from '@svc/contract/identity/key-events'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import {
  Closed,
  Did,
  described,
  Hash,
  HexHash,
  OneOf,
  PublicKey,
  Signature,
  Timestamp,
} from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import {
  momentOf,
  nextDocument,
  publishChanged,
  requireKeyOrder,
  requireOwn,
  type Subject,
  subjectOf,
  usualRecovery,
  withSignature,
} from './key-life.ts'

export const RotateInput = Closed({
  agent_did: Type.Optional(
    Type.String({ ...Did, description: 'Default: yourself. Or a descendant whose key the engine keeps.' }),
  ),
  public_key: Type.Optional(
    Type.String({
      ...PublicKey,
      description: 'The key that was committed to. Without it, the first commitment is made.',
    }),
  ),
  next_key_hash: Type.Optional(
    Type.String({ ...HexHash, description: 'Commits to the key after: the sha256 of its 32 bytes.' }),
  ),
  recovery: Type.Optional(described(Recovery, 'Who may recover it from now on; default as before.')),
  at: Type.Optional(Type.String({ ...Timestamp, description: 'As answered with the texts to sign.' })),
  signature: Type.Optional(Type.String({ ...Signature, description: 'Of signing_input, by the new key.' })),
  document_proof: Type.Optional(
    Type.String({ ...Signature, description: 'Of document_signing_input, by the new key.' }),
  ),
})

export const RotateOutput = Closed({
  agent_did: described(Did, 'The identity.'),
  state: described(
    OneOf('unsigned', 'committed', 'rotated'),
    'unsigned: sign the texts and call again. committed: the next key is fixed. rotated: the key changed.',
  ),
  public_key: described(PublicKey, 'Its key after this change.'),
  next_key_hash: described(HexHash, 'Commits to the key after it.'),
  recovery: Type.Optional(described(Recovery, 'Who may recover it; absent: nobody.')),
  at: described(Timestamp, 'Time in the texts to sign; send it with the signatures.'),
  signing_input: Type.Optional(
    Type.String({ description: 'Text for the new key to sign; absent once done.' }),
  ),
  document_signing_input: Type.Optional(
    Type.String({ description: 'Text for the new key to sign; absent once done.' }),
  ),
  document_version: Type.Integer({ minimum: 1, description: 'Version of its document with this change.' }),
  document_hash: Type.Optional(described(Hash, 'Hash of that document; absent while unsigned.')),
  sessions_ended: Type.Integer({
    minimum: 0,
    description: 'Number of sessions that ended with the old key.',
  }),
})

export type LifeContext = OperationContext<'custody' | 'keys' | 'publishIdentity' | 'readIdentity'>

export async function rotateKey(input: Static<typeof RotateInput>, context: LifeContext) {
  const did = input.agent_did ?? context.caller.did
  await requireOwn(did, context)
  const subject = await subjectOf(did, context)
  const in_custody = (await context.custody.publicKeyOf(did)) !== undefined
  if (in_custody) return await rotateKept(subject, input, context)
  if (did !== context.caller.did)
    throw refuse(
      'policy_denied',
      'Only its owner can rotate this key; MACS recover_key gives it a new one.',
      {
        reason: 'key not in custody',
      },
    )
  return await rotateOwn(subject, input, context)
}

/** The engine keeps the key in use and the one committed to. */
async function rotateKept(subject: Subject, input: Static<typeof RotateInput>, context: LifeContext) {
  const { did } = subject
  const misplaced = (['public_key', 'next_key_hash', 'at', 'signature', 'document_proof'] as const).find(
    (field) => input[field] !== undefined,
  )
  if (misplaced) throw unfit(misplaced, 'is for keys that their owner keeps; the engine keeps this one')
  requireNaming(subject, input, context)
  const committed = subject.events.length > 0 ? subject.events : await commitKept(subject, context)
  const last = committed.at(-1)!
  const reserved = await context.custody.reserved(did)
  const public_key = reserved.find((key) => keyHash(key) === last.next_key_hash)
  if (public_key === undefined)
    throw refuse(
      'policy_denied',
      'The engine does not have the key that was committed to; recover the identity.',
      {
        reason: 'next key not in custody',
      },
    )
  await context.custody.use(did, public_key)
  const next_key_hash = keyHash(await context.custody.reserve(did))
  const { recovery = last.recovery } = input
  const event = eventAfter(subject, committed, {
    kind: 'rotation',
    public_key,
    next_key_hash,
    recovery,
    at: context.now,
  })
  const events = await signKept(did, event, committed, context)
  const document = nextDocument(subject, context.now, { public_key })
  const proof = (await context.custody.sign(did, documentInput(document)))!.signature
  return await finish(subject, { document, events, proof }, context)
}

/** An API key of an identity is enough to rotate a key in custody, and must not be enough to keep others from recovering it. */
function requireNaming(
  { did, document, events }: Subject,
  { recovery }: Static<typeof RotateInput>,
  { caller }: LifeContext,
): void {
  const named = events.at(-1)?.recovery ?? usualRecovery(document.lineage[0]?.parent_did).recovery
  if (!recovery || caller.did !== did || !named) return
  throw refuse(
    'policy_denied',
    'Whoever can recover an identity in custody is named by those it descends from; ask them.',
    {
      reason: 'not by itself',
    },
  )
}

/** The first commitment of an identity in custody. */
export async function commitKept(
  { did, document }: { readonly did: string; readonly document: UnsignedDocument },
  context: OperationContext<'custody'>,
): Promise<KeyEvent[]> {
  const event: UnsignedKeyEvent = {
    kind: 'inception',
    public_key: document.public_key,
    next_key_hash: keyHash(await context.custody.reserve(did)),
    ...usualRecovery(document.lineage[0]?.parent_did),
    at: context.now,
    previous: did,
  }
  return await signKept(did, event, [], context)
}

async function signKept(
  did: string,
  event: UnsignedKeyEvent,
  earlier: readonly KeyEvent[],
  context: OperationContext<'custody'>,
): Promise<KeyEvent[]> {
  const signed = (await context.custody.sign(did, keyEventInput(did, event)))!
  return withSignature(did, event, [{ did, ...signed }], earlier, context)
}

/** Its owner keeps the key: without signatures it is answered what to sign. */
async function rotateOwn(subject: Subject, input: Static<typeof RotateInput>, context: LifeContext) {
  const { did, document, events: earlier } = subject
  const { public_key = document.public_key, next_key_hash, signature, document_proof } = input
  if (next_key_hash === undefined)
    throw unfit('next_key_hash', 'is required: it commits to the key after this one')
  const last = earlier.at(-1)
  const kind = last ? ('rotation' as const) : ('inception' as const)
  const recovery =
    input.recovery ?? (last ? last.recovery : usualRecovery(document.lineage[0]?.parent_did).recovery)
  const at = momentOf(input.at, context.now)
  const event = eventAfter(subject, earlier, { kind, public_key, next_key_hash, recovery, at })
  requireKeyOrder(did, event, earlier, context)
  const next = nextDocument(subject, at, { public_key })
  if (signature === undefined || document_proof === undefined)
    return {
      ...shown(subject, event),
      state: 'unsigned' as const,
      signing_input: keyEventInput(did, event),
      document_signing_input: documentInput(next),
      document_version: next.version,
      sessions_ended: 0,
    }
  const events = withSignature(did, event, [{ did, public_key, signature }], earlier, context)
  return await finish(subject, { document: next, events, proof: document_proof }, context)
}

export function eventAfter(
  { did }: Subject,
  earlier: readonly KeyEvent[],
  event: Omit<UnsignedKeyEvent, 'previous' | 'recovery'> & { readonly recovery: Recovery | undefined },
): UnsignedKeyEvent {
  const { recovery, ...rest } = event
  if (recovery) requireSense(did, recovery)
  return { ...rest, ...(recovery && { recovery }), previous: placeAfter(did, earlier) }
}

function requireSense(did: string, { dids, threshold }: Recovery): void {
  const home = parseDid(did)?.namespace
  if (dids.some((named) => parseDid(named)?.namespace !== home))
    throw unfit('recovery', 'names an identity of another organization')
  if (dids.includes(did)) throw unfit('recovery', 'names the identity itself')
  if (new Set(dids).size < dids.length || threshold > dids.length)
    throw unfit('recovery', 'needs as many different identities as its threshold')
}

async function finish(
  subject: Subject,
  next: Parameters<typeof publishChanged>[1],
  context: LifeContext,
): Promise<Static<typeof RotateOutput>> {
  const { did } = subject
  const event = next.events.at(-1)!
  const published = await publishChanged(subject, next, context)
  const is_rotation = event.kind !== 'inception'
  const sessions_ended = is_rotation ? await context.keys.endSessions(did) : 0
  const { public_key, next_key_hash } = event
  context.audit(is_rotation ? 'KeyRotated' : 'KeyCommitted', {
    agent_did: did,
    public_key,
    next_key_hash,
    ...published,
    sessions_ended,
  })
  return {
    ...shown(subject, event),
    state: is_rotation ? 'rotated' : 'committed',
    ...published,
    sessions_ended,
  }
}

function shown({ did }: Subject, { public_key, next_key_hash, recovery, at }: UnsignedKeyEvent) {
  return { agent_did: did, public_key, next_key_hash, ...(recovery && { recovery }), at }
}

function unfit(field: string, message: string) {
  return refuse('invalid_payload', `The input of svc.macs.rotate_key is invalid: /${field} ${message}.`, {
    reason: 'invalid rotation',
    faults: [{ pointer: `/${field}`, message }],
  })
}
