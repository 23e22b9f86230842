// The life of an identity over the wire: its keys, its document, its state, and what a stolen key is worth afterwards.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { keyHash } from '@svc/contract/identity/key-events'
import { signText } from '@svc/contract/signing/signature'
import { type Answer, dispatch, type RunningEngine, startEngine } from '../../engines/running-engine.ts'
import { type TestDatabase, testDatabase } from '../../rehearsal/test-database.ts'
import {
  asAgent,
  beforeSession,
  childOf,
  delegate,
  inSession,
  query,
  reasonOf,
  rotate,
  withKey,
} from '../../scenes/key-owner.ts'
import { deriveOwnKeyed, proveItself } from '../../scenes/own-keyed-agent.ts'
import { askMacs, outputOf, type TestIdentity } from '../../scenes/test-descent.ts'
import { eventually } from '../../suite/eventually.ts'

const data_dir = mkdtempSync(join(tmpdir(), 'svc-key-changes-'))
let database: TestDatabase
let engine: RunningEngine
before(async () => {
  database = await testDatabase()
  engine = await startEngine({ data_dir, env: { SVC_DB_URL: database.url } })
})
after(async () => {
  await engine.stop()
  await database.close()
  rmSync(data_dir, { recursive: true, force: true })
})

interface Refused {
  readonly event_type: string
  readonly meta: { readonly reason?: string }
}
const abilities = ['svc.mars.query_registry', 'svc.macs.*', 'svc.aegis.*']

/** The database tells of a change within a second. */
const untilStatus = (call: () => Promise<Answer>, status: number) =>
  eventually(async () => assert.equal((await call()).status, status))

test('an agent commits to its next key, changes to it, and its former key opens nothing', async () => {
  const first = await deriveOwnKeyed(engine, abilities)
  const [second, third, thief] = [withKey(first), withKey(first), withKey(first)]
  const committed = outputOf(await rotate(engine, first, first, second)) as Record<string, unknown>
  assert.equal(committed.state, 'committed')
  const { session_token } = await proveItself(engine, first)
  assert.equal((await inSession(engine, first, session_token, query)).status, 200)

  // A thief with the first key knows neither the second nor how to change to another.
  assert.equal(reasonOf(await rotate(engine, first, thief, third)), 'the key is not the one committed to')

  const rotated = outputOf(await rotate(engine, first, second, third)) as Record<string, unknown>
  assert.deepEqual([rotated.state, rotated.document_version], ['rotated', 3])
  assert.ok((rotated.sessions_ended as number) >= 1)
  await untilStatus(() => inSession(engine, first, session_token, query), 401)
  await assert.rejects(proveItself(engine, first), /unauthenticated/, 'the former key proves nothing')
  assert.equal((await asAgent(engine, second, 'query_registry', query.input, 'MARS')).status, 200)

  const resolved = outputOf(
    await dispatch(engine, { protocol: 'OAS', operation: 'resolve', input: { did: first.did } }),
  )
  const { document, outcome } = resolved as unknown as { document: Record<string, unknown>; outcome: string }
  assert.equal(outcome, 'Resolved')
  assert.equal(document.public_key, second.public_key)
  assert.equal((document.key_events as unknown[]).length, 2)
})

test('what a former key signed stays valid, and it signs nothing new', async () => {
  const first = await deriveOwnKeyed(engine, abilities)
  const [second, third] = [withKey(first), withKey(first)]
  const helper = await deriveOwnKeyed(engine, abilities)
  outputOf(await rotate(engine, first, first, second))
  const before_it = await delegate(engine, first, helper.did, 'svc.mars.query_registry')
  assert.equal(before_it.status, 200, JSON.stringify(before_it.body))
  outputOf(await rotate(engine, first, second, third))

  const authority = outputOf(await askMacs(engine, 'authorization_request', { agent_did: helper.did }))
  const sources = (authority as never as { capabilities: { source: string }[] }).capabilities.filter(
    ({ source }) => source === 'delegation',
  )
  assert.equal(sources.length, 1, 'the delegation of the former key counts')
  assert.equal(
    reasonOf(await delegate(engine, second, helper.did, 'svc.macs.list', first)),
    'public key does not match DID',
  )
  const after_it = await delegate(engine, second, helper.did, 'svc.macs.list')
  assert.equal(after_it.status, 200, JSON.stringify(after_it.body))
})

test('a stolen key: its parent recovers the identity, and what the thief made ends', async () => {
  const agent = await deriveOwnKeyed(engine, abilities)
  const [next, fresh, after_fresh] = [withKey(agent), withKey(agent), withKey(agent)]
  outputOf(await rotate(engine, agent, agent, next))
  // The thief has the key, opens a session, and makes an API key.
  const { session_token } = await proveItself(engine, agent)
  const made = await inSession(engine, agent, session_token, {
    protocol: 'MACS',
    operation: 'create_key',
    input: { label: 'of the thief' },
  })
  const thief = { ...engine, agent_did: agent.did, api_key: made.body.output.api_key as string }
  assert.equal((await dispatch(thief, query)).status, 200)

  const input = {
    agent_did: agent.did,
    public_key: fresh.public_key,
    next_key_hash: keyHash(after_fresh.public_key),
  }
  const stranger = await deriveOwnKeyed(engine, abilities)
  assert.equal(reasonOf(await asAgent(engine, stranger, 'recover_key', input)), 'not named for recovery')
  assert.equal(reasonOf(await asAgent(engine, agent, 'recover_key', input)), 'not named for recovery')

  const unsigned = outputOf(await askMacs(engine, 'recover_key', input)) as Record<string, never>
  assert.deepEqual([unsigned.state, unsigned.missing], ['pending', ['new key', 'document']])
  const bad = signText(agent.private_key, unsigned.signing_input!)
  assert.equal(
    reasonOf(await askMacs(engine, 'recover_key', { ...input, signature: bad })),
    'signature invalid',
  )
  const recovered = outputOf(
    await askMacs(engine, 'recover_key', {
      ...input,
      signature: signText(fresh.private_key, unsigned.signing_input!),
      document_proof: signText(fresh.private_key, unsigned.document_signing_input!),
    }),
  ) as Record<string, unknown>
  assert.equal(recovered.state, 'recovered')
  assert.deepEqual([recovered.keys_ended, (recovered.sessions_ended as number) > 0], [1, true])

  await untilStatus(() => dispatch(thief, query), 401)
  await untilStatus(() => inSession(engine, agent, session_token, query), 401)
  await assert.rejects(proveItself(engine, agent), /unauthenticated/, 'the stolen key')
  await assert.rejects(proveItself(engine, next), /unauthenticated/, 'nor the one it had committed to')
  assert.equal((await asAgent(engine, fresh, 'query_registry', query.input, 'MARS')).status, 200)
  const again = await askMacs(engine, 'recover_key', input)
  assert.equal(again.status, 200, 'a new recovery is another proposal')
  assert.equal(again.body.output.state, 'pending')
})

test('two of three who were named recover an identity together', async () => {
  const agent = await deriveOwnKeyed(engine, abilities)
  const named = await Promise.all([1, 2, 3].map(() => deriveOwnKeyed(engine, abilities)))
  const [next, fresh, later] = [withKey(agent), withKey(agent), withKey(agent)]
  const recovery = { dids: named.map(({ did }) => did), threshold: 2 }
  outputOf(await rotate(engine, agent, agent, next, { recovery }))
  const input = {
    agent_did: agent.did,
    public_key: fresh.public_key,
    next_key_hash: keyHash(later.public_key),
  }
  assert.equal(
    reasonOf(await askMacs(engine, 'recover_key', input)),
    'not named for recovery',
    'not the parent',
  )
  const sign = async (by: TestIdentity, more: object = {}) => {
    const unsigned = await asAgent(engine, by, 'recover_key', input)
    return asAgent(engine, by, 'recover_key', {
      ...input,
      ...more,
      own_signature: signText(by.private_key, unsigned.body.output.signing_input),
      own_public_key: by.public_key,
    })
  }
  const one = outputOf(await sign(named[0]!)) as Record<string, never>
  assert.deepEqual([one.state, one.signed_by], ['pending', [named[0]!.did]])
  const again = outputOf(await sign(named[0]!)) as Record<string, never>
  assert.deepEqual([again.state, again.missing], ['pending', ['recoverers', 'new key', 'document']])
  const two = outputOf(
    await sign(named[2]!, {
      signature: signText(fresh.private_key, one.signing_input!),
      document_proof: signText(fresh.private_key, one.document_signing_input!),
    }),
  ) as Record<string, unknown>
  assert.equal(two.state, 'recovered')
  assert.equal((await asAgent(engine, fresh, 'query_registry', query.input, 'MARS')).status, 200)
})

test('the engine changes the keys it keeps by itself', async () => {
  const derived = outputOf(
    await askMacs(engine, 'derive', { entity_kind: 'Agent', label: 'kept' }),
  ) as never as {
    did: string
    public_key: string
  }
  const agent_did = derived.did
  const keys = [derived.public_key]
  for (const operation of ['rotate_key', 'rotate_key', 'recover_key', 'rotate_key']) {
    const answer = outputOf(await askMacs(engine, operation, { agent_did })) as Record<string, unknown>
    assert.match(String(answer.state), /rotated|recovered/)
    keys.push(String(answer.public_key))
  }
  assert.equal(new Set(keys).size, 5)
  const refused = await askMacs(engine, 'rotate_key', { agent_did, next_key_hash: '0'.repeat(64) })
  assert.equal(reasonOf(refused), 'invalid rotation')
  const document = outputOf(
    await dispatch(engine, { protocol: 'OAS', operation: 'resolve', input: { did: agent_did } }),
  )
  assert.equal((document as never as { outcome: string }).outcome, 'Resolved')
})

test('a document gets a new version, with less than its identity had or what its parent has', async () => {
  const agent = await deriveOwnKeyed(engine, abilities)
  const update = async (input: object) => {
    const unsigned = await asAgent(engine, agent, 'update_identity', input)
    if (unsigned.status !== 200) return unsigned
    const { at, document_signing_input } = unsigned.body.output
    const document_proof = signText(agent.private_key, document_signing_input)
    return asAgent(engine, agent, 'update_identity', { ...input, at, document_proof })
  }
  const fewer = [{ name: 'svc.macs.*', caveats: [] }]
  const renamed = outputOf(await update({ name: 'Renamed', capabilities: fewer })) as Record<string, unknown>
  assert.deepEqual([renamed.state, renamed.document_version], ['updated', 2])
  assert.equal(
    (await asAgent(engine, agent, 'query_registry', query.input, 'MARS')).status,
    403,
    'it gave that up',
  )
  const more = [{ name: 'svc.moat.*', caveats: [] }]
  assert.equal(reasonOf(await update({ capabilities: more })), 'capability amplification: svc.moat.*')
  const by_parent = outputOf(
    await askMacs(engine, 'update_identity', { agent_did: agent.did, capabilities: more }),
  )
  assert.equal((by_parent as Record<string, unknown>).state, 'unsigned', 'its owner signs')
  const stranger = await deriveOwnKeyed(engine, abilities)
  const foreign = await asAgent(engine, stranger, 'update_identity', { agent_did: agent.did, name: 'Mine' })
  assert.equal(foreign.body.error.reason, 'not_found')
})

test('an identity is suspended with its descendants, resumed by one above, and revoked for good', async () => {
  const parent = await deriveOwnKeyed(engine, abilities)
  const { session_token } = await proveItself(engine, parent)
  const child = await childOf(engine, parent, abilities)
  const session = await proveItself(engine, child)
  assert.equal((await inSession(engine, child, session.session_token, query)).status, 200)

  const set = (state: string) =>
    askMacs(engine, 'set_state', { agent_did: parent.did, state, reason: 'a test' })
  const suspended = outputOf(await set('suspended')) as Record<string, unknown>
  assert.deepEqual([suspended.changed, suspended.identities], [true, 2])
  assert.equal((outputOf(await set('suspended')) as Record<string, unknown>).changed, false)
  const callOfChild = () => inSession(engine, child, session.session_token, query)
  await untilStatus(callOfChild, 403)
  assert.equal((await callOfChild()).body.error?.reason, 'identity suspended')
  const below = { agent_did: child.did, state: 'active', reason: 'a test' }
  const alone = outputOf(await askMacs(engine, 'set_state', below)) as Record<string, unknown>
  assert.deepEqual([alone.state, alone.changed], ['suspended', false], 'it is so with its parent')
  assert.equal((outputOf(await set('active')) as Record<string, unknown>).identities, 2)
  await untilStatus(callOfChild, 200)

  const itself = await inSession(engine, parent, session_token, {
    protocol: 'MACS',
    operation: 'set_state',
    input: { agent_did: parent.did, state: 'revoked', reason: 'a test' },
  })
  assert.equal(reasonOf(itself), 'not by itself')
  const revoked = outputOf(await set('revoked')) as Record<string, unknown>
  assert.equal(revoked.identities, 2)
  await untilStatus(callOfChild, 401)
  await assert.rejects(proveItself(engine, child))
  for (const state of ['active', 'suspended'])
    assert.equal(reasonOf(await set(state)), 'identity revoked', 'revoked is for good')
})

test('whoever signs with a former key, or while suspended or revoked, is told so, and its organization reads it', async () => {
  const first = await deriveOwnKeyed(engine, abilities)
  const [second, third] = [withKey(first), withKey(first)]
  outputOf(await rotate(engine, first, first, second))
  outputOf(await rotate(engine, first, second, third))
  const set = async (state: string) =>
    outputOf(await askMacs(engine, 'set_state', { agent_did: first.did, state, reason: 'a test' }))
  const negotiate = (by: TestIdentity) =>
    beforeSession(engine, by, 'auth_negotiation', { profile: 'DidAuth', challenge_kind: 'Nonce' })
  const requireTold = async (by: TestIdentity, reason: string) => {
    const { correlation_id } = await eventually(async () => {
      const answer = await negotiate(by)
      assert.deepEqual([answer.status, reasonOf(answer)], [401, reason])
      return answer.body.error
    })
    const read = { protocol: 'MAX', operation: 'audit_query', input: { correlation_id } }
    const records: Refused[] = outputOf(await dispatch(engine, read)).records!
    assert.deepEqual(
      records.map(({ event_type, meta }) => [event_type, meta.reason]),
      [['SecurityViolation', reason]],
    )
  }
  await requireTold(first, 'former key')
  await set('suspended')
  await requireTold(second, 'identity suspended')
  await requireTold(first, 'former key')
  await set('revoked')
  await requireTold(second, 'identity revoked')
  // Nobody learns the state of another, nor writes into its log, without a key of it.
  assert.equal(reasonOf(await negotiate(third)), 'unknown identity')
})
