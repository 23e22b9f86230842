import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Measured, rankCandidates } from './discovery-score.ts'

const bps = fc.integer({ min: 0, max: 10_000 })
const measured = fc.record<Measured>(
  {
    did: fc.uuid(),
    health_bps: fc.array(bps, { maxLength: 16 }),
    merit_bps: bps,
    latency_p50_ms: fc.integer({ min: 0, max: 5_000 }),
    text_rank: fc.integer({ min: 0, max: 1_000_000 }),
  },
  { requiredKeys: ['did', 'health_bps'] },
)
const candidates = fc.uniqueArray(measured, { selector: ({ did }) => did, maxLength: 20 })

test('every score and every part is an integer from 0 to 10000, best first, ties by DID', () => {
  fc.assert(
    fc.property(candidates, (list) => {
      const ranked = rankCandidates(list)
      assert.equal(ranked.length, list.length)
      for (const { score, score_parts } of ranked) {
        for (const part of [score, ...Object.values(score_parts)])
          assert.ok(Number.isInteger(part) && part >= 0 && part <= 10_000, String(part))
        const { health, merit, latency, text } = score_parts
        assert.equal(score, Math.floor((40 * health + 30 * merit + 20 * latency + 10 * text) / 100))
      }
      for (const [i, after] of ranked.entries()) {
        const before = ranked[i - 1]
        if (!before) continue
        assert.ok(before.score > after.score || (before.score === after.score && before.did < after.did))
      }
    }),
  )
})

test('the order does not depend on the order of the rows', () => {
  fc.assert(
    fc.property(
      candidates.chain((list) =>
        fc.tuple(
          fc.constant(list),
          fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }),
        ),
      ),
      ([list, shuffled]) => assert.deepEqual(rankCandidates(shuffled), rankCandidates(list)),
    ),
  )
})

test('better health, latency or reputation never lowers the rank', () => {
  fc.assert(
    fc.property(candidates, measured, bps, (others, one, more) => {
      const rest = others.filter(({ did }) => did !== one.did)
      const placeOf = (candidate: Measured) =>
        rankCandidates([...rest, candidate]).findIndex(({ did }) => did === candidate.did)
      const merit_bps = one.merit_bps ?? 5_000
      const better = { ...one, merit_bps: Math.min(10_000, merit_bps + more) }
      assert.ok(placeOf(better) <= placeOf(one))
    }),
  )
})

const partsOf = (...parts: Partial<Measured>[]) => {
  const ranked = rankCandidates(parts.map((some, i) => ({ did: String(i), health_bps: [], ...some })))
  return ranked.toSorted((a, b) => a.did.localeCompare(b.did)).map(({ score_parts }) => score_parts)
}

test('an unknown value counts neither for nor against', () => {
  assert.deepEqual(partsOf({}), [{ health: 5_000, merit: 5_000, latency: 5_000, text: 5_000 }])
})

test('latency is a rank: the fastest gets all, the slowest none, ties share', () => {
  const latencies = partsOf(
    { latency_p50_ms: 900 },
    { latency_p50_ms: 10 },
    { latency_p50_ms: 20 },
    { latency_p50_ms: 10 },
    {},
  ).map(({ latency }) => latency)
  assert.deepEqual(latencies, [0, 10_000, 5_000, 10_000, 5_000])
  assert.equal(partsOf({ latency_p50_ms: 4_000 })[0]!.latency, 10_000)
})

test('health is the mean of the endpoints, text relevance is relative to the best', () => {
  assert.deepEqual(
    partsOf({ health_bps: [10_000, 0, 1], text_rank: 3 }, { text_rank: 9 }, { text_rank: 0 }).map(
      ({ health, text }) => [health, text],
    ),
    [
      [3_333, 3_333],
      [5_000, 10_000],
      [5_000, 0],
    ],
  )
  assert.equal(partsOf({ text_rank: 0 })[0]!.text, 0)
})
