import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Option, rankOptions, type Value } from './dilemma.ts'

const values: Value[] = [
  { name: 'safety', priority: 90 },
  { name: 'honesty', priority: 90 },
  { name: 'profit', priority: 10 },
]

function option(id: string, weights: Record<string, number>, violated: string[] = []): Option {
  return { id, violated, effects: Object.entries(weights).map(([value, weight]) => ({ value, weight })) }
}

test('the first class of values in which options differ decides, whatever the lower ones say', () => {
  const ranking = rankOptions(
    [option('stop', { safety: 60, profit: -100 }), option('go', { safety: -60, profit: 100 })],
    values,
  )
  assert.deepEqual(ranking, {
    ranking: [
      {
        option_id: 'stop',
        lawful: true,
        score: 4400,
        violated: [],
        values_served: ['safety'],
        values_harmed: ['profit'],
      },
      {
        option_id: 'go',
        lawful: true,
        score: -4400,
        violated: [],
        values_served: ['profit'],
        values_harmed: ['safety'],
      },
    ],
    recommendation: 'stop',
    dominated: [],
    ambiguous: false,
    dissent: [{ option_id: 'go', argument: 'Serves profit (priority 10) by 200 more than stop.' }],
  })
})

test('a narrow difference gives no recommendation, nor do only unlawful options', () => {
  const near = rankOptions(
    [option('a', { safety: 19, profit: -1 }), option('b', { safety: 0, profit: 1 })],
    values,
  )
  assert.deepEqual([near.ambiguous, near.recommendation, near.dissent.length], [true, undefined, 2])
  const clear = rankOptions([option('a', { safety: 20, profit: -1 }), option('b', { profit: 1 })], values)
  assert.deepEqual([clear.ambiguous, clear.recommendation], [false, 'a'])
  const none = rankOptions([option('a', { safety: 90 }, ['p@1.0.0']), option('b', {}, ['p@1.0.0'])], values)
  assert.deepEqual([none.ambiguous, none.recommendation], [true, undefined])
})

test('the dissent of an option names the policies that forbid it', () => {
  const { dissent, recommendation } = rankOptions(
    [option('lie', { profit: 100 }, ['truth@1.0.0']), option('tell', { honesty: 10 })],
    values,
  )
  assert.equal(recommendation, 'tell')
  assert.match(dissent[0]!.argument, /^Serves profit .* although truth@1.0.0 forbids it\.$/)
})

const weight = fc.integer({ min: -100, max: 100 })
const some_values = fc.uniqueArray(
  fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), priority: fc.integer({ min: 1, max: 4 }) }),
  {
    selector: ({ name }) => name,
    minLength: 1,
  },
)
const some_options = fc
  .array(
    fc.record({ lawful: fc.boolean(), weights: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), weight) }),
    {
      minLength: 2,
      maxLength: 8,
    },
  )
  .map((made) =>
    made.map(({ lawful, weights }, index) => option(`o${index}`, weights, lawful ? [] : ['p@1.0.0'])),
  )

test('invariants of every ranking', () => {
  fc.assert(
    fc.property(some_options, some_values, (options, ranked_by) => {
      const { ranking, dominated, recommendation, ambiguous, dissent } = rankOptions(options, ranked_by)
      // Every option appears exactly once.
      const ids = [...ranking, ...dominated].map(({ option_id }) => option_id).sort()
      assert.deepEqual(ids, options.map(({ id }) => id).sort())
      // Lawful options come first, and no unlawful one is recommended.
      const lawful = ranking.map((one) => one.lawful)
      assert.deepEqual(
        lawful,
        [...lawful].sort((a, b) => Number(b) - Number(a)),
      )
      const chosen = ranking.find(({ option_id }) => option_id === recommendation)
      assert.equal(ambiguous, recommendation === undefined)
      if (chosen) assert.deepEqual([chosen.lawful, ranking[0]], [true, chosen])
      // A lawful option remains if there was one.
      assert.equal(
        lawful.includes(true),
        options.some(({ violated }) => violated.length === 0),
      )
      for (const { option_id, by } of dominated) assert.notEqual(option_id, by)
      // Each option that loses keeps its argument.
      assert.equal(dissent.length, options.length - (recommendation === undefined ? 0 : 1))
    }),
  )
})

test('the order of options and values does not matter', () => {
  fc.assert(
    fc.property(some_options, some_values, (options, ranked_by) => {
      const one = rankOptions(options, ranked_by)
      const other = rankOptions([...options].reverse(), [...ranked_by].reverse())
      const names = ({ ranking }: typeof one) => ranking.map(({ option_id, score }) => [option_id, score])
      assert.deepEqual(names(one), names(other))
      assert.equal(one.recommendation, other.recommendation)
    }),
  )
})

test('serving a value better never makes an option rank lower', () => {
  fc.assert(
    fc.property(
      some_options,
      some_values,
      fc.nat(),
      fc.integer({ min: 1, max: 200 }),
      (options, ranked_by, pick, more) => {
        const index = pick % options.length
        const value = ranked_by[pick % ranked_by.length]!.name
        const raised = options.map((each, at) => {
          if (at !== index) return each
          const weight = Math.min(
            100,
            (each.effects.find((effect) => effect.value === value)?.weight ?? 0) + more,
          )
          return {
            ...each,
            effects: [...each.effects.filter((effect) => effect.value !== value), { value, weight }],
          }
        })
        const id = options[index]!.id
        const before = rankOptions(options, ranked_by)
        const after = rankOptions(raised, ranked_by)
        const first = (ranking: typeof before) => ranking.ranking[0]?.option_id
        if (first(before) === id) assert.equal(first(after), id)
      },
    ),
  )
})
