// The rules of the registry: versions, heartbeats, withdrawal, who may register an agent, which endpoints, and pages.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { newIdentity } from '@svc/adapters/access/tenants'
import { effectiveCapabilities } from '@svc/adapters/capabilities/effective'
import { localAdmin, unresolved } from '@svc/contract/identity/identity'
import { Refusal, type RefusalCode } from '@svc/contract/refusal'
import { privateKeyOf, signText } from '@svc/contract/signing/signature'
import type { ManualClock } from '../../../checks/rehearsal/manual-clock.ts'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { mars } from './mars.ts'

interface Agent {
  readonly tenant_id: string
  readonly did: string
  readonly public_key: string
  sign(text: string): string
}
// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const plain = new Set<string>()
const revoked = new Set<string>()
const parents = new Map<string, string>()
let stage: Rehearsal
let clock: ManualClock

before(async () => {
  const resolve = (did: string) => {
    const lowered = plain.has(did) ? unresolved(did) : localAdmin(did)
    const creator_did = parents.get(did)
    const identity = {
      ...lowered,
      revoked: revoked.has(did),
      auth_method: 'did',
      ...(creator_did && { creator_did }),
    }
    return { outcome: 'Resolved', identity } as const
  }
  const tenants = ['beating', 'versions', 'leaving', 'family', 'elsewhere', 'hidden', 'urls', 'paged']
  const identity = { resolve }
  const capabilities = effectiveCapabilities({ identity, keysOf: async () => [], grants: [] })
  stage = await rehearse(mars, { tenants, ports: { identity, capabilities } })
  clock = stage.ports.clock
})
after(() => stage.close())

function newAgent(tenant_id: string): Agent {
  const { did, public_key, private_key } = newIdentity(tenant_id, 'agent')
  const signing_key = privateKeyOf(Buffer.from(private_key, 'base64url'))
  return { tenant_id, did, public_key, sign: (text) => signText(signing_key, text) }
}

const ask = ({ tenant_id, did }: Agent, operation: string, input: Fields): Promise<Fields> =>
  stage.run(operation, input, { tenant_id, did })
async function refused(call: Promise<Fields>, reason: string, code: RefusalCode): Promise<Refusal> {
  const refusal = await call.then(
    () => assert.fail('not refused'),
    (error) => error,
  )
  assert.ok(refusal instanceof Refusal, String(refusal))
  assert.deepEqual([refusal.code, refusal.details.reason], [code, reason], refusal.message)
  assert.match(refusal.message, /^\S.*[.?]$/s)
  return refusal
}
const facts = { name: 'Translator', entity_kind: 'Agent', capabilities: [], service_endpoints: [] }

/** Signs the text that the first answer asks for, and calls again. */
async function register(agent: Agent, more: Fields = {}): Promise<Fields> {
  const input = { ...facts, ...more }
  const first = await ask(agent, 'register_agent', input).catch((error) => error)
  if (!(first instanceof Error)) return first
  const { details } = await refused(Promise.reject(first), 'signature required', 'invalid_payload')
  const signature = agent.sign(details.faults![0]!.message)
  return ask(agent, 'register_agent', { ...input, signature, public_key: agent.public_key })
}
const query = async (caller: Agent, input: Fields): Promise<Fields[]> =>
  (await ask(caller, 'query_registry', input)).entries
const discover = async (caller: Agent, input: Fields): Promise<Fields[]> =>
  (await ask(caller, 'discovery', input)).candidates

test('an identical body is a heartbeat: it extends the lifetime and adds no version', async () => {
  const agent = newAgent('beating')
  const first = await register(agent, { ttl_seconds: 60 })
  clock.advance(59_000)
  const beat = await register(agent, { ttl_seconds: 60 })
  assert.deepEqual([beat.entry, beat.version, beat.unchanged], [first.entry, 1, true])
  assert.equal(Date.parse(beat.expires_at as string) - Date.parse(first.expires_at as string), 59_000)
  clock.advance(60_000)
  const [stale] = await query(agent, { subject: agent.did })
  assert.equal(stale!.state, 'STALE')
  assert.deepEqual(await discover(agent, { need: 'translator', include_foreign: false }), [])
  assert.equal((await register(agent, { ttl_seconds: 60 })).state, 'LIVE')
  assert.equal(
    stage.records('beating').filter(({ event_type }) => event_type === 'AgentRegistered').length,
    1,
  )
})

test('a changed body is a new version that names its predecessor; as_of returns the one live then', async () => {
  const agent = newAgent('versions')
  const made: Fields[] = []
  const moments: string[] = []
  for (const name of ['One', 'Two', 'Three', 'One']) {
    made.push(await register(agent, { name }))
    moments.push(new Date(clock.now_ms()).toISOString())
    clock.advance(1000)
  }
  assert.equal(
    new Set(made.map(({ entry }) => entry)).size,
    4,
    'the same words at another place are another entry',
  )
  const history = await query(agent, { subject: agent.did, history: true })
  assert.deepEqual(
    history.map(({ hash, version, previous, state }) => [hash, version, previous, state]),
    made.map(({ entry }, i) => [entry, i + 1, made[i - 1]?.entry ?? null, i === 3 ? 'LIVE' : 'SUPERSEDED']),
  )
  for (const [i, as_of] of moments.entries()) {
    const then = await query(agent, { subject: agent.did, as_of })
    assert.deepEqual(
      then.map(({ hash, state }) => [hash, state]),
      [[made[i]!.entry, 'LIVE']],
    )
    const answer = await query(agent, { subject: agent.did, as_of, history: true })
    assert.equal(answer.length, i + 1)
  }
  assert.deepEqual(await query(agent, { subject: agent.did, as_of: '2026-11-15T09:00:00Z' }), [])
})

test('a withdrawn entry is found by address and history, and can be followed by another', async () => {
  const agent = newAgent('leaving')
  const made = await register(agent)
  const gone = ask(agent, 'register_agent', { ...facts, withdraw: true })
  const { details } = await refused(gone, 'signature required', 'invalid_payload')
  const text = details.faults![0]!.message
  const input = { ...facts, withdraw: true, signature: agent.sign(text), public_key: agent.public_key }
  const output = await ask(agent, 'register_agent', input)
  assert.deepEqual([output.entry, output.state, output.unchanged], [made.entry, 'WITHDRAWN', false])
  assert.equal((await ask(agent, 'register_agent', input)).unchanged, true)
  assert.deepEqual(await query(agent, { subject: agent.did }), [])
  assert.equal((await query(agent, { entry: made.entry }))[0]!.state, 'WITHDRAWN')
  clock.advance(1)
  const back = await register(agent)
  assert.deepEqual([back.version, back.previous, back.state], [2, made.entry, 'LIVE'])
  const states = (await query(agent, { subject: agent.did, history: true })).map(({ state }) => state)
  assert.deepEqual(states, ['WITHDRAWN', 'LIVE'])
  const stranger = newAgent('leaving')
  await refused(ask(stranger, 'register_agent', { ...facts, withdraw: true }), 'not_found', 'invalid_payload')
})

test('only the agent itself, its parent or a charter member may register it, under a key of one of them', async () => {
  const [child, parent, other] = [newAgent('family'), newAgent('family'), newAgent('family')]
  parents.set(child.did, parent.did)
  const input = { agent_did: child.did }
  await refused(
    ask(other, 'register_agent', { ...facts, ...input }),
    'not the agent, its parent or a charter member',
    'policy_denied',
  )
  await register(parent, input)
  const [entry] = await query(parent, { subject: child.did })
  assert.equal((entry!.signature as Fields).signed_by, parent.did)
  await addMember(stage.store.engine, 'family', other.did, new Date(0))
  await register(other, { ...input, tags: ['vouched'] })
  const [vouched] = await query(parent, { subject: child.did })
  assert.equal((vouched!.signature as Fields).signed_by, other.did)
  const foreign = newAgent('elsewhere').did
  await refused(
    ask(parent, 'register_agent', { ...facts, agent_did: foreign }),
    'agent of another tenant',
    'policy_denied',
  )
  revoked.add(child.did)
  await refused(
    ask(parent, 'register_agent', { ...facts, ...input, name: 'Other' }),
    'identity revoked',
    'policy_denied',
  )
})

test('an entry that others may see needs L1', async () => {
  const agent = newAgent('hidden')
  plain.add(agent.did)
  for (const visibility of ['treaty', 'public']) {
    await refused(
      ask(agent, 'register_agent', { ...facts, visibility }),
      'verified lineage required',
      'policy_denied',
    )
  }
})

test('endpoints are https, or http on loopback; internal addresses are refused', async () => {
  const agent = newAgent('urls')
  const wrong = [
    'http://a.example',
    'ftp://a.example',
    'file:///etc/passwd',
    'https://a:b@a.example',
    'http://127.0.0.1@a.example',
    'https://10.0.0.1',
    'https://169.254.169.254/latest',
    'https://[fd00:ec2::254]',
    'https://0',
    'not a url',
    'http://localhost:80',
  ]
  for (const url of wrong) {
    const service_endpoints = [{ kind: 'external', url, protocols: [] }]
    const answer = ask(agent, 'register_agent', { ...facts, service_endpoints })
    const { details } = await refused(answer, 'endpoint url', 'invalid_payload')
    assert.equal(details.faults![0]!.pointer, '/service_endpoints/0/url', url)
  }
  const fine = ['https://a.example/x?y=1', 'http://127.0.0.1:8080', 'http://[::1]:1/']
  const service_endpoints = fine.map((url) => ({ kind: 'a2a', url, protocols: ['a2a'] }))
  assert.equal((await register(agent, { service_endpoints })).version, 1)
})

test('pages contain every entry once, whatever is registered meanwhile', async () => {
  const agents = Array.from({ length: 7 }, () => newAgent('paged'))
  for (const [i, agent] of agents.entries()) {
    await register(agent, { name: `Page ${i}` })
    if (i % 2) clock.advance(1)
  }
  const read: unknown[] = []
  let cursor: string | undefined
  do {
    const input = { name_prefix: 'PAGE', limit: 2, ...(cursor && { cursor }) }
    const output = await ask(agents[0]!, 'query_registry', input)
    read.push(...(output.entries as Fields[]).map(({ subject }) => subject))
    cursor = output.next_cursor as string | undefined
    clock.advance(1)
    if (read.length < 6) await register(newAgent('paged'), { name: 'Page late' })
  } while (cursor && read.length < 50)
  assert.equal(new Set(read).size, read.length)
  for (const { did } of agents) assert.ok(read.includes(did))
  await refused(
    ask(agents[0]!, 'query_registry', { kind: 'agent', cursor: 'bm90IGEgY3Vyc29y' }),
    'cursor',
    'invalid_payload',
  )
  await refused(ask(agents[0]!, 'query_registry', { history: true }), 'no_selector', 'invalid_payload')
  await refused(
    ask(agents[0]!, 'query_registry', { kind: 'agent', as_of: '2026-02-30T00:00:00Z' }),
    'no_such_moment',
    'invalid_payload',
  )
})
