import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { privateKeyOf, publicKeyOf, type SigningKey, signText } from '../signing/signature.ts'
import { didOfKey } from './did.ts'
import {
  countEvents,
  type EventSignature,
  events_checked_max,
  isEverKeyOf,
  type KeyEvent,
  key_events_max,
  keyEventInput,
  keyEventsFault,
  keyHash,
  placeAfter,
  type Recovery,
  type UnsignedKeyEvent,
} from './key-events.ts'
import { type LineageStatement, verifyLineage } from './lineage.ts'

function keyOf(name: string): SigningKey {
  const private_key = privateKeyOf(createHash('sha256').update(name).digest())
  const public_key = publicKeyOf(private_key)
  return { did: didOfKey('acme', 'agent', Buffer.from(public_key, 'base64url')), public_key, private_key }
}

const own = (index: number) => keyOf(`own ${index}`)
const { did } = own(0)
const recoverers = [keyOf('anna'), keyOf('ben'), keyOf('carla')]
const recovery: Recovery = { dids: recoverers.map((one) => one.did), threshold: 2 }
const at = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString()

function signedBy(event: UnsignedKeyEvent, signer: SigningKey, as = signer.did): EventSignature {
  const { public_key, private_key } = signer
  return { did: as, public_key, signature: signText(private_key, keyEventInput(did, event)) }
}

interface Step {
  readonly kind?: KeyEvent['kind']
  readonly key?: SigningKey
  readonly next?: SigningKey
  readonly by?: readonly SigningKey[]
  readonly recovery?: Recovery | undefined
  readonly at?: string
}

/** The next event as it should be, unless told otherwise. */
function after(events: readonly KeyEvent[], step: Step = {}): KeyEvent[] {
  const index = events.length
  const { kind = index === 0 ? 'inception' : 'rotation', key = own(index), next = own(index + 1) } = step
  const named = 'recovery' in step ? step.recovery : recovery
  const event: UnsignedKeyEvent = {
    kind,
    public_key: key.public_key,
    next_key_hash: keyHash(next.public_key),
    ...(named && { recovery: named }),
    at: step.at ?? at(index),
    previous: placeAfter(did, events),
  }
  const others = (step.by ?? []).map((signer) => signedBy(event, signer))
  return [...events, { ...event, signatures: [signedBy(event, key, did), ...others] }]
}

const faultOf = (events: readonly KeyEvent[]) => keyEventsFault(did, events)?.replace(/^key event \d+: /, '')

test('an identity changes to the key it committed to, and to no other', () => {
  const one = after([])
  const three = after(after(one))
  assert.equal(faultOf(three), undefined)
  for (const index of [0, 1, 2]) assert.ok(isEverKeyOf(did, own(index).public_key, three), `key ${index}`)
  assert.ok(!isEverKeyOf(did, own(3).public_key, three), 'the next key is not one yet')
  assert.ok(isEverKeyOf(did, own(0).public_key))
  assert.ok(!isEverKeyOf(did, own(1).public_key), 'without events only the first key counts')
  const thief = keyOf('thief')
  assert.equal(faultOf(after(one, { key: thief })), 'the key is not the one committed to')
  assert.equal(faultOf(after(three, { key: own(1) })), 'the key was used before')
  assert.equal(faultOf(after([], { key: thief })), 'public key does not match DID')
  assert.equal(faultOf(after(one, { at: at(-1) })), 'it is older than the one before')
  assert.equal(faultOf(after([], { kind: 'rotation' })), 'an inception comes first, and once')
  assert.equal(faultOf(after(one, { kind: 'inception' })), 'an inception comes first, and once')
  assert.equal(faultOf(three.slice(1)), 'an inception comes first, and once')
  assert.equal(faultOf([three[0]!, three[2]!]), 'it does not follow the one before')
})

test('a key has one spelling, so that one used before does not come back in another', () => {
  const { public_key } = own(0)
  const respelled = `${public_key.slice(0, -1)}${String.fromCharCode(public_key.charCodeAt(42) + 1)}`
  assert.ok(Buffer.from(respelled, 'base64url').equals(Buffer.from(public_key, 'base64url')))
  const back = after(after([], { next: own(0) }), { key: { ...own(0), public_key: respelled } })
  assert.equal(faultOf(back), 'public key is not 32 bytes in base64url')
})

test('those who were named recover it, if they are enough, and nobody else', () => {
  const one = after([])
  const fresh = keyOf('fresh')
  const recovered = (by: readonly SigningKey[], from = one) =>
    after(from, { kind: 'recovery', key: fresh, by })
  const [anna, ben, carla] = recoverers as [SigningKey, SigningKey, SigningKey]
  const too_few = 'too few of those who may recover signed it'
  assert.equal(faultOf(recovered([anna, ben])), undefined)
  assert.equal(faultOf(recovered([carla, ben, anna])), undefined)
  assert.equal(faultOf(recovered([anna])), too_few)
  assert.equal(faultOf(recovered([anna, anna])), too_few, 'one who signs twice is one')
  assert.equal(faultOf(recovered([anna, keyOf('stranger')])), too_few)
  assert.equal(faultOf(recovered([anna, own(0)])), too_few, 'the lost key recovers nothing')
  assert.equal(
    faultOf(recovered([anna, ben], after([], { recovery: undefined }))),
    too_few,
    'nobody was named',
  )
  const renamed = after(one, { recovery: { dids: [keyOf('other').did], threshold: 1 } })
  assert.equal(faultOf(recovered([anna, ben], renamed)), too_few, 'those named last count')
})

test('who recovers may have changed their own key, and proves it', () => {
  const one = after([])
  const anna = recoverers[0]!
  const anna_2 = keyOf('anna 2')
  const inception: UnsignedKeyEvent = {
    kind: 'inception',
    public_key: anna.public_key,
    next_key_hash: keyHash(anna_2.public_key),
    at: at(0),
    previous: anna.did,
  }
  const sign = (event: UnsignedKeyEvent, key: SigningKey) => ({
    ...event,
    signatures: [
      {
        did: anna.did,
        public_key: key.public_key,
        signature: signText(key.private_key, keyEventInput(anna.did, event)),
      },
    ],
  })
  const first = sign(inception, anna)
  const second = sign(
    {
      ...inception,
      kind: 'rotation',
      public_key: anna_2.public_key,
      next_key_hash: keyHash(keyOf('anna 3').public_key),
      previous: placeAfter(anna.did, [first]),
    },
    anna_2,
  )
  const recovered = after(one, { kind: 'recovery', key: keyOf('fresh'), by: [recoverers[1]!] })
  const event = recovered.at(-1)!
  const by_anna = signedBy(event, anna_2, anna.did)
  const withAnna = (key_events?: KeyEvent[]) => [
    one[0]!,
    { ...event, signatures: [...event.signatures, { ...by_anna, ...(key_events && { key_events }) }] },
  ]
  assert.equal(faultOf(withAnna([first, second])), undefined)
  assert.equal(faultOf(withAnna()), 'too few of those who may recover signed it')
  assert.equal(faultOf(withAnna([second])), 'too few of those who may recover signed it')
  assert.equal(faultOf(withAnna([{} as KeyEvent])), 'too few of those who may recover signed it')
})

/** A link whose parent came to its key by these events. */
function withEvents(parent_key_events: KeyEvent[]): LineageStatement {
  return {
    child_did: keyOf('child').did,
    child_public_key: keyOf('child').public_key,
    parent_did: did,
    parent_public_key: own(0).public_key,
    entity_kind: 'Agent',
    label: 'child',
    index: 0,
    created_at: at(0),
    parent_key_events,
    signature: 'A'.repeat(86),
  }
}

test('events of others that have no canonical form are an answer, not an exception', () => {
  const two = after(after([]))
  const deep = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`)
  for (const content of ['\ud800', deep]) {
    const [inception, second] = two as [KeyEvent, KeyEvent]
    const signatures = inception.signatures.map((by) => ({ ...by, key_events: [{ content }] }))
    const first = { ...inception, signatures }
    assert.equal(faultOf([first]), undefined, 'the first key needs no events')
    assert.equal(faultOf([first, second]), 'it does not follow the one before')
    const statement = withEvents([first])
    const { reason } = verifyLineage(statement.child_did, [statement], { now: at(1) })
    assert.equal(reason, 'signature invalid')
  }
})

/** Events in the form of real ones that nobody signed, so that whatever looks at a signature has another reason. */
function unsigned(count: number, key_events?: KeyEvent[]): KeyEvent[] {
  const [event] = after([])
  const by = { ...event!.signatures[0]!, signature: 'A'.repeat(86), ...(key_events && { key_events }) }
  return Array.from({ length: count }, () => ({ ...event!, signatures: [by] }))
}

test('more events than are checked are refused before a signature is, with those nested in them', () => {
  const too_many = 'too many key events to check'
  const unsigned_fault = 'the key itself did not sign it'
  assert.equal(faultOf(unsigned(events_checked_max)), unsigned_fault)
  assert.equal(faultOf(unsigned(events_checked_max + 1)), too_many)
  // Each has 63 with its signature, of which one has another.
  const nested = [...unsigned(62), ...unsigned(1, unsigned(1))]
  assert.equal(countEvents(unsigned(4, unsigned(63))), events_checked_max)
  assert.equal(faultOf(unsigned(4, unsigned(63))), unsigned_fault)
  assert.equal(countEvents(unsigned(4, nested)), events_checked_max + 4)
  assert.equal(faultOf(unsigned(4, nested)), too_many)
  const bomb = unsigned(key_events_max, unsigned(key_events_max, unsigned(key_events_max)))
  assert.equal(faultOf(bomb), too_many)
  assert.ok(!isEverKeyOf(did, own(0).public_key, bomb))
})

test('a lineage shares the number of events that are checked among its links', () => {
  const reasonOf = (...counts: number[]) => {
    const statements = counts.map((count) => withEvents(unsigned(count)))
    return verifyLineage(keyOf('child').did, statements, { now: at(1) }).reason
  }
  assert.equal(reasonOf(64, 64, 64, 64), 'parent public key does not match DID')
  assert.equal(reasonOf(64, 64, 64, 64, 1), 'too many key events to check')
})

test('what is counted may have any form', () => {
  const others = [null, 7, 'x', [], {}, { signatures: 'x' }, { signatures: [null, { key_events: 'xyz' }] }]
  assert.equal(countEvents(others), others.length)
  assert.equal(countEvents('events' as never), 0)
  let deep: KeyEvent[] = unsigned(1)
  for (let depth = 0; depth < 50; depth++) deep = unsigned(1, deep)
  assert.equal(countEvents(deep), 4, 'as deep as events are believed')
})

test('nothing in an event can be changed', () => {
  const events = after(after(after([])), { kind: 'recovery', key: keyOf('fresh'), by: recoverers })
  assert.equal(faultOf(events), undefined)
  const changes: ((event: KeyEvent) => KeyEvent)[] = [
    (event) => ({ ...event, next_key_hash: keyHash(keyOf('thief').public_key) }),
    (event) => ({ ...event, at: at(100) }),
    (event) => ({ ...event, recovery: { dids: [keyOf('thief').did], threshold: 1 } }),
    (event) => ({ ...event, public_key: keyOf('thief').public_key }),
    (event) => ({ ...event, previous: did }),
    (event) => ({ ...event, signatures: event.signatures.slice(1) }),
    (event) => ({
      ...event,
      signatures: event.signatures.map((by) => ({ ...by, signature: `${'A'.repeat(85)}A` })),
    }),
  ]
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 }), fc.constantFrom(...changes), (index, change) => {
      const changed = events.map((event, place) => (place === index ? change(event) : event))
      assert.notEqual(faultOf(changed), undefined, `${change} at ${index}`)
    }),
  )
})
