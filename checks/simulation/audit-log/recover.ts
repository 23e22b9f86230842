// The end of a history: every fault is over, and each engine must commit all that its journal holds.
import type { SimulatedProcess, World } from '../world.ts'
import type { Engine } from './engine.ts'

export function hostOf(engine: Engine): string {
  return `host of ${engine.name}`
}

/** All that ever opened the journal of this engine. */
export function processesOf(world: World, { name }: Engine): SimulatedProcess[] {
  return [...world.processes.values()].filter((process) => process.name.startsWith(name))
}

export function freeDisk({ disk }: Engine): void {
  disk.capacity_bytes = Number.POSITIVE_INFINITY
  disk.fault = undefined
  disk.lies_about_sync = false
}

/** Every fault ends; then each engine must be able to commit all that its journal holds. */
export async function recover(world: World, engines: readonly Engine[]): Promise<void> {
  for (const process of world.processes.values()) {
    process.resume()
    if (process.is_alive)
      Object.assign(world.database.link(process), { fault: undefined, is_partitioned: false })
  }
  for (const engine of engines) freeDisk(engine)
  await world.run(40)
  for (const engine of engines)
    for (const process of processesOf(world, engine))
      if (
        process !== engine.process &&
        process.parent !== engine.process &&
        !process.name.endsWith('adopter')
      )
        process.kill()
  for (const engine of engines) {
    const adopter = world.processes.get(`${engine.name} adopter`)
    await world.runUntil(() => !adopter?.is_alive, `the adoption of the journal of ${engine.name} ends`)
    await commitAll(world, engine)
  }
  // A slow database may outlast the time to stop, so that the last turn of each is undone: what waits in the outbox is for the next.
  for (let round = 0; round < attempts_max && (await isWaiting(world)); round++) {
    engines[0]!.kill()
    await commitAll(world, engines[0]!)
  }
}

async function isWaiting({ database }: World): Promise<boolean> {
  const { rows } = await database.control.query('SELECT 1 FROM audit_outbox LIMIT 1')
  return rows.length > 0
}

const missing_segment = /needs (\S+) and cannot read it/
const torn_id = 'does not hold a journal id'
/** What a supervisor's restart helps against: a slow database, or an earlier process that is not quite gone. */
const passing =
  /Query read timeout|timeout expired|Connection terminated|connection was cut|is in use by|is being written/
const attempts_max = 4

/** Opens, flushes and closes, as an operator would who follows the advice of the error. */
async function commitAll(world: World, engine: Engine): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    if (!engine.is_running) engine.start(hostOf(engine))
    await world.runUntil(
      () => engine.audit_log !== undefined || !engine.is_running,
      `${engine.name} opens or fails`,
    )
    const { audit_log, process } = engine
    try {
      if (!audit_log) throw new Error(`${engine.name} cannot be opened: ${engine.error}`)
      await world.awaited(
        process!.run(() => audit_log.flush()),
        `${engine.name} commits all`,
      )
      await world.awaited(
        process!.run(() => audit_log.close()),
        `${engine.name} closes`,
      )
      return
    } catch (error) {
      if (attempt === attempts_max || !repair(engine, (error as Error).message)) throw error
      engine.kill()
    }
  }
}

/** False where nothing that happened explains the error. */
function repair(engine: Engine, message: string): boolean {
  if (message.includes(torn_id)) return restoreId(engine)
  const [, path] = missing_segment.exec(message) ?? []
  if (path === undefined) return engine.is_shared || passing.test(message)
  // Only a power loss takes a segment away, one whose name was not synced, or a removal that a living process undid in part.
  if (!engine.disk.has_lost_power && !engine.is_removed_in_use) return false
  engine.disk.put(path, Buffer.alloc(0))
  return true
}

/** It is synced when it is made, so only a disk that lies can lose it. */
function restoreId({ disk, id_path, id_file }: Engine): boolean {
  if (!disk.has_lost_power || !disk.has_lied || !id_file) return false
  disk.put(id_path, Buffer.from(id_file))
  return true
}
