// Modules that run in an outside service: the key is held by a lease, without a connection.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { nativeEndpoint } from '@svc/adapters/endpoint/native'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import { refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { Client } from 'pg'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { askedOf, credentialOf, testPorts, tryProtocol } from '../../checks/rehearsal/test-ports.ts'
import { storeAt } from '../../checks/rehearsal/test-store.ts'
import { eventually } from '../../checks/suite/eventually.ts'
import { createEngine, type Outcome } from '../dispatch.ts'
import type { Endpoint } from '../routing/routing.ts'

let database: TestDatabase
let stores: PostgresStore[]
let owner: Client

before(async () => {
  database = await testDatabase()
  stores = [await storeAt(database.url), await storeAt(database.url)]
  owner = new Client({ connectionString: database.url })
  await owner.connect()
  await owner.query('CREATE TABLE effects (key text NOT NULL); GRANT INSERT ON effects TO svc_app')
})
after(async () => {
  await owner?.end()
  for (const store of stores ?? []) await store.close()
  await database?.close()
})

/** An outside service that remembers requests by key, as the contract requires. */
function remoteService() {
  const answers = new Map<string, Promise<unknown>>()
  const remote = { asked: 0, effects: 0, work: async (): Promise<unknown> => undefined }
  const endpoint = (): Endpoint => ({
    id: 'far',
    kind: 'external',
    healthy: true,
    in_flight: 0,
    async invoke(_operation, _payload, { idempotency_key }) {
      remote.asked++
      const key = idempotency_key!
      const answer =
        answers.get(key) ??
        remote.work().then((result) => {
          remote.effects++
          return result ?? { effect: remote.effects }
        })
      answers.set(key, answer)
      answer.catch(() => answers.delete(key))
      return { data: (await answer) as object }
    },
  })
  return Object.assign(remote, { endpoint })
}

/** A replica of an engine: its own store, registry and clock, the same database and remote service. */
function openReplica(
  remote: ReturnType<typeof remoteService>,
  at: 0 | 1 = 0,
  kind: 'external' | 'native' = 'external',
) {
  const clock = manualClock('2026-11-15T10:00:00.000Z', `replica ${at} ${kind} ${clocks++}`)
  const ports = testPorts([], { store: stores[at]!, clock })
  const definition = tryProtocol(async () => ({ effect: 'here' }))
  ports.registry.register(definition, [kind === 'external' ? remote.endpoint() : nativeEndpoint(definition)])
  const engine = createEngine(ports)
  const dispatch = (key: string, what = 'it', credential = credentialOf('svc.try.*')) =>
    engine.dispatch(askedOf({ input: { what }, idempotency_key: key }, { credential }))
  return { ports, dispatch, engine }
}
let clocks = 0

function told(outcome: Outcome): string {
  if (outcome.kind === 'success')
    return `${outcome.output_text}${outcome.metadata.replayed ? ' replayed' : ''}`
  return outcome.kind === 'refused' ? outcome.refusal.code : outcome.kind
}
async function rowOf(key: string) {
  const { rows } = await owner.query(
    'SELECT output_text, held_until > clock_timestamp() AS is_held FROM idempotency_keys WHERE key = $1',
    [key],
  )
  return rows[0]
}
const runOut = (key: string) =>
  owner.query("UPDATE idempotency_keys SET held_until = now() - interval '1 second' WHERE key = $1", [key])

/** A remote service that answers on command. */
function slowRemote() {
  const remote = remoteService()
  const { promise: gate, resolve: end } = Promise.withResolvers<void>()
  remote.work = async () => void (await gate)
  return { remote, end }
}

test('a retry gets the first answer, and the remote service is called once', async () => {
  const remote = remoteService()
  const [a, b] = [openReplica(remote), openReplica(remote, 1)]
  assert.equal(told(await a.dispatch('x-retry')), '{"effect":1}')
  assert.equal(told(await a.dispatch('x-retry')), '{"effect":1} replayed')
  assert.equal(told(await b.dispatch('x-retry')), '{"effect":1} replayed')
  assert.equal(told(await b.dispatch('x-retry', 'another')), 'idempotency_key_reused')
  assert.equal(remote.asked, 1)
})

test('while the remote service works no connection is held, and other writes proceed', async () => {
  const { remote, end } = slowRemote()
  const replica = openReplica(remote)
  const calls = Array.from({ length: 15 }, (_, i) => replica.dispatch(`x-slow-${i}`))
  await eventually(() => assert.equal(remote.asked, 15))
  const { open, idle, waiting } = stores[0]!.connections().app
  assert.deepEqual([open - idle, waiting], [0, 0])
  end()
  assert.equal(new Set((await Promise.all(calls)).map(told)).size, 15)
})

test('concurrent duplicates on two replicas: one outside call, one answer', async () => {
  const { remote, end } = slowRemote()
  const replicas = [openReplica(remote), openReplica(remote, 1)]
  const calls = Array.from({ length: 60 }, (_, i) => replicas[i % 2]!.dispatch('x-many'))
  await eventually(() => assert.equal(remote.asked, 1))
  assert.deepEqual(await rowOf('x-many'), { output_text: null, is_held: true })
  end()
  const outcomes = (await Promise.all(calls)).map(told)
  assert.deepEqual([...new Set(outcomes)].sort(), ['{"effect":1}', '{"effect":1} replayed'])
  assert.equal(outcomes.filter((outcome) => outcome === '{"effect":1}').length, 1)
  assert.equal(remote.asked, 1)
})

test('in flight, the key is refused to another request at once and to another caller', async () => {
  const { remote, end } = slowRemote()
  const [a, b] = [openReplica(remote), openReplica(remote, 1)]
  const first = a.dispatch('x-mine')
  await eventually(() => assert.equal(remote.asked, 1))
  const colleague = { ...credentialOf('svc.try.*'), did: `did:oas:acme:agent:${'b'.repeat(64)}` }
  assert.equal(told(await b.dispatch('x-mine', 'other')), 'idempotency_key_reused')
  assert.equal(told(await b.dispatch('x-mine', 'it', colleague)), 'idempotency_key_reused')
  await runOut('x-mine')
  assert.equal(told(await b.dispatch('x-mine', 'it', colleague)), 'idempotency_key_reused', 'nor inherited')
  end()
  assert.equal(told(await first), '{"effect":1}')
})

test('an expired lease is taken over, and the remote service knows the key', async (t) => {
  const remote = remoteService()
  await openReplica(remote).dispatch('x-died')
  // As left by a kill between the remote service's answer and ours.
  await owner.query(
    "UPDATE idempotency_keys SET output_text = NULL, held_until = now() + interval '1 hour' WHERE key = 'x-died'",
  )
  const replica = openReplica(remote, 1)
  const looked = t.mock.method(stores[1]!, 'transaction').mock
  const waiting = replica.dispatch('x-died')
  await eventually(() => assert.ok(looked.callCount() > 1))
  assert.equal(remote.asked, 1)
  await runOut('x-died')
  assert.equal(told(await waiting), '{"effect":1}')
  assert.deepEqual([remote.asked, remote.effects], [2, 1])
  assert.equal(told(await replica.dispatch('x-died')), '{"effect":1} replayed')
})

test('a call that outlived its lease does not overwrite its successor', async () => {
  const { remote, end } = slowRemote()
  const [held_up, other] = [openReplica(remote), openReplica(remote, 1)]
  const first = held_up.dispatch('x-fenced')
  await eventually(() => assert.equal(remote.asked, 1))
  await runOut('x-fenced')
  const second = other.dispatch('x-fenced')
  await eventually(() => assert.equal(remote.asked, 2))
  end()
  const outcomes = (await Promise.all([first, second])).map(told)
  assert.deepEqual(outcomes, ['idempotency_in_flight', '{"effect":1}'])
  assert.equal(told(await held_up.dispatch('x-fenced')), '{"effect":1} replayed')
  assert.equal(remote.effects, 1)
})

test('a refusal frees the key; a failure reserves it for the same request', async () => {
  const remote = remoteService()
  const replica = openReplica(remote)
  remote.work = () => Promise.reject(refuse('policy_denied', 'No.', { reason: 'no' }))
  assert.equal(told(await replica.dispatch('x-no')), 'policy_denied')
  assert.equal(await rowOf('x-no'), undefined)
  for (const code of ['adapter_error', 'timeout', 'idempotency_in_flight'] as const) {
    const key = `x-${code}`
    remote.work = () => Promise.reject(refuse(code, 'Perhaps.', { reason: 'perhaps' }))
    assert.equal(told(await replica.dispatch(key)), code)
    assert.deepEqual(await rowOf(key), { output_text: null, is_held: false })
    remote.work = async () => undefined
    assert.equal(told(await replica.dispatch(key, 'another')), 'idempotency_key_reused')
    assert.match(told(await replica.dispatch(key)), /^\{"effect":\d\}$/)
    assert.match(told(await replica.dispatch(key)), / replayed$/)
  }
})

test('an unavailable database does not count against the remote service', async () => {
  const remote = remoteService()
  const { ports, engine } = openReplica(remote)
  const away = refuse('adapter_error', 'No connection.', { reason: 'database unavailable' })
  const store = {
    transaction: () => ({
      get db(): never {
        throw away
      },
      opened: false,
      waiting: false,
      commit: async () => {},
      rollback: async () => {},
    }),
    healthy: async () => false,
  }
  const blind = createEngine({ ...ports, store })
  for (let i = 0; i < 10; i++) {
    const outcome = await blind.dispatch(askedOf({ idempotency_key: `x-away-${i}` }))
    assert.equal(told(outcome), 'adapter_error')
  }
  assert.equal(remote.asked, 0)
  assert.equal(told(await engine.dispatch(askedOf({ idempotency_key: 'x-away' }))), '{"effect":1}')
})

test('where the database is too busy to store its answer, an outside call says that it may have been done', async () => {
  const remote = remoteService()
  const { ports } = openReplica(remote)
  remote.work = async () => undefined
  const busy = refuse('no_endpoint_available', 'Nothing was done.', { reason: 'database busy' })
  const store = {
    transaction(tenant_id: string) {
      const transaction = ports.store.transaction(tenant_id)
      return {
        get db() {
          if (remote.effects > 0) throw busy
          return transaction.db
        },
        get opened() {
          return transaction.opened
        },
        get waiting() {
          return transaction.waiting
        },
        commit: transaction.commit.bind(transaction),
        rollback: transaction.rollback.bind(transaction),
      }
    },
    healthy: async () => true,
  }
  const outcome = await createEngine({ ...ports, store }).dispatch(askedOf({ idempotency_key: 'x-busy' }))
  assert.ok(outcome.kind === 'refused')
  assert.deepEqual(
    [outcome.refusal.code, outcome.refusal.details.outcome, remote.effects],
    ['unavailable', 'unknown', 1],
  )
})

test('a protocol that moves in or out keeps its stored answers, and an outside call is not repeated here', async () => {
  const { remote, end } = slowRemote()
  const [outside, here] = [openReplica(remote), openReplica(remote, 1, 'native')]
  const first = outside.dispatch('x-moved')
  await eventually(() => assert.equal(remote.asked, 1))
  assert.equal(told(await here.dispatch('x-moved')), 'idempotency_in_flight')
  end()
  assert.equal(told(await first), '{"effect":1}')
  assert.equal(told(await here.dispatch('x-moved')), '{"effect":1} replayed')
  assert.equal(told(await here.dispatch('x-back')), '{"effect":"here"}')
  assert.equal(told(await outside.dispatch('x-back')), '{"effect":"here"} replayed')
})

test("a lease in flight is exclusive, whatever a replica's clock says", async (t) => {
  const { remote, end } = slowRemote()
  const [a, b] = [openReplica(remote), openReplica(remote, 1)]
  const first = a.dispatch('x-clock')
  await eventually(() => assert.equal(remote.asked, 1))
  b.ports.clock.advance(48 * 3_600_000)
  const looked = t.mock.method(stores[1]!, 'transaction').mock
  const second = b.dispatch('x-clock')
  await eventually(() => assert.ok(looked.callCount() > 1))
  assert.equal(remote.asked, 1)
  end()
  assert.equal(told(await first), '{"effect":1}')
  // Finished, it is two days old for the other replica: a new request, whose key the remote service knows.
  assert.equal(told(await second), '{"effect":1}')
  assert.equal(remote.effects, 1)
})

/** A native module that acts outside, or waits, and writes a row. */
function openHere(fact: 'acts_outside' | 'waits', at: 0 | 1, work: () => Promise<void>) {
  const counted = { begun: 0 }
  const definition = tryProtocol(
    async (_input, context) => {
      counted.begun++
      await work()
      await sql`INSERT INTO effects VALUES (${context.idempotency_key})`.execute(context.db)
      return { replica: at }
    },
    { [fact]: true },
  )
  const clock = manualClock('2026-11-15T10:00:00.000Z', `here ${fact} ${at} ${clocks++}`)
  const engine = createEngine(testPorts([definition], { store: stores[at]!, clock }))
  const dispatch = (key: string) => engine.dispatch(askedOf({ input: {}, idempotency_key: key }))
  return Object.assign(counted, { dispatch })
}
async function effectsOf(key: string): Promise<number> {
  const { rows } = await owner.query('SELECT FROM effects WHERE key = $1', [key])
  return rows.length
}

for (const fact of ['acts_outside', 'waits'] as const) {
  test(`what ${fact.replace('_', ' ')} holds no connection meanwhile, and commits rows and answer together`, async (t) => {
    const { promise: gate, resolve: end } = Promise.withResolvers<void>()
    const [a, b] = [openHere(fact, 0, () => gate), openHere(fact, 1, () => gate)]
    const [key, fenced] = [`${fact} once`, `${fact} fenced`]
    const calls = [a.dispatch(key), a.dispatch(fenced)]
    await eventually(() => assert.equal(a.begun, 2))
    const { open, idle, waiting } = stores[0]!.connections().app
    assert.deepEqual([open - idle, waiting], [0, 0])
    const looked = t.mock.method(stores[1]!, 'transaction').mock
    calls.push(b.dispatch(key))
    await eventually(() => assert.ok(looked.callCount() > 1))
    // As if it had been delayed past its lease.
    await runOut(fenced)
    calls.push(b.dispatch(fenced))
    await eventually(() => assert.equal(b.begun, 1))
    end()
    const outcomes = (await Promise.all(calls)).map(told)
    assert.deepEqual(outcomes.toSpliced(1, 1), ['{"replica":0}', '{"replica":0} replayed', '{"replica":1}'])
    assert.equal(outcomes[1], 'idempotency_in_flight')
    assert.deepEqual([await effectsOf(key), await effectsOf(fenced)], [1, 1], 'no row of the late one')
  })

  test(`what ${fact.replace('_', ' ')} and failed may be retried, and then stores its answer`, async () => {
    const faults = [refuse('timeout', 'Perhaps.'), refuse('policy_denied', 'No.'), undefined]
    const here = openHere(fact, 0, async () => {
      const fault = faults.shift()
      if (fault) throw fault
    })
    const key = `${fact} broke`
    assert.equal(told(await here.dispatch(key)), 'timeout')
    assert.deepEqual(await rowOf(key), { output_text: null, is_held: false })
    assert.equal(told(await here.dispatch(key)), 'policy_denied')
    assert.equal(await rowOf(key), undefined)
    assert.equal(told(await here.dispatch(key)), '{"replica":0}')
    assert.equal(told(await here.dispatch(key)), '{"replica":0} replayed')
    assert.equal(await effectsOf(key), 1)
  })
}

test('an engine that stood still after its claim does nothing, and the key is free at once', async () => {
  const remote = remoteService()
  const { ports, dispatch } = openReplica(remote)
  const still_ms = [6_000]
  const { store, clock } = ports
  const transaction = (tenant_id: string) => {
    const opened = store.transaction(tenant_id)
    const commit: typeof opened.commit = async (events) => {
      await opened.commit(events)
      clock.advance(still_ms.pop() ?? 0)
    }
    return { db: opened.db, commit, rollback: () => opened.rollback() }
  }
  Object.assign(ports, { store: { ...store, transaction } })
  const outcome = await dispatch('paused')
  assert.ok(outcome.kind === 'refused')
  assert.deepEqual(
    [outcome.refusal.code, outcome.refusal.details.reason],
    ['idempotency_in_flight', 'held up'],
  )
  assert.equal(remote.asked, 0)
  assert.equal(told(await dispatch('paused')), '{"effect":1}')
})
