import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import type { Credential } from '@svc/engine/call'
import type { Exchange } from './methods.ts'
import { openStreams, subscribe } from './streams.ts'
import { wire_v1 } from './wire-v1.ts'

const caller = (did: string, tenant_id: string, key_id: string): Credential =>
  ({ did, tenant_id, key_id }) as Credential

test('many keys of one caller, or many agents of one organization, leave streams to others', () => {
  const streams = openStreams()
  for (let i = 0; i < 32; i++) streams.enter(caller('ann', 'acme', `key ${i}`))
  assert.throws(() => streams.enter(caller('ann', 'acme', 'one more key')), { code: 'rate_limited' })
  for (let i = 0; i < 96; i++) streams.enter(caller(`agent ${i}`, 'acme', `key of ${i}`))
  assert.throws(() => streams.enter(caller('another', 'acme', 'its key')), { code: 'rate_limited' })
  const leave = streams.enter(caller('bob', 'globex', 'his key'))
  leave()
  leave()
  for (let i = 0; i < 32; i++) streams.enter(caller('bob', 'globex', 'his key'))
  assert.throws(() => streams.enter(caller('bob', 'globex', 'his key')), { code: 'rate_limited' })
})

/** Takes one event, and reads no more. */
class Reader extends EventEmitter {
  destroyed = false
  writeHead() {}
  end() {}
  write() {
    this.emit('written')
    return false
  }
  destroy() {
    this.destroyed = true
    this.emit('close')
  }
}

test('a client that does not read loses its stream after a while', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const left = new AbortController()
  const reader = new Reader()
  reader.once('close', () => left.abort())
  const changed_at = '2026-11-15T10:00:00.000Z'
  const task = { task_id: 't', context_id: 'c', state: 'working', changed_at, steps: 1 }
  const exchange: Exchange = {
    agent_did: 'did',
    wire: wire_v1,
    params: { id: 't' },
    call: async () => ({ ok: true, output: { task, new_steps: [] } }),
    signal: left.signal,
  }
  const first = new Promise((resolve) => reader.once('written', resolve))
  const res = reader as unknown as ServerResponse
  const over = subscribe(exchange, { res, headers: {}, envelope: JSON.stringify, isStopping: () => false })
  await first
  t.mock.timers.tick(29_999)
  assert.equal(reader.destroyed, false)
  t.mock.timers.tick(1)
  assert.equal(reader.destroyed, true)
  await over
})
