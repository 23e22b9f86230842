import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseTarget, openDatabase, readMasterKey } from './target.ts'

test('a named data folder wins, then the environment, then the folder of npm start', () => {
  const production = { SVC_DB_URL: 'postgres://db/svc', SVC_MASTER_KEY: 'ab'.repeat(32) }
  assert.equal(chooseTarget(undefined, production).data_dir, undefined)
  assert.equal(chooseTarget('/somewhere', production).data_dir, '/somewhere')
  assert.match(chooseTarget(undefined, {}).data_dir ?? '', /\.svc$/)
  assert.deepEqual(readMasterKey(chooseTarget(undefined, production)), Buffer.alloc(32, 0xab))
  const short = chooseTarget(undefined, { ...production, SVC_MASTER_KEY: 'abc' })
  assert.throws(() => readMasterKey(short), { name: 'ConfigError', message: /32 bytes/ })
  const none = chooseTarget(undefined, { SVC_DB_URL: 'postgres://db/svc' })
  assert.throws(() => readMasterKey(none), { name: 'ConfigError', message: /set SVC_MASTER_KEY/ })
})

test('without a database the sentence says how to name one', async () => {
  const target = chooseTarget('/nowhere/at-all', {})
  await assert.rejects(openDatabase(target), { name: 'ConfigError', message: /^No database: set SVC_DB_URL/ })
})
