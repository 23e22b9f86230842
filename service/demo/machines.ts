// Machines of the demo's factory: they measure, and report to the engine's own broker for as long as it runs.
import { newIdentity } from '@svc/adapters/access/tenants'
import { connectDevice, type DeviceConnection } from '@svc/adapters/devices/device-connection'
import { deviceName } from '@svc/contract/needs/devices'
import { signJws } from '@svc/contract/signing/jws'
import { privateKeyOf, type SigningKey, signingInput, signText } from '@svc/contract/signing/signature'
import type { Clock } from '@svc/engine/ports'
import type { DemoCaller } from './caller.ts'

const hour_ms = 3_600_000
/** The longest that a broker takes; a connection lives on after it. */
const login_seconds = 86_400
/** Once the month is over. */
const report_every_ms = 30_000

interface Sensor {
  readonly id: string
  readonly unit: string
  readonly low: number
  readonly high: number
  readonly sd: number
  /** What it measures at six in the morning, and how much more in the afternoon. */
  readonly usual: number
  readonly swing: number
}

interface MachineRow {
  readonly name: string
  readonly summary: string
  readonly sensors: readonly Sensor[]
  readonly fan?: { readonly speed: number }
}

const machines: readonly MachineRow[] = [
  {
    name: 'paint-booth',
    summary: 'Paints housings.',
    sensors: [
      { id: 'temperature', unit: 'Cel', low: 0, high: 60, sd: 0.2, usual: 20.5, swing: 3 },
      { id: 'humidity', unit: '%RH', low: 0, high: 100, sd: 1, usual: 44, swing: 8 },
    ],
    fan: { speed: 900 },
  },
  {
    name: 'press-4',
    summary: 'Presses frames.',
    sensors: [{ id: 'vibration', unit: 'mm/s', low: 0, high: 50, sd: 0.1, usual: 2.1, swing: 1.4 }],
  },
]

/** As it is stored, one for each machine. */
export interface MachineKey {
  readonly did: string
  readonly public_key: string
  readonly private_key: string
}

export function newMachineKeys(tenant_id: string): MachineKey[] {
  return machines.map(() => newIdentity(tenant_id, 'service'))
}

/** For a month: what is not registered is not heard. */
export async function registerMachines(owner: DemoCaller, keys: readonly MachineKey[]): Promise<void> {
  for (const [at, { did }] of keys.entries()) {
    const { name, summary } = machines[at]!
    await owner.call('MARS.register_agent', {
      agent_did: did,
      name,
      summary: `${summary} Demo data.`,
      entity_kind: 'Service',
      capabilities: [],
      service_endpoints: [],
      tags: ['demo', 'engineering'],
      ttl_seconds: 30 * 86_400,
    })
  }
}

export interface Machines {
  /** A reading of each sensor for each hour of a day that is over. */
  reportDay(from_ms: number): Promise<void>
  /** From now on, as time goes. */
  goOn(log: (line: string) => void): void
}

interface Parts {
  readonly port: number
  readonly tenant_id: string
  readonly clock: Pick<Clock, 'now_ms'>
  readonly chance: () => number
}

export async function openMachines(parts: Parts, keys: readonly MachineKey[]): Promise<Machines> {
  const open = await Promise.all(keys.map((key, at) => openMachine(parts, machines[at]!, key)))
  const reportAll = (at_ms: number) => Promise.all(open.map((report) => report(at_ms)))
  return {
    async reportDay(from_ms) {
      for (let hour = 0; hour < 24; hour++) await reportAll(from_ms + hour * hour_ms)
    },
    goOn(log) {
      const timer = setInterval(() => {
        reportAll(parts.clock.now_ms()).catch((error: Error) => {
          clearInterval(timer)
          log(`The machines of the demo report no more: ${error.message}`)
        })
      }, report_every_ms)
    },
  }
}

async function openMachine(
  { port, tenant_id, clock, chance }: Parts,
  { name, sensors, fan }: MachineRow,
  { did, public_key, private_key }: MachineKey,
): Promise<(at_ms: number) => Promise<void>> {
  const key: SigningKey = {
    did,
    public_key,
    private_key: privateKeyOf(Buffer.from(private_key, 'base64url')),
  }
  const now_s = Math.floor(clock.now_ms() / 1000)
  const password = signJws({ aud: 'svc-mqtt', iat: now_s, exp: now_s + login_seconds }, key)
  const device = await connectDevice(port, { name: deviceName(did), password })
  const topic = `svc/${tenant_id}/${deviceName(did)}`
  // Higher than any before, also after a restart.
  let seq = clock.now_ms() * 1000
  await describe(device, topic, key, { name, sensors, fan, seq: clock.now_ms() })
  if (fan) await device.publish(`${topic}/state/fan`, { v: fan, at: iso(clock.now_ms()), seq: ++seq }, true)
  return async (at_ms) => {
    for (const { id, unit, usual, swing, sd } of sensors) {
      const value = usual + swing * dayShare(at_ms) + sd * (chance() - 0.5)
      const report = { v: Math.round(value * 100) / 100, unit, at: iso(at_ms), seq: ++seq }
      await device.publish(`${topic}/telemetry/${id}`, report)
    }
  }
}

const iso = (ms: number) => new Date(ms).toISOString()

/** 0 at six in the morning, 1 at six in the evening (UTC). */
const dayShare = (at_ms: number) => (1 - Math.cos(2 * Math.PI * (at_ms / (24 * hour_ms) - 0.25))) / 2

async function describe(
  device: DeviceConnection,
  topic: string,
  { did, public_key, private_key }: SigningKey,
  { name, sensors, fan, seq }: Pick<MachineRow, 'name' | 'sensors' | 'fan'> & { readonly seq: number },
): Promise<void> {
  const speed = { kind: 'number', unit: '1/min', min: 0, max: 1_500, step: 100, tolerance: 20 }
  const description = {
    device_did: did,
    public_key,
    name,
    seq,
    at: iso(seq),
    sensors: sensors.map(({ id, unit, low, high, sd }) => ({ id, unit, low, high, sd })),
    actuators: fan ? [{ id: 'fan', fields: { speed }, safe_state: { speed: 0 } }] : [],
  }
  const sig = signText(private_key, signingInput('svc-device-v1', description))
  await device.publish(`${topic}/descriptor`, { ...description, sig }, true)
}
