// The hostile corpus against the sandbox itself: every case ends as expected.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { announce, halfOf, openChance } from '../../faults/scene/chance.ts'
import { deadline_ms, isFate, runCase, type Seen } from '../../plugins/hostile/run-case.ts'
import { hostile_corpus } from '../../plugins/hostile-corpus.ts'

const late_ms: number[] = []

/** At least fifty also in the short form. */
const chance = openChance()
const drawn = halfOf(hostile_corpus, chance)

for (const hostile of drawn)
  test(hostile.name, async () => {
    const result: Seen = await runCase(hostile)
    assert.ok(isFate(result, hostile.fate), `${result.how}: ${result.what.slice(0, 300)}`)
    if (result.took_ms !== undefined) late_ms.push(result.took_ms)
  })

test('all differ, and those that hung were killed at their timeout', (t) => {
  assert.equal(new Set(hostile_corpus.map(({ name }) => name)).size, hostile_corpus.length)
  assert.ok(drawn.length >= 50)
  const worst_ms = Math.max(...late_ms) - deadline_ms
  announce(t, import.meta.filename, drawn.length, chance)
  t.diagnostic(
    `${hostile_corpus.length} hostile plugins in all, 0 escapes; ${late_ms.length} killed at their deadline, the last ${worst_ms.toFixed(0)} ms after it`,
  )
  assert.ok(late_ms.length > 0)
})
