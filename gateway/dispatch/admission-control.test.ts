import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Refusal } from '@svc/contract/refusal'
import fc from 'fast-check'
import { caller_headers, openTestEndpoint } from '../../checks/engines/test-endpoint.ts'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { askedOf, gist, tryProtocol } from '../../checks/rehearsal/test-ports.ts'
import { type AdmissionLimits, openAdmission, type Place } from './admission-control.ts'

const { request } = askedOf()
const wait_ms_max = 180_000
const newAdmission = (limits: Partial<AdmissionLimits> = {}) =>
  openAdmission({ calls_max: 3, body_bytes_max: 100, ...limits }, manualClock('2026-11-15T10:00:00.000Z'))

function refusalOf(work: () => unknown): Refusal {
  try {
    work()
  } catch (thrown) {
    assert.ok(thrown instanceof Refusal)
    return thrown
  }
  assert.fail('it was not refused')
}

test('so many calls and no more, and those refused in one moment come back at different ones', () => {
  const room = newAdmission()
  const places = [room.enter(), room.enter(), room.enter()]
  const refused = Array.from({ length: 50 }, () => refusalOf(() => room.enter()))
  for (const { code, row, details } of refused) {
    assert.deepEqual([code, row.status, details.reason], ['no_endpoint_available', 503, 'engine busy'])
    assert.ok(details.retry_after_ms! >= 500 && details.retry_after_ms! <= 2_000)
  }
  assert.ok(new Set(refused.map(({ details }) => details.retry_after_ms)).size > 25)
  assert.deepEqual([room.calls, room.shed], [3, 50])
  places[0]?.leave()
  places[0]?.leave()
  room.enter()
  refusalOf(() => room.enter())
})

test('whoever waits for its own caller leaves the place to others, and may find it taken', () => {
  const room = newAdmission({ calls_max: 1 })
  const slow = room.enter()
  slow.stepAside()
  const quick = room.enter()
  refusalOf(() => slow.stepBack())
  slow.leave()
  assert.equal(room.calls, 1)
  quick.leave()
  assert.equal(room.calls, 0)
})

test('bodies together hold so many bytes, but one alone may be larger than the room', () => {
  const room = newAdmission()
  const large = room.enter()
  large.expect(1_000)
  large.hold(90)
  large.hold(500)
  const other = room.enter()
  refusalOf(() => other.expect(1))
  refusalOf(() => other.hold(1))
  large.leave()
  large.hold(50)
  other.hold(100)
  assert.equal(room.body_bytes, 100)
})

const steps = ['enter', 'hold', 'aside', 'back', 'leave'] as const

test('whatever is done in whatever order, the bounds hold and an empty room is empty', () => {
  const step = fc.record({
    what: fc.constantFrom(...steps),
    who: fc.nat(20),
    bytes: fc.integer({ min: 1, max: 60 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (script) => {
      const room = newAdmission()
      const places: Place[] = []
      for (const { what, who, bytes } of script) {
        const place = places[who % Math.max(1, places.length)]
        try {
          if (what === 'enter') places.push(room.enter())
          else if (what === 'hold') place?.hold(bytes)
          else if (what === 'aside') place?.stepAside()
          else if (what === 'back') place?.stepBack()
          else place?.leave()
        } catch (thrown) {
          assert.ok(thrown instanceof Refusal)
        }
        assert.ok(room.calls >= 0 && room.calls <= 3 && room.body_bytes >= 0)
      }
      for (const place of places) place.leave()
      assert.deepEqual([room.calls, room.body_bytes], [0, 0])
    }),
  )
})

async function openNarrowEndpoint(t: TestContext, limits: Partial<AdmissionLimits>) {
  const waiting: (() => void)[] = []
  const slow = tryProtocol(async () => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return {}
  })
  const opened = await openTestEndpoint([slow])
  const room = newAdmission(limits)
  Object.assign(opened.dispatch_endpoint, { room })
  t.after(() => {
    for (const resolve of waiting) resolve()
    return opened.close()
  })
  const until = (what: () => boolean) => t.waitFor(() => assert.ok(what()), { timeout: wait_ms_max })
  return { ...opened, room, waiting, until }
}

test('a full door refuses at once and records it in the book of whoever it knows', async (t) => {
  const { post, room, waiting, until, records, operatorRecords, ports } = await openNarrowEndpoint(t, {
    calls_max: 2,
    body_bytes_max: 1_000_000,
  })
  const taken = [post(request), post(request)]
  await until(() => waiting.length === 2)
  const busy = await post(request)
  const { error } = (await busy.json()) as { error: { reason: string; retry_after_ms: number } }
  assert.deepEqual([busy.status, error.reason], [503, 'engine busy'])
  assert.equal(busy.headers.get('retry-after'), String(Math.ceil(error.retry_after_ms / 1000)))
  assert.deepEqual(records().map(gist), ['Error refused no_endpoint_available stage -'])
  assert.equal((await post(request, { authorization: 'Bearer nobody' })).status, 503)
  assert.deepEqual(operatorRecords().map(gist), ['Error refused no_endpoint_available stage -'])
  for (const resolve of waiting) resolve()
  assert.deepEqual(await Promise.all(taken.map(async (call) => (await call).status)), [200, 200])
  await until(() => room.calls === 0)
  assert.deepEqual([room.body_bytes, room.shed, ports.logged], [0, 2, []])
})

test('a caller who sends its body for ever keeps nobody out, and its bytes go when it leaves', async (t) => {
  const { post, port, room, waiting, until } = await openNarrowEndpoint(t, {
    calls_max: 1,
    body_bytes_max: 20,
  })
  const headers = Object.entries(caller_headers).map((pair) => pair.join(': '))
  const head = ['POST /v1/dispatch HTTP/1.1', 'host: x', ...headers, 'content-length: 5000', '', '{'].join(
    '\r\n',
  )
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  socket.write(head)
  await until(() => room.body_bytes === 1)
  assert.equal(room.calls, 0)
  // What it has sent is held, so together with it a body that is large for this room finds none.
  assert.equal((await post(request)).status, 503)
  socket.destroy()
  await until(() => room.body_bytes === 0)
  const call = post(request)
  await until(() => waiting.length === 1)
  waiting[0]?.()
  assert.equal((await call).status, 200)
})
