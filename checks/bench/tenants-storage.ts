// Bytes a call leaves for ever, by how busy its tenant is: one busy tenant, 100 middling ones, 10,000 quiet ones.
import { randomUUID } from 'node:crypto'
import type { AuditLog } from '@svc/audit/audit-log'
import { asOwner } from '@svc/audit/test-audit-log'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import { openUsageLog } from '@svc/protocols/economic/usage/test-usage'
import { type TestDatabase, testDatabase } from '../rehearsal/test-database.ts'
import { sizes_sql } from './storage.ts'

const start_ms = Date.UTC(2026, 10, 15)
const day_ms = 86_400_000

interface Shape {
  readonly tenants: number
  readonly calls_of_each: number
  /** Records that are committed together. */
  readonly batch: number
}

const shapes: Readonly<Record<string, Shape>> = {
  busy: { tenants: 1, calls_of_each: 100_000, batch: 500 },
  middling: { tenants: 100, calls_of_each: 2_500, batch: 200 },
  quiet: { tenants: 10_000, calls_of_each: 4, batch: 500 },
}

/** Where records are until their page is full; it does not grow with the log. */
const passing = ['audit_tail']

type Measured = Awaited<ReturnType<typeof measure>>

/** `look` sees each database when it is filled, and the name of a tenant in it. */
export async function measureTenants(
  names: readonly string[] = Object.keys(shapes),
  look?: (database: TestDatabase, tenant_id: string) => Promise<void>,
): Promise<Record<string, Measured>> {
  const figures: Record<string, Measured> = {}
  for (const name of names) {
    const database = await testDatabase()
    const audit_log = await openUsageLog(database.url)
    try {
      figures[name] = await measure(name, shapes[name]!, database, audit_log)
      await look?.(database, tenantAt(0))
    } finally {
      await audit_log.close()
      await database.close()
    }
  }
  return figures
}

function tenantAt(place: number): string {
  return `tenant-${place}`
}

async function measure(name: string, shape: Shape, database: TestDatabase, audit_log: AuditLog) {
  const calls = shape.tenants * shape.calls_of_each
  const before = await sizesOf(database.url)
  for (let call = 0; call < calls; call++) {
    const tenant_id = tenantAt(call % shape.tenants)
    await audit_log.ready(tenant_id)
    audit_log.record(callOf(tenant_id, start_ms + (call / calls) * day_ms))
    if (call % shape.batch === shape.batch - 1) await audit_log.flush()
  }
  await audit_log.flush()
  const after = await sizesOf(database.url)
  const per_call = new Map(
    [...after.tables].map(([table, bytes]) => [table, (bytes - (before.tables.get(table) ?? 0)) / calls]),
  )
  const sum = (isCounted: (table: string) => boolean) =>
    [...per_call].reduce((all, [table, bytes]) => all + (isCounted(table) ? bytes : 0), 0)
  const lasting = sum((table) => !passing.includes(table))
  const tail = sum((table) => passing.includes(table))
  const wal = (after.wal - before.wal) / calls
  console.log(
    `\n${name}, ${calls} calls of ${shape.tenants} tenants in a day: ${lasting.toFixed(0)} bytes a call for ever, ` +
      `${tail.toFixed(0)} in the tail until pages are full, write-ahead log ${wal.toFixed(0)}`,
  )
  for (const [table, bytes] of [...per_call].sort(([, a], [, b]) => b - a))
    if (bytes >= 0.5) console.log(`  ${table.padEnd(28)} ${bytes.toFixed(1).padStart(8)}`)
  return { calls, lasting, tail, wal, tables: Object.fromEntries(per_call) }
}

async function sizesOf(url: string): Promise<{ tables: Map<string, number>; wal: number }> {
  return asOwner(url, async (client) => {
    const { rows: places } = await client.query<{ wal: number }>(
      `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS wal`,
    )
    await client.query('VACUUM')
    const { rows } = await client.query<{ name: string; bytes: number }>(sizes_sql)
    return { tables: new Map(rows.map(({ name, bytes }) => [name, bytes])), wal: places[0]!.wal }
  })
}

/** As the engine records a call, with as much chance in it. */
function callOf(tenant_id: string, at_ms: number): AuditEntry {
  const hex = () => randomUUID().replaceAll('-', '') + randomUUID().replaceAll('-', '')
  const place = Math.floor(at_ms) % 12
  const ms = 1 + (Math.floor(at_ms) % 40)
  return {
    id: randomUUID(),
    event_type: 'ProtocolInvocation',
    correlation_id: randomUUID(),
    timestamp: new Date(at_ms).toISOString(),
    tenant_id,
    caller_did: `did:oas:${tenant_id}:agent:${'ab'.repeat(31)}0${place % 4}`,
    protocol: ['MAX', 'MANTLE', 'MARC'][place % 3]!,
    operation: `operation_${place}`,
    outcome: 'success',
    latency_ms: ms + 0.125,
    meta: {
      caller_kind: 'agent',
      caller_level: 'L1',
      capability: `svc.max.operation_${place}`,
      credential: 'k3y1d0aa',
      endpoint: 'native',
      grant: 'svc.max.*',
      grant_source: 'key',
      input_hash: hex(),
      origin: 'http',
      output_hash: hex(),
      usage: {
        bps: [10_000, 10_000, 10_000],
        ms,
        quanta: String(BigInt(ms) * 180_000_000_000_000n),
        rate: 0,
        tokens_in: place * 7,
        tokens_out: place,
        uwh: place * 3,
      },
      version: 'v1.0.0',
    },
  }
}
