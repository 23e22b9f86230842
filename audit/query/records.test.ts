import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type AuditBody,
  bodyText,
  entryText,
  genesis_hash,
  recordHash,
} from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'
import fc from 'fast-check'
import { is_long } from '../../checks/faults/scene/chance.ts'
import { openTestStore, type TestStore } from '../../checks/rehearsal/test-store.ts'
import type { PageRecord } from '../pages/page.ts'
import { seqOfHash } from '../pages/read-hashes.ts'
import { asOwner, entryOf } from '../test-audit-log.ts'
import { storeRecords } from '../test-stored.ts'
import { queryOf } from './query.ts'
import type { RecordFilter } from './record-filter.ts'
import { correlationsNaming, findRecords } from './records.ts'
import { spanOf, verifySpan } from './span.ts'

const tenant_id = 'searched'
const count = is_long ? 100_000 : 1_400
const searches = is_long ? 2_000 : 250
const begin_ms = Date.parse('2026-11-15T10:00:00Z')
let scene: TestStore
const records: PageRecord[] = []

const protocols = ['MAX', 'MOAT', 'MIND', undefined]
const operations = ['audit_query', 'sign', 'recall', 'odd\nname']
const event_types = [
  'ProtocolInvocation',
  'ProtocolInvocation',
  'ProtocolInvocation',
  'TreatySigned',
  'Error',
]
const outcomes = ['success', 'success', 'refused', 'error'] as const
const callers = Array.from({ length: 12 }, (_, n) => `did:oas:searched:agent:${n.toString(16).repeat(64)}`)

/** A generator of its own, so that the log is the same in every run. */
function draws(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const hex = (draw: (below: number) => number, digits: number) =>
  Array.from({ length: digits }, () => draw(16).toString(16)).join('')

function writeLog(): void {
  const draw = draws(7)
  const uuid = () => `${hex(draw, 8)}-${hex(draw, 4)}-4${hex(draw, 3)}-8${hex(draw, 3)}-${hex(draw, 12)}`
  let [previous_hash, now_ms, correlation_id] = [genesis_hash, begin_ms, uuid()]
  for (let seq = 1; seq <= count; seq++) {
    now_ms += draw(3_000)
    if (draw(3) > 0) correlation_id = uuid()
    // Most are a little late; some were journalled long before they were committed.
    const at_ms = now_ms - (draw(100) === 0 ? 3_600_000 : draw(2_000))
    const protocol = protocols[draw(4)]
    const fields: AuditBody = {
      ...entryOf(tenant_id, { id: uuid(), correlation_id, timestamp: new Date(at_ms).toISOString() }),
      event_type: seq === 700 ? 'custom.rare' : event_types[draw(5)]!,
      outcome: outcomes[draw(4)]!,
      caller_did: callers[Math.min(draw(12), draw(12), draw(12))]!,
      ...(protocol && { protocol, operation: operations[draw(4)]! }),
      seq,
    }
    const { seq: _, ...entry } = fields
    if (!protocol)
      for (const name of ['protocol', 'operation'] as const) delete (entry as Partial<AuditBody>)[name]
    const body = bodyText(entryText(entry), seq)
    const record_hash = recordHash(previous_hash, body)
    records.push({ tenant_id, seq, body, fields: JSON.parse(body), previous_hash, record_hash })
    previous_hash = record_hash
  }
}

before(async () => {
  scene = await openTestStore()
  writeLog()
  await asOwner(scene.database.url, async (client) => {
    const draw = draws(3)
    for (let from = 0; from < count; ) {
      const size = [1, 2, 40, 300, 600][draw(5)]!
      await storeRecords(client, records.slice(from, from + size))
      from += size
    }
    const head = [tenant_id, count, Buffer.from(records.at(-1)!.record_hash, 'hex')]
    await client.query('INSERT INTO chain_heads (tenant_id, seq, head_hash) VALUES ($1, $2, $3)', head)
  })
})
after(() => scene.close())

const at = (record: PageRecord) => Date.parse(record.fields.timestamp)

/** The same search over a plain list. */
function expectedSeqs(filter: RecordFilter): number[] {
  const column = (text: string | undefined) => text?.replaceAll('\n', '\ufffd')
  const seqs = records
    .filter((record) => {
      const { fields, seq } = record
      return (
        (!filter.correlation_ids || filter.correlation_ids.includes(fields.correlation_id)) &&
        (!filter.event_types || filter.event_types.includes((fields as AuditBody).event_type)) &&
        (['protocol', 'operation', 'outcome', 'caller_did'] as const).every(
          (name) => filter[name] === undefined || column(fields[name]) === filter[name],
        ) &&
        (filter.from === undefined || at(record) >= Date.parse(filter.from)) &&
        (filter.to === undefined || at(record) < Date.parse(filter.to)) &&
        seq > (filter.after_seq ?? 0) &&
        seq < (filter.before_seq ?? Number.POSITIVE_INFINITY)
      )
    })
    .map(({ seq }) => seq)
  return (filter.newest_first ? seqs.reverse() : seqs).slice(0, filter.limit)
}

/** Mostly left out: a search by everything at once finds nothing, and proves little. */
const maybe = <Value>(values: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: values })
const moment = fc
  .integer({ min: -10, max: Math.ceil(count * 1.6) })
  .map((s) => new Date(begin_ms + s * 1_000).toISOString())
const seq_of = fc.integer({ min: 0, max: count + 2 })
const filters = fc.record({
  correlation_ids: maybe(
    fc
      .array(fc.nat(count - 1), { minLength: 1, maxLength: 4 })
      .map((places) => places.map((n) => records[n]!.fields.correlation_id)),
  ),
  event_types: maybe(
    fc.subarray(['ProtocolInvocation', 'TreatySigned', 'custom.rare', 'MotionTallied'], { minLength: 1 }),
  ),
  protocol: maybe(fc.constantFrom('MAX', 'MOAT', 'NONE')),
  operation: maybe(fc.constantFrom('audit_query', 'recall', 'odd\ufffdname')),
  outcome: maybe(fc.constantFrom('success', 'refused')),
  caller_did: maybe(fc.constantFrom(...callers)),
  from: maybe(moment),
  to: maybe(moment),
  after_seq: maybe(seq_of),
  before_seq: maybe(seq_of),
  newest_first: fc.boolean(),
  limit: fc.constantFrom(1, 20, 300, 2_000),
})

test('every search finds what a plain list gives, in both directions', async (t) => {
  t.diagnostic(`N=${count} records, ${searches} searches`)
  await scene.as(tenant_id, async (db) => {
    await fc.assert(
      fc.asyncProperty(filters, async (drawn) => {
        const filter = Object.fromEntries(
          Object.entries(drawn).filter(([, value]) => value !== undefined),
        ) as unknown as RecordFilter
        const seqs = (await findRecords(db, tenant_id, filter)).map(({ seq }) => seq)
        assert.deepEqual(seqs, expectedSeqs(filter))
      }),
      { numRuns: searches },
    )
  })
})

test('a bound between two milliseconds is after the first of them', async () => {
  const { fields, seq } = records[900]!
  const between = fields.timestamp.replace('Z', '5Z')
  await scene.as(tenant_id, async (db) => {
    const around = { after_seq: seq - 1, before_seq: seq + 1, limit: 1 }
    assert.equal((await findRecords(db, tenant_id, { ...around, from: fields.timestamp })).length, 1)
    assert.equal((await findRecords(db, tenant_id, { ...around, from: between })).length, 0)
    assert.equal((await findRecords(db, tenant_id, { ...around, to: between })).length, 1)
  })
})

test('a period is from the first to the last record whose time is in it', async () => {
  await scene.as(tenant_id, async (db) => {
    const period = {
      from: new Date(begin_ms + 300_000).toISOString(),
      to: new Date(begin_ms + 900_000).toISOString(),
    }
    const seqs = expectedSeqs({ ...period, limit: count })
    assert.deepEqual(await spanOf(db, tenant_id, period.from, period.to), {
      first_seq: seqs[0],
      last_seq: seqs.at(-1),
    })
    assert.equal(await spanOf(db, tenant_id, '2020-01-01T00:00:00Z', '2020-01-02T00:00:00Z'), undefined)
  })
})

test('a record is found by its hash, in a page and in the tail', async () => {
  await scene.as(tenant_id, async (db) => {
    for (const seq of [1, 256, 257, 1_000, count]) {
      assert.equal(await seqOfHash(queryOf(db), tenant_id, records[seq - 1]!.record_hash), seq)
    }
    assert.equal(await seqOfHash(queryOf(db), tenant_id, 'ab'.repeat(32)), undefined)
  })
})

test('a correlation id that was used again and again is read a few pages at a time', async () => {
  const { correlation_id } = records[0]!.fields
  const reused = Array.from({ length: 5_000 }, (_, index) => {
    const fields = { ...entryOf('reused', { correlation_id }), seq: index + 1 }
    const body = JSON.stringify(fields)
    const digest = (n: number) => (n === 0 ? genesis_hash : recordHash(genesis_hash, `${n}`))
    return {
      tenant_id: 'reused',
      seq: index + 1,
      body,
      fields,
      previous_hash: digest(index),
      record_hash: digest(index + 1),
    }
  })
  await asOwner(scene.database.url, (client) => storeRecords(client, reused))
  await scene.as('reused', async (db) => {
    const seqs = reused.map(({ seq }) => seq)
    const filter = { correlation_ids: [correlation_id], limit: 9_999 }
    const inOrder = async (newest_first: boolean) =>
      (await findRecords(db, 'reused', { ...filter, newest_first })).map(({ seq }) => seq)
    assert.deepEqual(await inOrder(false), seqs)
    assert.deepEqual(await inOrder(true), seqs.toReversed())
  })
})

test('the requests that name each of several things are found in one reading', async () => {
  const signed = records.filter(({ fields }) => (fields as AuditBody).event_type === 'TreatySigned')
  const names = [signed[3]!.fields.correlation_id, signed.at(-2)!.fields.correlation_id, 'nothing']
  await scene.as(tenant_id, async (db) => {
    let statements = 0
    const counted: Database = Object.create(db, {
      execute: {
        value: (statement: Parameters<Database['execute']>[0]) => {
          statements++
          return db.execute(statement)
        },
      },
    })
    const naming = (texts: string[]) => correlationsNaming(counted, tenant_id, ['TreatySigned'], texts, 3)
    assert.deepEqual(await naming(['nothing']), [[]])
    const statements_of_one = statements
    assert.deepEqual(await naming(names), [[names[0]], [names[1]], []])
    assert.equal(statements, 2 * statements_of_one)
  })
})

const hiding: Record<string, string> = {
  'a term that is missing': `DELETE FROM audit_terms WHERE tenant_id = $1 AND page = 2 AND term = 'event:custom.rare'`,
  'another key': 'UPDATE audit_pages SET keys[188] = 5 WHERE tenant_id = $1 AND page = 2',
  'an earlier end': `UPDATE audit_pages SET to_at = to_at - interval '1 hour' WHERE tenant_id = $1 AND page = 2`,
  'a later beginning': `UPDATE audit_pages SET from_at = to_at WHERE tenant_id = $1 AND page = 2`,
  'an earlier latest time': `UPDATE audit_pages SET latest_at = latest_at - interval '1 hour' WHERE tenant_id = $1 AND page = 2`,
  'a late record that is not said to be late':
    'UPDATE audit_pages SET is_late = NOT is_late WHERE tenant_id = $1 AND page = 2',
  'another hash of the stored bytes': `UPDATE audit_pages SET sha256 = sha256('other') WHERE tenant_id = $1 AND page = 2`,
}

for (const [name, change] of Object.entries(hiding)) {
  test(`verification finds ${name}`, async () => {
    const span = { first_seq: 1, last_seq: count }
    await scene.as(tenant_id, async (db) =>
      assert.deepEqual(await verifySpan(db, tenant_id, span), { ok: true, gaps: [] }),
    )
    await asOwner(scene.database.url, async (client) => {
      await client.query('SET session_replication_role = replica')
      await client.query('CREATE TEMP TABLE pages_before AS SELECT * FROM audit_pages WHERE page = 2')
      await client.query('CREATE TEMP TABLE terms_before AS SELECT * FROM audit_terms WHERE page = 2')
      await client.query(change, [tenant_id])
      try {
        await scene.as(tenant_id, async (db) => {
          const verdict = await verifySpan(db, tenant_id, span)
          assert.deepEqual([verdict.ok, verdict.first_bad_seq], [false, 513])
        })
      } finally {
        await client.query(`UPDATE audit_pages p SET keys = b.keys, from_at = b.from_at, to_at = b.to_at, latest_at = b.latest_at,
          is_late = b.is_late, sha256 = b.sha256 FROM pages_before b WHERE p.tenant_id = b.tenant_id AND p.page = b.page`)
        await client.query('INSERT INTO audit_terms SELECT * FROM terms_before ON CONFLICT DO NOTHING')
      }
    })
  })
}
