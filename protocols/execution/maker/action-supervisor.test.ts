import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { databaseChanges } from '@svc/adapters/change-notifications/database'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { Database } from '@svc/contract/database'
import type { StandIn } from '@svc/contract/needs/stand-in'
import type { Vault } from '@svc/contract/needs/vault'
import { refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { manualClock } from '../../../checks/rehearsal/manual-clock.ts'
import { type TestDatabase, testDatabase } from '../../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../../checks/rehearsal/test-store.ts'
import { eventually } from '../../../checks/suite/eventually.ts'
import { restTopic } from '../moon/run-executor.ts'
import { createRun } from '../moon/run-store.ts'
import { clearLatch, setLatch } from '../stop-latch/stop-latch.ts'
import type { Executor } from './action.ts'
import type { Script } from './action-executors.ts'
import { askToStop, createAction, findAction, type OpenAction } from './action-store.ts'
import { ActionSupervisor, type Watch } from './action-supervisor.ts'

const clock = manualClock('2026-11-18T10:00:00.000Z')
const change_notifications = databaseChanges(undefined)
const tenant_id = 'acme'
const vault: Vault = {
  seal: (_, plain) => ({ sealed: Buffer.from(plain), wrapped_key: Buffer.alloc(84, 1) }),
  open: (_, { sealed }) => sealed,
  sealWithin: (_, plain) => ({ sealed: Buffer.from(plain), key: Buffer.alloc(32) }),
  openWithin: (_, { sealed }) => sealed,
  blind: (text) => text,
  salt: () => Buffer.alloc(16),
}
const acting: StandIn = {
  key_id: 'local:x',
  did: 'did:oas:acme:agent:a',
  tenant_id,
  tier: 'sovereign',
  capabilities: [],
  correlation_id: '00000000-0000-4000-8000-000000000000',
  depth: 0,
}
const manifest_ref = `moon://manifest/${'0'.repeat(64)}`
const script = { builtin: 'script_ref', script_ref: 'x' } as const
/** Runs until it is stopped. */
function loop(gone = true): Script {
  const ending = Promise.withResolvers<Awaited<Script['ended']>>()
  const stopGroup = () => {
    ending.resolve({ how: 'SIGTERM', exit_code: 0, signal: null, gone })
    return ending.promise
  }
  return {
    pid: 4711,
    ended: ending.promise,
    stopGroup,
    output: { text: () => '' },
    complaints: { text: () => '' },
  }
}
/** Rejects when it is told to stop. */
const untilLeft = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('left'))))

let database: TestDatabase
let store: PostgresStore
let failures: unknown[]

before(async () => {
  database = await testDatabase()
  store = await storeAt(database.url)
})
after(async () => {
  await store.close()
  await database.close()
})

function supervise(means: Partial<Watch> = {}): ActionSupervisor {
  failures = []
  return new ActionSupervisor({
    db: store.engine,
    supervisor: clock.uuid(),
    host: 'here',
    transaction: (id) => store.transaction(id),
    vaultOf: () => vault,
    isGroupGone: async () => true,
    change_notifications,
    clock,
    onFailure: (error) => failures.push(error),
    perform: async () => assert.fail('nothing is dispatched'),
    startScript: async () => loop(),
    request: (_url, _ask, signal) => untilLeft(signal),
    safeState: async () => assert.fail('no device is asked'),
    ...means,
  })
}

async function propose(executor: Executor, more: object = {}, of = tenant_id): Promise<string> {
  const action_id = clock.uuid()
  const now = new Date(clock.now_ms())
  const ask = { action_kind: 'test', target: 'x', executor, max_duration_ms: 60_000, irreversible: false }
  const transaction = store.transaction(of)
  await createAction(
    { db: transaction.db, tenant_id: of, vault },
    {
      action_id,
      ask: { ...ask, ...more },
      acting: { ...acting, tenant_id: of },
      device_id: null,
      stop_token: action_id,
      authority: null,
      grace_ms: 0,
      now: now.toISOString(),
      deadline_at: new Date(now.getTime() + 60_000),
    },
  )
  await transaction.commit([])
  return action_id
}

async function stop(action_id: string, db: Database = store.engine): Promise<void> {
  const at = new Date(clock.now_ms()).toISOString()
  const covered = { scope: 'action', scope_id: action_id } as const
  await askToStop({ db, tenant_id }, covered, { stop_ref: 'stop', mode: 'graceful', at })
}

async function stateOf(action_id: string, of = tenant_id): Promise<OpenAction> {
  return (await findAction({ db: store.engine, tenant_id: of, vault }, action_id))!
}

/** Waits until the action has this state. */
async function becomes(action_id: string, state: string, supervisor: ActionSupervisor): Promise<OpenAction> {
  for (let looks = 0; looks < 200; looks++) {
    const current = await stateOf(action_id)
    if (current.state === state) return current
    await supervisor.look()
  }
  return assert.fail(`${action_id} is ${(await stateOf(action_id)).state}, and not ${state}`)
}

test('an action that cannot be started fails, and does not block others', async () => {
  const supervisor = supervise({
    startScript: async () => {
      throw new Error('EAGAIN')
    },
    perform: async () => {
      throw refuse('unauthenticated', 'The key is revoked.', {})
    },
  })
  const [broken, refused] = [await propose(script), await propose({ manifest_ref })]
  const well = await propose({ builtin: 'noop' })
  await supervisor.takeUp()
  assert.equal((await becomes(well, 'succeeded', supervisor)).how, 'noop')
  assert.equal((await becomes(broken, 'failed', supervisor)).error_code, 'internal')
  assert.equal((await becomes(refused, 'failed', supervisor)).error_code, 'unauthenticated')
  await supervisor.close()
})

test('a stop during the start of a program is confirmed only when the program ends', async (t) => {
  const starting = Promise.withResolvers<Script>()
  const supervisor = supervise({ startScript: () => starting.promise })
  t.after(() => supervisor.close())
  const action_id = await propose(script)
  const beginning = supervisor.takeUp()
  while ((await stateOf(action_id)).state !== 'running') await new Promise(setImmediate)
  await stop(action_id)
  await supervisor.look()
  assert.equal((await stateOf(action_id)).state, 'stopping')
  starting.resolve(loop())
  await beginning
  assert.match((await becomes(action_id, 'stopped', supervisor)).how!, /process group gone/)
  await supervisor.close()
})

test('a stop does not deadlock with a start or a heartbeat', async () => {
  const supervisor = supervise()
  const running = await propose(script)
  await supervisor.takeUp()
  await becomes(running, 'running', supervisor)
  const late = await propose(script)
  const order = store.transaction(tenant_id)
  const latch = { scope: 'tenant', scope_id: tenant_id, stop_ref: 'stop', set_by: 'x' } as const
  await setLatch(order.db, { ...latch, tenant_id, set_at: new Date(clock.now_ms()) })
  const beginning = supervisor.takeUp()
  await eventually(async () => {
    const rows = await sql`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`.all(store.engine)
    assert.equal(rows.length, 1)
  })
  for (const action_id of [late, running]) await stop(action_id, order.db)
  await supervisor.look()
  await clearLatch(order.db, tenant_id, 'tenant', tenant_id, new Date(clock.now_ms()))
  await order.commit([])
  await beginning
  assert.equal((await stateOf(late)).how, 'never_started')
  await becomes(running, 'stopped', supervisor)
  assert.deepEqual(failures, [])
  await supervisor.close()
})

test('an unconfirmed stop does not delay the others', async () => {
  let requests = 0
  const safe = Promise.withResolvers<Awaited<ReturnType<Watch['safeState']>>>()
  const supervisor = supervise({
    perform: (_, signal) => untilLeft(signal),
    safeState: () => (requests++ === 0 ? Promise.resolve({ confirmed: false, why: 'away' }) : safe.promise),
  })
  const device = await propose({ actuator_id: 'mote://actuator/did:oas:acme:device:d/valve' })
  await supervisor.takeUp()
  await stop(device)
  await becomes(device, 'stop_unconfirmed', supervisor)
  const other = await propose(script)
  await supervisor.takeUp()
  void supervisor.look()
  await stop(other)
  const looking = supervisor.look()
  for (let turns = 0; turns < 2_000 && (await stateOf(other)).state !== 'stopped'; turns++);
  assert.equal((await stateOf(other)).state, 'stopped')
  safe.resolve({ confirmed: true, reported: {} })
  await looking
  await becomes(device, 'stopped', supervisor)
  await supervisor.close()
})

test('an action past its deadline is not started', async (t) => {
  const supervisor = supervise({ startScript: async () => assert.fail('begun') })
  t.after(() => supervisor.close())
  const action_id = await propose(script)
  clock.advance(60_000)
  await supervisor.takeUp()
  assert.equal((await becomes(action_id, 'failed', supervisor)).error_code, 'timeout')
  assert.deepEqual(failures, [])
  await supervisor.close()
})

test('compensation starts once the stop is confirmed, not while it may still run', async () => {
  const effects: string[] = []
  let gone = false
  const supervisor = supervise({
    startScript: async () => loop(false),
    isGroupGone: async () => gone,
    async perform({ workflow }) {
      effects.push(workflow.path)
      return { kind: 'done', output: {}, record_id: 'x', elapsed_ms: 1 }
    },
  })
  const action_id = await propose(script, { compensation: { manifest_ref } })
  await supervisor.takeUp()
  await stop(action_id)
  await becomes(action_id, 'stop_unconfirmed', supervisor)
  assert.deepEqual(effects, [])
  gone = true
  await becomes(action_id, 'stopped', supervisor)
  assert.deepEqual(effects, ['compensation'])
  await supervisor.close()
})

/** A run as MOON stores it, without a worker. */
async function startRun(action_id: string): Promise<string> {
  const now = new Date(clock.now_ms()).toISOString()
  const transaction = store.transaction(tenant_id)
  await sql`INSERT INTO moon_manifest (tenant_id, ref, name, version, recipe_id, manifest, submitted_by, submitted_at, is_active)
    VALUES (${tenant_id}, ${manifest_ref}, 'x', '1.0.0', 'x', '', 'x', ${now}, true) ON CONFLICT DO NOTHING`.execute(
    transaction.db,
  )
  const run = { manifest_ref, acting, input: {}, line: null, retry_of: null }
  const named = { run_id: clock.uuid(), run_key: `named action ${action_id}`, now, deadline_at: null }
  const run_id = await createRun({ db: transaction.db, tenant_id, vault }, { ...run, ...named })
  await transaction.commit([])
  return run_id
}

async function endRun(run_id: string, state: string): Promise<void> {
  await sql`UPDATE moon_run SET state = ${state}, ended_at = now() WHERE run_id = ${run_id}`.execute(
    store.engine,
  )
  change_notifications.tell(restTopic(run_id))
}

/** Starts the run, and has no permission for anything else. */
function startOnce() {
  let run_id: string | undefined
  const perform: Watch['perform'] = async ({ workflow }) => {
    if (run_id !== undefined) throw refuse('unauthenticated', 'The key is revoked.', {})
    run_id = await startRun(workflow.run.slice('maker://action/'.length))
    return { kind: 'done', output: { run_ref: `moon://run/${run_id}` }, record_id: 'x', elapsed_ms: 1 }
  }
  return { perform, run: () => run_id! }
}

test('a workflow is cancelled without its owner’s key, and is stopped when its run has ended', async () => {
  const { perform, run } = startOnce()
  const supervisor = supervise({ perform })
  const action_id = await propose({ manifest_ref })
  await supervisor.takeUp()
  await stop(action_id)
  const cancelled = async () => {
    const row = await sql<{ cancel: string | null }>`SELECT cancel FROM moon_run
      WHERE run_id = ${run()}`.first(store.engine)
    return row?.cancel
  }
  for (let looks = 0; looks < 200 && !(await cancelled()); looks++) await supervisor.look()
  assert.equal(await cancelled(), 'compensate')
  for (let looks = 0; looks < 5; looks++) await supervisor.look()
  assert.equal((await stateOf(action_id)).state, 'stopping', 'the run has not ended')
  await endRun(run(), 'cancelled')
  await becomes(action_id, 'stopped', supervisor)
  assert.deepEqual(failures, [])
  await supervisor.close()
})

test('an engine that shuts down releases a workflow, and another follows it', async () => {
  const { perform, run } = startOnce()
  const supervisor = supervise({ perform })
  const action_id = await propose({ manifest_ref })
  await supervisor.takeUp()
  await supervisor.close()
  assert.equal((await stateOf(action_id)).state, 'running')
  await sql`UPDATE maker_action SET heartbeat_at = now() - interval '1 minute'`.execute(store.engine)
  const other = supervise({ perform })
  await other.look()
  await endRun(run(), 'succeeded')
  assert.match((await becomes(action_id, 'succeeded', other)).how!, /^moon:/)
  await other.close()
})

test('one organization cannot occupy the whole supervisor', async () => {
  const supervisor = supervise()
  for (let actions = 0; actions < 70; actions++) await propose({ builtin: 'http_request' })
  const other = await propose({ builtin: 'noop' }, {}, 'globex')
  for (let rounds = 0; rounds < 10; rounds++) await supervisor.takeUp()
  const rows = await sql<{
    state: string
  }>`SELECT state FROM maker_action WHERE tenant_id = ${tenant_id}`.all(store.engine)
  assert.ok(rows.some(({ state }) => state === 'authorised'))
  while ((await stateOf(other, 'globex')).state !== 'succeeded') await new Promise(setImmediate)
  await supervisor.close()
})
