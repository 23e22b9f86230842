// The five operations as the engine runs them, on a real database, partly with two engines.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { findKey } from '@svc/adapters/access/api-keys'
import { ensureTenant } from '@svc/adapters/access/tenants'
import { effectiveCapabilities } from '@svc/adapters/capabilities/effective'
import { keepSeed, openKeystore } from '@svc/adapters/custody/keystore'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import { testRootKeys } from '@svc/audit/sealing/test-root-keys'
import { parseApiKey } from '@svc/contract/identity/api-key'
import { localAdmin } from '@svc/contract/identity/identity'
import { documentFault, documentInput, type IdentityDocument } from '@svc/contract/identity/identity-document'
import { type LineageStatement, verifyLineage } from '@svc/contract/identity/lineage'
import { signText } from '@svc/contract/signing/signature'
import { sql } from '@svc/database/sql'
import { createEngine } from '@svc/engine/dispatch'
import type { WorldNeeds } from '@svc/engine/handler/world-needs'
import type { Ports } from '@svc/engine/ports'
import fc from 'fast-check'
import { type TestDatabase, testDatabase } from '../../../checks/rehearsal/test-database.ts'
import {
  askedOf,
  credentialOf,
  test_tenant,
  testNeeds,
  testPorts,
  tryProtocol,
} from '../../../checks/rehearsal/test-ports.ts'
import { storeAt } from '../../../checks/rehearsal/test-store.ts'
import {
  lineageThrough,
  newKeyed,
  responseOf,
  type TestIdentity,
} from '../../../checks/scenes/test-descent.ts'
import { lineageOf } from './lineage-store.ts'
import { macs } from './macs.ts'
import { sweepSessions } from './macs-store.ts'

const root_keys = testRootKeys(Buffer.alloc(32, 5))
let database: TestDatabase
let stores: readonly [PostgresStore, PostgresStore]

before(async () => {
  database = await testDatabase()
  const open = () => storeAt(database.url)
  stores = [await open(), await open()]
  await ensureTenant(stores[0].engine, test_tenant, 'Acme', 'charter')
})
after(async () => {
  for (const store of stores) await store.close()
  await database.close()
})

const identity: Ports['identity'] = {
  resolve: (did) => ({ outcome: 'Resolved', identity: { ...localAdmin(did), auth_method: 'did' } }),
}

/** A protocol with this id, so that MARS and OAS answer as a test sets. */
const standIn = (id: string, operation: string, answer: (input: unknown) => unknown) => {
  const { operations, ...facts } = tryProtocol(answer as never)
  return { ...facts, id, operations: { [operation]: operations.run! } }
}

function open(other: Partial<WorldNeeds> = {}, more: ReturnType<typeof standIn>[] = [], store = stores[0]) {
  const capabilities = effectiveCapabilities({ identity, keysOf: async () => [], grants: [] })
  const ports = testPorts([macs, ...more], {
    store,
    identity,
    capabilities,
    needs: testNeeds({
      custody: ({ context }) => openKeystore(root_keys).open(context.tenant_id, context.db),
      ...other,
    }),
  })
  const engine = createEngine(ports)
  const ask = async (did: string, operation: string, input: unknown) => {
    const credential = { ...credentialOf('svc.*.*'), did }
    const outcome = await engine.dispatch(askedOf({ protocol: 'MACS', operation, input }, { credential }))
    if (outcome.kind === 'success') return { reason: undefined, output: JSON.parse(outcome.output_text) }
    assert.ok(outcome.kind === 'refused')
    return { reason: outcome.refusal.details.reason, refusal: outcome.refusal, output: undefined }
  }
  return { ports, ask, module: () => ports.audit_log.records(test_tenant).at(-1)!.meta.module }
}
type Ask = ReturnType<typeof open>['ask']

async function challenge(ask: Ask, did: string, more: object = {}) {
  const wish = { profile: 'DidAuth', challenge_kind: 'Nonce' }
  const { session_id } = (await ask(did, 'auth_negotiation', wish)).output
  return (await ask(did, 'generate_challenge', { session_id, ...more })).output
}

async function inCustody(kind = 'HumanRoot'): Promise<TestIdentity> {
  const keyed = newKeyed(test_tenant, kind)
  await keepSeed(stores[0].engine, root_keys, test_tenant, keyed.did, keyed.seed)
  return keyed
}

/** Events of operations that wrote rows stay in the outbox, because no chain is written here. */
async function eventsAbout(did: string): Promise<string[]> {
  const rows = await sql<{ entry: string }>`
    SELECT entry::text AS entry FROM audit_outbox WHERE strpos(entry::text, ${did}) > 0`.all(stores[0].engine)
  return rows
    .map(({ entry }) => JSON.parse(entry))
    .filter(({ event_type, meta }) => event_type !== 'ChallengeIssued' && JSON.stringify(meta).includes(did))
    .map(({ event_type }) => event_type)
}

test('invariant 7: at most one success per challenge, in any interleaving over two engines', async () => {
  const engines = stores.map((store) => open({}, [], store))
  const attempt = fc.record({
    at: fc.constantFrom(0, 1),
    what: fc.constantFrom('right', 'right', 'unsigned', 'other key', 'other did'),
    waits: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(attempt, { minLength: 1, maxLength: 10 }), async (attempts) => {
      const [agent, other] = [newKeyed(test_tenant, 'HumanRoot'), newKeyed(test_tenant, 'HumanRoot')]
      const issued = await challenge(engines[0]!.ask, agent.did)
      const right = responseOf(agent, issued)
      const responses: Record<string, object> = {
        right,
        unsigned: { ...right, signature: 'A'.repeat(86) },
        'other key': { ...right, public_key: other.public_key },
        'other did': responseOf(other, issued),
      }
      const answers: ReturnType<Ask>[] = []
      for (const { at, what, waits } of attempts) {
        if (waits) await Promise.all(answers)
        answers.push(engines[at]!.ask(agent.did, 'verify_response', responses[what]))
      }
      const reasons = (await Promise.all(answers)).map(({ reason }) => reason ?? 'accepted')
      const accepted = reasons.filter((reason) => reason === 'accepted').length
      const wrong = attempts.filter(({ what }) => what !== 'right').length
      const judged = reasons.filter((reason) => /^(signature|public)/.test(reason)).length
      assert.ok(accepted <= 1)
      assert.ok(judged <= 5)
      if (wrong < 5 && wrong < attempts.length) assert.equal(accepted, 1)
      for (const [at, reason] of reasons.entries())
        if (attempts[at]!.what !== 'right') assert.notEqual(reason, 'accepted')
    }),
    { numRuns: 60 },
  )
})

test('an unsupported method is answered with the supported ones, and no session is stored', async () => {
  const { ask } = open()
  for (const wish of [
    { profile: 'ApiKey', challenge_kind: 'Nonce' },
    { profile: 'DidAuth', challenge_kind: 'Riddle' },
  ]) {
    const { output } = await ask(newKeyed(test_tenant, 'Agent').did, 'auth_negotiation', wish)
    assert.deepEqual([output.accepted, output.session_id, output.alternatives.length], [false, undefined, 4])
  }
})

test('a token is valid for a quarter of an hour; the sweep marks expired sessions and deletes them a day later', async () => {
  const { ask, ports } = open()
  const agent = newKeyed(test_tenant, 'HumanRoot')
  const issued = await challenge(ask, agent.did)
  const { output } = await ask(agent.did, 'verify_response', responseOf(agent, issued))
  const db = stores[0].engine
  const at = (ms: number) => new Date(ports.clock.now_ms() + ms).toISOString()
  const key = await findKey(db, output.key_id)
  assert.equal(parseApiKey(output.session_token)?.key_id, output.key_id)
  assert.deepEqual([key?.did, key?.proof_key, key?.capabilities], [agent.did, agent.public_key, []])
  assert.equal(key?.expires_at_ms, Date.parse(at(900_000)))
  await sweepSessions(db, at(900_000))
  await sweepSessions(db, at(900_001 + 86_400_000))
  const again = await ask(agent.did, 'verify_response', responseOf(agent, issued))
  assert.equal(again.reason, 'not_found', 'its challenge went with it')
})

test('a sent lineage is stored for its subject; without one the node is asked, and the local result counts', async () => {
  const answers = { verified: false, depth: 0, chain: [], reason: 'unknown', agrees: true }
  const { ask } = open({}, [standIn('OAS', 'verify_lineage', () => answers)])
  const [root, agent] = [newKeyed(test_tenant, 'HumanRoot'), newKeyed(test_tenant, 'Agent')]
  const prove = async (more: object = {}) =>
    (await ask(agent.did, 'verify_response', responseOf(agent, await challenge(ask, agent.did), more))).output
  const alone = await prove()
  assert.deepEqual([alone.conformance_level, alone.lineage_verified], ['L0', false])
  const lineage = lineageThrough(root, agent)
  const proven = await prove({ lineage })
  assert.deepEqual([proven.conformance_level, proven.human_root_did], ['L2', root.did])
  assert.deepEqual(await lineageOf(stores[0].engine, agent.did), lineage)
  const later = await prove()
  assert.deepEqual([later.conformance_level, later.lineage_depth], ['L2', 1])
  assert.match(later.warnings.join(), /disagrees/)
  assert.equal((await eventsAbout(agent.did)).filter((type) => type === 'LineageUnverified').length, 2)
})

test('with no identity node an agent still proves its key, at L0 and with a warning', async () => {
  const { ask } = open()
  const agent = newKeyed(test_tenant, 'Agent')
  const response = responseOf(agent, await challenge(ask, agent.did))
  const { output } = await ask(agent.did, 'verify_response', response)
  assert.deepEqual([output.conformance_level, output.lineage_depth], ['L0', 0])
  assert.match(output.warnings.join('\n'), /could not be reached/)
})

test('a child is published and registered after it is created, and either may fail', async () => {
  const parent = await inCustody()
  const published: IdentityDocument[] = []
  const registered: { agent_did: string }[] = []
  let away = true
  const publishIdentity: WorldNeeds['publishIdentity'] = () => async (document) => {
    if (away) return 'unreachable'
    published.push(document)
    return undefined
  }
  const mars = standIn('MARS', 'register_agent', (input) => {
    registered.push(input as { agent_did: string })
    return {}
  })
  const wish = { entity_kind: 'Agent', label: 'one', name: 'One' }
  const bare = open({ publishIdentity })
  const first = (await bare.ask(parent.did, 'derive', wish)).output
  assert.deepEqual([first.created, first.published], [true, false])
  assert.match(first.warnings.join(), /not published: unreachable/)
  const noted = { published: false, registered: false, not_registered_because: 'unknown protocol' }
  assert.deepEqual(bare.module(), noted)
  away = false
  const whole = open({ publishIdentity }, [mars])
  const second = (await whole.ask(parent.did, 'derive', wish)).output
  assert.deepEqual(second, { ...first, created: false, published: true, warnings: [] })
  assert.deepEqual(whole.module(), { published: true, registered: true })
  await whole.ask(parent.did, 'derive', wish)
  assert.deepEqual(published, [first.document], 'once is enough')
  assert.deepEqual(registered[0]?.agent_did, first.did)
})

test('concurrent equal derivations create one child, over two engines', async () => {
  const parent = await inCustody()
  const engines = stores.map((store) => open({}, [], store))
  const wish = { entity_kind: 'Tool', label: 'same', capabilities: [{ name: 'svc.mind.*', caveats: [] }] }
  const outputs = await Promise.all(
    Array.from(
      { length: 12 },
      async (_, at) => (await engines[at % 2]!.ask(parent.did, 'derive', wish)).output,
    ),
  )
  assert.equal(outputs.filter(({ created }) => created).length, 1)
  assert.equal(new Set(outputs.map(({ document_hash }) => document_hash)).size, 1)
  const events = await eventsAbout(outputs[0].did)
  assert.deepEqual(events.sort(), ['CapabilityGrant', 'IdentityDerived'])
  const changed = await engines[0]!.ask(parent.did, 'derive', { ...wish, name: 'Other' })
  assert.equal(changed.reason, 'already derived with other inputs')
})

test('a lineage has at most sixteen levels', async () => {
  const { ask } = open()
  let parent = (await inCustody()).did
  for (let depth = 1; depth <= 16; depth++) {
    const { output } = await ask(parent, 'derive', { entity_kind: 'Agent', label: 'down' })
    assert.equal(output.lineage_depth, depth)
    const { lineage } = output.document as IdentityDocument
    assert.equal(verifyLineage(output.did, lineage, { now: '2026-11-15T10:00:00.000Z' }).depth, depth)
    parent = output.did
  }
  assert.equal(
    (await ask(parent, 'derive', { entity_kind: 'Agent', label: 'down' })).reason,
    'lineage too deep',
  )
})

test('a parent whose key is not here is refused with a hint; a client signs itself', async () => {
  const { ask, ports } = open()
  const [parent, child] = [newKeyed(test_tenant, 'HumanRoot'), newKeyed(test_tenant, 'Agent')]
  const wish = { entity_kind: 'Agent', label: 'own' }
  assert.equal((await ask(parent.did, 'derive', wish)).reason, 'parent key not in custody')
  const own = { ...wish, custody: 'client', child_public_key: child.public_key }
  const with_key = { ...own, parent_public_key: parent.public_key }
  assert.equal((await ask(parent.did, 'derive', own)).reason, 'parent key not in custody')
  const swapped = { ...own, parent_public_key: child.public_key }
  assert.equal((await ask(parent.did, 'derive', swapped)).reason, 'public key does not match DID')
  const unsigned = await ask(parent.did, 'derive', with_key)
  assert.equal(unsigned.reason, 'signature required')
  const text = unsigned.refusal!.details.faults![0]!.message
  const created_at = new Date(ports.clock.now_ms()).toISOString()
  const forged = { ...with_key, created_at, signature: signText(child.private_key, text) }
  assert.equal((await ask(parent.did, 'derive', forged)).reason, 'signature invalid')
  const signed = { ...with_key, created_at, signature: signText(parent.private_key, text) }
  const { output } = await ask(parent.did, 'derive', signed)
  assert.deepEqual([output.did, output.created, output.document.proof], [child.did, true, undefined])
  assert.deepEqual(await lineageOf(stores[0].engine, child.did), [], 'its subject has not shown its key')
  const bad_proof = {
    ...with_key,
    document_proof: signText(parent.private_key, output.document_signing_input),
  }
  assert.equal((await ask(parent.did, 'derive', bad_proof)).reason, 'signature invalid')
  const document_proof = signText(child.private_key, output.document_signing_input)
  const proven = (await ask(parent.did, 'derive', { ...with_key, document_proof })).output
  assert.equal(proven.created, false)
  assert.equal(documentFault(proven.document, child.did), undefined)
  assert.equal(documentInput(proven.document), output.document_signing_input)
  const statements: LineageStatement[] = [output.lineage_statement]
  assert.deepEqual(await lineageOf(stores[0].engine, child.did), statements)
})

test('roots cannot be derived', async () => {
  const { ask } = open()
  const wish = { entity_kind: 'HumanRoot', label: 'x' }
  assert.equal((await ask((await inCustody()).did, 'derive', wish)).reason, 'root kinds cannot be derived')
})
