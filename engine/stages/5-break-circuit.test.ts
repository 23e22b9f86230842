import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '@svc/contract/refusal'
import { askedOf, callBefore, type TestPorts, testPorts, tryProtocol } from '../../checks/test-ports.ts'
import type { Endpoint } from '../ports.ts'
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

test('every endpoint that works is a candidate', async () => {
  const ports = open(['a', 'b', 'c'])
  assert.deepEqual(await candidatesOf(ports), ['a', 'b', 'c'])
  breakDown(ports, 'b')
  assert.deepEqual(await candidatesOf(ports), ['a', 'c'])
})

test('when none is left the refusal names protocol, endpoint, last failure and when to come back', async () => {
  const ports = open(['a', 'b'])
  breakDown(ports, 'a')
  breakDown(ports, 'b')
  await assert.rejects(guard(ports), (thrown) => {
    assert.ok(thrown instanceof Refusal)
    assert.equal(thrown.code, 'circuit_open')
    const { reason, protocol, endpoint: id, last_failure, retry_after_ms } = thrown.details
    assert.deepEqual([reason, protocol, id, last_failure], ['circuit OPEN', 'TRY', 'a', 'timeout'])
    assert.ok(retry_after_ms && retry_after_ms > 0)
    return true
  })
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

test('an exempt operation is let through to whatever there is', async () => {
  const ports = open(['a'], true)
  breakDown(ports, 'a')
  assert.deepEqual(await candidatesOf(ports), ['a'])
})

test('a protocol without endpoints is not a broken one', async () => {
  assert.deepEqual(await candidatesOf(open([])), [])
})
