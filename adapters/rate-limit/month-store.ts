// Months in PostgreSQL, so that neither a restart of the engine nor a Redis that lost its data grants a quota twice.

import type { Database } from '@svc/contract/database'
import { isolateByTenant, type Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'
import type { MonthCalls, UnsavedCount } from './month-calls.ts'

const rows_max = 1_000
const loaded_max = 100_000
const read_ms_max = 1_000

export const month_migrations: readonly Migration[] = [
  {
    // `added` is what the newest save brought: in ON CONFLICT only the row's own columns can be named.
    name: '2026-11-15-80-month-calls',
    sql: `
      CREATE TABLE month_calls (
        month integer NOT NULL,
        tenant_id text NOT NULL,
        used bigint NOT NULL CHECK (used >= 0),
        added bigint NOT NULL CHECK (added >= 0),
        PRIMARY KEY (month, tenant_id)
      );
      ${isolateByTenant('month_calls', [], ['SELECT', 'INSERT', 'UPDATE', 'DELETE'])}
    `,
  },
]

export interface MonthStore {
  /** The saved counts of this month; past months are removed. */
  load(month: number): Promise<void>
  /** Raises the known count of one tenant; gives up silently if the database does not answer soon. */
  read(tenant_id: string, month: number): Promise<void>
  save(): Promise<void>
}

export function monthStore(db: Database, months: MonthCalls): MonthStore {
  const reading = new Map<string, Promise<void>>()
  return {
    async load(month) {
      await sql`DELETE FROM month_calls WHERE month < ${month - 1}`.execute(db)
      const saved = await sql<{ tenant_id: string; used: string }>`
        SELECT tenant_id, used FROM month_calls WHERE month = ${month} LIMIT ${loaded_max}`.execute(db)
      for (const { tenant_id, used } of saved.rows) months.raise(tenant_id, month, Number(used))
    },
    read(tenant_id, month) {
      let read = reading.get(tenant_id)
      if (!read) {
        read = within(read_ms_max, readOne(db, months, tenant_id, month))
        reading.set(tenant_id, read)
        void read.finally(() => reading.delete(tenant_id))
      }
      return read
    },
    async save() {
      const changed = months.takeChanged()
      for (let at = 0; at < changed.length; at += rows_max) {
        const rows = changed.slice(at, at + rows_max)
        try {
          await saveRows(db, months, rows)
        } catch (error) {
          for (const { tenant_id, month, added } of changed.slice(at)) months.putBack(tenant_id, month, added)
          throw error
        }
      }
    },
  }
}

async function readOne(db: Database, months: MonthCalls, tenant_id: string, month: number): Promise<void> {
  const saved = await sql<{ used: string }>`
    SELECT used FROM month_calls WHERE month = ${month} AND tenant_id = ${tenant_id}`.execute(db)
  months.raise(tenant_id, month, Number(saved.rows[0]?.used ?? 0))
}

/** Counts of others are merged by the maximum, own calls are added. Rows are sorted, so that two savers cannot deadlock. */
async function saveRows(db: Database, months: MonthCalls, rows: readonly UnsavedCount[]): Promise<void> {
  const column = <Name extends keyof UnsavedCount>(name: Name) => rows.map((row) => row[name])
  const saved = await sql<{ tenant_id: string; month: number; used: string }>`
    INSERT INTO month_calls AS kept (tenant_id, month, used, added)
    SELECT tenant_id, month, told + added, added
    FROM unnest(${column('tenant_id')}::text[], ${column('month')}::integer[],
      ${column('told')}::bigint[], ${column('added')}::bigint[]) AS given (tenant_id, month, told, added)
    ORDER BY tenant_id
    ON CONFLICT (month, tenant_id) DO UPDATE SET
      used = GREATEST(kept.used, EXCLUDED.used - EXCLUDED.added) + EXCLUDED.added, added = EXCLUDED.added
    RETURNING tenant_id, month, used`.execute(db)
  for (const { tenant_id, month, used } of saved.rows) months.raise(tenant_id, month, Number(used))
}

/** Resolves after this long at the latest, whatever the work does. */
function within(ms: number, work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  work.then(resolve, () => resolve())
  return promise.finally(() => clearTimeout(timer))
}
