// A call that waits for a lock of the database while something else happens, as calls of a busy service do.
import assert from 'node:assert/strict'
import pg from 'pg'
import type { InProcessService } from '../engines/in-process.ts'
import { eventually } from '../suite/eventually.ts'

export interface Race<Value> {
  /** Needs what is locked. */
  readonly waiting: () => Promise<Value>
  readonly meanwhile: () => Promise<unknown>
}

/** What `waiting` comes to if it gets the lock only after `meanwhile` is done. */
export async function whileLocked<Value>(
  { db_url }: InProcessService,
  lock: string,
  { waiting, meanwhile }: Race<Value>,
): Promise<Value> {
  const client = new pg.Client(db_url)
  await client.connect()
  try {
    await client.query('BEGIN')
    await client.query(lock)
    const value = waiting()
    await eventually(async () => {
      const { rows } = await client.query(`SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE NOT granted AND datname = current_database()`)
      assert.ok(rows.length > 0)
    })
    await meanwhile()
    await client.query('COMMIT')
    return await value
  } finally {
    await client.end()
  }
}
