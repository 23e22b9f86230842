// The keys of an identity over time, checked offline. Its DID certifies the first key. Each later one was committed to by
// its hash before it was used, or was put in place by others whom the identity had named for that.
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import {
  AnyObject,
  Closed,
  Did,
  described,
  HexHash,
  ListOf,
  OneOf,
  PublicKey,
  Signature,
  Text,
  Timestamp,
} from '../schema.ts'
import { contentHash, sha256Hex } from '../signing/canonical-json.ts'
import { isKeyOf, isPublicKey, isSignedBy, signingInput } from '../signing/signature.ts'

export const key_events_max = 64
const recoverers_max = 9
/** With those nested in them: each costs verified signatures. */
export const events_checked_max = 256
/** Who recovers may have been recovered; deeper than this nothing is believed. */
const nested_max = 3

export const Recovery = Closed(
  {
    dids: described(ListOf(Did, 1, recoverers_max), 'Who may recover it.'),
    threshold: Type.Integer({
      minimum: 1,
      maximum: recoverers_max,
      description: 'How many of them must sign.',
    }),
  },
  { description: 'Who can give this identity a new key, and how many of them it takes.' },
)
export type Recovery = Static<typeof Recovery>

const EventSignature = Closed({
  did: described(Did, 'Who signed.'),
  public_key: described(PublicKey, 'Key that signed.'),
  signature: described(Signature, 'Over the event, base64url.'),
  /** How `did` came to that key, unless it is its first. */
  key_events: Type.Optional(
    described(
      ListOf(AnyObject, 1, key_events_max),
      'How the signer came to that key; absent: it is its first.',
    ),
  ),
})
export type EventSignature = Static<typeof EventSignature>

export const KeyEvent = Closed({
  kind: described(
    OneOf('inception', 'rotation', 'recovery'),
    'Inception: first commitment. Rotation: to the committed key. Recovery: a key put in place by others.',
  ),
  public_key: described(PublicKey, 'The key from then on.'),
  next_key_hash: Type.String({ ...HexHash, description: 'The sha256 of the next public key’s 32 bytes.' }),
  recovery: Type.Optional(described(Recovery, 'Who may recover it from then on; absent: nobody.')),
  at: described(Timestamp, 'When it was made.'),
  previous: Text(256, { description: 'The hash of the event before; the DID where there is none.' }),
  signatures: described(
    ListOf(EventSignature, 1, recoverers_max + 1),
    'By the new key, or by those who recover it.',
  ),
})
export type KeyEvent = Static<typeof KeyEvent>
export type UnsignedKeyEvent = Omit<KeyEvent, 'signatures'>

export function keyEventInput(did: string, event: UnsignedKeyEvent | KeyEvent): string {
  const { signatures: _, ...unsigned } = event as KeyEvent
  return signingInput('svc-key-event-v1', { did, ...unsigned })
}

/** What the next event must name as `previous`. */
export function placeAfter(did: string, events: readonly KeyEvent[]): string {
  const last = events.at(-1)
  return last ? contentHash({ did, ...last }) : did
}

export function keyHash(public_key: string): string {
  return sha256Hex(Buffer.from(public_key, 'base64url'))
}

/** Whether this is, or once was, a key of the DID. Whether it is now, the service that follows its events knows. */
export function isEverKeyOf(did: string, public_key: string, events: readonly KeyEvent[] = []): boolean {
  // What is checked may come from anywhere.
  if (!Array.isArray(events)) return false
  if (events.length === 0) return isKeyOf(did, public_key)
  return keyEventsFault(did, events) === undefined && events.some((event) => event.public_key === public_key)
}

/** Why these events do not lead from the DID's first key to the last one; undefined where they do. */
export function keyEventsFault(did: string, events: readonly KeyEvent[], nested = 0): string | undefined {
  if (nested > nested_max) return 'key events nested too deep'
  if (nested === 0 && countEvents(events) > events_checked_max) return 'too many key events to check'
  for (const [index, event] of events.entries()) {
    const earlier = events.slice(0, index)
    const fault = keyOrderFault(did, event, earlier) ?? signatureFault(did, event, earlier.at(-1), nested)
    if (fault) return `key event ${index}: ${fault}`
  }
  return undefined
}

/** Those nested in signatures too, as deep as they are looked at. What is counted may come from anywhere. */
export function countEvents(events: readonly unknown[], depth_left = nested_max): number {
  if (!Array.isArray(events) || depth_left < 0) return 0
  let sum = events.length
  for (const event of events as Partial<KeyEvent>[])
    if (Array.isArray(event?.signatures))
      for (const by of event.signatures) sum += countEvents(by?.key_events ?? [], depth_left - 1)
  return sum
}

/** Why this key cannot follow those before it, whoever signs. */
export function keyOrderFault(
  did: string,
  event: UnsignedKeyEvent,
  earlier: readonly KeyEvent[],
): string | undefined {
  const before = earlier.at(-1)
  if ((event.kind === 'inception') !== (before === undefined)) return 'an inception comes first, and once'
  if (!follows(did, event, earlier)) return 'it does not follow the one before'
  if (!before) return isKeyOf(did, event.public_key) ? undefined : 'public key does not match DID'
  if (!(Date.parse(event.at) >= Date.parse(before.at))) return 'it is older than the one before'
  if (!isPublicKey(event.public_key)) return 'public key is not 32 bytes in base64url'
  if (earlier.some(({ public_key }) => public_key === event.public_key)) return 'the key was used before'
  if (event.kind === 'rotation' && keyHash(event.public_key) !== before.next_key_hash)
    return 'the key is not the one committed to'
  return undefined
}

/** False also after an event without a canonical form, as what came with its signatures may be: nothing can be bound to it. */
function follows(did: string, { previous }: UnsignedKeyEvent, earlier: readonly KeyEvent[]): boolean {
  try {
    return previous === placeAfter(did, earlier)
  } catch {
    return false
  }
}

function signatureFault(
  did: string,
  event: KeyEvent,
  before: KeyEvent | undefined,
  nested: number,
): string | undefined {
  const text = keyEventInput(did, event)
  const holds = (by: EventSignature) => isSignedBy(by.public_key, text, by.signature)
  if (!event.signatures.some((by) => by.did === did && by.public_key === event.public_key && holds(by)))
    return 'the key itself did not sign it'
  if (event.kind !== 'recovery') return undefined
  const { dids = [], threshold = Number.POSITIVE_INFINITY } = before?.recovery ?? {}
  const signers = event.signatures.filter(
    (by) => by.did !== did && dids.includes(by.did) && holds(by) && isNested(by, nested),
  )
  return new Set(signers.map((by) => by.did)).size >= threshold
    ? undefined
    : 'too few of those who may recover signed it'
}

let check: ReturnType<typeof Compile<typeof KeyEvent>> | undefined

function isNested({ did, public_key, key_events = [] }: EventSignature, nested: number): boolean {
  check ??= Compile(KeyEvent)
  if (key_events.length === 0) return isKeyOf(did, public_key)
  const events = key_events.filter((event): event is KeyEvent => check!.Check(event))
  if (events.length < key_events.length || keyEventsFault(did, events, nested + 1)) return false
  return events.some((event) => event.public_key === public_key)
}
