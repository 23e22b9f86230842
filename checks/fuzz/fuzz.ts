// `npm run fuzz -- --only did,cel --seconds 60 --seed 7`: looks for inputs that break the parsers strangers
// reach. --input '"text"' runs one input, a JSON string; --keep writes the corpus.
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { writeCorpus } from './corpus.ts'
import { type Result, runTargets } from './run-targets.ts'
import { targets } from './targets.ts'

const seconds_default = 60

export const default_limits = {
  table: new URL('./targets.ts', import.meta.url).href,
  inputs_max: Number.POSITIVE_INFINITY,
  hang_ms_max: 30_000,
  is_guided: true,
}

interface Span {
  readonly names: readonly string[]
  /** For all of them together. */
  readonly seconds: number
  readonly seed: number
}

/** Runs them one after the other, and prints a line for each. */
export async function fuzz({ names, seconds, seed }: Span, print: (line: string) => void): Promise<Result[]> {
  const ms_max = (seconds * 1000) / names.length
  const limits = { ...default_limits, names, seed, ms_max }
  return await runTargets(limits, (result) => {
    for (const line of linesOf(result)) print(line)
  })
}

export function linesOf({ name, inputs, ms, blocks, blocks_entered, steps_max, failures }: Result): string[] {
  const rate = Math.round((inputs / Math.max(1, ms)) * 1000)
  return [
    `${name}: ${inputs} inputs, ${rate} a second, ${blocks} of ${blocks_entered} blocks, at most ${steps_max} steps`,
    ...failures.map(
      ({ input, message }) =>
        `  FAILED ${message}\n  npm run fuzz -- --only ${name} --input '${JSON.stringify(input).replaceAll("'", '\\u0027')}'`,
    ),
  ]
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: Object.keys(targets).join(',') },
      seconds: { type: 'string', default: String(seconds_default) },
      seed: { type: 'string', default: String(randomInt(1_000_000)) },
      input: { type: 'string' },
      keep: { type: 'boolean', default: false },
    },
  })
  const names = values.only.split(',')
  const unknown = names.find((name) => !Object.hasOwn(targets, name))
  if (unknown !== undefined) {
    console.error(`${unknown} is not a target. Choose from ${Object.keys(targets).join(', ')}.`)
    return 2
  }
  if (values.input !== undefined) {
    await (await targets[names[0]!]!.load())(JSON.parse(values.input) as string)
    return 0
  }
  console.log(`seed ${values.seed}`)
  const span = { names, seconds: Number(values.seconds), seed: Number(values.seed) }
  const results = await fuzz(span, (line) => console.log(line))
  const complete = results.filter(({ corpus }) => corpus.length > 0)
  if (values.keep) for (const { name, corpus } of complete) writeCorpus(name, corpus)
  return results.some(({ failures }) => failures.length > 0) ? 1 : 0
}

if (import.meta.main) process.exitCode = await main()
