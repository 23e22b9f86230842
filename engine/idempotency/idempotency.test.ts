import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { Database } from '@svc/contract/database'
import type { OperationContext } from '@svc/contract/operation-context'
import type { OperationFacts } from '@svc/contract/operation-facts'
import { refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { Client } from 'pg'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import {
  askedOf,
  callBefore,
  credentialOf,
  gist,
  test_tenant,
  testPorts,
  tryProtocol,
} from '../../checks/rehearsal/test-ports.ts'
import { storeAt } from '../../checks/rehearsal/test-store.ts'
import { eventually } from '../../checks/suite/eventually.ts'
import type { Asked, Done, Placed } from '../call.ts'
import { createEngine, type Outcome } from '../dispatch.ts'
import { openContext } from '../handler/open-context.ts'
import type { Store } from '../ports.ts'
import { forgetOldKeys, runOnce } from './idempotency.ts'

const day_ms = 86_400_000
let database: TestDatabase
let store: PostgresStore
/** Another replica. */
let another: PostgresStore

before(async () => {
  database = await testDatabase()
  store = await storeAt(database.url)
  another = await storeAt(database.url)
  await asOwner((owner) =>
    owner.query(`CREATE TABLE effects (tenant_id text NOT NULL, what text NOT NULL);
      GRANT SELECT, INSERT ON effects TO svc_app, svc_engine`),
  )
})
after(async () => {
  await store?.close()
  await another?.close()
  await database?.close()
})

async function asOwner<R>(work: (owner: Client) => Promise<R>): Promise<R> {
  const owner = new Client({ connectionString: database.url })
  await owner.connect()
  try {
    return await work(owner)
  } finally {
    await owner.end()
  }
}

type Work = (input: { readonly [field: string]: unknown }, context: OperationContext) => unknown

/** TRY run writes one row per effect; `work` may do something before that. */
function open(work: Work = () => {}, facts: Partial<OperationFacts> = {}, on: Store = store) {
  let runs = 0
  const handle: Work = async (input, context) => {
    runs++
    const run = runs
    await work(input, context)
    await sql`INSERT INTO effects VALUES (${context.tenant_id}, ${String(input.what)})`.execute(context.db)
    return { run }
  }
  const definition = tryProtocol(handle, facts)
  const ports = testPorts([definition, { ...definition, id: 'OTHER' }], { store: on })
  const engine = createEngine(ports)
  const dispatch = (
    key: string | undefined,
    what: string,
    request: Partial<Asked['request']> = {},
    more: Partial<Asked> = {},
  ) => engine.dispatch(askedOf({ input: { what }, idempotency_key: key, ...request }, more))
  return { ports, dispatch, runs: () => runs, records: () => ports.audit_log.records(test_tenant) }
}
async function effectsOf(what: string): Promise<number> {
  const row = await sql<{ n: string }>`SELECT count(*) AS n FROM effects WHERE what = ${what}`.first(
    store.engine,
  )
  return Number(row?.n)
}
function told(outcome: Outcome): string {
  if (outcome.kind === 'success')
    return `${outcome.output_text}${outcome.metadata.replayed ? ' replayed' : ''}`
  return outcome.kind === 'refused'
    ? `${outcome.refusal.code}: ${outcome.refusal.details.reason}`
    : outcome.kind
}

test('a retry gets the first answer, and has no second effect', async () => {
  const { dispatch, runs, records } = open()
  assert.equal(told(await dispatch('a', 'replay')), '{"run":1}')
  const again = await dispatch('a', 'replay')
  assert.equal(told(again), '{"run":1} replayed')
  assert.deepEqual([await effectsOf('replay'), runs()], [1, 1])
  assert.deepEqual(records().map(gist), Array(2).fill('ProtocolInvocation success ok stage -'))
  assert.deepEqual(
    records().map(({ meta }) => meta.replayed),
    [undefined, true],
  )
  assert.equal(again.kind === 'success' && again.metadata.usage.amount_usd, '0.000000')
})

for (const acts_outside of [false, true])
  test(`a fence refuses once the key is claimed, without effect, and the key is free (outside: ${acts_outside})`, async () => {
    const { dispatch } = open(() => {}, { acts_outside })
    const what = `fenced ${acts_outside}`
    let claimed = 0
    const fence = async (db: Database) => {
      const { rows } = await sql`SELECT 1 FROM idempotency_keys WHERE key = ${what}`.execute(db)
      claimed += rows.length
      throw refuse('invalid_request', 'Others do it now; leave it.', { reason: 'caller left' })
    }
    assert.equal(told(await dispatch(what, what, {}, { fence })), 'invalid_request: caller left')
    assert.deepEqual([claimed, await effectsOf(what)], [1, 0])
    assert.equal(told(await dispatch(what, what)), '{"run":1}')
  })

test('the same key for another request is refused without effect', async () => {
  const { dispatch, records } = open()
  await dispatch('b', 'first')
  assert.equal(told(await dispatch('b', 'second')), 'idempotency_key_reused: another request')
  assert.equal(
    told(await dispatch('b', 'first', { protocol: 'OTHER' }, { credential: credentialOf('svc.*.*') })),
    'idempotency_key_reused: another request',
  )
  assert.equal(await effectsOf('second'), 0)
  assert.equal(gist(records().at(-1)), 'SecurityViolation refused idempotency_key_reused stage 7')
  assert.equal(told(await dispatch('b', 'first')), '{"run":1} replayed')
})

test('the same request in another spelling is the same request', async () => {
  const { dispatch } = open()
  const input = { what: 'order', x: { b: 1, a: 2 } }
  await dispatch('c', '', { input, protocol: 'TRY' })
  const otherwise = { x: { a: 2, b: 1 }, what: 'order' }
  assert.equal(told(await dispatch('c', '', { input: otherwise, protocol: 'try' })), '{"run":1} replayed')
})

test('a retry is the same request even after another version was rolled out', async () => {
  const { dispatch, ports, runs } = open()
  await dispatch('rollout', 'rollout', { version: 'v1' })
  const [registered] = ports.registry.versions('TRY')!
  ports.registry.register(
    { ...tryProtocol(() => assert.fail('it ran again')), version: 'v1.1.0' },
    registered!.endpoints,
  )
  assert.equal(told(await dispatch('rollout', 'rollout', { version: 'v1' })), '{"run":1} replayed')
  assert.equal(runs(), 1)
})

test('a key belongs to one tenant and one caller', async () => {
  const { dispatch, runs } = open()
  await dispatch('d', 'mine')
  const colleague = { ...credentialOf('svc.try.*'), did: `did:oas:acme:agent:${'b'.repeat(64)}` }
  assert.equal(
    told(await dispatch('d', 'mine', {}, { credential: colleague })),
    'idempotency_key_reused: another caller',
  )
  const stranger = {
    ...credentialOf('svc.try.*'),
    tenant_id: 'globex',
    did: `did:oas:globex:agent:${'c'.repeat(64)}`,
  }
  assert.equal(
    told(await dispatch('d', 'mine', { tenant_id: 'globex' }, { credential: stranger })),
    '{"run":2}',
  )
  assert.equal(runs(), 2)
})

test('a replay is authorized again: without permission it is refused', async () => {
  const { dispatch } = open()
  await dispatch('e', 'rights')
  assert.equal(
    told(await dispatch('e', 'rights', {}, { credential: credentialOf() })),
    'capability_denied: no matching capability',
  )
})

test('fifty concurrent duplicates have one effect and one answer', async () => {
  const { dispatch, runs } = open()
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => dispatch('f', 'fifty')))
  assert.deepEqual([...new Set(outcomes.map(told))].sort(), ['{"run":1}', '{"run":1} replayed'])
  assert.equal(outcomes.filter((outcome) => told(outcome) === '{"run":1}').length, 1)
  assert.deepEqual([await effectsOf('fifty'), runs()], [1, 1])
})

test('a failed effect leaves neither row nor key, and the retry counts as first', async () => {
  let fails = true
  const { dispatch, runs } = open(() => {
    if (fails) throw refuse('policy_denied', 'Not yet.', { reason: 'not yet' })
  })
  assert.equal(told(await dispatch('g', 'failing')), 'policy_denied: not yet')
  fails = false
  assert.equal(told(await dispatch('g', 'failing')), '{"run":2}')
  assert.deepEqual([await effectsOf('failing'), runs()], [1, 2])
})

test('of concurrent duplicates whose effect fails, one retries it', async () => {
  let first = true
  const { dispatch } = open(() => {
    if (!first) return
    first = false
    throw new Error('bug')
  })
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => dispatch('h', 'second try')))
  assert.equal(outcomes.filter((outcome) => outcome.kind === 'refused').length, 1)
  assert.equal(await effectsOf('second try'), 1)
})

test('a key is valid for a day, and then new', async () => {
  const { dispatch, ports, runs } = open()
  await dispatch('i', 'day')
  ports.clock.advance(day_ms)
  assert.equal(told(await dispatch('i', 'day')), '{"run":1} replayed')
  ports.clock.advance(1)
  assert.equal(told(await dispatch('i', 'day')), '{"run":2}')
  ports.clock.advance(day_ms - 1)
  assert.equal(told(await dispatch('i', 'day')), '{"run":2} replayed')
  assert.deepEqual([await effectsOf('day'), runs()], [2, 2])
})

test('old rows are deleted, young ones are not', async () => {
  const keys = () =>
    asOwner(async (owner) =>
      (await owner.query('SELECT key FROM idempotency_keys ORDER BY key')).rows.map(({ key }) => key),
    )
  await asOwner((owner) => owner.query('DELETE FROM idempotency_keys'))
  await asOwner((owner) =>
    owner.query(`INSERT INTO idempotency_keys VALUES
      ('acme', 'old', 'did', 'f', '{}', now() - interval '25 hours'), ('globex', 'young', 'did', 'f', '{}', now() - interval '24 hours 59 minutes')`),
  )
  await forgetOldKeys(store.engine)
  assert.deepEqual(await keys(), ['young'])
})

test('a read needs no key and stores none', async () => {
  const { dispatch, runs } = open(() => {}, { effect: 'read' })
  await dispatch('j', 'read')
  assert.equal(told(await dispatch('j', 'read')), '{"run":2}')
  assert.equal(runs(), 2)
})

test('without a key every call has its effect', async () => {
  const { dispatch } = open()
  await dispatch(undefined, 'plain')
  await dispatch(undefined, 'plain')
  assert.equal(await effectsOf('plain'), 2)
})

test('a duplicate waits for the first for a limited time, on any replica, and is then told to retry', async () => {
  const replicas = [open().ports, open(undefined, {}, another).ports]
  const once = async (ports: (typeof replicas)[0], effect: (call: Placed) => Promise<Done>) => {
    const call = await callBefore(7, askedOf({ idempotency_key: 'k' }), ports)
    const context = openContext(call, ports, () => assert.fail('nothing is called'))
    const keyed = { call, key: 'k', context, ports, deadline_ms: 30_000, wait: async () => {}, wait_ms: 50 }
    try {
      return await runOnce(keyed, () => effect(call))
    } catch (thrown) {
      await context.abandon(thrown as Error)
      throw thrown
    }
  }
  const finished = { output_text: '{}', module_metadata: {}, replayed: false }
  const used = { tokens_in: 0, tokens_out: 0, milliseconds: 1 }
  const { promise: may_end, resolve: end } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const first = once(replicas[0]!, async (call) => {
    begin()
    await may_end
    return Object.assign(call, { ...finished, used })
  })
  await begun
  for (const ports of replicas) {
    await assert.rejects(
      once(ports, () => assert.fail('it ran twice')),
      { code: 'idempotency_in_flight', message: /still running after 0\.05 s/ },
    )
  }
  end()
  assert.equal((await first).replayed, false)
  for (const ports of replicas)
    assert.equal((await once(ports, () => assert.fail('it ran twice'))).replayed, true)
})

test('however many duplicates wait for a slow first, others get a connection', async () => {
  const { promise: may_end, resolve: end } = Promise.withResolvers<void>()
  const { dispatch, runs } = open(async ({ what }) => {
    if (what === 'slow') await may_end
  })
  const duplicates = Array.from({ length: 100 }, () => dispatch('line', 'slow'))
  await eventually(() => assert.equal(runs(), 1))
  assert.equal(told(await dispatch('next to it', 'quick')), '{"run":2}')
  assert.ok(store.connections().app.open <= 3, 'each waits with a connection of its own')
  end()
  const outcomes = (await Promise.all(duplicates)).map(told)
  assert.deepEqual([...new Set(outcomes)], ['{"run":1}', '{"run":1} replayed'])
  assert.deepEqual([await effectsOf('slow'), runs()], [1, 2])
})

test('an operation with a long deadline keeps its transaction that long, and waits for locks as without a key', async () => {
  const outcomes: unknown[] = []
  const { dispatch } = open(
    async (_input, context) => {
      const row = await sql`SELECT current_setting('idle_in_transaction_session_timeout') AS idle,
        current_setting('lock_timeout') AS lock`.first(context.db)
      outcomes.push(row)
    },
    { deadline_ms: 600_000 },
  )
  await dispatch('long', 'long')
  await dispatch(undefined, 'long')
  assert.deepEqual(outcomes, [
    { idle: '610s', lock: '0' },
    { idle: '30s', lock: '0' },
  ])
})

test('a commit without confirmation is an error once, and the answer of every retry', async () => {
  let is_lost = true
  const losing: Store = {
    ...store,
    transaction(tenant_id) {
      const transaction = store.transaction(tenant_id)
      const commit = transaction.commit.bind(transaction)
      transaction.commit = async (events) => {
        await commit(events)
        if (is_lost) throw new Error('the line was cut')
      }
      return transaction
    },
  }
  const { dispatch, runs } = open(undefined, {}, losing)
  assert.equal(told(await dispatch('lost', 'lost')), 'internal: undefined')
  is_lost = false
  assert.equal(told(await dispatch('lost', 'lost')), '{"run":1} replayed')
  assert.deepEqual([await effectsOf('lost'), runs()], [1, 1])
})

test('neither a replay nor a key in use counts for or against the module', async () => {
  const { dispatch, ports } = open()
  await dispatch('silent', 'silent')
  const told_of: string[] = []
  Object.assign(ports.breaker, { succeeded: () => told_of.push('well'), failed: () => told_of.push('ill') })
  assert.equal(told(await dispatch('silent', 'silent')), '{"run":1} replayed')
  assert.equal(told(await dispatch('silent', 'other')), 'idempotency_key_reused: another request')
  assert.deepEqual(told_of, [])
  await dispatch('spoken', 'silent')
  assert.deepEqual(told_of, ['well'])
})

test('a secret answer is stored sealed, and a retry still gets it', async () => {
  const { dispatch } = open(() => {}, { secret_output: true })
  assert.equal(told(await dispatch('sealed', 'sealed')), '{"run":1}')
  assert.equal(told(await dispatch('sealed', 'sealed')), '{"run":1} replayed')
  const { rows } = await asOwner((owner) =>
    owner.query("SELECT output_text FROM idempotency_keys WHERE key = 'sealed'"),
  )
  assert.match(rows[0].output_text, /^sealed:[A-Za-z0-9_-]+$/)
  assert.doesNotMatch(rows[0].output_text, /run/)
})

test('a refusal may keep its rows, with and without a key, and is never stored itself', async () => {
  let may = false
  const { dispatch, runs } = open(async (input, context) => {
    await sql`INSERT INTO effects VALUES (${context.tenant_id}, ${`tried ${input.what}`})`.execute(context.db)
    if (!may) throw context.keepingRows(refuse('policy_denied', 'Not yet.', { reason: 'not yet' }))
  })
  for (const key of [undefined, 'counted', 'counted'])
    assert.equal(told(await dispatch(key, 'counted')), 'policy_denied: not yet')
  assert.deepEqual([await effectsOf('tried counted'), await effectsOf('counted'), runs()], [3, 0, 3])
  may = true
  assert.equal(told(await dispatch('counted', 'counted')), '{"run":4}')
  assert.equal(told(await dispatch('counted', 'counted')), '{"run":4} replayed')
})

test('a refusal whose rows cannot be committed becomes an error', async () => {
  const { dispatch, runs } = open(async (_input, context) => {
    await sql`SELECT 1 / 0`.execute(context.db).catch(() => undefined)
    throw context.keepingRows(refuse('policy_denied', 'No.', { reason: 'no' }))
  })
  assert.equal(told(await dispatch(undefined, 'broken')), 'internal: undefined')
  assert.equal(runs(), 1)
})
