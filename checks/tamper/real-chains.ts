// Real audit logs for the mutations: written into a real PostgreSQL, exported, with the keys a thief would
// take.
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { AuditLog } from '@svc/audit/audit-log'
import { currentKeys } from '@svc/audit/chain/keys'
import { queryOf } from '@svc/audit/query/query'
import {
  asOwner,
  entryOf,
  exportLines,
  newFolder,
  openTestAuditLog,
  test_root_keys,
} from '@svc/audit/test-audit-log'
import type { SigningKey } from '@svc/audit/tree/checkpoint'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { Receipt } from '@svc/contract/needs/audit-log'
import { testDatabase } from '../rehearsal/test-database.ts'
import type { Random } from './random.ts'

export interface RealChain {
  readonly tenant_id: string
  readonly lines: readonly string[]
  /** What a thief of the tenant's audit key can sign with. */
  readonly stolen: SigningKey
  readonly receipts: readonly Receipt[]
}

const batches_max = 8
const receipts_per_chain = 6

/** One tenant and chain per size, committed in several batches so that it has several checkpoints. */
export async function writeChains(sizes: readonly number[], random: Random): Promise<RealChain[]> {
  const database = await testDatabase()
  const dir = await newFolder()
  try {
    const tenants = sizes.map((size, i) => ({ tenant_id: `tenant-${i}`, size, entries: [] as AuditEntry[] }))
    const audit_log = await openTestAuditLog(database.url, dir)
    const receipts = new Map<string, Receipt[]>()
    try {
      for (let batch = 1; batch <= batches_max; batch++) {
        for (const tenant of tenants) recordUpTo(audit_log, tenant, batchEnd(tenant.size, batch), random)
        await audit_log.flush()
      }
      for (const { tenant_id, entries } of tenants)
        receipts.set(tenant_id, await takeReceipts(audit_log, entries, random))
    } finally {
      await audit_log.close()
    }
    const names = tenants.map(({ tenant_id }) => tenant_id)
    const keys = await asOwner(database.url, (client) => currentKeys(queryOf(client), test_root_keys, names))
    return await Promise.all(
      names.map(async (tenant_id) => ({
        tenant_id,
        lines: await exportLines(database.url, tenant_id),
        stolen: keys.get(tenant_id)!,
        receipts: receipts.get(tenant_id)!,
      })),
    )
  } finally {
    await database.close()
    await rm(dirname(dir), { recursive: true, force: true })
  }
}

interface Filling {
  readonly tenant_id: string
  readonly size: number
  readonly entries: AuditEntry[]
}

function batchEnd(size: number, batch: number): number {
  return Math.ceil((size * batch) / batches_max)
}

function recordUpTo(
  audit_log: AuditLog,
  { tenant_id, entries }: Filling,
  count: number,
  random: Random,
): void {
  while (entries.length < count) {
    const entry = entryWithContent(tenant_id, entries.length, random)
    entries.push(entry)
    audit_log.record(entry)
  }
}

/** Numbers, escapes, nesting and non-ASCII text, so that every kind of twin applies. */
function entryWithContent(tenant_id: string, n: number, random: Random): AuditEntry {
  const words = ['plain', 'é', '"quoted"', 'line\nbreak', 'a/b', 'tab\t', '€ 1.0', '\u{1f512}', '']
  return entryOf(tenant_id, {
    correlation_id: randomUUID(),
    outcome: random.pick(['success', 'refused', 'error']),
    latency_ms: random.below(4000) / 8,
    meta: {
      amount: random.below(1000),
      n,
      nested: { list: [1, 0.5, -3, 1e21], on: random.chance(0.5), text: random.pick(words) },
      none: null,
      note: random.pick(words),
    },
  })
}

async function takeReceipts(
  audit_log: AuditLog,
  entries: readonly AuditEntry[],
  random: Random,
): Promise<Receipt[]> {
  const chosen = Array.from({ length: Math.min(receipts_per_chain, entries.length) }, () =>
    random.pick(entries),
  )
  return Promise.all(
    chosen.map((entry) => audit_log.receipt(entry.tenant_id, entry.correlation_id, entry.id)),
  )
}
