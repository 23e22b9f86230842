import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testHost } from '@svc/plugin/test-host'
import { plugin } from './plugin.ts'

test("uses the requested language, then the operator's, then English", async () => {
  const host = testHost(plugin, { config: { language: 'fr' } })
  assert.deepEqual(await host.run('hello', { name: 'Ada', language: 'de' }), {
    greeting: 'Guten Tag, Ada!',
    language: 'de',
  })
  assert.deepEqual(await host.run('hello', { name: 'Ada' }), { greeting: 'Bonjour, Ada!', language: 'fr' })
  assert.deepEqual(await testHost(plugin).run('hello', { name: 'Ada' }), {
    greeting: 'Hello, Ada!',
    language: 'en',
  })
})

test('remembers with one call, reports progress, and records an event without the name', async () => {
  const host = testHost(plugin, { calls: { 'MIND.store_memory': () => ({ memory_id: 'm1' }) } })
  assert.deepEqual(await host.run('remember', { name: 'Grace' }), {
    greeting: 'Hello, Grace!',
    memory_id: 'm1',
  })
  assert.deepEqual(
    host.calls.map(({ protocol, operation }) => `${protocol}.${operation}`),
    ['MIND.store_memory'],
  )
  assert.deepEqual(
    host.progress.map(({ fraction }) => fraction),
    [0.5, 1],
  )
  assert.deepEqual(host.audits, [
    { event_type: 'custom.greeting.remembered', meta: { language: 'en', memory_id: 'm1', by: 'Agent' } },
  ])
})

test('refuses an unknown language, and passes on refusals of its calls', async () => {
  const host = testHost(plugin, { config: { language: 'xx' } })
  await assert.rejects(host.run('hello', { name: 'Ada' }), {
    code: 'policy_denied',
    reason: 'unknown language',
  })
  await assert.rejects(testHost(plugin).run('remember', { name: 'Grace' }), { code: 'capability_denied' })
  await assert.rejects(host.run('hello', { name: '' }), { code: 'invalid_payload' })
})
