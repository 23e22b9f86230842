import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '@svc/contract/refusal'
import {
  askedOf,
  callBefore,
  type TestPorts,
  test_tenant,
  testPorts,
  tryProtocol,
} from '../../checks/rehearsal/test-ports.ts'
import { circuitOf, type Endpoint } from '../routing/routing.ts'
import { breakCircuit } from './5-break-circuit.ts'

const endpoint = (id: string): Endpoint => ({
  id,
  kind: 'external',
  healthy: true,
  in_flight: 0,
  invoke: () => ({ data: {} }),
})

function open(ids: string[], exempt = false): TestPorts {
  const definition = tryProtocol(() => ({}), { exempt })
  const ports = testPorts([])
  ports.registry.register(definition, ids.map(endpoint))
  return ports
}
const breakDown = (ports: TestPorts, id: string) => {
  for (let i = 0; i < 5; i++) ports.breaker.failed('TRY', id, 'timeout')
}
const guard = async (ports: TestPorts) => breakCircuit(await callBefore(5, askedOf(), ports), ports)
const candidatesOf = async (ports: TestPorts) => (await guard(ports)).candidates.map(({ id }) => id)

test('every working endpoint is a candidate', async () => {
  const ports = open(['a', 'b', 'c'])
  assert.deepEqual(await candidatesOf(ports), ['a', 'b', 'c'])
  breakDown(ports, 'b')
  assert.deepEqual(await candidatesOf(ports), ['a', 'c'])
})

test('when none is left the refusal names protocol, endpoint, last failure and when to retry', async () => {
  const ports = open(['a', 'b'])
  breakDown(ports, 'a')
  breakDown(ports, 'b')
  await assert.rejects(guard(ports), (thrown) => {
    assert.ok(thrown instanceof Refusal)
    assert.equal(thrown.code, 'circuit_open')
    const { reason, protocol, endpoint: id, last_failure, retry_after_ms } = thrown.details
    assert.deepEqual([reason, protocol, last_failure], ['circuit OPEN', 'TRY', 'timeout'])
    assert.ok(id === 'a' || id === 'b')
    assert.ok(retry_after_ms && retry_after_ms > 0)
    return true
  })
})

test('of several the one available soonest is named', async () => {
  for (const first of ['a', 'b']) {
    const ports = open(['a', 'b', 'c'])
    for (const id of ['a', 'b', 'c']) if (id !== first) breakDown(ports, id)
    await ports.breaker.probe(async () => true)
    ports.clock.advance(11_001)
    await ports.breaker.probe(async () => false)
    breakDown(ports, first)
    await assert.rejects(guard(ports), (thrown) => (thrown as Refusal).details.endpoint === first)
  }
})

test('an unhealthy endpoint is neither an alternative nor a reason to wait', async () => {
  const ports = testPorts([])
  const sick = { ...endpoint('sick'), healthy: false }
  ports.registry.register(tryProtocol(() => ({})), [sick, endpoint('a')]) // biome-ignore format: one thought
  breakDown(ports, 'a')
  await assert.rejects(guard(ports), (thrown) => (thrown as Refusal).details.endpoint === 'a')
  const both = testPorts([])
  both.registry.register(tryProtocol(() => ({})), [sick]) // biome-ignore format: one thought
  breakDown(both, 'sick')
  assert.deepEqual(await candidatesOf(both), [], 'stage 6 says that none is healthy')
})

test('while probes run it is refused as before', async () => {
  const ports = open(['a'])
  breakDown(ports, 'a')
  ports.clock.advance(11_001)
  await ports.breaker.probe(async () => true)
  await assert.rejects(guard(ports), (thrown) => (thrown as Refusal).details.reason === 'circuit HALF_OPEN')
  await ports.breaker.probe(async () => true)
  assert.deepEqual(await candidatesOf(ports), ['a'])
})

test('while it recovers, excess calls are told so, and when to retry', async () => {
  const ports = open(['a'])
  breakDown(ports, 'a')
  ports.clock.advance(11_001)
  for (let probed = 0; probed < 2; probed++) await ports.breaker.probe(async () => true)
  const [a] = ports.registry.versions('TRY')![0]!.endpoints
  assert.deepEqual(await candidatesOf(ports), ['a'])
  a!.in_flight = 4
  await assert.rejects(guard(ports), (thrown) => {
    const { code, message, details } = thrown as Refusal
    assert.deepEqual([code, details.reason, details.endpoint], ['circuit_open', 'circuit recovering', 'a'])
    assert.match(message, /few calls at once; try again in \d+ ms\.$/)
    return true
  })
})

test('while nothing is broken the list of endpoints is passed on unchanged', async () => {
  const ports = open(['a', 'b'])
  const { candidates, registered } = await guard(ports)
  assert.equal(candidates, registered.endpoints)
})

test('an exempt operation passes open circuits', async () => {
  const ports = open(['a'], true)
  breakDown(ports, 'a')
  assert.deepEqual(await candidatesOf(ports), ['a'])
})

test("a plugin's circuit is that of the tenant that met its faults", async () => {
  const plugin = { ...endpoint('plugin:a@1.0.0'), kind: 'wasm' } as const
  const ports = open([])
  ports.registry.register(
    tryProtocol(() => ({})),
    [plugin],
  )
  breakDown(ports, circuitOf(plugin, 'globex'))
  assert.deepEqual(await candidatesOf(ports), [plugin.id])
  breakDown(ports, circuitOf(plugin, test_tenant))
  await assert.rejects(guard(ports), (thrown) => thrown instanceof Refusal && thrown.code === 'circuit_open')
})

test('a protocol without endpoints is not a broken one', async () => {
  assert.deepEqual(await candidatesOf(open([])), [])
})
