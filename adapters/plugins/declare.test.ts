import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makePlugin, type WrittenPlugin } from '../../checks/plugins/written-plugin.ts'
import { declarePlugin } from './declare.ts'
import { type PluginPackage, Rejected } from './plugin-folder.ts'
import type { PluginOperations } from './plugin-operations.ts'

function packageOf(plugin: WrittenPlugin, operations: PluginOperations = {}): PluginPackage {
  const { manifest, files } = makePlugin(plugin)
  return { manifest, files, component: files.get('plugin.wasm')!, operations, digest: 'x' }
}

test("a plugin's own protocol is registered under its slot and version, with its own texts", () => {
  const declared = { run: { summary: 'Runs.', effect: 'read', level: 'L0' } } as const
  const declaration = declarePlugin(packageOf({ version: '1.2.0' }, declared), [])
  const { id, version, plane, estate, rate, operations } = declaration
  assert.deepEqual(
    [id, version, plane, estate, rate],
    ['GREET', 'v1.2.0', 'execution', 'protocol', 'standard'],
  )
  assert.deepEqual(
    [operations.run?.summary, operations.run?.effect, operations.run?.level],
    ['Runs.', 'read', 'L0'],
  )
})

test('an undeclared operation, or one named like a member of Object, takes any object and counts as a write', () => {
  for (const name of ['run', 'constructor', 'to_string']) {
    const { operations } = declarePlugin(packageOf({ operations: [name] }), [])
    assert.deepEqual([operations[name]?.effect, operations[name]?.level], ['write', 'L1'])
  }
})

test('in one of our slots it has our name and plane, and is as strict as ours', () => {
  const facts = {
    summary: 'x',
    effect: 'write',
    level: 'L2',
    meters: ['watts'],
    secret_output: true,
  } as const
  const ours = { id: 'Mind', plane: 'cognition', rate: 'infrastructure', operations: { run: facts } }
  const loose = { run: { effect: 'read' as const, level: 'L0' as const } }
  const plugin_package = packageOf({ protocol: 'MIND', version: '9.0.0', operations: ['run', 'walk'] }, loose)
  const { id, plane, rate, operations } = declarePlugin(plugin_package, [ours as never])
  assert.deepEqual([id, plane, rate], ['Mind', 'cognition', 'infrastructure'])
  const { effect, level, meters, secret_output } = operations.run!
  assert.deepEqual([effect, level, meters, secret_output], ['write', 'L2', ['watts'], true])
  assert.equal(operations.walk?.effect, 'write')
})

test('a Protocol names its slot; an Extension without one is registered under its name', () => {
  const nameless = packageOf({ name: 'my-plugin-2' })
  const { protocol: _, ...plugin } = nameless.manifest.plugin
  const as = (plugin_type: 'Protocol' | 'Extension') => ({
    ...nameless,
    manifest: { plugin: { ...plugin, plugin_type } },
  })
  assert.throws(
    () => declarePlugin(as('Protocol'), []),
    (error: Rejected) => error.reason === 'no slot',
  )
  assert.equal(declarePlugin(as('Extension'), []).id, 'MYPLUGIN')
})

test('what cannot be listed is rejected', () => {
  const hidden = packageOf({}, { run: { summary: 'Runs.\u202e' } })
  for (const plugin of [packageOf({ operations: ['say_hello', 'say.hello'] }), hidden])
    assert.throws(
      () => declarePlugin(plugin, []),
      (error: unknown) => error instanceof Rejected && error.reason === 'bad operations',
    )
})
