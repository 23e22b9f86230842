import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSeeds } from './run-seeds.ts'
import { Databases, drawHistory, replay, type Scenario } from './scenario.ts'
import { scenarios } from './scenarios.ts'
import { Violation, type World } from './world.ts'

const count = 200
/** A third of what long histories have: those find more, and take longer by as much. */
const steps_short = 14

test('no invariant of any part is broken, whatever the seed', async (t) => {
  // Always the same: a change is judged by its own effect.
  const first_seed = Number(process.env.SVC_TEST_SEED ?? 1)
  t.diagnostic(`N=${count} seed=${first_seed}; again with: SVC_TEST_SEED=${first_seed}`)
  const print = (text: string) => t.diagnostic(text)
  const failure = await runSeeds({ scenarios, first_seed, count, steps: steps_short, print })
  assert.equal(failure?.text, undefined)
})

for (const scenario of scenarios) {
  test(`${scenario.name}: the same seed gives the same history and the same hashes`, async () => {
    const databases = new Databases()
    try {
      const history = drawHistory(scenario, 5, steps_short)
      const traces = [[], []] as string[][]
      const digests: string[] = []
      for (const trace of traces)
        digests.push((await replay(databases, scenario, 5, history, (line) => trace.push(line))).digest)
      assert.deepEqual(traces[0], traces[1])
      assert.equal(digests[0], digests[1])
      assert.ok(traces[0]!.length > history.length)
    } finally {
      await databases.close()
    }
  })
}

interface Counter {
  readonly world: World
  readonly done: string[]
}

/** Breaks its rule where an `open` is followed by a `break`. */
const faulty: Scenario<Counter> = {
  name: 'faulty',
  steps_default: 30,
  tasks_max: 2,
  steps: ['idle', 'open', 'break'].map((name) => ({
    name,
    weight: 1,
    run: ({ done }) => void done.push(name),
  })),
  open: async (world) => ({ world, done: [] }),
  async check({ done }) {
    if (done.at(-1) === 'break' && done.includes('open')) throw new Violation('it broke')
  },
  close: async () => {},
}

test('a failure prints its seed, the shrunk history and the command that replays it', async () => {
  const printed: string[] = []
  const print = (text: string) => printed.push(text)
  const failure = await runSeeds({ scenarios: [faulty], first_seed: 7, count: 3, print })
  assert.equal(failure?.seed, 7)
  assert.match(failure.text, /^faulty failed with seed 7: it broke\nshrunk from \d+ steps to 2: it broke/)
  assert.match(failure.text, / {2}1\. open \(faulty 7 \d+\)\n {2}2\. break \(faulty 7 \d+\)\n/)
  assert.match(failure.text, /replay: npm run simulate -- --only faulty --seed 7 --steps 30$/)
  assert.deepEqual(printed, [failure.text])
})
