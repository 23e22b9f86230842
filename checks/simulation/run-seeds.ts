// Runs seeds one after the other until one fails; then shrinks its history and says how to replay it.
import { stopwatch } from '../suite/real-time.ts'
import { closeRedis } from './redis.ts'
import { type AnyScenario, Databases, drawHistory, type HistoryStep, replay, shrink } from './scenario.ts'

const shrink_tries_max = 80

export interface SeedRun {
  /** Seeds are spread over these in turn. */
  readonly scenarios: readonly AnyScenario[]
  readonly first_seed: number
  readonly count: number
  readonly steps?: number
  print(text: string): void
  /** False: the first failure is reported as it is. */
  readonly is_shrunk?: boolean
  readonly is_traced?: boolean
}

export interface SeedFailure {
  readonly scenario: string
  readonly seed: number
  /** How many seeds ran, this one included. */
  readonly seeds_run: number
  readonly text: string
}

export async function runSeeds(run: SeedRun): Promise<SeedFailure | undefined> {
  const databases = new Databases()
  const elapsed_ms = stopwatch()
  let events = 0
  try {
    for (let i = 0; i < run.count; i++) {
      const seed = run.first_seed + i
      const scenario = run.scenarios[seed % run.scenarios.length]!
      const history = drawHistory(scenario, seed, run.steps ?? scenario.steps_default)
      const result = await replay(databases, scenario, seed, history, run.is_traced ? run.print : undefined)
      events += result.events
      if (!result.failure) continue
      const failing = history.slice(0, result.failed_at + 1)
      const text =
        run.is_shrunk === false
          ? `${scenario.name} failed with seed ${seed}: ${result.failure.message}`
          : await explain(databases, scenario, seed, failing, history.length, result.failure)
      run.print(text)
      return { scenario: scenario.name, seed, seeds_run: i + 1, text }
    }
    const seconds = (elapsed_ms() / 1000).toFixed(1)
    run.print(`${run.count} seeds from ${run.first_seed}: no violation, ${events} events, ${seconds} s`)
    return undefined
  } finally {
    await databases.close()
    await closeRedis()
  }
}

async function explain(
  databases: Databases,
  scenario: AnyScenario,
  seed: number,
  failing: readonly HistoryStep[],
  steps: number,
  failure: Error,
): Promise<string> {
  const shortest = await shrink(databases, scenario, seed, failing, shrink_tries_max)
  const { failure: shrunk } = await replay(databases, scenario, seed, shortest)
  return [
    `${scenario.name} failed with seed ${seed}: ${failure.message}`,
    shrunk
      ? `shrunk from ${failing.length} steps to ${shortest.length}: ${shrunk.message}`
      : 'it did not fail again',
    ...shortest.map((step, i) => `  ${i + 1}. ${step.name} (${step.seed})`),
    `${(shrunk ?? failure).stack}`,
    `replay: npm run simulate -- --only ${scenario.name} --seed ${seed} --steps ${steps}`,
  ].join('\n')
}
