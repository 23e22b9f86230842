import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toneOf } from '../../parts/tone.ts'
import { meshNodes } from './mesh-names.ts'

const endpoint = (protocol: string, label: string, state: string) => ({
  id: `endpoint:${protocol}@v1.0.0:0123456789ab`,
  kind: 'endpoint' as const,
  label,
  state,
  health: null,
})

test('endpoints are named by their protocol, and a closed breaker does not read like down', () => {
  const nodes = ['OAS', 'Aegis', 'Arsenal'].map((protocol) => endpoint(protocol, 'adapter', 'CLOSED'))
  const named = meshNodes({ nodes }, true)
  assert.deepEqual(
    named.map(({ label }) => label),
    ['OAS adapter', 'Aegis adapter', 'Arsenal adapter'],
  )
  for (const { state = '' } of named) assert.deepEqual([state, toneOf(state)], ['healthy', 'good'])
})

test('built-in endpoints are hidden unless endpoints were asked for', () => {
  const nodes = [endpoint('MAX', 'native', 'CLOSED'), endpoint('UNITS', 'https://units.example', 'OPEN')]
  assert.deepEqual(
    meshNodes({ nodes }, true).map(({ label }) => label),
    ['UNITS https://units.example'],
  )
  assert.equal(meshNodes({ nodes }, false)[0]?.label, 'MAX native')
})
