import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findCriticalPath } from './critical-path.ts'
import { type Agent, findUnstaffed, levelWorks, type Work } from './levelling.ts'
import { deviationOf, drawMakespan, meanOf } from './makespan.ts'

const works = fc
  .array(
    fc.record({
      duration: fc.integer({ min: 0, max: 20 }),
      waits: fc.array(fc.nat({ max: 99 }), { maxLength: 3 }),
      skill: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
      load: fc.option(fc.constantFrom(0.1, 0.3, 0.5, 0.7), { nil: undefined }),
      release: fc.integer({ min: 0, max: 10 }),
    }),
    { maxLength: 14 },
  )
  .map((drawn) =>
    drawn.map(({ waits, skill, load, ...rest }, place): Work => {
      const after = place === 0 ? [] : [...new Set(waits.map((one) => one % place))]
      return { ...rest, after, ...(skill && { skill }), ...(load && { load }) }
    }),
  )
const agents: fc.Arbitrary<Agent[]> = fc.constantFrom(
  [{ did: 'x', skills: ['a', 'b'], capacity: 1 }],
  [
    { did: 'x', skills: ['a'], capacity: 0.8 },
    { did: 'y', skills: ['b', 'a'], capacity: 1 },
  ],
)

/** Follows every path to a task. */
function longestInto(all: readonly Work[], place: number): number {
  const { duration, after, release = 0 } = all[place]!
  return duration + Math.max(release, ...after.map((one) => longestInto(all, one)))
}

test('the critical path is the longest path, and nothing on it has slack', () => {
  fc.assert(
    fc.property(works, (all) => {
      const { timings, critical_path, length } = findCriticalPath(all)
      assert.equal(length, Math.max(0, ...all.map((_, place) => longestInto(all, place))))
      for (const [place, { es, ef, ls, lf, slack, critical }] of timings.entries()) {
        assert.equal(ef, longestInto(all, place))
        assert.ok(ls >= es && lf >= ef && slack === ls - es && critical === (slack === 0))
        for (const one of all[place]!.after) assert.ok(es >= timings[one]!.ef && ls >= timings[one]!.lf)
      }
      for (const [at, place] of critical_path.entries()) {
        assert.equal(timings[place]!.slack, 0)
        if (at > 0) assert.ok(all[place]!.after.includes(critical_path[at - 1]!))
      }
      assert.equal(all.length > 0, critical_path.length > 0)
    }),
    { numRuns: 60 },
  )
})

test('a schedule respects dependencies and capacity, and is no shorter than the longest path', () => {
  fc.assert(
    fc.property(works, agents, fc.boolean(), (all, team, keeps) => {
      if (findUnstaffed(all, team) !== undefined) return
      const { timings, length } = findCriticalPath(all)
      const { slots, makespan } = levelWorks(
        all,
        team,
        keeps ? timings.map(({ es }) => es).reverse() : undefined,
      )
      assert.ok(makespan >= length)
      for (const [place, { start, finish, assignee }] of slots.entries()) {
        const { duration, after, release = 0, skill } = all[place]!
        assert.ok(finish - start === duration && start >= release)
        for (const one of after) assert.ok(start >= slots[one]!.finish)
        assert.equal(assignee !== undefined, skill !== undefined)
        if (assignee) assert.ok(team.find(({ did }) => did === assignee)!.skills.includes(skill!))
      }
      for (const { did, capacity } of team) {
        for (const { start: moment } of slots) {
          const used = slots.reduce((sum, { start, finish, assignee }, place) => {
            const load = all[place]!.load ?? capacity
            return sum + (assignee === did && start <= moment && moment < finish ? load : 0)
          }, 0)
          assert.ok(used <= capacity + 1e-6, `${did} at ${moment}: ${used}`)
        }
      }
      if (all.every(({ skill }) => skill === undefined)) assert.equal(makespan, length)
    }),
    { numRuns: 80 },
  )
})

test('a backward-forward pass can shorten a schedule, and work that nobody can do is named', () => {
  const one = [{ did: 'x', skills: ['a'], capacity: 0.5 }]
  const work = (duration: number, after: number[], load = 0.5): Work => ({
    duration,
    after,
    skill: 'a',
    load,
  })
  assert.equal(levelWorks([work(3, []), work(3, []), work(2, [0])], one).makespan, 8)
  assert.equal(levelWorks([work(3, [], 0.25), work(3, [], 0.25), work(2, [0])], one).makespan, 5)
  assert.equal(findUnstaffed([work(1, []), work(1, [], 0.6)], one), 1)
  assert.equal(findUnstaffed([{ duration: 1, after: [] }], []), undefined)
})

test('PERT means and deviations, and a 90th percentile that approximates that of a long chain', () => {
  const duration = { opt: 60, likely: 90, pess: 240 }
  assert.deepEqual([meanOf(duration), deviationOf(duration)], [110, 30])
  const chain = Array.from({ length: 40 }, (_, place) => ({
    duration,
    after: place === 0 ? [] : [place - 1],
    slot: { start: place * 110, finish: (place + 1) * 110 },
    settled: false,
  }))
  const drawn = drawMakespan(chain, 7, 0)
  // The exact variance of this beta distribution is slightly smaller than PERT's estimate.
  const spread = Math.sqrt((40 * (110 - 60) * (240 - 110)) / 7)
  const expected = 40 * 110 + 1.2816 * spread
  assert.ok(Math.abs(drawn - expected) < 40, `${drawn} is not near ${expected}`)
  assert.equal(drawMakespan(chain, 7, 0), drawn)
  const sure = { opt: 5, likely: 5, pess: 5 }
  assert.equal(
    drawMakespan([{ duration: sure, after: [], slot: { start: 0, finish: 5 }, settled: false }], 1, 0),
    5,
  )
})
