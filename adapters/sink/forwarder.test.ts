import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { AuditLog } from '@svc/audit/audit-log'
import { type HandedRecord, measureLag } from '@svc/audit/sinks/fan-out-store'
import {
  asOwner,
  entryOf,
  exportLines,
  newFolder,
  openTestAuditLog,
  rotateTestKey,
} from '@svc/audit/test-audit-log'
import fc from 'fast-check'
import type { Pool } from 'pg'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { eventually } from '../../checks/suite/eventually.ts'
import { system_clock } from '../clock/system.ts'
import { openFanOutPool } from './fan-out-pool.ts'
import { Forwarder, type ForwarderOptions, type Outlet, TooLarge } from './forwarder.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
let database: TestDatabase
let db: Pool
let audit_log: AuditLog
let onCommit: () => void = () => {}

before(async () => {
  database = await testDatabase()
  db = openFanOutPool(database.url, quiet)
  const projection_modules = [import.meta.resolve('@svc/audit/sinks/due')]
  const onCommitted = () => onCommit()
  audit_log = await openTestAuditLog(database.url, await newFolder(), { projection_modules, onCommitted })
})
after(async () => {
  await audit_log.close()
  await db.end()
  await database.close()
})

/** Keeps what it was sent, like a topic of one partition. */
class Topic implements Outlet {
  readonly log: HandedRecord[] = []
  sends = 0
  fault: ((records: readonly HandedRecord[]) => Promise<void> | void) | undefined

  async send(records: readonly HandedRecord[]): Promise<void> {
    this.sends++
    await this.fault?.(records)
    this.log.push(...records)
  }

  async close(): Promise<void> {}

  /** As a reader does: a record at or before the newest of its tenant is a duplicate. */
  chainOf(tenant_id: string): HandedRecord[] {
    const chain: HandedRecord[] = []
    for (const record of this.log) {
      if (record.tenant_id === tenant_id && record.seq > (chain.at(-1)?.seq ?? 0)) chain.push(record)
    }
    return chain
  }
}

function forward(topic: string, outlet: Outlet, more: Partial<ForwarderOptions> = {}): Forwarder {
  const options = { db, topic, outlet, clock: system_clock, log: quiet, lease_ms: 600, retry_ms: 50 }
  return new Forwarder({ ...options, ...more })
}

async function write(tenant_id: string, count: number, more = {}): Promise<void> {
  for (let i = 0; i < count; i++) audit_log.record(entryOf(tenant_id, more))
  await audit_log.flush()
}

/** Exactly the lines of the chain's export, in order. */
async function assertWhole(outlet: Topic, tenant_id: string): Promise<void> {
  const lines = (await exportLines(database.url, tenant_id)).filter((line) => line.startsWith('{"record"'))
  const chain = outlet.chainOf(tenant_id)
  assert.deepEqual(
    chain.map(({ line }) => line),
    lines,
  )
  for (const [i, { seq, line, record_id, event_type, previous_hash }] of chain.entries()) {
    const { record } = JSON.parse(line)
    assert.deepEqual([record.seq, record.id, record.event_type], [seq, record_id, event_type])
    assert.equal(previous_hash, chain[i - 1]?.record_hash ?? '0'.repeat(64))
  }
}

test("committed records are forwarded once, in the export's form, and then nothing is due", async (t) => {
  const topic = new Topic()
  await write('a-before', 30)
  const forwarder = forward('plain', topic)
  t.after(() => forwarder.close())
  onCommit = () => forwarder.wake()
  await write('a-while', 30, { caller_did: 'x,"id":"00000000-0000-4000-8000-000000000000"' })
  await eventually(() => assert.equal(topic.log.length, 60))
  await assertWhole(topic, 'a-before')
  await assertWhole(topic, 'a-while')
  await forwarder.close()
  onCommit = () => {}
  const { rows } = await db.query("SELECT FROM audit_fan_out_due WHERE tenant_id LIKE 'a-%'")
  assert.equal(rows.length, 0)
})

test('unnoted records are found: of an engine without a fan-out, and of a command', async (t) => {
  const unnoting = await openTestAuditLog(database.url, await newFolder())
  for (let i = 0; i < 5; i++) unnoting.record(entryOf('b-unnoted'))
  await unnoting.close()
  await rotateTestKey(database.url, 'b-unnoted')
  const topic = new Topic()
  const forwarder = forward('unnoted', topic)
  t.after(() => forwarder.close())
  await eventually(() => assert.equal(topic.chainOf('b-unnoted').length, 6))
  await assertWhole(topic, 'b-unnoted')
  await forwarder.close()
})

test('many tenants in pages, a long chain among them: all arrive, and the short ones do not wait for its end', async (t) => {
  const tenants = Array.from({ length: 20 }, (_, i) => `c-${String(i).padStart(2, '0')}`)
  for (const tenant_id of [...tenants, ...tenants]) audit_log.record(entryOf(tenant_id))
  await write('c-00', 150)
  const topic = new Topic()
  const forwarder = forward('many', topic, { tenants_max: 3, bytes_max: 10_000 })
  t.after(() => forwarder.close())
  await eventually(async () => assert.equal(await isBehind('many'), false))
  assert.equal(await measureLag(db, 'many'), 0)
  for (const tenant_id of tenants) await assertWhole(topic, tenant_id)
  const last_of_long = topic.log.findLastIndex(({ tenant_id }) => tenant_id === 'c-00')
  assert.ok(topic.log.slice(0, last_of_long).some(({ tenant_id }) => tenant_id === 'c-19'))
  await forwarder.close()
})

async function isBehind(topic: string): Promise<boolean> {
  const { rows } = await db.query(
    `SELECT FROM chain_heads h LEFT JOIN audit_fan_out_cursors c ON c.topic = $1 AND c.tenant_id = h.tenant_id
     WHERE h.seq > coalesce(c.seq, 0) LIMIT 1`,
    [topic],
  )
  return rows.length > 0
}

test('for any failure at any time: no record is missing, and the first copies are in order', async (t) => {
  const outcome = fc.constantFrom('sent', 'lost', 'unanswered', 'too-large')
  let run = 0
  const property = fc.asyncProperty(
    fc.array(outcome, { maxLength: 6 }),
    fc.integer({ min: 1, max: 40 }),
    async (outcomes, count) => {
      const name = `d-${run++}`
      await write(name, count)
      await write(`${name}-too`, 3)
      const topic = new Topic()
      const left = [...outcomes]
      topic.fault = (records) => {
        const next = left.shift() ?? 'sent'
        if (next === 'unanswered') topic.log.push(...records)
        if (next === 'too-large') throw new TooLarge('too large')
        if (next !== 'sent') throw new Error('no broker')
      }
      const forwarders = [forward(name, topic), forward(name, topic)]
      for (const forwarder of forwarders) t.after(() => forwarder.close())
      await eventually(() => assert.ok(topic.chainOf(`${name}-too`).length === 3))
      await eventually(() => assert.ok(topic.chainOf(name).length === count))
      for (const forwarder of forwarders) await forwarder.close()
      await assertWhole(topic, name)
      await assertWhole(topic, `${name}-too`)
    },
  )
  await fc.assert(property, { numRuns: 3, seed: 7 })
})

test('one of two forwards; when it hangs the other takes over, and its late send harms nothing', async (t) => {
  await write('e-two', 20)
  const hung = Promise.withResolvers<void>()
  t.after(() => hung.resolve())
  const first = new Topic()
  first.fault = () => hung.promise
  const second = new Topic()
  const hanging = forward('two', first, { lease_ms: 30_000 })
  t.after(() => hanging.close())
  await eventually(() => assert.equal(first.sends, 1))
  // Long enough that a busy machine does not lose it to the first engine again.
  const waiting = forward('two', second, { lease_ms: 30_000 })
  t.after(() => waiting.close())
  // As after a pause longer than the lease: the database's clock cannot be moved.
  await asOwner(database.url, (client) =>
    client.query("UPDATE audit_fan_out_leases SET held_until = now() - interval '1 s' WHERE topic = 'two'"),
  )
  await eventually(() => assert.equal(second.chainOf('e-two').length, 20))
  hung.resolve()
  await eventually(() => assert.equal(first.chainOf('e-two').length, 20))
  await write('e-two', 20)
  // Until the first engine notices that its lease is over, either may send: what counts is that nothing is
  // missing.
  const seqs = () => new Set([...first.chainOf('e-two'), ...second.chainOf('e-two')].map(({ seq }) => seq))
  await eventually(() => assert.equal(seqs().size, 40))
})

test('a record that no broker accepts blocks only its own tenant, and is named', async (t) => {
  await write('f-large', 2)
  await write('f-large', 1, { meta: { note: 'x'.repeat(50_000) } })
  await write('f-other', 3)
  const errors: object[] = []
  const log = { ...quiet, error: (details: object) => void errors.push(details) }
  const topic = new Topic()
  topic.fault = (records) => {
    if (records.some(({ line }) => line.length > 40_000)) throw new TooLarge('too large')
  }
  const forwarder = forward('large', topic, { log })
  t.after(() => forwarder.close())
  await eventually(() => assert.equal(topic.chainOf('f-other').length, 3))
  await eventually(() => assert.equal(errors.length, 1))
  assert.equal(topic.chainOf('f-large').length, 2)
  assert.deepEqual(Object.entries(errors[0]!).slice(0, 2), [
    ['tenant_id', 'f-large'],
    ['seq', 3],
  ])
  await forwarder.close()
})

test('trouble and its end are reported once each, and closing forwards what is left', async (t) => {
  await write('g-quiet', 10)
  const messages: string[] = []
  const note = (_: object, message: string) => void messages.push(message)
  const topic = new Topic()
  topic.fault = () => {
    if (topic.sends < 3) throw new Error('nobody answers')
  }
  const forwarder = forward('told', topic, { log: { ...quiet, warn: note, info: note } })
  t.after(() => forwarder.close())
  await eventually(() => assert.equal(topic.chainOf('g-quiet').length, 10))
  await eventually(() => assert.equal(messages.length, 2))
  assert.match(messages[0]!, /not forwarded: nobody answers; they wait in the chain/)
  assert.match(messages[1]!, /forwarded again/)
  await write('g-quiet', 10)
  await forwarder.close()
  assert.equal(topic.chainOf('g-quiet').length, 20)
  await assertWhole(topic, 'g-quiet')
})
