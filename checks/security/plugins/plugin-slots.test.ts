import assert from 'node:assert/strict'
import { test } from 'node:test'
import { declarePlugin } from '@svc/adapters/plugins/declare'
import { catalogue } from '@svc/catalogue/catalogue'
import { makePlugin } from '../../plugins/written-plugin.ts'

test('in a built-in slot no operation may be less strict than the built-in one', () => {
  const loose = { effect: 'read' as const, level: 'L0' as const, rate_cost: 1 }
  for (const ours of catalogue) {
    const names = Object.keys(ours.operations)
    const facts = Object.fromEntries(names.map((name) => [name, loose]))
    const claim = { protocol: ours.id.toLowerCase(), version: '9.0.0', operations: names }
    const declaration = declarePlugin(
      { ...makePlugin(claim), component: Buffer.alloc(0), digest: '', operations: facts },
      catalogue,
    )
    assert.deepEqual([declaration.id, declaration.plane, declaration.rate], [ours.id, ours.plane, ours.rate])
    for (const name of names) {
      const [plugins, own] = [declaration.operations[name]!, ours.operations[name]!]
      const { effect, level, meters, acts_outside, keep_input, secret_output, engages } = own
      for (const [fact, value] of Object.entries({
        effect,
        level,
        meters,
        acts_outside,
        keep_input,
        secret_output,
        engages,
      }))
        assert.deepEqual((plugins as never)[fact], value, `${ours.id} ${name} ${fact}`)
    }
  }
})
