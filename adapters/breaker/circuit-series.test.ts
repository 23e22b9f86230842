import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { circuitSeries } from './circuit-series.ts'
import { memoryBreaker } from './memory.ts'

test('watched and broken circuits are shown, each with its state; those forgotten are gone', async () => {
  const registry = new Registry()
  const series = circuitSeries(registry)
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const breaker = memoryBreaker(clock, series.moved)
  series.watch(breaker.states)
  const shown = async () =>
    (await registry.metrics())
      .split('\n')
      .filter((line) => line.startsWith('svc_circuit_'))
      .join('\n')
  const remote = [{ protocol: 'FAR', endpoint: 'https://far.example' }]
  await breaker.probe(async () => true, remote)
  breaker.succeeded('QUIET', 'native')
  for (let i = 0; i < 5; i++) breaker.failed('TRY', 'native', 'timeout')
  assert.equal(
    await shown(),
    [
      'svc_circuit_transitions_total{to="CLOSED"} 0',
      'svc_circuit_transitions_total{to="HALF_OPEN"} 0',
      'svc_circuit_transitions_total{to="OPEN"} 1',
      'svc_circuit_state{protocol="FAR",endpoint="https://far.example"} 0',
      'svc_circuit_state{protocol="TRY",endpoint="native"} 2',
    ].join('\n'),
  )
  clock.advance(11_001)
  await breaker.probe(async () => true)
  const later = await shown()
  assert.match(later, /svc_circuit_state\{protocol="TRY",endpoint="native"\} 1/)
  assert.match(later, /svc_circuit_transitions_total\{to="HALF_OPEN"\} 1/)
  assert.doesNotMatch(later, /FAR/)
})
