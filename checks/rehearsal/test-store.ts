// A store on its own database, and work in it as a tenant's handler.
import { openStore, type PostgresStore, type StoreOptions } from '@svc/adapters/store/postgres'
import type { Database } from '@svc/contract/database'
import { hang_ms_max } from '../suite/eventually.ts'
import { type TestDatabase, testDatabase } from './test-database.ts'

export interface TestStore {
  readonly store: PostgresStore
  readonly database: TestDatabase
  /** In a transaction of this tenant, committed unless the work throws. */
  as<Result>(tenant_id: string, work: (db: Database) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

/** It waits for a busy machine instead of refusing, so no verdict of a test depends on speed. */
export function storeAt(url: string, options: Partial<StoreOptions> = {}): Promise<PostgresStore> {
  return openStore({ url, log: quiet, connect_ms_max: hang_ms_max, ...options })
}

export async function openTestStore(options: Partial<StoreOptions> = {}): Promise<TestStore> {
  const database = await testDatabase()
  const store = await storeAt(database.url, options)
  return {
    store,
    database,
    async as(tenant_id, work) {
      const transaction = store.transaction(tenant_id)
      try {
        const result = await work(transaction.db)
        await transaction.commit([])
        return result
      } catch (error) {
        await transaction.rollback()
        throw error
      }
    },
    async close() {
      await store.close()
      await database.close()
    },
  }
}
