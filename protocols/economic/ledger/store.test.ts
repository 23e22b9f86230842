// The ledger's rules as the database enforces them, tested with the real roles.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Database } from '@svc/contract/database'
import { Refusal } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import fc from 'fast-check'
import { Client } from 'pg'
import { openTestStore, type TestStore } from '../../../checks/rehearsal/test-store.ts'
import { ledger_faults } from './rules.ts'
import {
  balanceOf,
  type Entry,
  ensureUsd,
  type Journal,
  payIntoRunway,
  postJournal,
  postJournals,
} from './store.ts'

const at = '2026-11-15T00:00:00.000Z'
const correlation_id = '00000000-0000-4000-8000-000000000000'
const [ann, bob] = ['did:oas:acme:agent:a', 'did:oas:globex:agent:b']
let scene: TestStore

before(async () => {
  scene = await openTestStore()
  await ensureUsd(scene.store.engine, 'operator')
})
after(() => scene.close())

const engine = (): Database => scene.store.engine
const journal = (tenant_id: string, entries: readonly Entry[]): Journal => ({
  tenant_id,
  kind: 'test',
  ref: 'test',
  correlation_id,
  at,
  entries,
})
const line = (tenant_id: string, did: string | undefined, type: Entry['type'], amount: bigint): Entry => ({
  tenant_id,
  ...(did && { did }),
  asset_id: 'usd',
  type,
  amount,
})
const mint = (to: Entry) => journal('operator', [line('operator', undefined, 'issuance', -to.amount), to])
const post = (tenant_id: string, ...entries: Entry[]) =>
  scene.as(tenant_id, (db) => postJournal(db, journal(tenant_id, entries)))
const balanceIn = (entry: Entry) => balanceOf(engine(), entry)
const isRefused = (reason: string) => (error: unknown) => {
  assert.ok(error instanceof Refusal, String(error))
  assert.equal(error.details.reason, reason)
  return true
}

test('the operator pays into a runway, which only its tenant sees', async () => {
  const paid = { tenant_id: 'acme', operator_tenant_id: 'operator', micro_usd: 5n, correlation_id, at }
  await payIntoRunway(engine(), { ...paid, kind: 'credit', ref: 'engine' })
  await scene.as('operator', (db) => payIntoRunway(db, { ...paid, kind: 'credit', ref: 'operator' }))
  const runway = line('acme', undefined, 'runway', 1n)
  assert.equal(await scene.as('acme', (db) => balanceOf(db, runway)), 10n)
  assert.equal(await scene.as('globex', (db) => balanceOf(db, runway)), 0n)
  assert.ok((await balanceIn(line('operator', undefined, 'issuance', 1n))) <= -10n)
})

test('a foreign account is debited only from reserved amounts, or to reserve them', async () => {
  await postJournal(engine(), mint(line('globex', bob, 'available', 100n)))
  const taken = line('acme', ann, 'available', 10n)
  const foreign = { code: ledger_faults.foreign_debit }
  await assert.rejects(post('acme', line('globex', bob, 'available', -10n), taken), foreign)
  await assert.rejects(post('acme', line('operator', undefined, 'issuance', -10n), taken), foreign)
  await assert.rejects(
    post('acme', line('globex', bob, 'available', -10n), line('globex', bob, 'escrow', 4n), {
      ...taken,
      amount: 6n,
    }),
    foreign,
  )
  // Reserving for a different identity is not allowed.
  await assert.rejects(
    post('acme', line('globex', bob, 'available', -10n), line('globex', 'did:other', 'escrow', 10n)),
    foreign,
  )
  await post('acme', line('globex', bob, 'available', -10n), line('globex', bob, 'escrow', 10n))
  await post('acme', line('globex', bob, 'escrow', -4n), { ...taken, amount: 4n })
  await post('acme', line('globex', bob, 'escrow', -6n), line('globex', bob, 'available', 6n))
  const balances = [line('globex', bob, 'available', 1n), line('globex', bob, 'escrow', 1n), taken]
  assert.deepEqual(await Promise.all(balances.map(balanceIn)), [96n, 0n, 4n])
  // Nobody can post in the name of another tenant.
  await assert.rejects(
    scene.as('acme', (db) => postJournal(db, mint(taken))),
    /tenant of its transaction/,
  )
})

test('unbalanced, empty or uncovered journals are not posted', async () => {
  await assert.rejects(
    post('acme', line('acme', ann, 'available', 1n), line('acme', ann, 'escrow', 1n)),
    /add up/,
  )
  const zero = [line('acme', ann, 'available', 0n), line('acme', ann, 'escrow', 0n)]
  await assert.rejects(post('acme', ...zero), { code: '23514' })
  await assert.rejects(post('acme'), /2 to/)
  await assert.rejects(
    post('acme', line('acme', 'did:poor', 'available', -1n), line('acme', ann, 'available', 1n)),
    isRefused('insufficient funds'),
  )
  await assert.rejects(
    post('acme', line('acme', undefined, 'issuance', -1n), line('acme', ann, 'available', 1n)),
    isRefused('not the issuer'),
  )
  const shells = (amount: bigint) => ({ ...line('acme', ann, 'available', amount), asset_id: 'shells' })
  await assert.rejects(
    post('acme', shells(1n), { ...shells(-1n), type: 'escrow' }),
    isRefused('unknown asset'),
  )
  await sql`INSERT INTO assets VALUES ('shells', 'acme', 'h', 'token', 'internal', 'SHL', 0, 0, 1, 1, 10, 'x', now())`.execute(
    engine(),
  )
  const issue = { ...line('acme', undefined, 'issuance', -10n), asset_id: 'shells' }
  await post('acme', issue, shells(10n))
  await assert.rejects(post('acme', { ...issue, amount: -1n }, shells(1n)), isRefused('max supply reached'))
})

test('writes go only through the functions, and rows never change', async () => {
  const tables = ['assets', 'ledger_accounts', 'ledger_journals', 'ledger_entries', 'ledger_balances']
  const words = ['DELETE FROM', 'TRUNCATE']
  for (const table of tables) {
    for (const word of words) {
      const statement = sql.raw(`${word} ${table}`)
      await assert.rejects(
        scene.as('acme', (db) => statement.execute(db)),
        { code: '42501' },
        `${word} ${table}`,
      )
      await assert.rejects(statement.execute(engine()), { code: '42501' }, `${word} ${table} as the engine`)
    }
  }
  const forged = sql`INSERT INTO ledger_balances (account_id, tenant_id, type, balance) VALUES (1, 'acme', 'available', 9)`
  const raised = sql`UPDATE ledger_balances SET balance = balance + 1`
  const entered = sql`INSERT INTO ledger_entries SELECT journal_id, place + 9, tenant_id, account_id, asset_id, amount FROM ledger_entries`
  for (const statement of [forged, raised, entered])
    await assert.rejects(
      scene.as('acme', (db) => statement.execute(db)),
      { code: '42501' },
    )
  // Not even the owner of the tables.
  const owner = new Client({ connectionString: scene.database.url })
  await owner.connect()
  try {
    for (const table of ['ledger_journals', 'ledger_entries']) {
      await assert.rejects(owner.query(`DELETE FROM ${table}`), /only ever added to/)
      await assert.rejects(owner.query(`UPDATE ${table} SET tenant_id = 'x'`), /only ever added to/)
      await assert.rejects(owner.query(`TRUNCATE ${table} CASCADE`), /only ever added to/)
    }
    await assert.rejects(owner.query('UPDATE ledger_balances SET balance = -1'), { code: '23514' })
  } finally {
    await owner.end()
  }
})

const holders = [
  line('acme', ann, 'available', 1n),
  line('acme', ann, 'escrow', 1n),
  line('globex', bob, 'available', 1n),
  line('globex', undefined, 'runway', 1n),
  line('operator', undefined, 'issuance', 1n),
]

test('after any postings, entries sum to zero and balances are covered and equal their entries', async () => {
  const step = fc.record({
    from: fc.nat(holders.length - 1),
    to: fc.nat(holders.length - 1),
    amount: fc.bigInt({ min: -50n, max: 200n }),
    slip: fc.integer({ min: 0, max: 9 }).map((drawn) => (drawn === 0 ? 1n : 0n)),
  })
  const runs = fc.asyncProperty(
    fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 8 }),
    async (batches) => {
      const before = await Promise.all(holders.map(balanceIn))
      const expected = [...before]
      for (const batch of batches) {
        const next = [...expected]
        for (const { from, to, amount } of batch) {
          next[from]! -= amount
          next[to]! += amount
        }
        const fits =
          batch.every(({ amount, slip }) => amount !== 0n && slip === 0n) &&
          next.every((balance, place) => balance >= 0n || holders[place]!.type === 'issuance')
        const journals = batch.map(({ from, to, amount, slip }) =>
          journal('operator', [
            { ...holders[from]!, amount: -amount },
            { ...holders[to]!, amount: amount + slip },
          ]),
        )
        const posted = await postJournals(engine(), journals).then(
          (ids) => new Set(ids).size === batch.length,
          () => false,
        )
        assert.equal(posted, fits)
        if (posted) expected.splice(0, expected.length, ...next)
      }
      assert.deepEqual(await Promise.all(holders.map(balanceIn)), expected)
      await assertSound()
    },
  )
  await fc.assert(runs, { numRuns: 6 })
})

/** Invariant 14, over everything posted here. */
async function assertSound(): Promise<void> {
  const rows = await sql`
    SELECT 'unbalanced' AS fault FROM ledger_entries GROUP BY journal_id, asset_id HAVING sum(amount) <> 0
    UNION ALL SELECT 'asset' FROM ledger_balances b JOIN ledger_accounts a ON a.id = b.account_id
      GROUP BY a.asset_id HAVING sum(balance) <> 0
    UNION ALL SELECT 'cache' FROM ledger_balances b WHERE balance <>
      (SELECT coalesce(sum(amount), 0) FROM ledger_entries e WHERE e.account_id = b.account_id)
    UNION ALL SELECT 'chain' FROM (SELECT j AS row, lag(hash, 1, repeat('0', 64)) OVER chain AS previous,
      row_number() OVER chain AS place FROM ledger_journals j WINDOW chain AS (PARTITION BY tenant_id ORDER BY seq)) linked
      WHERE (row).prev_hash <> previous OR (row).seq <> place OR NOT svc_journal_holds(row)`.all(engine())
  assert.deepEqual(rows, [])
}

test('concurrent postings wait for each other instead of overdrawing', async () => {
  await postJournal(engine(), mint(line('acme', 'did:wallet', 'available', 5n)))
  const race = Array.from({ length: 12 }, (_, n) =>
    post('acme', line('acme', 'did:wallet', 'available', -1n), line('globex', `did:${n}`, 'available', 1n)),
  )
  const outcomes = await Promise.allSettled(race)
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 5)
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') isRefused('insufficient funds')(outcome.reason)
  await assertSound()
})

test('the id of a journal is derived from its position in the chain and its call', async () => {
  const id = await postJournal(engine(), mint(line('acme', ann, 'available', 1n)))
  const { rows } = await sql<{ tenant_id: string; seq: string; prev_hash: string }>`
    SELECT tenant_id, seq, prev_hash FROM ledger_journals WHERE id = ${id}::uuid`.execute(engine())
  const { tenant_id, seq, prev_hash } = rows[0]!
  const hash = createHash('sha256').update(`${tenant_id}/${seq}/${prev_hash}/${correlation_id}`).digest('hex')
  assert.equal(id.replaceAll('-', ''), `${hash.slice(0, 12)}8${hash.slice(13, 16)}8${hash.slice(17, 32)}`)
})
