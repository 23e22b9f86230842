import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { unavailable } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { openTestStore, type TestStore } from '../../../checks/rehearsal/test-store.ts'
import type { Decision } from './run-decision.ts'
import type { Executor } from './run-executor.ts'
import { type Claimed, claimOldest } from './run-lease.ts'
import type { JournalRow } from './run-store.ts'
import { type Ready, Turns } from './run-turns.ts'

const lease_ms = 60_000
const due = new Date('2026-11-18T10:00:00Z')
const vault = {
  seal: (_: string, text: string) => ({ sealed: Buffer.from(text), wrapped_key: Buffer.alloc(0) }),
}
let test_store: TestStore

before(async () => {
  test_store = await openTestStore()
})
after(() => test_store.close())

async function claim(tenant_id: string, ...run_ids: string[]): Promise<Map<string, Claimed>> {
  const empty = Buffer.alloc(0)
  await test_store.as(tenant_id, async (db) => {
    await sql`INSERT INTO moon_manifest (tenant_id, ref, name, version, recipe_id, manifest, submitted_by,
        submitted_at, is_active)
      VALUES (${tenant_id}, 'ref', 'one', '1.0.0', '', ${empty}, 'ann', ${due}, true)`.execute(db)
    for (const run_id of run_ids)
      await sql`INSERT INTO moon_run (tenant_id, run_id, manifest_ref, owner_did, state, acting, input,
          correlation_id, depth, created_at, wake_at)
        VALUES (${tenant_id}, ${run_id}, 'ref', 'ann', 'running', ${empty}, ${empty}, 'c', 0, ${due}, ${due})`.execute(
        db,
      )
  })
  const claimed = await claimOldest(test_store.store.engine, { owner: 'me', lease_ms, now: due, limit: 100 })
  return new Map(claimed.map((one) => [one.run_id, one]))
}

/** One step has succeeded with this data. */
function decisionOf(data: unknown, error_code: string | null = null): Decision {
  const row: JournalRow = {
    ...{ path: 'step', seq: 1, state: 'succeeded', attempt: 1, started_at: due, due_at: null, ended_at: due },
    ...{ elapsed_ms: 1, error_code, record_id: null, data },
  }
  const change = {
    ...{
      state: 'running',
      waiting_on: null,
      undoing: null,
      error_code: null,
      confidence: 1,
      started_at: due,
    },
    ...{ ended_at: null, journal_seq: 1, wake_at: due, released: false },
  }
  const nothing = { attempts: [], forgotten: [], adopted: [], called_off: [], taken: new Map() }
  return { situation: {}, effects: new Map(), turn: { rows: [row], change, ...nothing } } as never
}

function readyFor(claimed: Claimed, decide: () => Decision = () => decisionOf({ done: true })): Ready {
  return { claimed, steps: 1, decide, entriesOf: () => [] }
}

function turnsOf(
  transaction: Executor['transaction'] = (tenant_id) => test_store.store.transaction(tenant_id),
): Turns {
  return new Turns({ transaction, vaultOf: () => vault as never })
}

async function stepsOf(tenant_id: string): Promise<string[]> {
  const rows = await sql<{ run_id: string }>`SELECT run_id FROM moon_step
    WHERE tenant_id = ${tenant_id} ORDER BY run_id`.all(test_store.store.engine)
  return rows.map(({ run_id }) => run_id)
}

test('the turns of many runs are written in one transaction', async () => {
  const claimed = await claim('acme', 'a', 'b', 'c')
  let transactions = 0
  const turns = turnsOf((tenant_id) => {
    transactions++
    return test_store.store.transaction(tenant_id)
  })
  const taken = await Promise.all([...claimed.values()].map((one) => turns.take(readyFor(one))))
  assert.ok(taken.every((decision) => decision?.turn.rows.length === 1))
  assert.deepEqual([await stepsOf('acme'), transactions], [['a', 'b', 'c'], 1])
})

test('a run whose turn cannot be decided does not undo the others', async () => {
  const claimed = await claim('globex', 'good', 'odd')
  const turns = turnsOf()
  const odd = readyFor(claimed.get('odd')!, () => {
    throw new Error('it cannot be decided')
  })
  const taken = await Promise.allSettled([turns.take(odd), turns.take(readyFor(claimed.get('good')!))])
  assert.deepEqual(
    taken.map(({ status }) => status),
    ['rejected', 'fulfilled'],
  )
  assert.deepEqual(await stepsOf('globex'), ['good'])
})

test('where the server refuses a row nothing is written, and each run takes its turn alone', async () => {
  const claimed = await claim('initech', 'good', 'odd')
  const turns = turnsOf()
  const odd = readyFor(claimed.get('odd')!, () => decisionOf({}, 'no text of PostgreSQL: \0'))
  const taken = await Promise.all([turns.take(odd), turns.take(readyFor(claimed.get('good')!))])
  assert.deepEqual(taken, [undefined, undefined])
  assert.deepEqual(await stepsOf('initech'), [])
})

test('a lease that was lost, and a row that somebody else has locked, are left out', async () => {
  const claimed = await claim('hooli', 'free', 'locked', 'lost')
  await sql`UPDATE moon_run SET epoch = epoch + 1 WHERE tenant_id = 'hooli' AND run_id = 'lost'`.execute(
    test_store.store.engine,
  )
  const other = test_store.store.transaction('hooli')
  await sql`SELECT 1 FROM moon_run WHERE tenant_id = 'hooli' AND run_id = 'locked' FOR UPDATE`.execute(
    other.db,
  )
  const turns = turnsOf()
  const taken = await Promise.all(
    ['free', 'locked', 'lost'].map((run_id) => turns.take(readyFor(claimed.get(run_id)!))),
  )
  await other.rollback()
  assert.deepEqual(
    taken.map((decision) => decision !== undefined),
    [true, false, false],
  )
  assert.deepEqual(await stepsOf('hooli'), ['free'])
})

test('an engine that lost a run and claimed it again writes only what its last claim decides', async () => {
  const before = (await claim('tyrell', 'run')).get('run')!
  await sql`UPDATE moon_run SET lease_until = NULL WHERE tenant_id = 'tyrell'`.execute(
    test_store.store.engine,
  )
  const [now] = await claimOldest(test_store.store.engine, { owner: 'me', lease_ms, now: due, limit: 1 })
  const turns = turnsOf()
  const taken = await Promise.all([
    turns.take(readyFor(before, () => assert.fail('decided by a claim that was lost'))),
    turns.take(readyFor(now!)),
  ])
  assert.deepEqual(
    taken.map((decision) => decision !== undefined),
    [false, true],
  )
  assert.deepEqual(await stepsOf('tyrell'), ['run'])
})

test('a turn with more content than a group may have is taken alone', async () => {
  const claimed = await claim('umbrella', 'large', 'small')
  const turns = turnsOf()
  const large = readyFor(claimed.get('large')!, () => decisionOf('x'.repeat(2 ** 20)))
  const taken = await Promise.all([turns.take(readyFor(claimed.get('small')!)), turns.take(large)])
  assert.deepEqual(
    taken.map((decision) => decision !== undefined),
    [true, false],
  )
  assert.deepEqual(await stepsOf('umbrella'), ['small'])
})

test('a run of many steps takes its turn alone: to decide it would hold up the others', async () => {
  const claimed = await claim('wayne', 'long', 'short')
  const turns = turnsOf()
  const long = readyFor(claimed.get('long')!, () => assert.fail('decided in a group'))
  const taken = await Promise.all([
    turns.take({ ...long, steps: 201 }),
    turns.take({ ...readyFor(claimed.get('short')!), steps: 200 }),
  ])
  assert.deepEqual(
    taken.map((decision) => decision !== undefined),
    [false, true],
  )
  assert.deepEqual(await stepsOf('wayne'), ['short'])
})

test('a commit that was not confirmed is no reason to decide again: every run of it is loaded anew', async () => {
  const claimed = await claim('soylent', 'a', 'b')
  const turns = turnsOf((tenant_id) => {
    const transaction = test_store.store.transaction(tenant_id)
    const commit = async () => {
      await transaction.commit([])
      throw unavailable('database', new Error('the connection broke'), 'unknown')
    }
    return { db: transaction.db, commit, rollback: () => transaction.rollback() }
  })
  const taken = await Promise.allSettled([...claimed.values()].map((one) => turns.take(readyFor(one))))
  assert.deepEqual(
    taken.map((one) => one.status === 'rejected' && one.reason.code),
    ['unavailable', 'unavailable'],
  )
})

test('tenants do not wait for each other', async () => {
  const slow = await claim('slow', 'run')
  const quick = await claim('quick', 'run')
  const { promise, resolve } = Promise.withResolvers<void>()
  const turns = turnsOf((tenant_id) => {
    const transaction = test_store.store.transaction(tenant_id)
    const commit = async () => {
      if (tenant_id === 'slow') await promise
      await transaction.commit([])
    }
    return { db: transaction.db, commit, rollback: () => transaction.rollback() }
  })
  const waiting = turns.take(readyFor(slow.get('run')!))
  assert.ok(await turns.take(readyFor(quick.get('run')!)))
  resolve()
  assert.ok(await waiting)
})
