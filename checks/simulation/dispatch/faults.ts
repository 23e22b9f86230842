// Faults of engines, of their links to PostgreSQL, and of Redis.
import type { LinkFault } from '../database.ts'
import type { Random } from '../random.ts'
import type { RedisData } from '../redis.ts'
import type { RedisFault } from '../redis-connection.ts'
import type { Step } from '../scenario.ts'
import type { DispatchState } from './dispatch.ts'

const link_faults: readonly LinkFault[] = ['cut before', 'cut after', 'lose answer', 'kill session']
const redis_faults: readonly RedisFault[] = ['cut before', 'cut after', 'lose answer']
const redis_data: readonly RedisData[] = ['all', 'saved', 'none']

export function engineSteps(): Step<DispatchState>[] {
  return [
    { name: 'kill engine', weight: 2, run: kill },
    { name: 'start engine', weight: 8, run: startEngine },
    { name: 'pause engine', weight: 1, run: pause },
    { name: 'resume engine', weight: 4, run: ({ engines }, random) => random.pick(engines).process.resume() },
    { name: 'move clock', weight: 2, run: moveClock },
    { name: 'link fault', weight: 5, run: faultLink },
    { name: 'partition', weight: 2, run: (state, random) => partition(state, random, true) },
    { name: 'end partition', weight: 4, run: (state, random) => partition(state, random, false) },
  ]
}

export function redisSteps(): Step<DispatchState>[] {
  const steps: Step<DispatchState>[] = [
    { name: 'redis link fault', weight: 5, run: faultRedisLink },
    {
      name: 'redis away',
      weight: 3,
      run: (state, random) => reachRedis(state, random, ['refused', 'silent']),
    },
    { name: 'redis back', weight: 5, run: (state, random) => reachRedis(state, random, ['open']) },
    { name: 'flush redis', weight: 1, run: ({ redis }) => redis.flush() },
    { name: 'save redis', weight: 2, run: ({ redis }) => redis.save() },
    { name: 'restart redis', weight: 2, run: ({ redis }, random) => redis.restart(random.pick(redis_data)) },
    { name: 'pause redis', weight: 1, run: ({ redis }) => redis.process.pause() },
    { name: 'resume redis', weight: 4, run: ({ redis }) => redis.process.resume() },
    { name: 'move clock of redis', weight: 1, run: moveRedisClock },
  ]
  return steps.map((step) => ({
    ...step,
    run: (state, random) => (state.redis_is_faulty ? step.run(state, random) : undefined),
  }))
}

function kill(state: DispatchState, random: Random): void {
  const { process } = random.pick(state.engines)
  if (!process.is_alive) return
  state.limits.killed(process.name)
  state.engines_were_killed = true
  process.kill()
}

function startEngine({ engines }: DispatchState, random: Random): void {
  const stopped = engines.filter(({ is_running }) => !is_running)
  if (stopped.length > 0) random.pick(stopped).start()
}

function pause({ engines, limits }: DispatchState, random: Random): void {
  const { process } = random.pick(engines)
  limits.silenced(process.name)
  process.pause()
}

function moveClock({ engines }: DispatchState, random: Random): void {
  random.pick(engines).process.clock_offset_ms = random.between(-600_000, 600_000)
}

function faultLink({ world, engines }: DispatchState, random: Random): void {
  const { process } = random.pick(engines)
  if (!process.is_alive) return
  const link = world.database.link(process)
  link.fault = random.pick(link_faults)
  link.fault_on = random.pick([undefined, 'COMMIT', 'INSERT INTO audit_outbox', 'BEGIN'])
}

function partition({ world, engines }: DispatchState, random: Random, is_partitioned: boolean): void {
  const { process } = random.pick(engines)
  if (process.is_alive) world.database.link(process).is_partitioned = is_partitioned
}

function faultRedisLink({ redis, engines }: DispatchState, random: Random): void {
  redis.link(random.pick(engines).process).fault = random.pick(redis_faults)
}

/** Of one engine, or of all. */
function reachRedis(
  { redis, engines }: DispatchState,
  random: Random,
  reaches: readonly ('open' | 'refused' | 'silent')[],
): void {
  const reach = random.pick(reaches)
  const chosen = random.chance(0.5) ? engines : [random.pick(engines)]
  for (const { process } of chosen) {
    redis.link(process).reach = reach
    if (reach === 'refused') redis.cutAll(process)
  }
}

function moveRedisClock({ redis, limits }: DispatchState, random: Random): void {
  const offset_ms = random.between(-10_000, 10_000)
  limits.redisClockMoved(offset_ms - redis.clock_offset_ms)
  redis.clock_offset_ms = offset_ms
}
