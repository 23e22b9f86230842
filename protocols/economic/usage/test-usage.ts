// Shared by tests: usage as it really comes about, from records of an audit log.
import type { AuditLog } from '@svc/audit/audit-log'
import { entryOf, newFolder, openTestAuditLog } from '@svc/audit/test-audit-log'
import type { AuditEntry } from '@svc/contract/audit/audit-record'

export interface TestCall {
  readonly at: string
  readonly quanta: bigint
  readonly ms?: number
  readonly tokens_in?: number
  readonly entry?: Partial<AuditEntry>
}

export function usageMeta(quanta: string, more: object = {}): AuditEntry['meta'] {
  return {
    usage: { bps: [0, 10_000, 0], ms: 1, quanta, rate: 0, tokens_in: 0, tokens_out: 0, uwh: 1, ...more },
    grant: 'svc.max.*',
    origin: 'http',
  }
}

export const usage_projection = new URL('./usage-projection.ts', import.meta.url).href

/** In a new folder unless one is given. */
export async function openUsageLog(db_url: string, dir?: string): Promise<AuditLog> {
  return await openTestAuditLog(db_url, dir ?? (await newFolder()), {
    projection_modules: [usage_projection],
  })
}

/** Waits until they are committed. */
export async function record(audit_log: AuditLog, entries: readonly AuditEntry[]): Promise<void> {
  for (const entry of entries) {
    await audit_log.ready(entry.tenant_id)
    audit_log.record(entry)
  }
  await audit_log.flush()
}

export function use(audit_log: AuditLog, tenant_id: string, calls: readonly TestCall[]): Promise<void> {
  return record(
    audit_log,
    calls.map(({ at, quanta, ms = 1, tokens_in = 0, entry }) =>
      entryOf(tenant_id, { timestamp: at, meta: usageMeta(String(quanta), { ms, tokens_in }), ...entry }),
    ),
  )
}
