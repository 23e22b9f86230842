// Engines that answer, drain, break off or are down, and the fate of a call offered to several.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { test } from 'node:test'
import { refuse } from '@svc/contract/refusal'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { eventually } from '../../checks/suite/eventually.ts'
import { spreadOver } from './relay-spread.ts'
import {
  brokeOff,
  type FromEngine,
  type ToEngine,
  type Upstream,
  unreachable_reason,
} from './relay-upstream.ts'

const draining = JSON.stringify({ error: { code: 'draining', stage: 0 } })
const away = () => refuse('no_endpoint_available', 'It is away.', { reason: unreachable_reason })

function answerOf(statusCode: number, text: string, type = 'application/json'): FromEngine {
  const length = type === 'application/json' ? { 'content-length': String(text.length) } : {}
  const headers = { 'content-type': type, ...length }
  return Object.assign(Readable.from([Buffer.from(text)]), { statusCode, headers, rawHeaders: [] })
}

interface Engine extends Upstream {
  says: () => FromEngine | Promise<FromEngine>
  /** A paused process: what is sent to it stays unanswered. */
  is_paused: boolean
  asked: number
  let_go: number
  signatures: string[]
}

function engine(name: string): Engine {
  const made: Engine = {
    says: () => answerOf(200, name),
    is_paused: false,
    asked: 0,
    let_go: 0,
    signatures: [],
    async ask({ headers, path, signal }) {
      if (made.is_paused) {
        if (!signal.aborted) await once(signal, 'abort')
        throw signal.reason
      }
      if (path === '/health') return answerOf(200, '{}')
      made.asked++
      made.signatures.push(headers().signature ?? '')
      return made.says()
    },
    letGo() {
      made.let_go++
    },
    close() {},
  }
  return made
}

function scene(count = 2, more: Partial<ToEngine> = {}) {
  const engines = Array.from({ length: count }, (_, i) => engine(`engine ${i}`))
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const late = new AbortController()
  const spread = spreadOver(engines, clock, () => late.signal)
  /** With an end for those that do not answer. */
  const probe = async () => {
    const probing = spread.probe()
    late.abort()
    await probing
  }
  let signed = 0
  const request: ToEngine = {
    ...more,
    method: 'POST',
    path: '/v1/dispatch',
    headers: () => ({ signature: String(++signed) }),
    signal: new AbortController().signal,
  }
  const ask = async () => {
    const answer = await spread.ask(request)
    return `${answer.statusCode} ${await textOf(answer)}`
  }
  const counts = () => engines.map(({ asked }) => asked)
  return { engines, clock, ask, counts, probe }
}

test('calls are spread evenly over the engines that answer', async () => {
  const { ask, counts } = scene(3)
  for (let i = 0; i < 30; i++) assert.match(await ask(), /^200 /)
  assert.deepEqual(counts(), [10, 10, 10])
})

for (const [name, says] of Object.entries({
  drains: () => answerOf(503, draining),
  'drains, and says so in a stream': () =>
    answerOf(200, `event: error\ndata: ${draining}\n\n`, 'text/event-stream'),
  'is not there': () => {
    throw away()
  },
})) {
  test(`a call to an engine that ${name} goes to another one under a new signature, and it is skipped for a while`, async () => {
    const { engines, clock, ask, counts } = scene()
    const [first, second] = engines
    first!.says = says
    for (let i = 0; i < 10; i++) assert.equal(await ask(), '200 engine 1')
    assert.deepEqual([counts(), first!.let_go], [[1, 10], 1])
    assert.deepEqual(second!.signatures.slice(0, 2), ['2', '3'])
    clock.advance(1_000)
    for (let i = 0; i < 10; i++) assert.equal(await ask(), '200 engine 1')
    assert.deepEqual(counts(), [2, 20])
    // After a longer outage it is tried less often.
    clock.advance(1_000)
    for (let i = 0; i < 10; i++) await ask()
    assert.deepEqual(counts(), [2, 30])
    first!.says = () => answerOf(200, 'engine 0')
    clock.advance(1_000)
    const answers = new Set(await Promise.all(Array.from({ length: 10 }, ask)))
    assert.deepEqual(answers, new Set(['200 engine 0', '200 engine 1']))
    assert.deepEqual(counts(), [3, 39])
    for (let i = 0; i < 10; i++) await ask()
    assert.deepEqual(counts(), [8, 44])
  })
}

test('a call that may have run is never sent to another engine', async () => {
  const later = JSON.stringify({ error: { code: 'draining', stage: 7 } })
  const other = JSON.stringify({ error: { code: 'circuit_open', stage: 7 } })
  const answers: [() => FromEngine, string | RegExp][] = [
    [() => answerOf(503, later), `503 ${later}`],
    [() => answerOf(503, other), `503 ${other}`],
    [() => answerOf(503, 'no JSON'), '503 no JSON'],
    [() => answerOf(200, `event: error\ndata: ${later}\n\n`, 'text/event-stream'), /stage":7/],
    [() => answerOf(200, 'event: progress\ndata: {}\n\n', 'text/event-stream'), /progress/],
    [() => answerOf(200, '', 'text/event-stream'), '200 '],
  ]
  for (const [says, expected] of answers) {
    const { engines, ask, counts } = scene()
    engines[0]!.says = says
    const answer = await ask()
    if (typeof expected === 'string') assert.equal(answer, expected)
    else assert.match(answer, expected)
    assert.deepEqual(counts(), [1, 0])
  }
  const { engines, ask, counts } = scene()
  engines[0]!.says = () => {
    throw brokeOff(new Error('reset'))
  }
  await assert.rejects(ask(), { code: 'adapter_error' })
  assert.deepEqual(counts(), [1, 0])
})

for (const [name, error] of Object.entries({
  'is busy': { code: 'no_endpoint_available', reason: 'engine busy', stage: 0 },
  'has an open circuit': { code: 'circuit_open', stage: 5 },
})) {
  test(`a call that an engine refused because it ${name} goes to another one, and the next call may go there`, async () => {
    const { engines, ask, counts } = scene()
    engines[0]!.says = () => answerOf(503, JSON.stringify({ error }))
    for (let i = 0; i < 10; i++) assert.equal(await ask(), '200 engine 1')
    assert.deepEqual(counts(), [5, 10])
    engines[1]!.says = engines[0]!.says
    assert.equal(await ask(), `503 ${JSON.stringify({ error })}`)
  })
}

test('a call with a proof that one engine has used up is sent to no other, where it would count as a replay', async () => {
  const { engines, ask, counts } = scene(2, { is_once: true })
  engines[0]!.says = () => answerOf(503, draining)
  assert.equal(await ask(), `503 ${draining}`)
  assert.deepEqual(counts(), [1, 0])
  const unread = { code: 'no_endpoint_available', reason: 'engine busy', stage: null }
  engines[1]!.says = () => answerOf(503, JSON.stringify({ error: unread }))
  engines[0]!.says = () => answerOf(200, 'engine 0')
  assert.equal(await ask(), '200 engine 0')
  assert.deepEqual(counts(), [2, 1])
})

test('a stream that was not taken is read to its end, so that its connection is free', async () => {
  const { engines, ask } = scene()
  const busy = { code: 'no_endpoint_available', reason: 'engine busy', stage: 0 }
  const text = `event: error\ndata: ${JSON.stringify({ error: busy })}\n\n`
  const streams: FromEngine[] = []
  const refusing = () => {
    const stream = answerOf(200, text, 'text/event-stream')
    streams.push(stream)
    return stream
  }
  engines[0]!.says = refusing
  assert.equal(await ask(), '200 engine 1')
  engines[1]!.says = refusing
  assert.equal(await ask(), `200 ${text}`)
  assert.equal(streams.length, 3)
  await eventually(() => assert.ok(streams.every(({ readableEnded }) => readableEnded)))
})

test('a call goes to the engine that has the fewest waiting', async () => {
  const { engines, ask, counts } = scene()
  const late_answer = Promise.withResolvers<FromEngine>()
  engines[0]!.says = () => late_answer.promise
  const first = ask()
  for (let i = 0; i < 5; i++) assert.equal(await ask(), '200 engine 1')
  late_answer.resolve(answerOf(200, 'late'))
  assert.equal(await first, '200 late')
  assert.deepEqual(counts(), [1, 5])
})

test('an engine that leaves two probes unanswered gets no calls until it answers one', async () => {
  const { engines, ask, counts, probe } = scene(3)
  engines[0]!.is_paused = true
  await probe()
  await probe()
  for (let i = 0; i < 10; i++) assert.match(await ask(), /^200 engine [12]$/)
  assert.equal(counts()[0], 0)
  engines[0]!.is_paused = false
  await probe()
  for (let i = 0; i < 9; i++) await ask()
  assert.equal(counts()[0], 3)
})

test('an engine that is silent comes after one that is only left out for a while', async () => {
  const { engines, ask, counts, probe } = scene()
  engines[0]!.is_paused = true
  await probe()
  await probe()
  engines[1]!.says = () => answerOf(503, draining)
  engines[0]!.is_paused = false
  assert.equal(await ask(), '200 engine 0')
  engines[1]!.says = () => answerOf(200, 'engine 1')
  assert.equal(await ask(), '200 engine 1')
  assert.deepEqual(counts(), [1, 2])
})

test('where no engine takes it, the caller gets the last answer, and a call is offered three times at most', async () => {
  const { engines, ask, counts } = scene(5)
  for (const one of engines) one.says = () => answerOf(503, draining)
  assert.equal(await ask(), `503 ${draining}`)
  assert.deepEqual(counts(), [1, 1, 1, 0, 0])
  const alone = scene(1)
  alone.engines[0]!.says = () => {
    throw away()
  }
  for (let i = 0; i < 3; i++) await assert.rejects(alone.ask(), { code: 'no_endpoint_available' })
  alone.engines[0]!.says = () => answerOf(200, 'back')
  assert.equal(await alone.ask(), '200 back')
})
