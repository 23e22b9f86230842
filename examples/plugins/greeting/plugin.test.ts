import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testHost } from '@svc/plugin/test-host'
import { plugin } from './plugin.ts'

test('greets in the language asked for, then in that of the operator, then in English', async () => {
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

test('remembers by one call, says how far it is, and leaves an event without the name', async () => {
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

test('refuses a language it does not speak, and hands on what its calls refuse', async () => {
  const host = testHost(plugin, { config: { language: 'xx' } })
  await assert.rejects(host.run('hello', { name: 'Ada' }), {
    code: 'policy_denied',
    reason: 'unknown language',
  })
  await assert.rejects(testHost(plugin).run('remember', { name: 'Grace' }), { code: 'capability_denied' })
  await assert.rejects(host.run('hello', { name: '' }), { code: 'invalid_payload' })
})
