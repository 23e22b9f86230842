import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Said, type Standing, settleFact, subtract } from './knowledge-history.ts'

const days = 12
const runs = 200

interface Row extends Standing {
  readonly since: number
  until: number
}

const said = fc
  .record({
    o: fc.constantFrom('ann', 'bob', 'eve'),
    from: fc.integer({ min: 0, max: days - 1 }),
    length: fc.integer({ min: 1, max: days }),
    confidence: fc.constantFrom(0.3, 0.6, 0.6, 0.9),
  })
  .map(({ o, from, length, confidence }): Said => ({ o, confidence, valid: { from, until: from + length } }))

/** Rows after each fact of a history, as the tables would hold them. */
function live(history: readonly Said[]): Row[] {
  const rows: Row[] = []
  history.forEach((fact, now) => {
    const open = rows.filter(({ until }) => until === Infinity)
    const { closed, reopened, current, contested } = settleFact(fact, open)
    for (const row of closed) (row as Row).until = now
    const add = (row: Said & { contested: boolean }) =>
      rows.push({ ...row, row_id: String(rows.length), since: now, until: Infinity })
    for (const { of, valid } of reopened) add({ ...of, valid })
    for (const valid of current) add({ ...fact, valid, contested: false })
    for (const valid of contested) add({ ...fact, valid, contested: true })
  })
  return rows
}

function believed(rows: readonly Row[], day: number, known_at: number): Row[] {
  return rows.filter(
    ({ valid, since, until, contested }) =>
      !contested && valid.from <= day && day < valid.until && since <= known_at && known_at < until,
  )
}

test('at each moment, as known at each, there is one value: the newest that nobody more certain spoke against', () => {
  fc.assert(
    fc.property(fc.array(said, { maxLength: 12 }), (history) => {
      const rows = live(history)
      const plain: ({ o: string; confidence: number } | undefined)[] = []
      history.forEach(({ o, confidence, valid }, now) => {
        for (let day = valid.from; day < valid.until; day++)
          if (confidence >= (plain[day]?.confidence ?? 0)) plain[day] = { o, confidence }
        for (let day = 0; day < days * 2; day++) {
          const found = believed(rows, day, now).map((row) => ({ o: row.o, confidence: row.confidence }))
          assert.deepEqual(found, plain[day] ? [plain[day]] : [])
        }
      })
    }),
    { numRuns: runs },
  )
})

test('what is contested is what a more certain one says otherwise of', () => {
  const strong = { row_id: '1', o: 'ann', valid: { from: 2, until: 4 }, confidence: 0.9, contested: false }
  const { current, contested, against } = settleFact(
    { o: 'bob', valid: { from: 0, until: 6 }, confidence: 0.5 },
    [strong],
  )
  assert.deepEqual(current, [
    { from: 0, until: 2 },
    { from: 4, until: 6 },
  ])
  assert.deepEqual([contested, against], [[{ from: 2, until: 4 }], [strong]])
})

test('saying the same again as certainly changes nothing', () => {
  const known = {
    row_id: '1',
    o: 'ann',
    valid: { from: 0, until: Infinity },
    confidence: 1,
    contested: false,
  }
  const again = settleFact({ o: 'ann', valid: { from: 3, until: 9 }, confidence: 1 }, [known])
  assert.deepEqual([again.closed, again.current, again.contested], [[], [], []])
  assert.deepEqual(subtract([{ from: 0, until: 9 }], [{ from: -Infinity, until: 3 }]), [
    { from: 3, until: 9 },
  ])
})
