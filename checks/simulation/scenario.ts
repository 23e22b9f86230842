// A scenario is one part of the product in a simulated world. Its history of steps is data: drawn from a seed, replayed, and shrunk.

import { SimulationDatabase } from './database.ts'
import { serveDisks } from './disk-files.ts'
import { Random } from './random.ts'
import { simulateRuntime } from './runtime.ts'
import { currentProcess, Violation, World } from './world.ts'

export interface Step<State> {
  readonly name: string
  /** How often it is drawn, compared with the others. */
  readonly weight: number
  /** Begins something, or sets a fault; tasks then run in an order that the same numbers decide. */
  run(state: State, random: Random): void | Promise<void>
}

export interface Scenario<State> {
  /** For `--only`. */
  readonly name: string
  /** Steps of a history unless told. */
  readonly steps_default: number
  /** Tasks after each step, at most. */
  readonly tasks_max: number
  readonly steps: readonly Step<State>[]
  /** Starts the processes. Names of tenants must contain `world.seed`. */
  open(world: World): Promise<State>
  /** Invariants that hold at any time; throws a Violation. */
  check(state: State): Promise<void>
  /** Ends all faults, lets everything finish, and checks what must hold in the end. */
  close(state: State): Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: a list of scenarios with different states
export type AnyScenario = Scenario<any>

/** Its seed decides all that happens until the next step, whatever other steps there are. */
export interface HistoryStep {
  readonly name: string
  readonly seed: string
}

export interface Replay {
  readonly digest: string
  /** Tasks that were run. */
  readonly events: number
  readonly failure: Error | undefined
  /** The step at which it failed; that of the end is the number of steps. */
  readonly failed_at: number
}

export function drawHistory(scenario: AnyScenario, seed: number, count: number): HistoryStep[] {
  const random = new Random(`${scenario.name} ${seed}`)
  return Array.from({ length: count }, (_, i) => {
    const { name } = random.pickWeighted(scenario.steps)
    return { name, seed: `${scenario.name} ${seed} ${i}` }
  })
}

/** A new database costs as much as some seeds; one that has seen many is slow, because its tables are full of theirs. */
const seeds_per_database_max = 200

/** The database of this process; a seed that it has seen before needs a new one, to have the same empty tables. */
export class Databases {
  #database: SimulationDatabase | undefined
  readonly #seen = new Set<string>()

  async take(name: string): Promise<SimulationDatabase> {
    if (this.#seen.has(name) || this.#seen.size >= seeds_per_database_max) await this.close()
    this.#database ??= await SimulationDatabase.open()
    this.#seen.add(name)
    return this.#database
  }

  async close(): Promise<void> {
    const database = this.#database
    this.#database = undefined
    this.#seen.clear()
    await database?.close()
  }
}

export async function replay(
  databases: Databases,
  scenario: AnyScenario,
  seed: number,
  history: readonly HistoryStep[],
  observer?: (line: string) => void,
): Promise<Replay> {
  const world = new World(seed, await databases.take(`${scenario.name} ${seed}`), observer)
  const restoreRuntime = simulateRuntime()
  const restoreDisks = serveDisks(world.disks)
  const detach = world.database.attach(world)
  const onRejection = (error: Error) => {
    if (currentProcess()?.is_alive !== false) world.uncaught.push(error)
  }
  process.on('unhandledRejection', onRejection)
  let failed_at = -1
  let failure: Error | undefined
  try {
    world.random = new Random(`${scenario.name} ${seed} open`)
    const state = await scenario.open(world)
    for (const step of history) {
      failed_at++
      await runStep(scenario, world, state, step)
    }
    failed_at++
    world.random = new Random(`${scenario.name} ${seed} close`)
    world.note('close')
    world.is_calm = true
    await scenario.close(state)
    checkUncaught(world)
  } catch (error) {
    failure = error as Error
  } finally {
    for (const one of world.processes.values()) one.kill()
    await world.settle()
    await detach()
    restoreDisks()
    restoreRuntime()
    process.off('unhandledRejection', onRejection)
  }
  return { digest: world.digest, events: world.events, failure, failed_at }
}

async function runStep<State>(
  scenario: Scenario<State>,
  world: World,
  state: State,
  { name, seed }: HistoryStep,
) {
  const step = scenario.steps.find((one) => one.name === name)
  if (!step) throw new Error(`${scenario.name} has no step ${name}`)
  world.random = new Random(seed)
  world.note(`step ${name}`)
  await step.run(state, world.random)
  await world.run(world.random.below(scenario.tasks_max + 1))
  await scenario.check(state)
  checkUncaught(world)
}

function checkUncaught({ uncaught }: World): void {
  const [error] = uncaught
  if (error) throw new Violation(`nobody caught: ${error.message}`, { cause: error })
}

/** Deletes steps while the history still fails: first halves, then smaller parts, then single ones. */
export async function shrink(
  databases: Databases,
  scenario: AnyScenario,
  seed: number,
  history: readonly HistoryStep[],
  tries_max: number,
): Promise<readonly HistoryStep[]> {
  let shortest = history
  let tries = 0
  for (let size = Math.ceil(history.length / 2); size >= 1 && tries < tries_max; ) {
    let is_shorter = false
    for (let at = 0; at < shortest.length && tries < tries_max; tries++) {
      const candidate = [...shortest.slice(0, at), ...shortest.slice(at + size)]
      const { failure, failed_at } = await replay(databases, scenario, seed, candidate)
      if (!failure) at += size
      else {
        shortest = candidate.slice(0, failed_at + 1)
        is_shorter = true
      }
    }
    if (size === 1 && !is_shorter) break
    size = size === 1 ? 1 : Math.ceil(size / 2)
  }
  return shortest
}
