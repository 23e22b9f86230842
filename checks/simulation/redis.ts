// The simulated link to a real Redis: our scripts run for real, one command at a time, on simulated time. Connections of the Redis
// client made in a simulated process come here.
import { hash } from 'node:crypto'
import net from 'node:net'
import { startRedis, type TestRedis } from '../neighbours/test-redis.ts'
import { RedisConnection, type RedisLinkState } from './redis-connection.ts'
import { currentProcess, type SimulatedProcess, type World } from './world.ts'

/** What a restarted Redis has. */
export type RedisData = 'all' | 'saved' | 'none'

// `redis` is shadowed: time, expiry and the id of the run are simulated, everything else is the real server's.
const lua_prologue = `
local simulated_run, simulated_ms = ARGV[#ARGV - 1], tonumber(ARGV[#ARGV])
local real = redis
for _, key in ipairs(real.call('ZRANGEBYSCORE', 'simulation:expiries', '-inf', simulated_ms)) do
  real.call('DEL', key)
  real.call('ZREM', 'simulation:expiries', key)
end
local function simulate(run, name, key, ...)
  if name == 'TIME' then
    return {string.format('%.0f', math.floor(simulated_ms / 1000)), string.format('%.0f', simulated_ms % 1000 * 1000)}
  elseif name == 'INFO' then return 'run_id:' .. simulated_run
  elseif name == 'PEXPIRE' then return run('ZADD', 'simulation:expiries', simulated_ms + ..., key)
  elseif name == 'SET' then
    local value, _, ms = ...
    run('ZADD', 'simulation:expiries', simulated_ms + ms, key)
    return run('SET', key, value)
  elseif key == nil then return run(name) end
  return run(name, key, ...)
end
local redis = {
  call = function(...) return simulate(real.call, ...) end,
  pcall = function(...) return simulate(real.pcall, ...) end,
}
`
const lua_save = `
redis.call('SELECT', '1')
redis.call('FLUSHDB')
redis.call('SELECT', '0')
for _, key in ipairs(redis.call('KEYS', '*')) do redis.call('COPY', key, key, 'DB', '1') end`
const lua_restore = `
redis.call('FLUSHDB')
redis.call('SELECT', '1')
for _, key in ipairs(redis.call('KEYS', '*')) do redis.call('COPY', key, key, 'DB', '0') end`

let server: Promise<TestRedis> | undefined

/** One server for all seeds of this process. */
export async function closeRedis(): Promise<void> {
  const opened = await server
  server = undefined
  await opened?.close()
}

/** Redis in one world: an empty one at first. */
export class SimulationRedis {
  readonly process: SimulatedProcess
  readonly url = 'redis://redis.simulation:6379'
  readonly port: number
  /** How far its clock is off. */
  clock_offset_ms = 0
  /** How often it has lost data. */
  losses = 0
  readonly #redis: TestRedis
  readonly #links = new Map<SimulatedProcess, RedisLinkState>()
  readonly #connections = new Set<RedisConnection>()
  /** Hashes of scripts as the real server knows them. */
  readonly #hashes = new Map<string, string>()
  #runs = 1
  #connections_made = 0

  private constructor(world: World, redis: TestRedis) {
    this.#redis = redis
    this.port = redis.port
    this.process = world.start('redis', 'host of redis')
    world.on_exit.push((ended) => {
      for (const connection of this.#connections) if (connection.process === ended) this.#drop(connection)
    })
  }

  static async open(world: World): Promise<SimulationRedis> {
    server ??= startRedis(['--save', '', '--appendonly', 'no'])
    const redis = new SimulationRedis(world, await server)
    await redis.#redis.command('FLUSHALL')
    redis.#serve()
    return redis
  }

  link(process: SimulatedProcess): RedisLinkState {
    const state = this.#links.get(process) ?? { fault: undefined, reach: 'open' }
    this.#links.set(process, state)
    return state
  }

  now_ms(): number {
    return this.process.world.now_ms + this.clock_offset_ms
  }

  translate(words: readonly string[]): readonly string[] {
    const [name = '', text = '', ...rest] = words
    const trailer = [this.#runs.toString(16), String(this.now_ms())]
    if (name === 'SCRIPT') return [name, text, this.#wrap(rest[0]!)]
    if (name === 'EVAL') return [name, this.#wrap(text), ...rest, ...trailer]
    if (name === 'EVALSHA') return [name, this.#hashes.get(text) ?? text, ...rest, ...trailer]
    return words
  }

  /** All data is gone; connections stay. */
  async flush(): Promise<void> {
    this.losses++
    await this.#redis.command('FLUSHDB')
  }

  /** What `restart` with saved data returns to. */
  async save(): Promise<void> {
    await this.#evaluate(lua_save)
  }

  async restart(data: RedisData): Promise<void> {
    this.#runs++
    this.#hashes.clear()
    if (data !== 'all') this.losses++
    if (data === 'none') await this.#redis.command('FLUSHDB')
    if (data === 'saved') await this.#evaluate(lua_restore)
    for (const connection of [...this.#connections]) this.#cut(connection)
  }

  cutAll(process: SimulatedProcess): void {
    for (const connection of [...this.#connections]) if (connection.process === process) this.#cut(connection)
  }

  #cut(connection: RedisConnection): void {
    this.#connections.delete(connection)
    connection.break('ECONNRESET')
  }

  #drop(connection: RedisConnection): void {
    this.#connections.delete(connection)
    connection.destroy()
  }

  async #evaluate(script: string): Promise<void> {
    const reply = await this.#redis.command(`EVAL "${script.replaceAll('\n', ' ')}" 0`)
    if (reply.startsWith('-')) throw new Error(`Redis refused a script of the simulation: ${reply}`)
  }

  #wrap(script: string): string {
    const wrapped = `${lua_prologue}${script}`
    this.#hashes.set(hash('sha1', script), hash('sha1', wrapped))
    return wrapped
  }

  /** Replaces sockets to Redis of simulated processes until this world's Redis ends. */
  #serve(): void {
    const real = net.createConnection
    const make = (...args: unknown[]) => {
      const process = currentProcess()
      if (!process) return Reflect.apply(real, net, args)
      const connection = new RedisConnection(this, process, ++this.#connections_made)
      this.#connections.add(connection)
      return connection
    }
    Object.assign(net, { createConnection: make })
    this.process.world.on_exit.push((ended) => {
      if (ended === this.process) Object.assign(net, { createConnection: real })
    })
  }
}
