// MARS over HTTP: registering, looking up and discovering, as agents that sign for themselves, in several tenants.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { issueKey } from '@svc/adapters/access/api-keys'
import { addMember } from '@svc/adapters/access/charter'
import { ensureTenant, newIdentity } from '@svc/adapters/access/tenants'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import { asOwner } from '@svc/audit/test-audit-log'
import { unresolved } from '@svc/contract/identity/identity'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { isKeyOf, isSignedBy, privateKeyOf, signingInput, signText } from '@svc/contract/signing/signature'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../../engines/running-engine.ts'
import { manualClock } from '../../rehearsal/manual-clock.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

interface Agent extends Addresses {
  readonly public_key: string
  sign(text: string): string
}
type Fields = Record<string, unknown>

const clock = manualClock('2026-11-15T10:00:00.000Z')
const plain = new Set<string>()
const revoked = new Set<string>()
const parents = new Map<string, string>()
const admin = localAdminResolver()
let service: InProcessService

before(async () => {
  service = await startInProcess({
    clock,
    identity: {
      resolve(did) {
        const found = admin.resolve(did)
        if (!('outcome' in found) || found.outcome !== 'Resolved') return found
        const lowered = plain.has(did) ? unresolved(did) : found.identity
        const identity = { ...lowered, revoked: revoked.has(did), auth_method: 'did' }
        const creator_did = parents.get(did)
        return { outcome: 'Resolved', identity: creator_did ? { ...identity, creator_did } : identity }
      },
    },
  })
})
after(() => service.stop())

async function newAgent(tenant_id: string, capabilities: string[] = []): Promise<Agent> {
  const { store } = service.service
  await ensureTenant(store.engine, tenant_id, tenant_id, 'sovereign')
  const { did, public_key, private_key } = newIdentity(tenant_id, 'agent')
  const carried = ['svc.mars.*', ...capabilities].map((name) => ({ name, caveats: [] }))
  const key = await issueKey(store.engine, { tenant_id, did, mode: 'test', capabilities: carried })
  const signing_key = privateKeyOf(Buffer.from(private_key, 'base64url'))
  return {
    ...service,
    tenant_id,
    agent_did: did,
    api_key: key.api_key,
    public_key,
    sign: (text) => signText(signing_key, text),
  }
}

function ask(caller: Addresses, operation: string, input: Fields): Promise<Answer> {
  return dispatch(caller, { protocol: 'MARS', operation, input })
}

const facts = { name: 'Translator', entity_kind: 'Agent', capabilities: [], service_endpoints: [] }

/** Asks once, signs what the refusal says is to be signed, and asks again. */
async function register(agent: Agent, more: Fields = {}, signer = agent): Promise<Fields> {
  const input = { ...facts, ...more }
  const first = await ask(agent, 'register_agent', input)
  if (first.status === 200) return assertSuccess(first).output
  const { details } = assertRefusal(first, {
    code: 'invalid_payload',
    stage: 7,
    reason: 'signature required',
  })
  const [fault] = details.faults as { pointer: string; message: string }[]
  const signature = signer.sign(fault!.message)
  return assertSuccess(
    await ask(agent, 'register_agent', { ...input, signature, public_key: signer.public_key }),
  ).output
}

async function query(caller: Addresses, input: Fields): Promise<Fields[]> {
  return assertSuccess(await ask(caller, 'query_registry', input)).output.entries as Fields[]
}

async function discover(caller: Addresses, input: Fields): Promise<Fields[]> {
  return assertSuccess(await ask(caller, 'discovery', input)).output.candidates as Fields[]
}

async function eventsOf(tenant_id: string, event_type: string) {
  return service.records(tenant_id, { event_types: [event_type] })
}

test('an entry is addressed by its content, and signed so that anyone can check it offline', async () => {
  const agent = await newAgent('signed')
  const made = await register(agent, { summary: 'Contracts.', tags: ['law'], visibility: 'public' })
  assert.deepEqual([made.version, made.state, made.unchanged, 'previous' in made], [1, 'LIVE', false, false])
  const [entry] = await query(agent, { entry: made.entry })
  assert.equal(contentHash(entry!.body), made.entry)
  assert.deepEqual([entry!.hash_valid, entry!.state, entry!.previous], [true, 'LIVE', null])
  const { signed_by, public_key, signature, method } = entry!.signature as Record<string, string>
  assert.deepEqual([signed_by, method], [agent.agent_did, 'own'])
  assert.ok(isKeyOf(signed_by!, public_key!))
  assert.ok(isSignedBy(public_key!, signingInput('svc-registry-v1', entry!.body), signature!))
  const [event] = await eventsOf('signed', 'AgentRegistered')
  assert.deepEqual([event?.meta.entry, event?.meta.agent_did], [made.entry, agent.agent_did])
})

test('an identical body is a heartbeat: it extends the life and makes no version', async () => {
  const agent = await newAgent('beating')
  const first = await register(agent, { ttl_seconds: 60 })
  clock.advance(59_000)
  const beat = await register(agent, { ttl_seconds: 60 })
  assert.deepEqual([beat.entry, beat.version, beat.unchanged], [first.entry, 1, true])
  assert.equal(Date.parse(beat.expires_at as string) - Date.parse(first.expires_at as string), 59_000)
  clock.advance(60_000)
  const [stale] = await query(agent, { subject: agent.agent_did })
  assert.equal(stale!.state, 'STALE')
  assert.deepEqual(await discover(agent, { need: 'translator', include_foreign: false }), [])
  assert.equal((await register(agent, { ttl_seconds: 60 })).state, 'LIVE')
  assert.equal((await eventsOf('beating', 'AgentRegistered')).length, 1)
})

test('a changed body is a new version that names the one before; as_of gives the one live then', async () => {
  const agent = await newAgent('versions')
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
  const history = await query(agent, { subject: agent.agent_did, history: true })
  assert.deepEqual(
    history.map(({ hash, version, previous, state }) => [hash, version, previous, state]),
    made.map(({ entry }, i) => [entry, i + 1, made[i - 1]?.entry ?? null, i === 3 ? 'LIVE' : 'SUPERSEDED']),
  )
  for (const [i, as_of] of moments.entries()) {
    const then = await query(agent, { subject: agent.agent_did, as_of })
    assert.deepEqual(
      then.map(({ hash, state }) => [hash, state]),
      [[made[i]!.entry, 'LIVE']],
    )
    const answer = await query(agent, { subject: agent.agent_did, as_of, history: true })
    assert.equal(answer.length, i + 1)
  }
  assert.deepEqual(await query(agent, { subject: agent.agent_did, as_of: '2026-11-15T09:00:00Z' }), [])
})

test('a withdrawn entry is found by its address and its history, and can be followed by another', async () => {
  const agent = await newAgent('leaving')
  const made = await register(agent)
  const gone = await ask(agent, 'register_agent', { ...facts, withdraw: true })
  const { details } = assertRefusal(gone, { code: 'invalid_payload', stage: 7, reason: 'signature required' })
  const text = (details.faults as { message: string }[])[0]!.message
  const input = { ...facts, withdraw: true, signature: agent.sign(text), public_key: agent.public_key }
  const { output } = assertSuccess(await ask(agent, 'register_agent', input))
  assert.deepEqual([output.entry, output.state, output.unchanged], [made.entry, 'WITHDRAWN', false])
  assert.equal(assertSuccess(await ask(agent, 'register_agent', input)).output.unchanged, true)
  assert.deepEqual(await query(agent, { subject: agent.agent_did }), [])
  assert.equal((await query(agent, { entry: made.entry }))[0]!.state, 'WITHDRAWN')
  clock.advance(1)
  const back = await register(agent)
  assert.deepEqual([back.version, back.previous, back.state], [2, made.entry, 'LIVE'])
  const states = (await query(agent, { subject: agent.agent_did, history: true })).map(({ state }) => state)
  assert.deepEqual(states, ['WITHDRAWN', 'LIVE'])
  const stranger = await newAgent('leaving')
  const refused = await ask(stranger, 'register_agent', { ...facts, withdraw: true })
  assertRefusal(refused, { code: 'invalid_payload', stage: 7, reason: 'not_found' })
})

test('only the agent itself, its parent or a charter member may register it, under a key of one of them', async () => {
  const [child, parent, other] = [
    await newAgent('family'),
    await newAgent('family'),
    await newAgent('family'),
  ]
  parents.set(child.agent_did, parent.agent_did)
  const input = { agent_did: child.agent_did }
  const refused = await ask(other, 'register_agent', { ...facts, ...input })
  assertRefusal(refused, {
    code: 'policy_denied',
    stage: 7,
    reason: 'not the agent, its parent or a charter member',
  })
  await register(parent, input)
  const [entry] = await query(parent, { subject: child.agent_did })
  assert.equal((entry!.signature as Fields).signed_by, parent.agent_did)
  await addMember(service.service.store.engine, 'family', other.agent_did, new Date(0))
  await register(other, { ...input, tags: ['vouched'] })
  const [vouched] = await query(parent, { subject: child.agent_did })
  assert.equal((vouched!.signature as Fields).signed_by, other.agent_did)
  const foreign = (await newAgent('elsewhere')).agent_did
  const abroad = await ask(parent, 'register_agent', { ...facts, agent_did: foreign })
  assertRefusal(abroad, { code: 'policy_denied', stage: 7, reason: 'agent of another tenant' })
  revoked.add(child.agent_did)
  const dead = await ask(parent, 'register_agent', { ...facts, ...input, name: 'Other' })
  assertRefusal(dead, { code: 'policy_denied', stage: 7, reason: 'identity revoked' })
})

test('a bad signature is refused and leaves a SecurityViolation', async () => {
  const [agent, other] = [await newAgent('forging'), await newAgent('forging')]
  const signature = agent.sign('something else')
  const forged = await ask(agent, 'register_agent', { ...facts, signature, public_key: agent.public_key })
  assertRefusal(forged, { code: 'policy_denied', stage: 7, reason: 'signature invalid' })
  const swapped = await ask(agent, 'register_agent', { ...facts, signature, public_key: other.public_key })
  assertRefusal(swapped, { code: 'policy_denied', stage: 7, reason: 'public key does not match DID' })
  const keyless = await ask(agent, 'register_agent', { ...facts, signature })
  assertRefusal(keyless, { code: 'invalid_payload', stage: 7, reason: 'public_key missing' })
  const violations = await eventsOf('forging', 'SecurityViolation')
  assert.deepEqual(
    violations.map(({ meta }) => meta.reason),
    ['signature invalid', 'public key does not match DID'],
  )
  assert.ok(!JSON.stringify(await service.records('forging')).includes(facts.name), 'no content is recorded')
})

test('only what is held may be advertised', async () => {
  const agent = await newAgent('modest')
  plain.add(agent.agent_did)
  for (const wanted of ['svc.mind.store_memory', 'svc.mind.*']) {
    const refused = await ask(agent, 'register_agent', {
      ...facts,
      capabilities: ['svc.mars.discovery', wanted],
    })
    const reason = `advertised capability not held: ${wanted}`
    assertRefusal(refused, { code: 'policy_denied', stage: 7, reason })
  }
  assert.equal((await register(agent, { capabilities: ['svc.mars.*'] })).version, 1)
})

test('an entry that others may see needs L1', async () => {
  const agent = await newAgent('hidden')
  plain.add(agent.agent_did)
  for (const visibility of ['treaty', 'public']) {
    const refused = await ask(agent, 'register_agent', { ...facts, visibility })
    assertRefusal(refused, { code: 'policy_denied', stage: 7, reason: 'verified lineage required' })
  }
})

test('endpoints are https, or http on loopback; addresses inside are refused', async () => {
  const agent = await newAgent('urls')
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
    const refused = await ask(agent, 'register_agent', { ...facts, service_endpoints })
    const { details } = assertRefusal(refused, { code: 'invalid_payload', stage: 7, reason: 'endpoint url' })
    assert.equal((details.faults as { pointer: string }[])[0]!.pointer, '/service_endpoints/0/url', url)
  }
  const fine = ['https://a.example/x?y=1', 'http://127.0.0.1:8080', 'http://[::1]:1/']
  const service_endpoints = fine.map((url) => ({ kind: 'a2a', url, protocols: ['a2a'] }))
  assert.equal((await register(agent, { service_endpoints })).version, 1)
})

test("another tenant's private entries are neither seen nor counted, public ones are both", async () => {
  const [owner, reader] = [await newAgent('owner'), await newAgent('reader')]
  const seen: Record<string, Fields> = {}
  for (const visibility of ['tenant', 'treaty', 'public']) {
    const agent = await newAgent('owner', ['svc.mind.store_memory'])
    const capabilities = ['svc.mind.store_memory']
    const tags = ['canary']
    seen[visibility] = await register(agent, { name: `Canary ${visibility}`, visibility, tags, capabilities })
  }
  const selectors: Fields[] = [
    { tenant_id: 'owner' },
    { tag: 'canary' },
    { name_prefix: 'canary' },
    { capability: 'svc.mind.store_memory', tenant_id: 'owner' },
    { kind: 'agent', tenant_id: 'owner' },
    { tag: 'canary', as_of: new Date(clock.now_ms()).toISOString() },
    { tag: 'canary', history: true },
  ]
  for (const selector of selectors) {
    const own = await query(owner, selector)
    assert.equal(own.length, 3, JSON.stringify(selector))
    const theirs = assertSuccess(await ask(reader, 'query_registry', { ...selector, limit: 1 })).output
    const hashes = (theirs.entries as Fields[]).map(({ hash }) => hash)
    assert.deepEqual(hashes, [seen.public!.entry], JSON.stringify(selector))
    assert.equal(theirs.next_cursor, undefined, 'nothing more is hinted at')
  }
  for (const visibility of ['tenant', 'treaty']) {
    const hidden = await ask(reader, 'query_registry', { entry: seen[visibility]!.entry })
    const never = await ask(reader, 'query_registry', { entry: contentHash(visibility) })
    assert.deepEqual(hidden.body.output, never.body.output)
  }
  const answer = await discover(reader, { need: 'canary' })
  assert.deepEqual(
    answer.map(({ entry }) => entry),
    [seen.public!.entry],
  )
})

test('pages hold every entry once, whatever is registered meanwhile', async () => {
  const agents = await Promise.all(Array.from({ length: 7 }, () => newAgent('paged')))
  for (const [i, agent] of agents.entries()) {
    await register(agent, { name: `Page ${i}` })
    if (i % 2) clock.advance(1)
  }
  const read: unknown[] = []
  let cursor: string | undefined
  do {
    const input = { name_prefix: 'PAGE', limit: 2, ...(cursor && { cursor }) }
    const { output } = assertSuccess(await ask(agents[0]!, 'query_registry', input))
    read.push(...(output.entries as Fields[]).map(({ subject }) => subject))
    cursor = output.next_cursor as string | undefined
    clock.advance(1)
    if (read.length < 6) await register(await newAgent('paged'), { name: 'Page late' })
  } while (cursor && read.length < 50)
  assert.equal(new Set(read).size, read.length)
  for (const { agent_did } of agents) assert.ok(read.includes(agent_did))
  const bad = await ask(agents[0]!, 'query_registry', { kind: 'agent', cursor: 'bm90IGEgY3Vyc29y' })
  assertRefusal(bad, { code: 'invalid_payload', stage: 7, reason: 'cursor' })
  const none = await ask(agents[0]!, 'query_registry', { history: true })
  assertRefusal(none, { code: 'invalid_payload', stage: 7, reason: 'no_selector' })
  const never = await ask(agents[0]!, 'query_registry', { kind: 'agent', as_of: '2026-02-30T00:00:00Z' })
  assertRefusal(never, { code: 'invalid_payload', stage: 7, reason: 'no_such_moment' })
})

test('a body that was altered is left out, alarmed and counted', async () => {
  const [agent, other] = [await newAgent('altered'), await newAgent('altered')]
  const made = await register(agent)
  const answer = await register(other)
  await asOwner(service.db_url, async (client) => {
    await client.query(
      `UPDATE registry_entries SET body = replace(body, 'Translator', 'Impostor') WHERE hash = $1`,
      [made.entry],
    )
  })
  const left = await query(agent, { tenant_id: 'altered' })
  assert.deepEqual(
    left.map(({ hash }) => hash),
    [answer.entry],
  )
  const [alarm] = await eventsOf('altered', 'SecurityViolation')
  assert.deepEqual([alarm?.meta.reason, alarm?.meta.entry], ['registry entry altered', made.entry])
  assert.match(await (await fetch(service.metrics_url)).text(), /^svc_registry_hash_mismatch_total 1$/m)
})

test('discovery says who could be called now, and why not', async () => {
  const capability = 'svc.motet.emit'
  const [near, remote] = [await newAgent('near'), await newAgent('far')]
  const asker = await newAgent('near', ['svc.moat.compliance_query'])
  plain.add(asker.agent_did)
  await register(near, { capabilities: ['svc.motet.*'], summary: 'Emits measurements.' })
  await register(remote, { capabilities: [capability], visibility: 'public' })
  const gist = ({ did, capability_match, callable_now, why_not }: Fields) => [
    did,
    capability_match,
    callable_now,
    why_not,
  ]
  const answer = await discover(asker, { capability })
  assert.deepEqual(
    answer.map(gist).sort(),
    [
      [near.agent_did, 'svc.motet.*', false, `capability not held: ${capability}`],
      [remote.agent_did, capability, false, 'no active treaty'],
    ].sort(),
  )
  const holder = await newAgent('near', [capability])
  const own = await discover(holder, { capability, include_foreign: false })
  assert.deepEqual(own.map(gist), [[near.agent_did, 'svc.motet.*', true, undefined]])
  const dear = await discover(holder, {
    capability,
    include_foreign: false,
    max_price: { asset_id: 'usd', amount: '1' },
  })
  assert.deepEqual([dear[0]!.callable_now, dear[0]!.why_not], [false, 'price not published'])
  assert.deepEqual(await discover(holder, { capability, kind: 'Service' }), [])
  revoked.add(near.agent_did)
  plain.add(remote.agent_did)
  assert.deepEqual(await discover(holder, { capability, min_level: 'L1' }), [])
  const neither = await ask(holder, 'discovery', { limit: 1 })
  assertRefusal(neither, { code: 'invalid_payload', stage: 7, reason: 'no_selector' })
})
