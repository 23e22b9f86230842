import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testHost } from '@svc/plugin/test-host'
import { plugin } from './plugin.ts'

test('says hello, and refuses only an empty name', async () => {
  const host = testHost(plugin)
  assert.deepEqual(await host.run('hello', { name: 'Ada' }), { greeting: 'Hello, Ada!' })
  await assert.rejects(host.run('hello', { name: '' }), { code: 'invalid_payload' })
})
