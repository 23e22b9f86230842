import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import fc from 'fast-check'
import { mineSequences } from '../mimesis/sequence-lists.ts'
import { type Case, inBps, mineDecisions } from './mining.ts'
import type { MiningBounds } from './mining-best.ts'
import { type Mining, MiningBudget } from './mining-budget.ts'
import { type Features, featureNames, looksLike, type Pattern, patternId, type Seen } from './pattern.ts'

const hour_ms = 3_600_000
const gap_ms = 24 * hour_ms

function finish<Found>(mining: Mining<Found>): Found {
  for (;;) {
    const { done, value } = mining.next()
    if (done) return value
  }
}

const ample = () => new MiningBudget(100_000_000)
const boundsOf = (recurrences_min: number, more: Partial<MiningBounds> = {}): MiningBounds => ({
  recurrences_min,
  consistency_bps_min: 0,
  limit: 100_000,
  ...more,
})

const pick = <Value>(...values: Value[]) => fc.constantFrom(...values)
const outcomes = ['success', 'refused', 'error'] as const
const seenOf = fc
  .record({
    outcome: pick(...outcomes),
    protocol: pick('MADE', 'MEAL'),
    operation: pick('settle', undefined),
    level: pick('L0', 'L1') as fc.Arbitrary<'L0' | 'L1'>,
    cross_org: fc.boolean(),
    reason: pick('held: a', 'held: b', undefined),
    hours: fc.integer({ min: 0, max: 60 }),
    caller: pick('x', 'y', 'z'),
    request: pick('1', '2', '3', '4'),
    is_case: pick(true, true, true, false),
  })
  .map(({ outcome, protocol, operation, level, cross_org, reason, hours, caller, request, is_case }) => ({
    record_hash: '',
    at_ms: hours * hour_ms,
    correlation_id: request,
    caller_did: caller,
    step: { event_type: is_case ? 'ProtocolInvocation' : 'HoldPlaced', protocol, outcome },
    ...(is_case && {
      features: {
        protocol,
        operation,
        level,
        cross_org,
        reason: outcome === 'success' ? undefined : reason,
      } as Features,
    }),
  }))
const chain = fc
  .array(seenOf, { maxLength: 14 })
  .map((list): Seen[] => list.map((one, place) => ({ ...one, seq: place + 1 })))
const casesOf = (events: readonly Seen[]) => events.filter((one): one is Case => one.features !== undefined)

interface Told {
  readonly recurrences: number
  readonly consistency_bps: number
}

function decisionsOf(events: readonly Seen[], bounds: MiningBounds): Map<string, Told> {
  return asMap(finish(mineDecisions(casesOf(events), bounds, ample()))!.ranked())
}
function sequencesOf(events: readonly Seen[], bounds: MiningBounds): Map<string, Told> {
  return asMap(finish(mineSequences(events, bounds, ample())).best.ranked())
}
function asMap(ranked: readonly (Told & { pattern_id: string })[]): Map<string, Told> {
  const figures_by_id = new Map(
    ranked.map(({ pattern_id, recurrences, consistency_bps }) => [
      pattern_id,
      { recurrences, consistency_bps },
    ]),
  )
  assert.equal(figures_by_id.size, ranked.length, 'each pattern is told once')
  return figures_by_id
}

/** Every feature set of every case, counted by brute force. */
function decisionsByCounting(cases: readonly Case[], recurrences_min: number): Map<string, Told> {
  const counted = new Map<string, Told>()
  for (const { features, step } of cases) {
    const all = featureNames(features)
    for (let bits = 0; bits < 2 ** all.length; bits++) {
      const names = all.filter((_, place) => bits & (1 << place))
      if (names.every((name) => name === 'reason')) continue
      const named_features: Features = Object.fromEntries(names.map((name) => [name, features[name]]))
      const holds = (one: Case) => names.every((name) => one.features[name] === named_features[name])
      const holding_cases = cases.filter((one) => one.step.outcome === step.outcome && holds(one))
      const could_grow = all.some(
        (name) =>
          !names.includes(name) && holding_cases.every((one) => one.features[name] === features[name]),
      )
      if (holding_cases.length < recurrences_min || could_grow) continue
      const alike = cases.filter((one) => looksLike(one.features, named_features))
      counted.set(patternId({ kind: 'decision', features: named_features, outcome: step.outcome }), {
        recurrences: holding_cases.length,
        consistency_bps: inBps(holding_cases.length, alike.length),
      })
    }
  }
  return counted
}

/** Every subsequence of every list, searched in every list. */
function sequencesByCounting(events: readonly Seen[], recurrences_min: number): Map<string, Told> {
  const counted = new Map<string, Told>()
  const in_time = events.toSorted((a, b) => a.at_ms - b.at_ms || a.seq - b.seq)
  const requests = [...Map.groupBy(in_time, ({ correlation_id }) => correlation_id).values()]
  const callers = [...Map.groupBy(casesOf(in_time), ({ caller_did }) => caller_did).values()]
  const sittings = callers.flatMap((calls) => {
    const cuts = calls.flatMap((call, place) =>
      place > 0 && call.at_ms - calls[place - 1]!.at_ms <= gap_ms ? [] : [place],
    )
    return cuts.map((from, which) => calls.slice(from, cuts[which + 1]))
  })
  for (const [per, lists] of [['correlation', requests] as const, ['caller', sittings] as const]) {
    for (const steps of new Map(
      lists.flatMap(subsequences).map((steps) => [canonicalJson(steps), steps]),
    ).values()) {
      const holding_lists = lists.filter((list) => stands(list, steps))
      if (holding_lists.length < recurrences_min) continue
      const before = lists.filter((list) => stands(list, steps.slice(0, -1)))
      const pattern: Pattern = { kind: 'sequence', per, sequence: steps, outcome: steps.at(-1)!.outcome }
      counted.set(patternId(pattern), {
        recurrences: holding_lists.length,
        consistency_bps: inBps(holding_lists.length, before.length),
      })
    }
  }
  return counted
}

function subsequences(list: readonly Seen[]): Seen['step'][][] {
  const grow = (steps: Seen['step'][], after: number): Seen['step'][][] =>
    steps.length === 6
      ? [steps]
      : [steps, ...list.flatMap((one, place) => (place > after ? grow([...steps, one.step], place) : []))]
  return grow([], -1).filter(({ length }) => length > 1)
}

function stands(list: readonly Seen[], steps: readonly Seen['step'][], after = -1): boolean {
  const [step, ...rest] = steps
  if (!step) return true
  return list.some(
    (one, place) =>
      place > after &&
      canonicalJson(one.step) === canonicalJson(step) &&
      (after < 0 || one.at_ms - list[after]!.at_ms <= gap_ms) &&
      stands(list, rest, place),
  )
}

test('mining finds the same as brute force', () => {
  fc.assert(
    fc.property(chain, fc.integer({ min: 1, max: 4 }), (events, min) => {
      assert.deepEqual(decisionsOf(events, boundsOf(min)), decisionsByCounting(casesOf(events), min))
    }),
    { numRuns: 60 },
  )
  fc.assert(
    fc.property(
      chain.map((events) => events.slice(0, 9)),
      fc.integer({ min: 1, max: 3 }),
      (events, min) => {
        assert.deepEqual(sequencesOf(events, boundsOf(min)), sequencesByCounting(events, min))
      },
    ),
    { numRuns: 60 },
  )
})

test('the order of the records does not matter', () => {
  const shuffled = chain.chain((events) =>
    fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length })),
  )
  fc.assert(
    fc.property(shuffled, ([events, other]) => {
      assert.deepEqual(decisionsOf(other, boundsOf(2)), decisionsOf(events, boundsOf(2)))
      assert.deepEqual(sequencesOf(other, boundsOf(2)), sequencesOf(events, boundsOf(2)))
    }),
    { numRuns: 40 },
  )
})

test('a higher minimum of recurrences gives a subset with the same figures, also with a limit', () => {
  const min = fc.integer({ min: 1, max: 4 })
  fc.assert(
    fc.property(chain, min, min, fc.integer({ min: 1, max: 8 }), (events, low, more, limit) => {
      for (const mine of [decisionsOf, sequencesOf]) {
        const bounds = { limit, consistency_bps_min: 3000 }
        const wide = mine(events, boundsOf(low, bounds))
        for (const [id, figures] of mine(events, boundsOf(low + more, bounds)))
          assert.deepEqual(wide.get(id), figures)
      }
    }),
    { numRuns: 60 },
  )
})

test('a pattern keeps its id when matching records are added', () => {
  fc.assert(
    fc.property(chain, (events) => {
      const twice = [...events, ...events.map((one) => ({ ...one, seq: one.seq + events.length }))]
      const [once, more] = [decisionsOf(events, boundsOf(2)), decisionsOf(twice, boundsOf(4))]
      assert.deepEqual(
        [...more].map(([id, { recurrences }]) => [id, recurrences]),
        [...once].map(([id, { recurrences }]) => [id, 2 * recurrences]),
      )
    }),
    { numRuns: 40 },
  )
})

const refusal = (seq: number, more: Partial<Case> = {}): Case => ({
  seq,
  record_hash: `${seq}`,
  at_ms: seq,
  correlation_id: `${seq}`,
  caller_did: 'x',
  step: { event_type: 'Error', protocol: 'MADE', operation: 'settle', outcome: 'refused' },
  features: { protocol: 'MADE', operation: 'settle', level: 'L1', reason: 'held: audit' },
  ...more,
})
const success = (seq: number): Case => ({
  ...refusal(seq),
  step: { event_type: 'ProtocolInvocation', protocol: 'MADE', operation: 'settle', outcome: 'success' },
  features: { protocol: 'MADE', operation: 'settle', level: 'L1' },
})

test('the reason belongs to the decision: similar cases with another outcome are counterexamples', () => {
  const cases = [refusal(1), refusal(2), refusal(3), success(4)]
  const [best_pattern] = finish(mineDecisions(cases, boundsOf(3), ample()))!.ranked()
  assert.deepEqual(
    [best_pattern!.recurrences, best_pattern!.consistency_bps, best_pattern!.lift, best_pattern!.pattern],
    [
      3,
      7500,
      10_000,
      {
        kind: 'decision',
        outcome: 'refused',
        features: { protocol: 'MADE', operation: 'settle', level: 'L1', reason: 'held: audit' },
      },
    ],
  )
  const { held, broken } = best_pattern!.examples()
  assert.deepEqual([held.map(({ seq }) => seq), broken.map(({ seq }) => seq)], [[1, 2, 3], [4]])
  const only_success = boundsOf(1, { outcomes: ['success'] })
  const ranked = finish(mineDecisions(cases, only_success, ample()))!.ranked()
  assert.deepEqual(
    ranked.map(({ pattern, consistency_bps }) => [pattern.outcome, consistency_bps]),
    [['success', 2500]],
  )
})

test('a step that mostly follows is reported with the requests where it did not', () => {
  const other = { event_type: 'ProtocolInvocation', protocol: 'MEAL', outcome: 'success' } as const
  const events = [1, 2, 3].flatMap((request) => [
    refusal(10 * request, { correlation_id: `${request}`, caller_did: `${request}` }),
    ...(request < 3 ? [{ ...refusal(10 * request + 1, { correlation_id: `${request}`, step: other }) }] : []),
  ])
  const { best, whole } = finish(mineSequences(events, boundsOf(2), ample()))
  const [best_pattern, ...more] = best.ranked()
  assert.deepEqual(
    [whole, more, best_pattern!.recurrences, best_pattern!.consistency_bps],
    [true, [], 2, 6666],
  )
  assert.deepEqual(
    [best_pattern!.pattern.kind, best_pattern!.pattern.outcome, best_pattern!.lift],
    ['sequence', 'success', 10_000],
  )
  const { held, broken } = best_pattern!.examples()
  assert.deepEqual([held.map(({ seq }) => seq), broken.map(({ seq }) => seq)], [[11, 21], [30]])
})

test('an exhausted budget is reported: no decisions, and only sequences of completed lengths', () => {
  const cases = Array.from({ length: 40 }, (_, seq) =>
    refusal(seq, { step: { ...refusal(1).step, operation: `o${seq % 3}` }, correlation_id: `${seq % 2}` }),
  )
  assert.equal(finish(mineDecisions(cases, boundsOf(2), new MiningBudget(0))), undefined)
  const { best, whole } = finish(mineSequences(cases, boundsOf(2), new MiningBudget(2_000)))
  const lengths = best
    .ranked()
    .map(({ pattern }) => (pattern.kind === 'sequence' ? pattern.sequence.length : 0))
  assert.equal(whole, false)
  assert.ok(lengths.length > 0 && Math.max(...lengths) < 6)
})
