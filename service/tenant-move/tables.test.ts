// No table is forgotten at a move: it has a tenant, or somebody has written down what becomes of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { testDatabase } from '../../checks/rehearsal/test-database.ts'
import { allTables, other_tables, shared_tables, tenantTables } from './tables.ts'

test('every table has a tenant, or is listed with what becomes of it', async (t) => {
  const database = await testDatabase()
  const client = new Client({ connectionString: database.url })
  await client.connect()
  t.after(async () => {
    await client.end()
    await database.close()
  })
  const tables = await allTables(client)
  const without = tables.filter(({ columns }) => !columns.includes('tenant_id')).map(({ name }) => name)
  assert.deepEqual(without.toSorted(), Object.keys(other_tables).toSorted())
  const moved = await tenantTables(client)
  for (const [name, columns] of Object.entries(shared_tables)) {
    const table = moved.find((one) => one.name === name)
    assert.ok(table && columns.every((column) => table.columns.includes(column)), name)
  }
  // Whoever adds a second organization to a row decides whether it is one that both keep, and what binds them.
  const decided = [
    'approvals',
    'book_access',
    'dissolutions',
    'market_orders',
    'market_trades',
    'settlement_references',
  ]
  const between = moved.filter(({ columns }) => columns.some((column) => column.endsWith('_tenant')))
  assert.deepEqual(
    between.map(({ name }) => name).toSorted(),
    [...Object.keys(shared_tables), ...decided].toSorted(),
  )
})
