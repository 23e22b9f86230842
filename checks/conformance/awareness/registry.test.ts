// MARS over HTTP: signed entries, capabilities, other tenants, altered bodies, discovery. Rules:
// mars.test.ts.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { issueKey } from '@svc/adapters/access/api-keys'
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
        const resolution = admin.resolve(did)
        if (!('outcome' in resolution) || resolution.outcome !== 'Resolved') return resolution
        const lowered = plain.has(did) ? unresolved(did) : resolution.identity
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

/** Calls, signs the text named in the refusal, and calls again. */
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

test('an entry is content-addressed, and signed so that anyone can verify it offline', async () => {
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

test('an invalid signature is refused and leaves a SecurityViolation', async () => {
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

test('only held capabilities may be advertised', async () => {
  const agent = await newAgent('modest')
  plain.add(agent.agent_did)
  for (const capability of ['svc.mind.store_memory', 'svc.mind.*']) {
    const refused = await ask(agent, 'register_agent', {
      ...facts,
      capabilities: ['svc.mars.discovery', capability],
    })
    const reason = `advertised capability not held: ${capability}`
    assertRefusal(refused, { code: 'policy_denied', stage: 7, reason })
  }
  assert.equal((await register(agent, { capabilities: ['svc.mars.*'] })).version, 1)
})

test('private entries of another tenant are neither returned nor counted, public ones are both', async () => {
  const [owner, reader] = [await newAgent('owner'), await newAgent('reader')]
  const registered: Record<string, Fields> = {}
  for (const visibility of ['tenant', 'treaty', 'public']) {
    const agent = await newAgent('owner', ['svc.mind.store_memory'])
    const capabilities = ['svc.mind.store_memory']
    const tags = ['canary']
    registered[visibility] = await register(agent, {
      name: `Canary ${visibility}`,
      visibility,
      tags,
      capabilities,
    })
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
    assert.deepEqual(hashes, [registered.public!.entry], JSON.stringify(selector))
    assert.equal(theirs.next_cursor, undefined, 'nothing more is hinted at')
  }
  for (const visibility of ['tenant', 'treaty']) {
    const hidden = await ask(reader, 'query_registry', { entry: registered[visibility]!.entry })
    const never = await ask(reader, 'query_registry', { entry: contentHash(visibility) })
    assert.deepEqual(hidden.body.output, never.body.output)
  }
  const answer = await discover(reader, { need: 'canary' })
  assert.deepEqual(
    answer.map(({ entry }) => entry),
    [registered.public!.entry],
  )
})

test('an altered body is omitted, alarmed and counted', async () => {
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

test('discovery says which agents could be called now, and why others could not', async () => {
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
