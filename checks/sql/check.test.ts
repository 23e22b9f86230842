import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Client } from 'pg'
import { type TestDatabase, testDatabase } from '../rehearsal/test-database.ts'
import { checkStatements } from './findings.ts'

const root = join(import.meta.dirname, '../..')
let database: TestDatabase
let client: Client

before(async () => {
  database = await testDatabase()
  client = new Client({ connectionString: database.url })
  await client.connect()
})
after(async () => {
  await client?.end()
  await database?.close()
})

const checkFile = (name: string) =>
  checkStatements(root, [join(import.meta.dirname, 'fixture', name)], client)

test('a wrong statement is reported with its file, its line and the fault', async () => {
  const { findings } = await checkFile('wrong.ts')
  const path = 'checks/sql/fixture/wrong.ts'
  assert.deepEqual(
    findings.map((finding) => `${finding.path.replace(path, '')}${finding.line}: ${finding.fault}`),
    [
      '7: column "nmae" does not exist',
      '8: syntax error at or near "SELEC"',
      '9: created_at is timestamptz, read as Date, and declared string',
      '10: revoked_at may be null, and is declared without',
      '11: parameter since is timestamptz in the database and number in the code',
      '12: parameter since is _text in the database and number in the code',
      '13: name is answered, and the row has no such member',
      '14: title is in the row, and no column of that name is answered',
      '15: parameter tests is text in the database and string[] in the code',
      '15: column "untrue" does not exist',
      '18: cannot be checked: order.trim is no function of ours',
      '20: tier may be null, and is declared without',
      '22: is marked as unchecked, and can be checked; remove the mark',
      '27: column "seq" does not exist',
      '33: parameter until.getTime() is text in the database and number in the code',
      '33: key_id is text, read as string, and declared number',
      '34: parameter tenant_id.length > 1 is text in the database and boolean in the code',
      '36: column "entrance" of relation "audit_outbox" does not exist',
      "40: parameter ['a'] is jsonb in the database and string[] in the code",
    ],
  )
})

test('constants, functions, conditions, lists and literals are followed, with both branches of a condition', async () => {
  const { statements, variants, marked, findings } = await checkFile('right.ts')
  assert.deepEqual(findings, [])
  assert.deepEqual({ statements, variants, marked }, { statements: 3, variants: 5, marked: 1 })
})
