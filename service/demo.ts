// svc-engine up --demo: three invented organizations with a month of life, made by real calls on a clock that runs through the past.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { system_clock } from '@svc/adapters/clock/system'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import { chooseTarget } from './admin/target.ts'
import { writeWhole } from './assembly/developer.ts'
import { applyDemo } from './demo/apply-demo.ts'
import { type Cast, castOf, type Stage } from './demo/cast.ts'
import { type DemoClock, demoClock } from './demo/demo-clock.ts'
import { type DemoWorld, demo_events } from './demo/institutions.ts'
import { type Machines, registerMachines } from './demo/machines.ts'
import { demoBroker, type Neighbours, newNeighbours, reopenNeighbours } from './demo/neighbours.ts'
import { demo_organizations } from './demo/organizations.ts'
import { makeCalls, planDay, seededChance } from './demo/traffic.ts'
import { openWeather } from './demo/weather.ts'
import { ConfigError } from './settings/config-error.ts'
import type { MqttSettings } from './settings/device-settings.ts'
import type { Environment } from './settings/reader.ts'

const day_ms = 86_400_000
const demo_days = 30
const seed = 20_261_118

export interface Demo {
  /** One for each organization: its administrator. */
  readonly logins: readonly { readonly organization: string; readonly login: string }[]
  /** Of all its people. */
  readonly password: string
}

export interface DemoParts {
  readonly store: PostgresStore
  readonly api_url: string
  /** Of the engine itself. */
  readonly engine_did: string
  readonly env: Environment
  say(line: string): void
}

export interface OpenDemo {
  /** Undefined where the demo was made before. */
  readonly clock: DemoClock | undefined
  /** Of its machines, unless the engine has another. */
  readonly mqtt: MqttSettings
  make(parts: DemoParts): Promise<Demo & { readonly greeting: string }>
}

const demo_file = 'demo.json'
const config_file = 'demo.yaml'
const neighbours_file = 'demo-neighbours.json'

/** Other data would lie in the future of the demo, so it has a folder of its own, and is made once. */
export function demoIn(data_dir: string, has_database: boolean): OpenDemo {
  if (has_database) throw new ConfigError('--demo makes a database of its own; leave out SVC_DB_URL.')
  const file = join(data_dir, demo_file)
  const neighbours_at = join(data_dir, neighbours_file)
  const broker = demoBroker()
  const chance = seededChance(seed + 2)
  if (existsSync(file)) {
    const demo = JSON.parse(readFileSync(file, 'utf8')) as Demo
    return {
      clock: undefined,
      mqtt: broker.settings,
      async make({ say }) {
        await reopenNeighbours(neighbours_at, { clock: system_clock, chance, broker }, say)
        return { ...demo, greeting: greetingOf(demo) }
      },
    }
  }
  if (existsSync(join(data_dir, 'postgres')))
    throw new ConfigError(
      `The data folder ${data_dir} was begun without --demo, or its demo was interrupted. Delete it, or name another with --data-dir.`,
    )
  const now_ms = system_clock.now_ms()
  const clock = demoClock(system_clock, now_ms - demo_days * day_ms)
  return {
    clock,
    mqtt: broker.settings,
    async make({ store, api_url, engine_did, env, say }) {
      const password = system_clock.randomBytes(12).toString('base64url')
      say(`Making demo data: ${demo_days} days of ${demo_organizations.length} organizations ...`)
      const stage = { store, target: chooseTarget(data_dir, env), clock, api_url, password }
      const neighbours = await newNeighbours(neighbours_at, { clock, chance, broker })
      const filled = { ...stage, engine_did, neighbours, config_file: join(data_dir, config_file) }
      const machines = await fillDemo(filled, now_ms)
      machines?.goOn(say)
      const logins = demo_organizations.map(({ name, people }) => ({
        organization: name,
        login: people[0]!.login,
      }))
      writeWhole(file, JSON.stringify({ logins, password }))
      return { logins, password, greeting: greetingOf({ logins, password }) }
    },
  }
}

function greetingOf({ logins, password }: Demo): string {
  const lines = logins.map(({ organization, login }) => `  ${organization.padEnd(28)}${login}`)
  return `Demo data: these organizations are invented. Sign in at the console with the password ${password}:\n\n${lines.join('\n')}\n`
}

interface Filled extends Stage {
  readonly clock: DemoClock
  readonly engine_did: string
  readonly config_file: string
  readonly neighbours: Neighbours
}

/** Ends with the clock at real time. */
async function fillDemo(stage: Filled, now_ms: number): Promise<Machines | undefined> {
  const { clock, neighbours } = stage
  const chance = seededChance(seed)
  const weather = await openWeather(stage, stage.engine_did, seededChance(seed + 1))
  const [aurora, borealis, cobalt] = await castAll(stage, stage.config_file)
  const notes = new Map([['receiver', neighbours.receiver_url]])
  const world: DemoWorld = { aurora, borealis, cobalt, now_ms: clock.now_ms, notes }
  const owner = aurora.members[0]!
  await registerMachines(owner, neighbours.machine_keys)
  const machines = await neighbours.openMachines()
  for (let day = 0; day < demo_days; day++) {
    const from_ms = now_ms - (demo_days - day) * day_ms
    clock.moveTo(from_ms)
    if (day > 0) await machines?.reportDay(from_ms - day_ms)
    for (const event of demo_events) if (event.day === day) await event.happen(world)
    await makeCalls(
      planDay([aurora, borealis, cobalt], world.notes, day, from_ms, chance),
      clock.moveTo,
      chance,
    )
  }
  await registerMachines(owner, neighbours.machine_keys)
  await weather.close()
  clock.goOn()
  await machines?.reportDay(now_ms - day_ms)
  return machines
}

async function castAll(stage: Stage, config_file: string): Promise<[Cast, Cast, Cast]> {
  const invitations = await applyDemo(stage, demo_organizations, config_file)
  const casts = await Promise.all(
    demo_organizations.map((organization) => castOf(stage, organization, invitations)),
  )
  return casts as [Cast, Cast, Cast]
}
