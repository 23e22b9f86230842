import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Book, openBook } from '@svc/audit/book'
import type { AuditEntry } from '@svc/contract/audit-record'
import type { Log } from '@svc/engine/ports'
import fc from 'fast-check'
import { type TestDatabase, testDatabase } from '../../checks/test-database.ts'
import { openStore, type PostgresStore } from '../store/postgres.ts'
import { isoWeekStart, spendingFromChain } from './from-chain.ts'

const day_ms = 86_400_000
const at = (text: string) => Date.parse(text)

test('a week starts on Monday at midnight UTC', () => {
  const table = [
    ['2026-11-15T23:59:59.999Z', '2026-11-09T00:00:00.000Z'],
    ['2026-11-16T00:00:00.000Z', '2026-11-16T00:00:00.000Z'],
    ['2026-11-18T12:00:00.000Z', '2026-11-16T00:00:00.000Z'],
    ['2027-01-01T00:00:00.000Z', '2026-12-28T00:00:00.000Z'],
    ['2024-03-01T00:00:00.000Z', '2024-02-26T00:00:00.000Z'],
    ['1970-01-01T00:00:00.000Z', '1969-12-29T00:00:00.000Z'],
  ] as const
  for (const [moment, start] of table) assert.equal(isoWeekStart(at(moment)), at(start), moment)
})

test('every moment lies in exactly one week', () => {
  fc.assert(
    fc.property(fc.integer({ min: 7 * day_ms, max: 4_000_000_000_000 }), (now_ms) => {
      const start_ms = isoWeekStart(now_ms)
      assert.ok(start_ms <= now_ms && now_ms < start_ms + 7 * day_ms)
      assert.equal(new Date(start_ms).getUTCDay(), 1)
      assert.equal(start_ms % day_ms, 0)
      assert.equal(isoWeekStart(start_ms), start_ms)
    }),
  )
})

const log: Log = { debug() {}, info() {}, warn() {}, error() {} }
const did = `did:oas:acme:agent:${'a'.repeat(64)}`
const holder = { tenant_id: 'acme', did, capability: 'svc.max.*' }
let database: TestDatabase
let store: PostgresStore
let book: Book
let folder: string

before(async () => {
  database = await testDatabase()
  store = await openStore({ url: database.url, log })
  folder = await mkdtemp(join(tmpdir(), 'svc-spending-'))
  const dir = join(folder, 'audit')
  book = await openBook({
    db_url: database.url,
    dir,
    master_key: Buffer.alloc(32, 7),
    onUnknownEvent() {},
    log,
  })
  await book.ready('acme')
})
after(async () => {
  await book?.close()
  await store?.close()
  await database?.close()
  await rm(folder, { recursive: true, force: true })
})

function record(timestamp: string, micro_usd: bigint, more: Partial<AuditEntry> = {}): void {
  const usage = { ms: 1, quanta: String(micro_usd * 10n ** 13n) }
  book.record({
    id: randomUUID(),
    event_type: 'ProtocolInvocation',
    correlation_id: randomUUID(),
    timestamp,
    tenant_id: 'acme',
    caller_did: did,
    outcome: 'success',
    latency_ms: 1,
    meta: { grant: 'svc.max.*', usage },
    ...more,
  })
}

test("a holder's week is what the book says, then what this engine settles", async () => {
  record('2026-11-15T23:59:59.999Z', 500n)
  record('2026-11-16T00:00:00.000Z', 30n)
  record('2026-11-18T10:00:00.000Z', 12n)
  record('2026-11-18T10:00:00.000Z', 900n, { caller_did: `did:oas:acme:agent:${'b'.repeat(64)}` })
  record('2026-11-18T10:00:00.000Z', 900n, { meta: { grant: 'svc.*.*', usage: { quanta: '1' } } })
  await book.flush()
  const spending = spendingFromChain(store.engine)
  const wednesday = at('2026-11-18T12:00:00.000Z')
  assert.equal(await spending.inWeek(holder, wednesday), 42n)
  spending.settled(holder, wednesday, 8n)
  assert.equal(spending.inWeek(holder, wednesday), 50n)
  spending.settled({ ...holder, capability: 'svc.*.*' }, wednesday, 8n)
  assert.equal(spending.inWeek(holder, wednesday), 50n)
})

test('a new week starts at what the book holds of it', async () => {
  const spending = spendingFromChain(store.engine)
  await spending.inWeek(holder, at('2026-11-18T12:00:00.000Z'))
  spending.settled(holder, at('2026-11-18T12:00:00.000Z'), 8n)
  assert.equal(await spending.inWeek(holder, at('2026-11-23T00:00:00.000Z')), 0n)
  assert.equal(await spending.inWeek({ ...holder, tenant_id: 'globex' }, at('2026-11-18T12:00:00.000Z')), 0n)
})
