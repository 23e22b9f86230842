// Whether questions to an audit log stay as fast as it grows: the same ones at 10,000 to 10,000,000 records.
import { hash, randomUUID } from 'node:crypto'
import { seqOfHash } from '@svc/audit/pages/read-hashes'
import { queryOf } from '@svc/audit/query/query'
import type { RecordFilter } from '@svc/audit/query/record-filter'
import { findRecords } from '@svc/audit/query/records'
import { asOwner, entryOf } from '@svc/audit/test-audit-log'
import { storeRecords } from '@svc/audit/test-stored'
import { genesis_hash } from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import type { Client } from 'pg'
import { openTestStore, type TestStore } from '../rehearsal/test-store.ts'

const tenant_id = 'growing'
const sizes = [10_000, 100_000, 1_000_000, 10_000_000]
/** Whole pages, so that none is read to be filled. */
const records_per_insert = 25_600
const start_ms = Date.UTC(2026, 0)
const record_ms = 1_000
const asks = 41
/** One record in so many has the rare names; the last one always. */
const rare_every = 50_000

interface Grown {
  readonly size: number
  readonly correlation_ids: readonly string[]
}

interface Asked {
  readonly size: number
  readonly us_a_record: number
  readonly p50_ms: Readonly<Record<string, number>>
}

export async function measureGrowth(records_max: number): Promise<Asked[]> {
  const store = await openTestStore()
  try {
    const figures: Asked[] = []
    let grown: Grown = { size: 0, correlation_ids: [] }
    for (const size of sizes.filter((size) => size <= records_max)) {
      const begun = performance.now()
      grown = await asOwner(store.database.url, (client) => growTo(client, grown, size))
      const us = ((performance.now() - begun) * 1_000) / size
      // Else the smallest log would pay for compiling and for the first plans.
      if (figures.length === 0) await askAll(store, grown)
      const p50_ms = await askAll(store, grown)
      figures.push({ size, us_a_record: us, p50_ms })
      console.log(`\n${size} records (the last ones stored in ${us.toFixed(1)} µs each), p50 in ms:`)
      const first = figures[0]!.p50_ms
      for (const [name, ms] of Object.entries(p50_ms))
        console.log(
          `  ${name.padEnd(40)} ${ms.toFixed(2).padStart(8)}  ${(ms / first[name]!).toFixed(1)} times that of ${sizes[0]}`,
        )
    }
    return figures
  } finally {
    await store.close()
  }
}

async function growTo(client: Client, { size, correlation_ids }: Grown, target: number): Promise<Grown> {
  const sampled = [...correlation_ids]
  for (let seq = size; seq < target; ) {
    const length = Math.min(records_per_insert - (seq % records_per_insert), target - seq)
    const records = Array.from({ length }, (_, place) => recordAt(seq + place + 1))
    await storeRecords(client, records)
    sampled.push(records[Math.floor(length / 2)]!.fields.correlation_id)
    seq += length
  }
  for (const table of ['audit_pages', 'audit_tail', 'audit_terms'])
    await client.query(`VACUUM ANALYZE ${table}`)
  return { size: target, correlation_ids: sampled }
}

/** With made-up hashes: nobody verifies them here. */
function recordAt(seq: number) {
  const is_rare = seq % rare_every === 0 || seq % 10_000 === 5_000
  const entry = entryOf(tenant_id, {
    id: randomUUID(),
    timestamp: new Date(start_ms + seq * record_ms).toISOString(),
    protocol: `PROTOCOL${seq % 20}`,
    operation: is_rare ? 'rare_operation' : `operation${seq % 60}`,
    event_type: is_rare ? 'custom.rare' : 'ProtocolInvocation',
    outcome: seq % 97 === 0 ? 'refused' : 'success',
    caller_did: `did:oas:growing:agent:${'ab'.repeat(31)}${is_rare ? 'ff' : `0${seq % 10}`}`,
    meta: { input_hash: hashAt(seq), origin: 'http', grant: 'svc.*.*' },
  })
  const fields = { ...entry, seq }
  const hashes = { previous_hash: hashAt(seq - 1), record_hash: hashAt(seq) }
  return { tenant_id, seq, body: canonicalJson(fields), fields, ...hashes }
}

function hashAt(seq: number): string {
  return seq === 0 ? genesis_hash : hash('sha256', `${seq}`, 'hex')
}

async function askAll(store: TestStore, { size, correlation_ids }: Grown): Promise<Record<string, number>> {
  const place = (ask: number) => 1 + Math.floor(((ask + 0.5) / asks) * (size - 1))
  const find = (filterAt: (ask: number) => Partial<RecordFilter>) => (db: Database, ask: number) =>
    findRecords(db, tenant_id, { limit: 50, ...filterAt(ask) })
  const at = (seq: number) => new Date(start_ms + seq * record_ms).toISOString()
  const rare_caller = `did:oas:growing:agent:${'ab'.repeat(31)}ff`
  const questions: Record<string, (db: Database, ask: number) => Promise<unknown>> = {
    'by correlation id': find((ask) => ({
      correlation_ids: [correlation_ids[Math.floor((ask / asks) * correlation_ids.length)]!],
    })),
    'by record hash': (db, ask) => seqOfHash(queryOf(db), tenant_id, hashAt(place(ask))),
    'a page of the newest': find(() => ({ newest_first: true })),
    'newest with a frequent operation': find((ask) => ({
      newest_first: true,
      operation: `operation${ask % 60}`,
    })),
    'newest with a rare operation': find(() => ({
      newest_first: true,
      operation: 'rare_operation',
      limit: 1,
    })),
    'newest of a rare caller': find(() => ({ newest_first: true, caller_did: rare_caller, limit: 1 })),
    'newest of a rare event': find(() => ({ newest_first: true, event_types: ['custom.rare'], limit: 1 })),
    'a rare operation of a frequent protocol': find(() => ({
      operation: 'rare_operation',
      protocol: 'PROTOCOL0',
      limit: 1,
    })),
    'ten minutes': find((ask) => ({ from: at(place(ask)), to: at(place(ask) + 600) })),
    'from a place on': find((ask) => ({ after_seq: place(ask) })),
  }
  const p50: Record<string, number> = {}
  for (const [name, question] of Object.entries(questions)) {
    const times: number[] = []
    for (let ask = 0; ask < asks; ask++) {
      const begun = performance.now()
      await store.as(tenant_id, (db) => question(db, ask))
      times.push(performance.now() - begun)
    }
    p50[name] = times.sort((a, b) => a - b)[Math.floor(asks / 2)]!
  }
  return p50
}
