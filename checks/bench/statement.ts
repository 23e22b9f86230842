// A statement over a million events: read event by event, and from stored hours.
import { hash, randomUUID } from 'node:crypto'
import { asOwner, entryOf } from '@svc/audit/test-audit-log'
import { storeRecords } from '@svc/audit/test-stored'
import { genesis_hash } from '@svc/contract/audit/audit-record'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import type { GroupWord } from '@svc/protocols/economic/meal/statement'
import { statementOf } from '@svc/protocols/economic/meal/statement'
import { readUsage } from '@svc/protocols/economic/meal/statement-store'
import { keepHours } from '@svc/protocols/economic/usage/usage-hours'
import { projections } from '@svc/protocols/economic/usage/usage-projection'
import type { Client } from 'pg'
import { openTestStore, type TestStore } from '../rehearsal/test-store.ts'

const tenant_id = 'bench'
const period = { from_ms: Date.UTC(2026, 9), to_ms: Date.UTC(2026, 10) }
const runs = 7

const records_per_insert = 25_600

function hashAt(seq: number): string {
  return seq === 0 ? genesis_hash : hash('sha256', `${seq}`, 'hex')
}

/** Calls spread over the period, with made-up hashes: nobody verifies them here. */
function recordAt(seq: number, events: number) {
  const tokens = (seq % 1000) + (seq % 100)
  const usage = {
    bps: [10_000, 10_000, 0],
    ms: 1 + (seq % 50),
    quanta: String(BigInt(tokens) * 30_000_000_000_000n + BigInt(1 + (seq % 50)) * 180_000_000_000_000n),
    rate: 0,
    tokens_in: seq % 1000,
    tokens_out: seq % 100,
    uwh: seq % 70,
  }
  const entry = entryOf(tenant_id, {
    timestamp: new Date(
      period.from_ms + (seq / (events + 1)) * (period.to_ms - period.from_ms),
    ).toISOString(),
    protocol: `PROTOCOL${seq % 20}`,
    operation: `operation${seq % 60}`,
    caller_did: `did:oas:bench:agent:${'ab'.repeat(31)}${seq % 10}`,
    meta: { usage, grant: 'svc.*.*', origin: 'http' },
  })
  const fields = { ...entry, seq }
  const hashes = { previous_hash: hashAt(seq - 1), record_hash: hashAt(seq) }
  return { tenant_id, seq, body: canonicalJson(fields), fields, ...hashes }
}

async function fill(client: Client, events: number): Promise<void> {
  for (let first = 1; first <= events; first += records_per_insert) {
    const length = Math.min(records_per_insert, events - first + 1)
    const records = Array.from({ length }, (_, place) => recordAt(first + place, events))
    await storeRecords(client, records)
    for (const project of projections) await project(client, records, { newId: randomUUID })
  }
  for (const table of ['audit_pages', 'audit_terms', 'meter_sums'])
    await client.query(`VACUUM ANALYZE ${table}`)
}

export async function measureStatement(events: number): Promise<Record<string, unknown>> {
  const store = await openTestStore()
  try {
    await asOwner(store.database.url, (client) => fill(client, events))
    const whole = await medianOf(store, [], true)
    const begun = performance.now()
    const hours = await keepHours(store.store.engine, tenant_id, period.to_ms + 3_600_000)
    const keep_ms = performance.now() - begun
    await asOwner(store.database.url, (client) => client.query('ANALYZE meter_hours'))
    const warm = await medianOf(store, [])
    const grouped = await medianOf(store, ['operation', 'agent', 'day'])
    if (warm.hash !== whole.hash) throw new Error('kept hours say something else than their events')
    console.log(
      `\nstatement over ${events} events: ${whole.ms.toFixed(0)} ms event by event, ` +
        `${warm.ms.toFixed(0)} ms with ${hours} kept hours (kept in ${keep_ms.toFixed(0)} ms), ` +
        `${grouped.ms.toFixed(0)} ms grouped by operation, agent and day`,
    )
    return { events, hours, whole_ms: whole.ms, keep_ms, kept_ms: warm.ms, grouped_ms: grouped.ms }
  } finally {
    await store.close()
  }
}

async function medianOf(store: TestStore, by: readonly GroupWord[], whole = false) {
  const times: number[] = []
  let hash = ''
  for (let run = 0; run < runs; run++) {
    const begun = performance.now()
    const usage = await store.as(tenant_id, (db) => readUsage(db, tenant_id, period, { by, whole }))
    hash = statementOf(usage).statement_hash
    times.push(performance.now() - begun)
  }
  return { ms: times.sort((a, b) => a - b)[Math.floor(runs / 2)]!, hash }
}
