// What a former key is worth to whoever has it: no session, no descendants, no recovery.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import { documentInput, type IdentityDocument } from '@svc/contract/identity/identity-document'
import {
  type KeyEvent,
  keyEventInput,
  keyHash,
  placeAfter,
  type UnsignedKeyEvent,
} from '@svc/contract/identity/key-events'
import { signText } from '@svc/contract/signing/signature'
import { askBundledNode } from '@svc/service/assembly/identities'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import {
  asAgent,
  beforeSession,
  challengeOf,
  changeKey,
  commitNext,
  family,
  reasonOf,
  rotate,
  withKey,
} from '../../scenes/key-owner.ts'
import { whileLocked } from '../../scenes/locked-row.ts'
import { makeOwnKeyed, proveItself } from '../../scenes/own-keyed-agent.ts'
import { type Issued, outputOf, responseOf, type TestIdentity, vouch } from '../../scenes/test-descent.ts'

let engine: InProcessService
before(async () => {
  engine = await startInProcess({ with_nodes: true, identity: (others) => others })
})
after(async () => await engine?.stop())

/** The node that publishes documents, asked as an engine that it trusts asks it. */
const askNode = (operation: 'resolve' | 'publish', input: object) =>
  askBundledNode(engine.service.store.engine, system_clock)(operation, input)

async function documentOf(did: string): Promise<IdentityDocument> {
  return ((await askNode('resolve', { did })) as { document: IdentityDocument }).document
}

function signed(did: string, event: UnsignedKeyEvent, ...signers: readonly TestIdentity[]): KeyEvent {
  const text = keyEventInput(did, event)
  const signatures = signers.map((by) => ({
    did: by.did,
    public_key: by.public_key,
    signature: signText(by.private_key, text),
  }))
  return { ...event, signatures }
}

/** The next version of the document, for a key that these events lead to. */
function publish(document: IdentityDocument, to: TestIdentity, key_events: readonly KeyEvent[]) {
  const { proof: _, key_events: _before, ...rest } = document
  const updated_at = key_events.at(-1)!.at
  const next = { ...rest, public_key: to.public_key, version: rest.version + 1, updated_at }
  const proof = signText(to.private_key, documentInput(next))
  return askNode('publish', { document: { ...next, key_events, proof } })
}

const rightNow = () => new Date(system_clock.now_ms()).toISOString()

test('a proof that was under way when the key changed opens no session', async () => {
  const { home, child } = await family(engine, 'under-way')
  const second = await commitNext(home, child)
  const issued = await challengeOf(home, child)
  const lock = `SELECT FROM macs_challenges WHERE challenge_id = '${issued.challenge_id}' FOR UPDATE`
  const proven = await whileLocked(engine, lock, {
    waiting: () => beforeSession(home, child, 'verify_response', responseOf(child, issued)),
    meanwhile: async () => outputOf(await rotate(home, child, second, withKey(child))),
  })
  assert.equal(reasonOf(proven), 'public key does not match DID')
})

test('a former key of a parent makes no new descendants', async () => {
  const { home, parent } = await family(engine, 'descent')
  await changeKey(home, parent)
  const { lineage } = await documentOf(parent.did)
  const mallory = await makeOwnKeyed(engine, 'descent', [])
  // The thief has the first key, and dates its statement back.
  const response = responseOf(mallory, await challengeOf(home, mallory), {
    lineage: [vouch(mallory, parent), ...lineage],
  })
  const proven = await beforeSession(home, mallory, 'verify_response', response)
  assert.equal(reasonOf(proven), 'lineage broken at depth 0: signed with a former key of the parent')
})

test('a former key of one who may recover recovers nothing', async () => {
  const { home, parent, child } = await family(engine, 'recoverer')
  await commitNext(home, child)
  await changeKey(home, parent)
  const document = await documentOf(child.did)
  const { key_events = [] } = document
  const thief = withKey(child)
  const event: UnsignedKeyEvent = {
    kind: 'recovery',
    public_key: thief.public_key,
    next_key_hash: keyHash(withKey(child).public_key),
    at: rightNow(),
    previous: placeAfter(child.did, key_events),
  }
  const events = [...key_events, signed(child.did, event, thief, parent)]
  await assert.rejects(publish(document, thief, events), /signed with a former key/)
  await assert.rejects(proveItself(home, thief), /unauthenticated/)
  await proveItself(home, child)
})

test('a former key proves nothing where the change was made by another engine', async () => {
  const { home, parent, child } = await family(engine, 'elsewhere')
  const second = withKey(child)
  const inception = signed(
    child.did,
    {
      kind: 'inception',
      public_key: child.public_key,
      next_key_hash: keyHash(second.public_key),
      at: rightNow(),
      previous: child.did,
    },
    child,
  )
  const rotation = signed(
    child.did,
    {
      kind: 'rotation',
      public_key: second.public_key,
      next_key_hash: keyHash(withKey(child).public_key),
      at: rightNow(),
      previous: placeAfter(child.did, [inception]),
    },
    second,
  )
  await publish(await documentOf(child.did), second, [inception, rotation])
  // Any session of the organization asks for the challenge.
  const wish = { profile: 'DidAuth', challenge_kind: 'Nonce', agent_did: child.did }
  const { session_id } = outputOf(await asAgent(home, parent, 'auth_negotiation', wish))
  const issued = outputOf(await asAgent(home, parent, 'generate_challenge', { session_id }))
  const response = responseOf(child, issued as unknown as Issued)
  const proven = await asAgent(home, parent, 'verify_response', response)
  assert.equal(reasonOf(proven), 'public key does not match DID', 'the first proof learns of the change')
})
