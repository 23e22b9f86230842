// A store on its own database, and work in it as a tenant's handler.
import { openStore, type PostgresStore, type StoreOptions } from '@svc/adapters/store/postgres'
import type { Database } from '@svc/contract/database'
import { type TestDatabase, testDatabase } from './test-database.ts'

export interface TestStore {
  readonly store: PostgresStore
  readonly database: TestDatabase
  /** In a transaction of this tenant, committed unless the work throws. */
  as<Result>(tenant_id: string, work: (db: Database) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

export async function openTestStore(options: Partial<StoreOptions> = {}): Promise<TestStore> {
  const database = await testDatabase()
  const store = await openStore({ url: database.url, log: quiet, ...options })
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
