// A remote service fails in every way a network and a program can (F14): probes open its circuit, nothing is
// sent while it is open or half open, and waiting callers do not all return at once. The test controls the
// clock.
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import type { ExternalEndpoint } from '@svc/adapters/external/external-endpoint'
import { keepRegistration } from '@svc/adapters/external/registrations'
import { assertRefusal, assertSuccess } from '../conformance/dispatch/expectations.ts'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import { type Answer, dispatch } from '../engines/running-engine.ts'
import { type ManualClock, manualClock } from '../rehearsal/manual-clock.ts'
import { newSubject } from '../scenes/test-identity.ts'
import { eventually } from '../suite/eventually.ts'
import { pace } from '../suite/real-time.ts'
import { announce, is_long, openChance, report } from './scene/chance.ts'
import { type RemoteService, startRemoteService } from './scene/remote-service.ts'

const callers_count = is_long ? 500 : 30
const open_ms_max = 30_000
const step_ms = is_long ? 1_000 : 5_000
const window_ms = 30_000
const steps_max = 400
const calls_at_once_first = 4
/** In the short form callers wait a tenth of the given time. */
const wait_share = is_long ? 1 : 0.1

interface Fault {
  readonly name: string
  readonly long_only: boolean
  readonly opened_by: 'probes' | 'calls'
  begin(remote: RemoteService): void
}

const faults: readonly Fault[] = [
  {
    name: 'it refuses connections',
    long_only: false,
    opened_by: 'probes',
    begin({ proxy }) {
      proxy.set({ refusing: true })
      proxy.cut('reset')
    },
  },
  { name: 'it answers 5xx', long_only: true, opened_by: 'probes', begin: behave('answers 5xx') },
  { name: 'it resets connections', long_only: true, opened_by: 'probes', begin: behave('resets') },
  {
    name: 'it answers more than anybody reads',
    long_only: false,
    opened_by: 'calls',
    begin: behave('answers too much'),
  },
  {
    name: 'it hangs',
    long_only: true,
    opened_by: 'probes',
    begin: ({ proxy }) => proxy.set({ silent: true }),
  },
  {
    name: 'it is slow',
    long_only: true,
    opened_by: 'probes',
    begin: ({ proxy }) => proxy.set({ delay_ms: 5_000 }),
  },
]

function behave(behaviour: RemoteService['behaviour']) {
  return (remote: RemoteService) => {
    remote.behaviour = behaviour
  }
}

/** The seed decides when probes are due and which waits callers are given. */
const chance = openChance()
let clock: ManualClock
let service: InProcessService
let remote: RemoteService
/** When each probe ended, and its result; probes wait while `gate` is shut. */
const probes: { at_ms: number; passed: boolean }[] = []
let gate: Promise<void> | undefined
let refusals = 0

before(async () => {
  clock = manualClock('2026-11-15T10:00:00.000Z', String(chance.seed))
  const key = newSubject('Service', 'elsewhere')
  remote = await startRemoteService(key, clock)
  service = await startInProcess({ clock, config: { allowed_networks: ['127.0.0.0/8'] } })
  const place = { endpoint: remote.url, timeout_ms: 20_000, operations: ['run'], did: key.did, weight: 1 }
  await keepRegistration(service.service.store.engine, { name: 'FAR', version: 'v1.0.0', ...place })
})
after(async () => {
  await service?.stop()
  await remote?.close()
})

async function call(): Promise<Answer> {
  const answer = await dispatch(service, { protocol: 'FAR', version: 'v1.0.0', operation: 'run', input: {} })
  if (answer.status === 503 && answer.body.error.code === 'circuit_open') refusals++
  return answer
}

/** The endpoint's own probe, with its result recorded. */
function listenToProbes(): void {
  const endpoint = service.service.registry.versions('FAR')![0]!.endpoints[0] as ExternalEndpoint
  const { isHealthy } = endpoint
  endpoint.isHealthy = async () => {
    await gate
    const passed = await isHealthy.call(endpoint)
    probes.push({ at_ms: clock.monotonic_ms(), passed })
    return passed
  }
}

async function circuit(): Promise<string> {
  const text = await (await fetch(service.metrics_url)).text()
  const level = /^svc_circuit_state\{protocol="FAR",[^}]*\} (\d)$/m.exec(text)?.[1]
  return level === undefined ? 'unknown' : ['CLOSED', 'HALF_OPEN', 'OPEN'][Number(level)]!
}

/** Advances the clock and runs due probes until the circuit reaches the state. */
async function passTimeUntil(state: string): Promise<void> {
  for (let step = 0; step < steps_max; step++) {
    if ((await circuit()) === state) return
    clock.advance(step_ms)
    await service.service.probe()
  }
  assert.fail(`the circuit did not become ${state}`)
}

/** Calls are refused now, and nothing is sent. */
async function assertNothingSent(state: string, count: number): Promise<void> {
  const { invoked } = remote
  const { taken } = remote.proxy
  const answers = await Promise.all(Array.from({ length: count }, call))
  for (const answer of answers)
    assertRefusal(answer, { code: 'circuit_open', stage: 5, reason: `circuit ${state}` })
  assert.deepEqual([remote.invoked - invoked, remote.proxy.taken - taken], [0, 0])
}

test('the service is reached while it is healthy', async () => {
  await eventually(() => assert.ok(service.service.registry.versions('FAR')))
  listenToProbes()
  assertSuccess(await call())
  await passTimeUntil('CLOSED')
})

for (const fault of faults) {
  const skip = fault.long_only && !is_long && 'only in npm run assurance'
  test(
    `${fault.name}: opened in time, nothing sent, recovered without a thundering herd`,
    { skip, timeout: 300_000 },
    (t) => goThrough(t, fault),
  )
}

async function goThrough(t: TestContext, fault: Fault): Promise<void> {
  announce(t, import.meta.filename, callers_count, chance)
  // Earlier successes have left the window.
  clock.advance(window_ms)
  await service.service.probe()
  probes.length = 0
  const begun_ms = clock.monotonic_ms()
  fault.begin(remote)
  if (fault.opened_by === 'calls') {
    const failed = await Promise.all(Array.from({ length: 5 }, call))
    for (const answer of failed) assertRefusal(answer, { code: 'adapter_error', stage: 7 })
  }
  await passTimeUntil('OPEN')
  const opened_ms = clock.monotonic_ms()
  const first_ms = probes.find(({ passed }) => !passed)?.at_ms ?? begun_ms
  if (fault.opened_by === 'probes') assert.equal(probes.filter(({ passed }) => !passed).length, 3)
  assert.ok(
    opened_ms - first_ms <= open_ms_max,
    `open ${opened_ms - first_ms} ms after the first failed probe`,
  )
  await assertNothingSent('OPEN', callers_count)
  if (fault.opened_by === 'probes') await stayOpen()
  heal()
  const healed_ms = clock.monotonic_ms()
  await comeBack()
  const closed_ms = clock.monotonic_ms()
  const figures = await returnTogether()
  report(t, { open_ms: opened_ms - first_ms, close_ms: closed_ms - healed_ms, ...figures })
}

/** A failed probe while half open: back to open, for longer. */
async function stayOpen(): Promise<void> {
  const { length } = probes
  clock.advance(11_001)
  await service.service.probe()
  assert.deepEqual(
    probes.slice(length).map(({ passed }) => passed),
    [false],
  )
  assert.equal(await circuit(), 'OPEN')
  await assertNothingSent('OPEN', 5)
}

function heal(): void {
  remote.behaviour = 'well'
  remote.proxy.set({})
  // Discards what the network delayed.
  remote.proxy.cut('reset')
}

/**
 * The first good probe admits nobody, the second everybody. Probes, also the ticker's, end only on command.
 */
async function comeBack(): Promise<void> {
  const { length } = probes
  let open = () => {}
  const shut = () => {
    gate = new Promise((resolve) => {
      open = resolve
    })
  }
  shut()
  while ((await circuit()) === 'OPEN') {
    clock.advance(step_ms)
    const probing = service.service.probe()
    if ((await circuit()) === 'OPEN') await probing
  }
  await assertNothingSent('HALF_OPEN', 10)
  open()
  gate = undefined
  await passTimeUntil('CLOSED')
  assert.deepEqual(
    probes.slice(length).map(({ passed }) => passed),
    [true, true],
  )
}

/** All waiting callers retry at once, then as they were told to. */
async function returnTogether(): Promise<Record<string, number>> {
  remote.busy_ms = 10
  const load = remote.watchLoad(calls_at_once_first)
  const refused_before = refusals
  const tries = await Promise.all(Array.from({ length: callers_count }, callUntilDone))
  const turned_away = tries.reduce((sum, count) => sum + count, 0)
  remote.busy_ms = 0
  assert.equal(load.done, callers_count)
  assert.ok(load.over <= 0, `${load.over} more at once than the bound`)
  assert.equal(refusals - refused_before, turned_away)
  return { callers: callers_count, turned_away, most_at_once: load.most_at_once, over_bound_max: load.over }
}

async function callUntilDone(): Promise<number> {
  for (let tries = 0; ; tries++) {
    const answer = await call()
    if (answer.status === 200) return tries
    const { retry_after_ms } = assertRefusal(answer, {
      code: 'circuit_open',
      stage: 5,
      reason: 'circuit recovering',
    })
    await pace(retry_after_ms! * wait_share)
  }
}

test('the audit log has every transition once, in sequence, and every refusal', async () => {
  const filter = { event_types: ['CircuitBreakerTransition'], protocol: 'FAR' }
  const moves = (await service.records(service.operator.tenant_id, filter)).map(({ meta }) => meta)
  assert.ok(moves.length >= 3)
  moves.forEach(({ from, endpoint }, i) => {
    assert.equal(from, i === 0 ? 'CLOSED' : moves[i - 1]!.to)
    assert.equal(endpoint, remote.url)
  })
  assert.equal(moves.at(-1)!.to, 'CLOSED')
  const event_types = ['CircuitBreakerOpen']
  const refused = await service.records(service.tenant_id, { event_types, limit: refusals + 1 })
  assert.equal(refused.length, refusals)
  for (const { meta } of refused)
    assert.ok(meta.protocol === 'FAR' && meta.endpoint === remote.url && meta.last_failure)
})
