// npm run simulate -- --seed N --steps M --only audit-log --seeds K: runs histories drawn from seeds; a failure prints its seed and
// its shrunk history, and the same command replays it.
import { parseArgs } from 'node:util'
import { runSeeds } from './run-seeds.ts'
import { scenarios } from './scenarios.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    steps: { type: 'string' },
    only: { type: 'string' },
    shrink: { type: 'boolean', default: true },
    trace: { type: 'boolean', default: false },
  },
  allowNegative: true,
})
const chosen = scenarios.filter(({ name }) => values.only === undefined || name === values.only)
if (chosen.length === 0) {
  console.error(
    `There is no part ${values.only}; choose one of ${scenarios.map(({ name }) => name).join(', ')}.`,
  )
  process.exit(2)
}
const failure = await runSeeds({
  scenarios: chosen,
  first_seed: Number(values.seed),
  count: Number(values.seeds),
  ...(values.steps === undefined ? {} : { steps: Number(values.steps) }),
  print: (text) => console.log(text),
  is_shrunk: values.shrink,
  is_traced: values.trace,
})
process.exit(failure ? 1 : 0)
