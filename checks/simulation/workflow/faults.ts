// Faults of engines: their processes, links and clocks.
import type { LinkFault } from '../database.ts'
import type { Random } from '../random.ts'
import type { World } from '../world.ts'
import type { WorkflowEngine } from './engine.ts'

interface Engines {
  readonly world: World
  readonly engines: readonly WorkflowEngine[]
}

const link_faults: readonly LinkFault[] = ['cut before', 'cut after', 'lose answer', 'kill session']
/** Commits of turns and calls, claims of runs, and anything. */
const fault_places = [
  undefined,
  'COMMIT',
  'COMMIT',
  'INSERT INTO audit_outbox',
  'INSERT INTO audit_outbox',
  'UPDATE moon_run SET lease',
  'commit',
]
export function startEngine({ engines }: Engines, random: Random): void {
  const stopped = engines.filter((engine) => !engine.is_running)
  if (stopped.length > 0) random.pick(stopped).start()
}

export function faultLink({ world, engines }: Engines, random: Random): void {
  const { process } = random.pick(engines)
  if (!process?.is_alive) return
  Object.assign(world.database.link(process), {
    fault: random.pick(link_faults),
    fault_on: random.pick(fault_places),
  })
}

export function partition({ world, engines }: Engines, random: Random, is_partitioned: boolean): void {
  const { process } = random.pick(engines)
  if (process?.is_alive) world.database.link(process).is_partitioned = is_partitioned
}

export function setClock({ engines }: Engines, random: Random): void {
  const { process } = random.pick(engines)
  if (process) process.clock_offset_ms = random.between(-30_000, 30_000)
}
