import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Part, type Said, type Standing, settleAll, settleFact, subtract, unite } from './history.ts'

const days = 12
const runs = 100

interface Row extends Standing {
  readonly since: number
  until: number
}

const statements = fc
  .record({
    o: fc.constantFrom('ann', 'bob', 'eve'),
    from: fc.integer({ min: 0, max: days - 1 }),
    length: fc.integer({ min: 1, max: days }),
    confidence: fc.constantFrom(0.3, 0.6, 0.6, 0.9),
  })
  .map(({ o, from, length, confidence }) => ({ o, confidence, valid: { from, until: from + length } }))

const factsOf = (history: readonly Pick<Said, 'o' | 'confidence' | 'valid'>[]): Said[] =>
  history.map((fact, place) => ({ ...fact, fact_id: String(place), prevails: false }))

/** Rows after each fact of a history, as the tables would hold them. */
function live(history: readonly Said[]): Row[] {
  const rows: Row[] = []
  history.forEach((fact, now) => {
    const open = rows.filter(({ until }) => until === Infinity)
    const { closed, opened } = settleFact(fact, open)
    for (const row of closed) (row as Row).until = now
    for (const part of opened) {
      const { o, confidence } = history[Number(part.fact_id)]!
      rows.push({ ...part, o, confidence, row_id: String(rows.length), since: now, until: Infinity })
    }
  })
  return rows
}

function believed(rows: readonly Row[], day: number, known_at: number): Row[] {
  return rows.filter(
    ({ valid, since, until, status }) =>
      status === 'current' && valid.from <= day && day < valid.until && since <= known_at && known_at < until,
  )
}

test('at every time, as known at every time, there is one value: the newest not outweighed', () => {
  fc.assert(
    fc.property(fc.array(statements, { maxLength: 12 }), (drawn) => {
      const history = factsOf(drawn)
      const rows = live(history)
      const plain: ({ o: string; confidence: number } | undefined)[] = []
      history.forEach(({ o, confidence, valid }, now) => {
        for (let day = valid.from; day < valid.until; day++)
          if (confidence >= (plain[day]?.confidence ?? 0)) plain[day] = { o, confidence }
        for (let day = 0; day < days * 2; day++) {
          const beliefs = believed(rows, day, now).map((row) => ({ o: row.o, confidence: row.confidence }))
          assert.deepEqual(beliefs, plain[day] ? [plain[day]] : [])
        }
      })
    }),
    { numRuns: runs },
  )
})

test('after any history the open rows equal settling everything again', () => {
  fc.assert(
    fc.property(fc.array(statements, { maxLength: 10 }), (drawn) => {
      const history = factsOf(drawn)
      const open = live(history).filter(({ until }) => until === Infinity)
      const again = settleAll(history.map((fact) => ({ ...fact, valid: [fact.valid] })))
      const named = (parts: readonly Part[]) =>
        parts.map(({ fact_id, valid, status }) => `${fact_id} ${valid.from}-${valid.until} ${status}`).sort()
      assert.deepEqual(named(again), named(open))
    }),
    { numRuns: runs },
  )
})

const ann = (more: Partial<Standing>): Standing => ({
  row_id: '1',
  fact_id: 'a',
  o: 'ann',
  valid: { from: 0, until: 9 },
  confidence: 0.9,
  status: 'current',
  ...more,
})

test('a fact is contested if a more certain one contradicts it', () => {
  const strong = ann({ valid: { from: 2, until: 4 } })
  const bob = { fact_id: 'b', o: 'bob', valid: { from: 0, until: 6 }, confidence: 0.5 }
  const { opened, against, closed } = settleFact({ ...bob, prevails: false }, [strong])
  assert.deepEqual(opened, [
    { fact_id: 'b', valid: { from: 0, until: 2 }, status: 'current' },
    { fact_id: 'b', valid: { from: 4, until: 6 }, status: 'current' },
    { fact_id: 'b', valid: { from: 2, until: 4 }, status: 'contested' },
  ])
  assert.deepEqual([against, closed], [[strong], []])
  assert.deepEqual(settleFact({ ...bob, prevails: true }, [strong]).superseded, [strong])
})

test('a duplicate ranks behind the more certain one', () => {
  const same = { fact_id: 'b', o: 'ann', valid: { from: 3, until: 12 }, prevails: false }
  const weaker = settleFact({ ...same, confidence: 0.5 }, [ann({})])
  assert.deepEqual(weaker.opened, [
    { fact_id: 'b', valid: { from: 9, until: 12 }, status: 'current' },
    { fact_id: 'b', valid: { from: 3, until: 9 }, status: 'supporting' },
  ])
  const stronger = settleFact({ ...same, confidence: 1 }, [ann({})])
  assert.deepEqual(stronger.opened, [
    { fact_id: 'a', valid: { from: 0, until: 3 }, status: 'current' },
    { fact_id: 'a', valid: { from: 3, until: 9 }, status: 'supporting' },
    { fact_id: 'b', valid: { from: 3, until: 12 }, status: 'current' },
  ])
  assert.deepEqual([stronger.superseded, stronger.against], [[], []])
})

test('spans are subtracted and united', () => {
  assert.deepEqual(subtract([{ from: 0, until: 9 }], [{ from: -Infinity, until: 3 }]), [
    { from: 3, until: 9 },
  ])
  const parts = [
    { from: 4, until: 6 },
    { from: 0, until: 2 },
    { from: 1, until: 4 },
    { from: 8, until: 9 },
  ]
  assert.deepEqual(unite(parts), [
    { from: 0, until: 6 },
    { from: 8, until: 9 },
  ])
})
