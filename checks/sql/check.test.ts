import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Client } from 'pg'
import { type TestDatabase, testDatabase } from '../test-database.ts'
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

test('a statement that is wrong is named with its file, its line and what is wrong', async () => {
  const { findings } = await checkFile('wrong.ts')
  const path = 'checks/sql/fixture/wrong.ts'
  assert.deepEqual(
    findings.map((finding) => `${finding.path.replace(path, '')}${finding.line}: ${finding.fault}`),
    [
      '6: column "nmae" does not exist',
      '7: syntax error at or near "SELEC"',
      '8: created_at is timestamptz, read as Date, and declared string',
      '9: revoked_at may be null, and is declared without',
      '10: parameter since is timestamptz in the database and number in the code',
      '11: parameter since is _text in the database and number in the code',
      '12: name is answered, and the row has no such member',
      '13: title is in the row, and no column of that name is answered',
      '14: parameter tests is text in the database and string[] in the code',
      '14: column "untrue" does not exist',
      '17: cannot be checked: order.trim is no function of ours',
      '19: tier may be null, and is declared without',
      '21: is marked as unchecked, and can be checked; remove the mark',
      '26: column "seq" does not exist',
    ],
  )
})

test('constants, functions, conditions, lists and literals are followed, and both ways of a condition', async () => {
  const { statements, variants, marked, findings } = await checkFile('right.ts')
  assert.deepEqual(findings, [])
  assert.deepEqual({ statements, variants, marked }, { statements: 3, variants: 5, marked: 1 })
})
