import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Electorate,
  type Outcome,
  type Position,
  positions,
  settledOutcome,
  tally,
} from './motion-tally.ts'
import { meets, quorumOf } from './quorum.ts'

const didOf = (place: number) => `did:${place}`

const anyQuorum = fc.oneof(
  fc.constantFrom('simple' as const, 'majority' as const, 'supermajority' as const, 'unanimous' as const),
  fc.constantFrom('1/3', '2/3', '3/4', '1/1', '1/100'),
  fc.record({
    attendance: fc.constantFrom('1/4', '1/2', '1/1'),
    threshold: fc.constantFrom('1/3', '5/9', '1/1'),
  }),
)

const anyCouncil = (seats_max: number) =>
  fc
    .record({
      required: fc.array(fc.boolean(), { minLength: 1, maxLength: seats_max }),
      said: fc.array(fc.option(fc.constantFrom(...positions), { nil: undefined }), {
        minLength: seats_max,
        maxLength: seats_max,
      }),
      quorum: anyQuorum,
      charter_level: fc.boolean(),
      min_delegates: fc.integer({ min: 1, max: seats_max }),
    })
    .map(({ required, said, quorum, charter_level, min_delegates }) => {
      const seats = required.map((is_required, place) => ({
        did: didOf(place),
        required: is_required && place < 2,
      }))
      const electorate: Electorate = {
        seats,
        quorum: quorumOf(quorum),
        charter_level,
        min_delegates: Math.min(min_delegates, seats.length),
      }
      const votes = seats.flatMap(({ did }, place): [string, Position][] => {
        const position = said[place]
        return position ? [[did, position]] : []
      })
      return { electorate, votes }
    })

test('a tally does not depend on the order of votes, and contains every seat once', () => {
  fc.assert(
    fc.property(anyCouncil(9), fc.infiniteStream(fc.nat()), ({ electorate, votes }, order) => {
      const counted = tally(electorate, new Map(votes))
      const keys = votes.map((vote) => ({ vote, key: order.next().value }))
      const shuffled = keys.sort((a, b) => a.key - b.key).map(({ vote }) => vote)
      const seats = electorate.seats.toReversed()
      assert.deepEqual(
        tally({ ...electorate, seats }, new Map([...shuffled, ['did:stranger', 'for']])),
        counted,
      )
      const { majority, dissent, abstained, recused, absent, counts } = counted
      const everybody = [...majority, ...dissent, ...abstained, ...recused, ...absent].sort()
      assert.deepEqual(everybody, electorate.seats.map(({ did }) => did).sort())
      assert.equal(
        Object.values(counts).reduce((sum, count) => sum + count, 0),
        electorate.seats.length,
      )
    }),
  )
})

test('a passed motion has its exact share of votes and seats, and the losing side is the dissent', () => {
  fc.assert(
    fc.property(anyCouncil(9), ({ electorate, votes }) => {
      const { outcome, counts, attendance, dissent } = tally(electorate, new Map(votes))
      const losing = outcome === 'PASSED' ? 'against' : 'for'
      const losers = votes.filter(([, position]) => position === losing).map(([did]) => did)
      assert.deepEqual([...dissent].sort(), losers.sort())
      if (outcome !== 'PASSED') return
      const { quorum, seats, charter_level, min_delegates } = electorate
      const base = Math.max(seats.length - counts.recused, min_delegates)
      assert.ok(meets(quorum.threshold, counts.for, counts.for + counts.against) && counts.for > 0)
      assert.ok(meets(quorum.attendance, attendance.present, base) && attendance.present >= min_delegates)
      if (charter_level) assert.ok(2 * counts.for > seats.length)
      for (const { did, required } of seats)
        assert.ok(!required || ['for', 'against', 'abstain', 'present'].includes(new Map(votes).get(did)!))
    }),
  )
})

test('another vote for a passed motion never rejects it', () => {
  fc.assert(
    fc.property(anyCouncil(9), fc.nat(), ({ electorate, votes }, place) => {
      if (tally(electorate, new Map(votes)).outcome !== 'PASSED') return
      const { did } = electorate.seats[place % electorate.seats.length]!
      const more = new Map(votes).set(did, 'for')
      assert.equal(tally(electorate, more).outcome, 'PASSED')
    }),
  )
})

/** Every way in which the missing votes could still be cast. */
function everyEnd(electorate: Electorate, votes: readonly [string, Position][]): Set<Outcome> {
  const votes_by_did = new Map(votes)
  const open = electorate.seats.filter(({ did }) => [undefined, 'present'].includes(votes_by_did.get(did)))
  const ends = new Set<Outcome>()
  const go = (place: number, then: Map<string, Position>): void => {
    const seat = open[place]
    if (!seat) return void ends.add(tally(electorate, then).outcome)
    go(place + 1, then)
    for (const position of positions) go(place + 1, new Map(then).set(seat.did, position))
  }
  go(0, votes_by_did)
  return ends
}

test('a vote is closed early only if no missing vote could change it', () => {
  fc.assert(
    fc.property(anyCouncil(4), ({ electorate, votes }) => {
      const ends = everyEnd(electorate, votes)
      const settled = settledOutcome(electorate, new Map(votes))
      assert.deepEqual(settled ? [settled] : [], ends.size === 1 ? [...ends] : [])
    }),
  )
})

test('the named quorums have their documented meaning', () => {
  const outcome = (
    quorum: Parameters<typeof quorumOf>[0],
    charter_level: boolean,
    ...positions_taken: Position[]
  ) => {
    const seats = Array.from({ length: 6 }, (_, place) => ({ did: didOf(place), required: false }))
    const votes = new Map(
      positions_taken.map((position, place): [string, Position] => [didOf(place), position]),
    )
    return tally({ seats, quorum: quorumOf(quorum), charter_level, min_delegates: 1 }, votes).outcome
  }
  assert.equal(outcome('simple', false, 'for', 'for', 'for'), 'NO_QUORUM', 'half is not more than half')
  assert.equal(outcome('simple', false, 'for', 'for', 'against', 'against'), 'FAILED', 'a tie is no majority')
  assert.equal(
    outcome('supermajority', false, 'for', 'for', 'against'),
    'PASSED',
    'half came, two thirds agree',
  )
  assert.equal(
    outcome('supermajority', true, 'for', 'for', 'against'),
    'NO_QUORUM',
    'a charter wants more than half',
  )
  assert.equal(outcome('majority', true, 'for', 'for', 'for', 'abstain'), 'FAILED', 'of all its members')
  assert.equal(outcome('majority', true, 'for', 'for', 'for', 'for'), 'PASSED')
  assert.equal(outcome('unanimous', false, 'for', 'for', 'for', 'for', 'for', 'recuse'), 'PASSED')
  assert.equal(outcome('unanimous', false, 'for', 'for', 'for', 'for', 'for'), 'NO_QUORUM')
  assert.equal(
    outcome('2/3', false, 'abstain', 'abstain', 'abstain', 'present'),
    'FAILED',
    'nobody was for it',
  )
  assert.throws(() => quorumOf('3/2'), {
    details: { reason: 'fraction above one', faults: [{ pointer: '/quorum', message: 'is more than one' }] },
  })
})
