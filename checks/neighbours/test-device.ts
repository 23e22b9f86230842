// A simulated thermostat: it speaks MQTT and follows its descriptor.
import { newIdentity } from '@svc/adapters/access/tenants'
import { system_clock } from '@svc/adapters/clock/system'
import { deviceName } from '@svc/contract/needs/devices'
import { signJws } from '@svc/contract/signing/jws'
import { privateKeyOf, type SigningKey, signingInput, signText } from '@svc/contract/signing/signature'
import { connect, type MqttClient } from 'mqtt'
import { acceptCommand } from '../../examples/device/accept-command.mjs'
import type { Addresses } from '../engines/running-engine.ts'
import { dispatch } from '../engines/running-engine.ts'

// biome-ignore lint/suspicious/noExplicitAny: what devices say is of every shape
type Fields = Record<string, any>

export function newDevice(tenant_id: string): SigningKey {
  const { did, public_key, private_key } = newIdentity(tenant_id, 'service')
  return { did, public_key, private_key: privateKeyOf(Buffer.from(private_key, 'base64url')) }
}

/** The device's signed description, with changed fields if given. */
export function describeDevice(device: SigningKey, other: Fields = {}): Fields {
  const description = {
    device_did: device.did,
    public_key: device.public_key,
    seq: 1,
    at: new Date().toISOString(),
    sensors: [{ id: 'temperature', unit: 'Cel', low: -40, high: 120, sd: 0.1 }],
    actuators: [
      {
        id: 'thermostat',
        fields: {
          setpoint: { kind: 'number', unit: 'Cel', min: 5, max: 30, step: 0.5, tolerance: 0.2 },
          on: { kind: 'flag' },
        },
        interlock: 'input.sensors.temperature < 60.0',
        safe_state: { setpoint: 5, on: false },
      },
    ],
    ...other,
  }
  return { ...description, sig: signText(device.private_key, signingInput('svc-device-v1', description)) }
}

/** As a charter member registers its device. The device signs, unless the engine holds the member's key. */
export async function registerDevice(owner: Addresses, device: SigningKey): Promise<void> {
  const input = {
    agent_did: device.did,
    name: 'thermostat',
    entity_kind: 'Service',
    capabilities: [],
    service_endpoints: [],
  }
  const register = (more: object) =>
    dispatch(owner, { protocol: 'MARS', operation: 'register_agent', input: { ...input, ...more } })
  const answer = await register({})
  if (answer.status === 200) return
  const text = answer.body.error.details.faults[0].message as string
  const signature = signText(device.private_key, text)
  const done = await register({ signature, public_key: device.public_key })
  if (done.status !== 200) throw new Error(JSON.stringify(done.body))
}

export interface SimulatedDevice extends DeviceScript {
  readonly client: MqttClient
  close(): Promise<void>
}

/** The behaviour of a device, whatever the transport. */
export interface DeviceScript {
  /** Received commands, in order. */
  readonly commands: Fields[]
  /** Commands it did not take: forged, replayed or late. */
  readonly refused: Fields[]
  /** Public keys whose commands it takes, by key_id. As its maker reads them with MOTE.list. */
  keys: Readonly<Record<string, string>>
  /** Of the newest executed command. */
  version: number
  /** Whether and how it answers commands. */
  manner: 'obedient' | 'deaf' | 'refusing' | 'silent after ack'
  say(topic: string, payload: unknown, options?: { retain?: boolean }): Promise<void>
  read(value: unknown, other?: Fields): Promise<void>
  /** Reports its state, with changes if given. */
  reportState(change?: Fields): Promise<void>
  /** Executes a command, in its manner. */
  obey(topic: string, payload: string): Promise<void>
}

/** Signs commands where there is no engine. */
const signing_key = newDevice('engine')
export const test_signer = {
  key_id: '00'.repeat(4),
  sign: (text: string) => signText(signing_key.private_key, text),
}
export const test_keys = { [test_signer.key_id]: signing_key.public_key }

export interface Login {
  readonly username?: string
  readonly password?: string
}

export function deviceLogin(device: SigningKey): Required<Login> {
  const now_s = Math.floor(system_clock.now_ms() / 1000)
  const password = signJws({ aud: 'svc-mqtt', iat: now_s, exp: now_s + 3600 }, device)
  return { username: deviceName(device.did), password }
}

export async function startDevice(
  url: string,
  tenant_id: string,
  device: SigningKey,
  login: Login,
): Promise<SimulatedDevice> {
  const client = connect(url, {
    protocolVersion: 4,
    clientId: deviceName(device.did),
    clean: true,
    reconnectPeriod: 50,
    ...login,
  })
  await new Promise<void>((resolve) => client.once('connect', () => resolve()))
  const script = scriptDevice(tenant_id, device, async (topic, payload, retain) => {
    await client.publishAsync(topic, payload, { qos: 1, retain })
  })
  const self = Object.assign(script, { client, close: () => client.endAsync(true) })
  client.on('message', (topic, payload) => self.obey(topic, payload.toString()))
  await client.subscribeAsync(`${topicStart(tenant_id, device)}/command/+`, { qos: 1 })
  return self
}

const topicStart = (tenant_id: string, { did }: SigningKey) => `svc/${tenant_id}/${deviceName(did)}`

export function scriptDevice(
  tenant_id: string,
  device: SigningKey,
  send: (topic: string, payload: Buffer, retain: boolean) => Promise<void>,
): DeviceScript {
  const state: Fields = { setpoint: 18, on: false }
  // Continues after a restart, because it starts from the time.
  let seq = system_clock.now_ms() * 1000
  const self: DeviceScript = {
    commands: [],
    refused: [],
    keys: {},
    version: 0,
    manner: 'obedient',
    say(topic, payload, { retain = false } = {}) {
      const bytes = payload instanceof Buffer ? payload : Buffer.from(JSON.stringify(payload))
      return send(`${topicStart(tenant_id, device)}/${topic}`, bytes, retain)
    },
    read: (v, other = {}) =>
      self.say('telemetry/temperature', {
        v,
        unit: 'Cel',
        at: new Date().toISOString(),
        seq: ++seq,
        ...other,
      }),
    reportState(change = {}) {
      Object.assign(state, change)
      return self.say(
        'state/thermostat',
        { v: state, at: new Date().toISOString(), seq: ++seq },
        { retain: true },
      )
    },
    obey: (topic, payload) => obey(self, topic, payload),
  }
  return self
}

async function obey(self: DeviceScript, topic: string, payload: string): Promise<void> {
  if (payload.length === 0) return
  const command = JSON.parse(payload) as Fields
  self.commands.push(command)
  if (self.manner === 'deaf') return
  const { keys, version } = self
  if (!acceptCommand(topic, payload, { keys, version, now_ms: system_clock.now_ms() })) {
    self.refused.push(command)
    return
  }
  self.version = command.version
  const { command_id } = command
  const is_refusing = self.manner === 'refusing'
  const ack = is_refusing ? { status: 'rejected', reason: 'door_open' } : { status: 'accepted' }
  await self.say('ack/thermostat', { command_id, ...ack, at: new Date().toISOString() })
  if (!is_refusing && self.manner !== 'silent after ack') await self.reportState(command.v)
}

/** As a maker does: the keys of its organization. */
export async function commandKeys(owner: Addresses): Promise<Record<string, string>> {
  const { body } = await dispatch(owner, { protocol: 'MOTE', operation: 'list', input: {} })
  const { command_keys } = body.output as { command_keys: { key_id: string; public_key: string }[] }
  return Object.fromEntries(command_keys.map(({ key_id, public_key }) => [key_id, public_key]))
}
