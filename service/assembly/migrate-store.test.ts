import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrateStore } from './migrate-store.ts'

test('an address of several hosts is refused in a sentence, without its password', async () => {
  const several = 'postgresql://svc:of-the-owner@db-1:5432,db-2:5432/svc'
  await assert.rejects(migrateStore(several), ({ name, message }: Error) => {
    assert.equal(name, 'ConfigError')
    assert.match(message, /^SVC_DB_URL is not an address .*; of several servers, name the proxy before them/)
    assert.ok(!message.includes('of-the-owner'))
    return true
  })
})
