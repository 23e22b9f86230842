import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import type { LiveFigures } from '@svc/contract/live'
import { refuse } from '@svc/contract/refusal'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { openLiveStreams } from './live-streams.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const minute_ms = 60_000

/** The caller's end of a response: what was written to it, and whether it still reads. */
class Reader extends EventEmitter {
  #unread = ''
  writableNeedDrain = false
  destroyed = false
  writeHead() {}
  write(text: string) {
    this.#unread += text
  }
  end(text: string) {
    this.write(text)
    this.emit('close')
  }
  destroy() {
    this.destroyed = true
    this.emit('close')
  }
  read(): string {
    const text = this.#unread
    this.#unread = ''
    return text
  }
}

function open() {
  const clock = manualClock('2026-11-20T10:00:00.000Z')
  const source = {
    look: () => ({ at: 'first' }) as LiveFigures,
    take: () => ({ at: 'next' }) as LiveFigures,
  }
  const streams = openLiveStreams(source, clock, quiet)
  const watch = (tenant_id = 'acme', again = async () => {}) => {
    const res = new Reader()
    streams.add({ res: res as unknown as ServerResponse, tenant_id, again })
    return res
  }
  return { clock, streams, watch }
}

test('a stream sends figures at once, then with each tick, and ends after a quarter of an hour', async () => {
  const { clock, streams, watch } = open()
  const res = watch()
  const events = res.read()
  assert.equal(events, 'retry: 3000\n\nevent: figures\ndata: {"at":"first"}\n\n')
  await streams.tick()
  assert.equal(res.read(), 'event: figures\ndata: {"at":"next"}\n\n')
  clock.advance(15 * minute_ms)
  await streams.tick()
  assert.match(res.read(), /event: end\ndata: \{"reason":"over"\}\n\n$/)
  assert.equal(streams.open, 0)
})

test('a lost right ends it at once; one that cannot be looked up, after a while', async () => {
  const { clock, streams, watch } = open()
  let thrown: Error | undefined = refuse('no_endpoint_available', 'Away.')
  const res = watch('acme', async () => {
    if (thrown) throw thrown
  })
  await streams.tick()
  clock.advance(29_000)
  thrown = undefined
  await streams.tick()
  thrown = refuse('no_endpoint_available', 'Away.')
  clock.advance(30_000)
  await streams.tick()
  assert.equal(streams.open, 1, 'it was looked up half a minute ago')
  clock.advance(1_000)
  await streams.tick()
  assert.equal(streams.open, 0)
  assert.match(res.read(), /"unchecked"/)
  const denied = watch('acme', async () => {
    throw refuse('capability_denied', 'No.')
  })
  await streams.tick()
  assert.match(denied.read(), /"capability_denied"/)
})

test('a client that does not read is not waited for, and finally disconnected', async () => {
  const { streams, watch } = open()
  const res = watch()
  res.read()
  res.writableNeedDrain = true
  for (let i = 0; i < 30; i++) await streams.tick()
  assert.deepEqual([res.read(), res.destroyed], ['', false])
  await streams.tick()
  assert.deepEqual([res.destroyed, streams.open], [true, 0])
})

test('streams are limited per engine and tenant, and refused during shutdown', (t) => {
  const { streams, watch } = open()
  t.after(() => streams.close())
  for (let i = 0; i < 20; i++) watch()
  assert.throws(() => watch(), { code: 'rate_limited' })
  for (let i = 0; i < 180; i++) watch(`t${i}`)
  assert.throws(() => watch('another'), { code: 'rate_limited' })
  streams.close()
  assert.equal(streams.open, 0)
  assert.throws(() => watch(), { code: 'draining' })
})
