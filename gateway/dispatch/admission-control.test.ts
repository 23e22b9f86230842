import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Refusal } from '@svc/contract/refusal'
import fc from 'fast-check'
import { caller_headers, openTestEndpoint } from '../../checks/engines/test-endpoint.ts'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { askedOf, gist, tryProtocol } from '../../checks/rehearsal/test-ports.ts'
import { eventually } from '../../checks/suite/eventually.ts'
import { type AdmissionLimits, openAdmission, type Place } from './admission-control.ts'

const { request } = askedOf()
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

test('calls are limited, and refused ones get different retry times', () => {
  const admission = newAdmission()
  const places = [admission.enter(), admission.enter(), admission.enter()]
  const refused = Array.from({ length: 50 }, () => refusalOf(() => admission.enter()))
  for (const { code, row, details } of refused) {
    assert.deepEqual([code, row.status, details.reason], ['no_endpoint_available', 503, 'engine busy'])
    assert.ok(details.retry_after_ms! >= 500 && details.retry_after_ms! <= 2_000)
  }
  assert.ok(new Set(refused.map(({ details }) => details.retry_after_ms)).size > 25)
  assert.deepEqual([admission.calls, admission.shed], [3, 50])
  places[0]?.leave()
  places[0]?.leave()
  admission.enter()
  refusalOf(() => admission.enter())
})

test('a call that waits for its own caller releases its slot, and may find it taken', () => {
  const admission = newAdmission({ calls_max: 1 })
  const slow = admission.enter()
  slow.stepAside()
  const quick = admission.enter()
  refusalOf(() => slow.stepBack())
  slow.leave()
  assert.equal(admission.calls, 1)
  quick.leave()
  assert.equal(admission.calls, 0)
})

test('an organization takes three places for each that is free, so others are always let in', () => {
  const admission = newAdmission({ calls_max: 100 })
  const enterAll = (tenant_id: string) => {
    const places: Place[] = []
    const last = refusalOf(() => {
      for (;;) places.push(admission.enter(tenant_id))
    })
    assert.match(last.message, new RegExp(`busy with ${places.length} calls of your organization`))
    return places
  }
  const flood = enterAll('flood')
  const second = enterAll('second')
  const third = enterAll('third')
  assert.deepEqual(
    [flood, second, third].map(({ length }) => length),
    [75, 19, 5],
  )
  const unknown = admission.enter()
  assert.equal(admission.calls, 100)
  refusalOf(() => admission.enter())
  flood[0]!.leave()
  refusalOf(() => unknown.belongTo('flood'))
  assert.equal(admission.calls, 98)
  unknown.leave()
  const newcomer = admission.enter()
  newcomer.belongTo('newcomer')
  newcomer.stepAside()
  newcomer.stepBack()
  for (const place of [...flood, ...second, ...third, newcomer]) place.leave()
  assert.equal(admission.calls, 0)
  assert.equal(enterAll('flood').length, 75)
})

test('bodies together hold so many bytes, but one alone may be larger than the limit', () => {
  const admission = newAdmission()
  const large = admission.enter()
  large.expect(1_000)
  large.hold(90)
  large.hold(500)
  const other = admission.enter()
  refusalOf(() => other.expect(1))
  refusalOf(() => other.hold(1))
  large.leave()
  large.hold(50)
  other.hold(100)
  assert.equal(admission.body_bytes, 100)
})

const steps = ['enter', 'hold', 'aside', 'back', 'leave'] as const

test('in any order of steps the bounds hold, and all is free in the end', () => {
  const step = fc.record({
    what: fc.constantFrom(...steps),
    who: fc.nat(20),
    bytes: fc.integer({ min: 1, max: 60 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (script) => {
      const admission = newAdmission()
      const places: Place[] = []
      for (const { what, who, bytes } of script) {
        const place = places[who % Math.max(1, places.length)]
        try {
          if (what === 'enter') places.push(admission.enter())
          else if (what === 'hold') place?.hold(bytes)
          else if (what === 'aside') place?.stepAside()
          else if (what === 'back') place?.stepBack()
          else place?.leave()
        } catch (thrown) {
          assert.ok(thrown instanceof Refusal)
        }
        assert.ok(admission.calls >= 0 && admission.calls <= 3 && admission.body_bytes >= 0)
      }
      for (const place of places) place.leave()
      assert.deepEqual([admission.calls, admission.body_bytes], [0, 0])
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
  const admission = newAdmission(limits)
  Object.assign(opened.dispatch_endpoint, { admission })
  t.after(() => {
    for (const resolve of waiting) resolve()
    return opened.close()
  })
  const until = (what: () => boolean) => eventually(() => assert.ok(what()))
  return { ...opened, admission, waiting, until }
}

test("a full endpoint refuses at once and records it in the audit log of a known caller's tenant", async (t) => {
  const { post, admission, waiting, until, records, operatorRecords, ports } = await openNarrowEndpoint(t, {
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
  await until(() => admission.calls === 0)
  assert.deepEqual([admission.body_bytes, admission.shed, ports.logged], [0, 2, []])
})

test('a caller that sends its body slowly blocks nobody; when it leaves, it is recorded once and its bytes are released', async (t) => {
  const { post, port, admission, waiting, until, records } = await openNarrowEndpoint(t, {
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
  await until(() => admission.body_bytes === 1)
  assert.equal(admission.calls, 0)
  // The bytes it has sent count, so a body that does not fit beside them is refused.
  assert.equal((await post(request)).status, 503)
  socket.resetAndDestroy()
  await until(() => admission.body_bytes === 0)
  await until(() => records().length === 2)
  assert.deepEqual(
    records().map(({ meta }) => [meta.code, meta.reason]),
    [
      ['no_endpoint_available', 'engine busy'],
      ['invalid_request', 'aborted'],
    ],
  )
  const call = post(request)
  await until(() => waiting.length === 1)
  waiting[0]?.()
  assert.equal((await call).status, 200)
})
