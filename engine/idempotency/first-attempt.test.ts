import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Database } from '@svc/contract/database'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { Client } from 'pg'
import { askedOf, testPorts, tryProtocol } from '../../checks/rehearsal/test-ports.ts'
import { openTestStore, storeAt, type TestStore } from '../../checks/rehearsal/test-store.ts'
import type { Asked } from '../call.ts'
import { createEngine, type Outcome } from '../dispatch.ts'

let test_store: TestStore

before(async () => {
  test_store = await openTestStore()
  const owner = new Client({ connectionString: test_store.database.url })
  await owner.connect()
  await owner.query(`CREATE TABLE effects (tenant_id text NOT NULL, what text NOT NULL);
    GRANT SELECT, INSERT ON effects TO svc_app, svc_engine`)
  await owner.end()
})
after(() => test_store.close())

type Work = (context: OperationContext) => unknown

/** TRY run writes one row per effect, and says how often it ran and whether its key was there already. */
function open(work: Work = () => {}, facts: object = {}, store = test_store.store) {
  let runs = 0
  const handle = async ({ what }: { readonly [field: string]: unknown }, context: OperationContext) => {
    const run = ++runs
    await work(context)
    await sql`INSERT INTO effects VALUES (${context.tenant_id}, ${String(what)})`.execute(context.db)
    const key = sql`SELECT 1 FROM idempotency_keys WHERE key = ${context.idempotency_key!}`
    return { run, claimed: await key.exists(context.db) }
  }
  const engine = createEngine(testPorts([tryProtocol(handle, facts)], { store }))
  const dispatch = (key: string, more: Partial<Asked> = { is_first: true }) =>
    engine.dispatch(askedOf({ input: { what: key }, idempotency_key: key }, more))
  return { dispatch, runs: () => runs }
}

async function effectsOf(what: string): Promise<number> {
  const rows = await sql`SELECT 1 FROM effects WHERE what = ${what}`.all(test_store.store.engine)
  return rows.length
}

function resultOf(outcome: Outcome): string {
  if (outcome.kind === 'refused') return `${outcome.refusal.code}: ${outcome.refusal.details.reason}`
  return outcome.kind === 'success' ? outcome.output_text : outcome.kind
}

test('a first attempt stores its key with its answer, which is replayed', async () => {
  const { dispatch, runs } = open()
  assert.equal(resultOf(await dispatch('new')), '{"claimed":false,"run":1}')
  assert.equal(resultOf(await dispatch('new', {})), '{"claimed":false,"run":1}')
  assert.deepEqual([await effectsOf('new'), runs()], [1, 1])
})

test('a first attempt with a key that was used does nothing, and leaves the stored answer', async () => {
  const { dispatch } = open()
  await dispatch('used', {})
  assert.equal(resultOf(await dispatch('used')), 'idempotency_in_flight: in flight')
  assert.equal(await effectsOf('used'), 1)
  assert.equal(resultOf(await dispatch('used', {})), '{"claimed":true,"run":1}')
})

test('of two first attempts at once, in two engines, one takes effect', async () => {
  const entered = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const meet = (at: number) => async () => {
    entered[at]!.resolve()
    await Promise.all(entered.map(({ promise }) => promise))
  }
  const another = await storeAt(test_store.database.url)
  try {
    const engines = [open(meet(0)), open(meet(1), {}, another)]
    const outcomes = await Promise.all(engines.map(({ dispatch }) => dispatch('both')))
    assert.deepEqual(outcomes.map(resultOf).sort(), [
      'idempotency_in_flight: in flight',
      '{"claimed":false,"run":1}',
    ])
    assert.equal(await effectsOf('both'), 1)
  } finally {
    await another.close()
  }
})

async function lostFence(db: Database): Promise<void> {
  await sql`SELECT 1 / count(*)::integer AS holds FROM effects WHERE what = 'nobody'`
    .execute(db)
    .catch(() => {
      throw refuse('invalid_request', 'Others do it now; leave it.', { reason: 'caller left' })
    })
}

test('a fence whose statement fails lets nothing be committed, although the commit is on its way', async () => {
  const { dispatch } = open()
  const refused = await dispatch('lost', { is_first: true, fence: lostFence })
  assert.equal(resultOf(refused), 'invalid_request: caller left')
  assert.equal(await effectsOf('lost'), 0)
  assert.equal(resultOf(await dispatch('lost')), '{"claimed":false,"run":2}')
})

test('a caller that was fenced off is told so, also where the answer is stored already', async () => {
  const { dispatch } = open()
  assert.equal(resultOf(await dispatch('answered')), '{"claimed":false,"run":1}')
  assert.equal(resultOf(await dispatch('answered', { fence: lostFence })), 'invalid_request: caller left')
})

test('what a rollback would not undo waits until the key is claimed, and is not done where it is used', async () => {
  const apart: Work = (context) =>
    context.apart(async ({ db }) => {
      await sql`INSERT INTO effects VALUES (${context.tenant_id}, 'apart')`.execute(db)
    })
  const { dispatch } = open(apart)
  assert.equal(resultOf(await dispatch('acts')), '{"claimed":true,"run":1}')
  assert.equal(await effectsOf('apart'), 1)
  assert.equal(resultOf(await dispatch('acts')), 'idempotency_in_flight: in flight')
  assert.deepEqual([await effectsOf('apart'), await effectsOf('acts')], [1, 1])
})

test('an operation that acts through what it needs claims its key before it begins', async () => {
  // Sealing a log is committed at once, and destroys its key.
  for (const need of ['mail', 'audit_log']) {
    const { dispatch } = open(() => {}, { needs: [need] })
    assert.equal(resultOf(await dispatch(`needs ${need}`)), '{"claimed":true,"run":1}')
  }
})

test('a refusal stores no key, and the same key may try again', async () => {
  let is_refusing = true
  const { dispatch } = open(() => {
    if (is_refusing) throw refuse('policy_denied', 'Not now; try later.', { reason: 'not now' })
  })
  assert.equal(resultOf(await dispatch('refused')), 'policy_denied: not now')
  is_refusing = false
  assert.equal(resultOf(await dispatch('refused', {})), '{"claimed":true,"run":2}')
})
