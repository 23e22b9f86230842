import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { emptyTestDatabase } from '../checks/rehearsal/test-database.ts'
import { StandbyReached } from './database-fault.ts'
import {
  arriving_options,
  explainPooler,
  refuseUnfitServer,
  requirePrimary,
  UnfitServer,
} from './server-check.ts'

const answering = (row: object) => ({ query: async () => ({ rows: [row] }) }) as never

test('a server of a version that is too old is refused in a sentence', async () => {
  const old = answering({ number: '150018', version: '15.18', check_ms: '1000' })
  await assert.rejects(
    refuseUnfitServer(old),
    /^Error: The database is PostgreSQL 15\.18, and svc needs 16 or newer/,
  )
  for (const number of ['160000', '170010', '180004', '190000'])
    await refuseUnfitServer(answering({ number, version: 'newer', check_ms: '1000' }))
})

test('an address that does not pass on the settings of a connection is refused as a pooler', async (t) => {
  const database = await emptyTestDatabase()
  t.after(() => database.close())
  const look = async (options: string | undefined) => {
    const client = new Client({ connectionString: database.url, options })
    await client.connect()
    try {
      await requirePrimary(client)
      await refuseUnfitServer(client)
    } finally {
      await client.end()
    }
  }
  await look(arriving_options)
  await assert.rejects(look(undefined), /leads to a connection pooler such as PgBouncer/)
  const by_pooler = new Error('unsupported startup parameter in options: role')
  assert.ok(explainPooler(by_pooler) instanceof UnfitServer)
  const other = new Error('no pg_hba.conf entry')
  assert.equal(explainPooler(other), other)
})

test('a standby is not the primary', async () => {
  await assert.rejects(requirePrimary(answering({ is_standby: true })), StandbyReached)
  await requirePrimary(answering({ is_standby: false }))
})
