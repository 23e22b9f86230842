import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tryProtocol } from '../../checks/rehearsal/test-ports.ts'
import { openRegistry } from './registry.ts'
import { allServed, findServed } from './served-operations.ts'

test('the newest stable version is served, in any order of registration, and the next for what it lacks', () => {
  const registry = openRegistry()
  const { operations, ...facts } = tryProtocol(() => ({}))
  const { run } = operations
  registry.register({ ...facts, version: 'v3.0.0-rc.1', operations: { run: run!, rush: run! } }, [])
  registry.register({ ...facts, version: 'v1.0.0', operations: { run: run!, walk: run! } }, [])
  registry.register({ ...facts, version: 'v2.0.0', operations: { run: run! } }, [])
  const versionOf = (operation: string) => findServed(registry, 'try', operation)?.version
  assert.deepEqual(
    [versionOf('run'), versionOf('walk'), versionOf('rush'), versionOf('fly')],
    ['v2.0.0', 'v1.0.0', 'v3.0.0-rc.1', undefined],
  )
  assert.deepEqual(
    allServed(registry).map(({ operation, version }) => `${operation} ${version}`),
    ['run v2.0.0', 'walk v1.0.0', 'rush v3.0.0-rc.1'],
  )
})
