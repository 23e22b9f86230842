import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { AuditLog } from '@svc/audit/audit-log'
import { asOwner, entryOf, exportLines, newFolder, openTestAuditLog } from '@svc/audit/test-audit-log'
import type { AuditEntry, AuditRecord } from '@svc/contract/audit/audit-record'
import fc from 'fast-check'
import { openTestStore, type TestStore } from '../../../checks/rehearsal/test-store.ts'
import {
  type HistoryGroup,
  type HistoryRow,
  history_resolutions,
  latency_bounds_ms,
  readHistory,
} from './api.ts'
import { countedCallOf } from './counted-call.ts'
import { forgetOldCalls } from './store.ts'

const projection = new URL('./history-projection.ts', import.meta.url).href
const start_ms = Date.parse('2026-11-15T10:00:00.000Z')
const hour_ms = 3_600_000
const iso = (ms: number) => new Date(ms).toISOString()

let test_store: TestStore
let folder: string
before(async () => {
  test_store = await openTestStore()
  folder = await newFolder()
})
after(() => test_store.close())

const openLog = (dir: string) =>
  openTestAuditLog(test_store.database.url, dir, { projection_modules: [projection] })

async function record(audit_log: AuditLog, entries: readonly AuditEntry[]): Promise<void> {
  for (const entry of entries) {
    await audit_log.ready(entry.tenant_id)
    audit_log.record(entry)
  }
  await audit_log.flush()
}

interface Asking {
  readonly resolution?: number
  readonly by?: HistoryGroup
  readonly step_ms?: number
  readonly reader?: string
  readonly all_tenants?: boolean
  readonly to_ms?: number
}

function read(tenant_id: string, asking: Asking = {}): Promise<HistoryRow[]> {
  const {
    resolution = 60,
    by,
    step_ms = 60_000,
    reader = tenant_id,
    to_ms = start_ms + 24 * hour_ms,
  } = asking
  const common = { filter: {}, before_ms: start_ms, from_ms: start_ms, top: 5_000, rank: 'calls' } as const
  const question = {
    ...common,
    tenant_id: asking.all_tenants ? undefined : tenant_id,
    to_ms,
    step_ms,
    resolution,
    by,
  }
  return test_store.as(reader, (db) => readHistory(db, question))
}

async function recordsOf(tenant_id: string): Promise<AuditRecord[]> {
  const lines = await exportLines(test_store.database.url, tenant_id)
  return lines.flatMap((line) => JSON.parse(line).record ?? [])
}

const usage = (quanta: number) => ({
  usage: { bps: [0, 10_000, 0], ms: 1, quanta: String(quanta), rate: 0, tokens_in: 0, tokens_out: 0, uwh: 1 },
})
const one = fc.record({
  tenant_id: fc.constantFrom('acme', 'globex'),
  minute: fc.integer({ min: 0, max: 1_439 }),
  agent: fc.constantFrom('a', 'b', 'c'),
  operation: fc.constantFrom('audit_query', 'audit_log_entry'),
  latency_ms: fc.double({ min: 0, max: 120_000, noNaN: true }),
  quanta: fc.integer({ min: 0, max: 1_000_000 }),
  kind: fc.constantFrom('success', 'refused', 'error', 'flood', 'note', 'dry', 'copy', 'event'),
})

function entryFor({
  tenant_id,
  minute,
  agent,
  operation,
  latency_ms,
  quanta,
  kind,
}: typeof one extends fc.Arbitrary<infer Value> ? Value : never): AuditEntry {
  const basic = entryOf(tenant_id, {
    timestamp: iso(start_ms + minute * 60_000 + 1_234),
    caller_did: `did:oas:${tenant_id}:agent:${agent.repeat(64)}`,
    operation,
    latency_ms,
    meta: { ...usage(quanta), envelope: 'e1' },
  })
  const refused = {
    outcome: 'refused',
    event_type: 'AuthorizationCheck',
    meta: { code: 'capability_denied', reason: 'missing capability' },
  } as const
  switch (kind) {
    case 'refused':
      return { ...basic, ...refused }
    case 'flood':
      return { ...basic, ...refused, meta: { ...refused.meta, count: 7, until: basic.timestamp } }
    case 'error':
      return { ...basic, outcome: 'error', event_type: 'Error', meta: { code: 'timeout', reason: 'timeout' } }
    case 'note':
      return { ...basic, event_type: 'custom.note', meta: { supplied: {} } }
    case 'dry':
      return { ...basic, event_type: 'AuthorizationCheck', meta: { dry_run: true } }
    case 'copy':
      return { ...basic, meta: { caller_tenant: 'other', counterpart: {} } }
    case 'event':
      return { ...basic, event_type: 'TreatySigned', meta: {} }
    default:
      return basic
  }
}

test('the history of a random workload equals the log, by two engines, after a restart, at every resolution', async () => {
  const entries = fc.sample(one, { numRuns: 600, seed: 20261118 }).map(entryFor)
  const other = await openLog(await newFolder())
  const first = await openLog(folder)
  await Promise.all([record(first, entries.slice(0, 200)), record(other, entries.slice(200, 400))])
  await first.close()
  const again = await openLog(folder)
  await Promise.all([record(again, entries.slice(400, 500)), record(other, entries.slice(500))])
  await Promise.all([again.close(), other.close()])
  for (const tenant_id of ['acme', 'globex']) {
    const records = await recordsOf(tenant_id)
    assert.ok(records.length > 200)
    for (const { seconds } of history_resolutions)
      for (const by of ['operation', 'agent', 'code', 'department'] as const) {
        const rows = await read(tenant_id, { resolution: seconds, by, step_ms: hour_ms })
        assert.deepEqual(rows.map(plain).sort(byKey), fromLog(records, by).sort(byKey), `${seconds} ${by}`)
      }
  }
})

type Plain = Record<'slot' | 'name' | 'calls' | 'refused' | 'failed' | 'quanta' | 'timed', string>

function plain({ slot, name, buckets, ...sums }: HistoryRow): Plain {
  assert.equal(buckets.length, latency_bounds_ms.length + 1)
  return {
    slot: String(slot),
    name: name!,
    ...sums,
    timed: String(buckets.reduce((sum, count) => sum + Number(count), 0)),
  }
}
const byKey = (a: Plain, b: Plain) => (`${a.slot} ${a.name}` < `${b.slot} ${b.name}` ? -1 : 1)

/** Counted apart from the code under test, from what an auditor would read. */
function fromLog(
  records: readonly AuditRecord[],
  by: 'operation' | 'agent' | 'code' | 'department',
): Plain[] {
  const calls = records.filter(
    ({ event_type, meta }) =>
      (event_type === 'ProtocolInvocation' || meta.code !== undefined) &&
      !meta.dry_run &&
      !meta.caller_tenant,
  )
  const nameOf = ({ protocol, operation, caller_did, meta }: AuditRecord) =>
    ({
      operation: `${protocol}.${operation}`,
      agent: caller_did,
      code: String(meta.code ?? 'ok'),
      department: String(meta.envelope ?? ''),
    })[by]
  const grouped = Map.groupBy(calls, (one) => {
    return `${Math.floor((Date.parse(one.timestamp) - start_ms) / hour_ms)}\n${nameOf(one)}`
  })
  return [...grouped].map(([key, of]) => {
    const [slot = '', name = ''] = key.split('\n')
    const sum = (some: readonly AuditRecord[]) =>
      String(some.reduce((all, { meta }) => all + Number(meta.count ?? 1), 0))
    const outcomes = (outcome: string) => of.filter((one) => one.outcome === outcome)
    const quanta = of.reduce(
      (all, { meta }) => all + BigInt((meta.usage as { quanta?: string })?.quanta ?? 0),
      0n,
    )
    const timed = String(of.length - outcomes('refused').length)
    return {
      slot,
      name,
      calls: sum(of),
      refused: sum(outcomes('refused')),
      failed: sum(outcomes('error')),
      quanta: String(quanta),
      timed,
    }
  })
}

test('an organization reads its own history only', async () => {
  assert.ok((await read('acme')).length > 0)
  assert.deepEqual(await read('acme', { reader: 'globex' }), [])
  const all = await read('globex', { all_tenants: true, by: 'tenant' })
  assert.deepEqual([...new Set(all.map(({ name }) => name))], ['globex'])
})

test('names past the most of a time are summed together, and the totals stay exact', async () => {
  const audit_log = await openLog(await newFolder())
  const { names_max } = history_resolutions[0]!
  const calls = names_max + 50
  const entries = Array.from({ length: calls }, (_, place) =>
    entryOf('busy', {
      caller_did: `did:oas:busy:agent:${String(place).padStart(64, '0')}`,
      timestamp: iso(start_ms),
    }),
  )
  await record(audit_log, entries.slice(0, 300))
  await record(audit_log, entries.slice(300))
  await record(audit_log, entries)
  await audit_log.close()
  const sum = (rows: readonly HistoryRow[]) => rows.reduce((all, row) => all + Number(row.calls), 0)
  const rows = await read('busy', { by: 'agent' })
  assert.equal(rows.length, names_max + 1)
  assert.equal(sum(rows), 2 * calls)
  assert.equal(rows.find(({ name }) => name === '')?.calls, String(2 * 50))
  assert.equal((await read('busy', { by: 'agent', resolution: 300 })).length, calls)
})

test('what is old is deleted, each resolution at its time, and names at last', async () => {
  const count = async (table: string) => {
    const { rows } = await asOwner(test_store.database.url, (client) =>
      client.query(`SELECT count(*)::integer AS count FROM ${table} WHERE tenant_id = 'acme'`),
    )
    return rows[0].count as number
  }
  const end_ms = start_ms + 24 * hour_ms
  for (const { seconds, kept_ms } of history_resolutions) {
    assert.ok((await read('acme', { resolution: seconds, step_ms: hour_ms })).length > 0)
    await forgetOldCalls(test_store.store.engine, end_ms + kept_ms)
    assert.deepEqual(await read('acme', { resolution: seconds, step_ms: hour_ms }), [])
  }
  assert.ok((await count('call_names')) > 0)
  await forgetOldCalls(test_store.store.engine, end_ms + history_resolutions.at(-1)!.kept_ms + 24 * hour_ms)
  assert.equal(await count('call_names'), 0)
})

test('a record that cannot be read as a call counts nothing', () => {
  const body = (more: Partial<AuditEntry>) => countedCallOf({ ...entryOf('acme', more), seq: 1 })
  assert.equal(body({ event_type: 'custom.note' }), undefined)
  assert.equal(body({ event_type: 'Error', outcome: 'error', meta: {} }), undefined)
  assert.equal(body({ meta: { sealed_tenant_id: 'gone' } }), undefined)
  assert.equal(body({ meta: { count: -3 } })?.calls, 1)
  assert.equal(
    body({ protocol: undefined, operation: 'a\nb', meta: { code: 'x\u0000' } })?.names.operation,
    'a\ufffdb',
  )
})
