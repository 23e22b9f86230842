// The console's table of what a rule can watch is the engine's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watches as shown } from '../../clients/console/pages/alerts/watches.ts'
import { watches } from '../../protocols/awareness/motif/alerts/watch.ts'

test('a form offers exactly the fields that the engine accepts', () => {
  const of_engine = Object.entries(watches).map(([name, watch]) => {
    const { meaning, every_ms, ...fields } = watch
    assert.ok(meaning.length > 0 && every_ms > 0)
    return [name, fields]
  })
  assert.deepEqual(shown, Object.fromEntries(of_engine))
})
