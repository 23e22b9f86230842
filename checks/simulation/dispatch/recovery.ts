// The end of a simulated dispatch: every fault ends, every call is answered, and the counters in Redis become exact again.
import { Violation } from '../world.ts'
import type { DispatchState } from './dispatch.ts'

/** A start may fail where time passes too fast; then it is repeated, as an orchestrator does. */
export async function startAll({ world, engines }: DispatchState): Promise<void> {
  const isOpen = () =>
    engines.every((engine) => {
      if (!engine.is_running) engine.start()
      return engine.opened
    })
  await world.runUntil(isOpen, 'all engines are open')
}

/** Every fault ends; then every call must get its answer, and all of them their records. */
export async function recover(state: DispatchState): Promise<void> {
  const { world, redis, engines, network, model } = state
  state.is_closing = true
  network.heal()
  for (const process of world.processes.values()) {
    process.resume()
    if (!process.is_alive) continue
    Object.assign(world.database.link(process), { fault: undefined, is_partitioned: false })
    Object.assign(redis.link(process), { fault: undefined, reach: 'open' })
  }
  await startAll(state)
  const isAlive = (name: string) => world.processes.get(name)?.is_alive ?? false
  await world.runUntil(() => model.isQuiet(isAlive), 'every call is answered')
  // A count is told when its window is over, by a timer that has its turn among all others.
  for (
    let rounds = 0;
    rounds < rounds_max && (rounds === 0 || (model.lacksCounts && !state.engines_were_killed));
    rounds++
  ) {
    world.advance(1_000)
    await world.run(60)
    await drainOutbox(state)
    for (const { opened, process, name } of engines)
      await world.awaited(
        process.run(() => opened!.audit_log.flush()),
        `${name} commits all`,
      )
    await model.check()
  }
  if (state.violation) throw state.violation
}

const rounds_max = 20

/** Any engine's writer takes what a killed one has left there. */
async function drainOutbox({ world }: DispatchState): Promise<void> {
  for (let rounds = 0; rounds < rounds_max; rounds++) {
    const { rows } = await world.database.control.query('SELECT FROM audit_outbox LIMIT 1')
    if (rows.length === 0) return
    await world.run(80)
  }
  throw new Violation('the outbox is never emptied')
}

/** Double counts are corrected within twenty comparisons, one each second. */
const corrections_max = 25
/** A killed engine's reservations end after it. */
const reserved_ms_max = 31_000

/** Redis has what was really spent, and nothing stays reserved. */
export async function checkCounters(state: DispatchState): Promise<void> {
  const { world, engines, limits, engines_were_killed, tenant_ids } = state
  const [, poor] = tenant_ids
  const spent = limits.spent_micro_usd
  // Each process that has ever reported rounds up, and what it has committed down.
  const rounded_max = 2 * [...world.processes.keys()].filter((name) => name.startsWith('engine')).length + 1
  world.advance(reserved_ms_max)
  for (let rounds = 0; ; rounds++) {
    await world.run(60)
    const faults: string[] = []
    for (const { opened, process } of engines) {
      const { spent_micro_usd, reserved_micro_usd } = await world.awaited(
        process.run(async () => opened!.budget_counters.state(poor, 'runway')),
        `${process.name} reads its budget`,
      )
      const above = Number(spent_micro_usd) - spent
      // Nobody reports what a killed engine has recorded and not reported: see docs/economy.md.
      const is_missing = above < 0 && !engines_were_killed
      if (above > rounded_max || is_missing) faults.push(`${spent_micro_usd} micro-USD instead of ${spent}`)
      if (reserved_micro_usd > 0n) faults.push(`${reserved_micro_usd} micro-USD reserved by nobody`)
    }
    if (faults.length === 0) return
    if (rounds === corrections_max) throw new Violation(`Redis still has ${faults.join(', ')}`)
    world.advance(1_000)
  }
}
