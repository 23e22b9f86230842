import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Remedy } from './case.ts'
import { decide, findings, type Vote } from './ruling.ts'

const requested = 1_000n

const remedy: fc.Arbitrary<Remedy | null> = fc.option(
  fc.oneof(
    fc.record({
      kind: fc.constant('pay' as const),
      micro_usd: fc.bigInt({ min: 1n, max: requested }),
      target: fc.constant(null),
    }),
    fc.constant({ kind: 'declaratory' as const, micro_usd: null, target: null }),
  ),
)

const panel = fc.constantFrom(1, 3, 5).chain((size) =>
  fc.record({
    size: fc.constant(size),
    votes: fc
      .array(fc.record({ finding: fc.constantFrom(...findings), remedy }), { maxLength: size })
      .map((drawn_votes) => drawn_votes.map((vote, n): Vote => ({ arbiter_did: `arbiter-${n}`, ...vote }))),
  }),
)

test('a ruling does not depend on the order of votes, and orders no more than was requested', () => {
  fc.assert(
    fc.property(panel, fc.boolean(), fc.nat(), ({ size, votes }, is_due, turn) => {
      const decision = decide(size, votes, is_due)
      const turned = votes.map((_, n) => votes[(n + turn) % votes.length]!)
      assert.deepEqual(decide(size, turned, is_due), decision)
      assert.equal(decision === undefined, votes.length < size && !is_due)
      if (!decision) return
      const voters = votes.map(({ arbiter_did }) => arbiter_did).sort()
      assert.deepEqual([...decision.majority, ...decision.dissent].sort(), voters, 'a partition')
      assert.ok((decision.remedy?.micro_usd ?? 0n) <= requested)
      const backers = votes.filter(({ arbiter_did }) => decision.majority.includes(arbiter_did))
      for (const { finding, remedy: backed_remedy } of backers)
        assert.deepEqual(
          [finding, backed_remedy?.kind ?? null],
          [decision.finding, decision.remedy?.kind ?? null],
        )
      const most = mostAgreeing(votes)
      if (most * 2 > size) assert.equal(decision.majority.length, most, 'a majority rules')
      if (decision.finding === 'no_majority')
        assert.deepEqual([decision.remedy, decision.majority], [null, []])
    }),
  )
})

function mostAgreeing(votes: readonly Vote[]): number {
  const counts = new Map<string, number>()
  for (const { finding, remedy: vote_remedy } of votes) {
    const key = `${finding} ${vote_remedy?.kind}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return Math.max(0, ...counts.values())
}

const vote = (n: number, finding: Vote['finding'], amount?: bigint): Vote => ({
  arbiter_did: `arbiter-${n}`,
  finding,
  remedy: amount === undefined ? null : { kind: 'pay', micro_usd: amount, target: null },
})

test('the amount is the median of those who agree, the lower of two', () => {
  const three = [vote(1, 'for_claimant', 9n), vote(2, 'for_claimant', 1n), vote(3, 'for_claimant', 5n)]
  assert.equal(decide(3, three, false)?.remedy?.micro_usd, 5n)
  assert.equal(decide(3, [three[0]!, three[1]!, vote(3, 'for_respondent')], false)?.remedy?.micro_usd, 1n)
})

test('without a majority the mildest option with most votes is ordered, and otherwise nothing', () => {
  const split = [
    vote(1, 'for_claimant', 9n),
    vote(2, 'for_claimant', 9n),
    vote(3, 'split', 4n),
    vote(4, 'split', 4n),
    vote(5, 'for_respondent'),
  ]
  const decision = decide(5, split, false)
  assert.deepEqual([decision?.finding, decision?.remedy?.micro_usd], ['split', 4n])
  assert.deepEqual(decision?.dissent, ['arbiter-1', 'arbiter-2', 'arbiter-5'])
  const apart = [vote(1, 'for_claimant', 9n), vote(2, 'split', 9n), vote(3, 'for_respondent')]
  assert.equal(decide(3, apart, false)?.finding, 'no_majority')
  assert.equal(
    decide(3, apart.slice(0, 1), true)?.finding,
    'no_majority',
    'one of three does not speak for them',
  )
  assert.equal(decide(5, split.slice(0, 2), true)?.finding, 'no_majority', 'nor do two of five')
})
