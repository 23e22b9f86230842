// MOTE over HTTP: a thermostat on a broker is read and set, with a permitted user and a hostile device.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { system_clock } from '@svc/adapters/clock/system'
import { rotateKey } from '@svc/audit/chain/rotate'
import { asOwner } from '@svc/audit/test-audit-log'
import { deviceName } from '@svc/contract/needs/devices'
import type { SigningKey } from '@svc/contract/signing/signature'
import { listDevices } from '@svc/protocols/execution/mote/device-store'
import { connect } from 'mqtt'
import { acceptCommand } from '../../../examples/device/accept-command.mjs'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch, freePorts } from '../../engines/running-engine.ts'
import {
  commandKeys,
  describeDevice,
  deviceLogin,
  newDevice,
  registerDevice,
  type SimulatedDevice,
  startDevice,
} from '../../neighbours/test-device.ts'
import { startMosquitto, type TestMosquitto } from '../../neighbours/test-mosquitto.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { rowsOf } from './mote-scene.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

let service: InProcessService
let stranger: Addresses
let key: SigningKey
let device: SimulatedDevice
let url: string

const sensor_id = () => `${key.did}/temperature`
const actuator_id = () => `${key.did}/thermostat`
const read = (input: Fields = {}, who: Addresses = service) =>
  dispatch(who, { protocol: 'MOTE', operation: 'sensor_read', input: { sensor_id: sensor_id(), ...input } })
const set = (state: Fields, more: Fields = {}, headers = {}) =>
  dispatch(
    service,
    {
      protocol: 'MOTE',
      operation: 'actuator_set_state',
      input: { actuator_id: actuator_id(), state, timeout_ms: 10_000, ...more },
    },
    headers,
  )
const done = (answer: Awaited<ReturnType<typeof set>>): Fields => assertSuccess(answer).output
const events = async (event_type: string) =>
  (await service.records(service.tenant_id)).filter((record) => record.event_type === event_type)
const alarmed = async (reason: string) =>
  [
    ...(await service.records(service.tenant_id)),
    ...(await service.records(service.operator.tenant_id)),
  ].some(({ event_type, meta }) => event_type === 'SecurityViolation' && meta.reason === reason)

async function described() {
  await eventually(async () => {
    const devices = await listDevices(service.service.store.engine, service.tenant_id)
    assert.ok(devices.some(({ device_did }) => device_did === key.did))
  })
}

before(async () => {
  const port = await freePorts()
  url = `mqtt://127.0.0.1:${port}`
  service = await startInProcess({ config: { mqtt: { port } } })
  await addMember(service.service.store.engine, service.tenant_id, service.agent_did, new Date(0))
  stranger = await service.newCaller({ tenant_id: 'other' })
  key = newDevice(service.tenant_id)
  await registerDevice(service, key)
  device = await startDevice(url, service.tenant_id, key, deviceLogin(key))
  device.keys = await commandKeys(service)
  await device.say('descriptor', describeDevice(key), { retain: true })
})
after(async () => {
  await device.close()
  await service.stop()
})

test('waiting returns the next reading, not an earlier one', async () => {
  await described()
  assertRefusal(await read({ mode: 'next', timeout_ms: 10 }), { code: 'timeout', stage: 7 })
  await device.read(19)
  await eventually(async () => assert.equal((await read()).status, 200))
  const waiting = read({ mode: 'next', timeout_ms: 20_000 })
  await eventually(async () => {
    await device.read(19.1)
    assert.ok(await Promise.race([waiting, Promise.resolve(undefined)]))
  })
  const answer = done(await waiting)
  assert.deepEqual([answer.value, answer.unit, answer.quality], [19.1, 'Cel', 'good'])
  assert.equal((await read()).body.metadata.path ?? 'protocol', 'protocol')
})

test('for another tenant a device answers like one that does not exist', async () => {
  const foreign = assertRefusal(await read({}, stranger), {
    code: 'invalid_payload',
    stage: 7,
    reason: 'not_found',
  })
  const nobody = { sensor_id: sensor_id().replace('temperature', 'humidity') }
  const missing = assertRefusal(await read(nobody), {
    code: 'invalid_payload',
    stage: 7,
    reason: 'not_found',
  })
  assert.equal(foreign.message.replaceAll('temperature', 'humidity'), missing.message)
})

test('90 degrees is outside the safe envelope; 21 is set, read back and recorded', async () => {
  assertRefusal(await set({ setpoint: 90 }), {
    code: 'policy_denied',
    stage: 7,
    reason: 'outside safe envelope',
  })
  const answer = done(await set({ setpoint: 21, on: true }, { expected_version: 0 }))
  assert.deepEqual([answer.status, answer.desired_version, answer.reported.setpoint], ['confirmed', 1, 21])
  for (const event of ['ActuatorCommanded', 'ActuatorConfirmed'])
    await eventually(async () =>
      assert.deepEqual(
        (await events(event)).map(({ meta }) => meta.desired_version),
        [1],
      ),
    )
})

test('a command repeated under its key is the same command; a different state under it is refused', async () => {
  const headers = { 'idempotency-key': 'warm it' }
  const [one, other] = await Promise.all([
    set({ setpoint: 22 }, {}, headers),
    set({ setpoint: 22 }, {}, headers),
  ])
  assert.equal(done(one).command_id, done(other).command_id)
  assert.equal(
    device.commands.filter(({ command_id }) => command_id === one.body.output.command_id).length,
    1,
  )
  assertRefusal(await set({ setpoint: 23 }, {}, headers), { code: 'idempotency_key_reused', stage: 7 })
})

test('an emergency stop proves every device safe, and blocks new commands until it is cleared', async () => {
  const act = (operation: string, input: Fields) => dispatch(service, { protocol: 'MAKER', operation, input })
  const heat = { action_kind: 'heat', target: 'the room', executor: { actuator_id: actuator_id() } }
  const limits = { max_duration_ms: 20_000, irreversible: false, mode: 'sync' }
  const heated = done(await act('execute_action', { ...heat, ...limits, parameters: { setpoint: 22 } }))
  assert.deepEqual([heated.state, heated.output.status], ['succeeded', 'confirmed'])
  const covered = { scope: 'device', scope_id: key.did, reason: 'It smells of smoke.' }
  const stopped = done(await act('emergency_stop', covered))
  assert.deepEqual(stopped.devices, [{ actuator_id: actuator_id(), safe: true }])
  assert.equal(device.commands.at(-1)?.kind, 'safe')
  const refusal = { code: 'policy_denied', stage: 7, reason: 'emergency stop active' } as const
  assertRefusal(await set({ setpoint: 22 }), refusal)
  done(await act('emergency_stop', { ...covered, clear: { authority: 'mace://sole-member' } }))
  assert.equal(done(await set({ setpoint: 20 })).status, 'confirmed')
  assert.deepEqual(await rowsOf(service.db_url, 'SELECT safe_retained FROM mote_twins'), [
    { safe_retained: false },
  ])
})

test('a device takes what the engine signed for it, and nothing forged, replayed, or meant for another', async () => {
  const topic = `svc/${service.tenant_id}/${deviceName(key.did)}/command/thermostat`
  const { version, keys } = device
  const taken = done(await set({ setpoint: 21 }))
  const command = device.commands.find(({ command_id }) => command_id === taken.command_id)!
  const now_ms = system_clock.now_ms()
  const accepts = (text: object, other: Fields = {}, at = topic) =>
    acceptCommand(at, JSON.stringify(text), { keys, version, now_ms, ...other }) !== undefined
  assert.ok(accepts(command))
  assert.equal(accepts(command, { version: command.version }), false, 'replayed')
  assert.equal(accepts(command, { now_ms: Date.parse(command.expires_at) }), false, 'late')
  assert.equal(accepts(command, { keys: {} }), false, 'of a key it does not know')
  assert.equal(accepts(command, {}, topic.replace('thermostat', 'heater')), false, 'for another actuator')
  assert.equal(
    accepts({ ...command, topic }, {}, topic.replace('thermostat', 'heater')),
    false,
    'names a topic',
  )
  const forged = { ...command, version: command.version + 1, command_id: randomUUID(), v: { setpoint: 30 } }
  for (const change of [
    forged,
    { ...command, expires_at: '2999-01-01T00:00:00.000Z' },
    { ...command, sig: '' },
  ])
    assert.equal(accepts(change), false, 'forged')
  for (const text of ['', 'null', '[]', '{}', `{"key_id":"${command.key_id}"}`, 'no json'])
    assert.equal(acceptCommand(topic, text, { keys, version, now_ms }), undefined, text)
  const guide = readFileSync(new URL('../../../docs/devices.md', import.meta.url), 'utf8')
  const example = new URL('../../../examples/device/accept-command.mjs', import.meta.url)
  assert.ok(guide.includes(readFileSync(example, 'utf8')), 'the guide shows the same code')
  // On the wire: whoever has the broker cannot move it.
  const before_it = device.refused.length
  await device.obey(topic, JSON.stringify(forged))
  await device.obey(topic, JSON.stringify(command))
  assert.deepEqual([device.refused.length - before_it, device.version], [2, command.version])
})

test('after the key of the log was rotated, the next command has the new one, which the maker reads', async () => {
  const order = {
    id: randomUUID(),
    correlation_id: randomUUID(),
    timestamp: new Date(system_clock.now_ms()).toISOString(),
    tenant_id: service.tenant_id,
    caller_did: service.agent_did,
    meta: {},
  }
  const { new_key_id } = await asOwner(service.db_url, (owner) =>
    rotateKey(owner, service.service.root_keys, order),
  )
  const before_it = device.refused.length
  // The device does not know the new key yet.
  assert.equal((await set({ setpoint: 20 }, { timeout_ms: 1_000 })).status, 504)
  assert.equal(device.refused.at(-1)?.key_id, new_key_id)
  assert.equal(device.refused.length, before_it + 1)
  device.keys = await commandKeys(service)
  assert.equal(Object.keys(device.keys).length, 2)
  assert.equal(done(await set({ setpoint: 20.5 })).status, 'confirmed')
})

test('messages of a hostile device are refused, recorded, and change nothing', async () => {
  const stored = async () => (await rowsOf(service.db_url, 'SELECT FROM mote_readings')).length
  const before_it = await stored()
  const at = new Date().toISOString()
  const seq = system_clock.now_ms()
  await device.say('telemetry/temperature', Buffer.from('{"v":NaN,"seq":1}'))
  await device.say('telemetry/temperature', { v: 'warm', at, seq })
  await device.say('telemetry/temperature', { v: null, at, seq })
  await device.say('telemetry/temperature', Buffer.alloc(100_000, 0x20))
  await device.say('telemetry/temperature', { v: 20, at: '2999-01-01T00:00:00Z', seq })
  await device.say('telemetry/temperature', { v: 20, at: '1999-01-01T00:00:00Z', seq })
  await device.say('telemetry/temperature', { v: 20, unit: 'K', at, seq })
  await device.say('telemetry/temperature', { v: 20, at, seq, sig: 'A'.repeat(86) })
  await device.say('telemetry/pressure', { v: 20, at, seq })
  await device.say('state/thermostat', { v: { setpoint: true }, at, seq })
  await device.say('descriptor', { ...describeDevice(key, { seq: 2 }), seq: 3 })
  await device.say('descriptor', describeDevice(newDevice(service.tenant_id), { seq: 9 }))
  await device.say('descriptor', describeDevice(key, { seq: 1, sensors: [] }))
  const [unsafe] = describeDevice(key).actuators
  await device.say(
    'descriptor',
    describeDevice(key, { seq: 5, actuators: [{ ...unsafe, safe_state: { setpoint: 99, on: false } }] }),
  )
  for (const reason of [
    'report malformed',
    'reading not of this time',
    'unit of another kind',
    'sensor not described',
    'state of another kind',
    'signature invalid',
    'descriptor of another device',
    'descriptor replayed',
  ])
    await eventually(async () => assert.ok(await alarmed(reason), reason))
  assert.equal(await stored(), before_it)
  assert.equal(done(await set({ setpoint: 21 })).status, 'confirmed', 'and all goes on')
  const violations = (await service.records(service.tenant_id)).filter(
    ({ event_type }) => event_type === 'SecurityViolation',
  )
  const reasons = violations.map(({ meta }) => meta.reason)
  assert.equal(new Set(reasons).size, reasons.length, 'each once, however often it came')
})

test('a device connects only with its own credentials, name and topics', async () => {
  const login = deviceLogin(key)
  const other = newDevice(service.tenant_id)
  const tries = [
    { ...login, password: 'x', clientId: login.username },
    { ...login, password: deviceLogin(other).password, clientId: login.username },
    { ...login, clientId: 'another' },
    { ...deviceLogin(other), clientId: deviceLogin(other).username },
    { username: 'svc-engine', password: 'x', clientId: 'e' },
    { clientId: 'nobody' },
  ]
  for (const attempt of tries) {
    const client = connect(url, { protocolVersion: 4, reconnectPeriod: 0, ...attempt })
    const refused = await new Promise<string>((resolve) => {
      client.on('connect', () => resolve('let in'))
      client.on('error', ({ message }) => resolve(message))
    })
    assert.match(refused, /refused/i, JSON.stringify(attempt))
    await client.endAsync(true)
  }
  await registerDevice(service, other)
  const hostile = await startDevice(url, service.tenant_id, other, deviceLogin(other))
  const topics: string[] = []
  hostile.client.on('message', (topic) => topics.push(topic))
  for (const topic of ['#', 'svc/#', `svc/dev/${login.username}/command/+`, '$SYS/#'])
    await hostile.client.subscribeAsync(topic, { qos: 1 }).catch(() => undefined)
  await device.read(19.2)
  await set({ setpoint: 19 })
  assert.deepEqual(topics, [])
  const cut = new Promise<void>((resolve) => hostile.client.once('close', () => resolve()))
  const spoofed = { v: 99, at: new Date().toISOString(), seq: 1 }
  hostile.client.publish(`svc/dev/${login.username}/telemetry/temperature`, JSON.stringify(spoofed), {
    qos: 1,
  })
  await cut
  await hostile.close()
  assert.notEqual(done(await read()).value, 99)
})

describe('with an external broker', () => {
  let broker: TestMosquitto
  let outside: InProcessService
  let thermostat: SimulatedDevice
  const own = newDevice('dev')
  const set_there = (state: Fields, more: Fields = {}) =>
    dispatch(outside, {
      protocol: 'MOTE',
      operation: 'actuator_set_state',
      input: { actuator_id: `${own.did}/thermostat`, state, timeout_ms: 10_000, ...more },
    })
  const latest = () =>
    dispatch(outside, {
      protocol: 'MOTE',
      operation: 'sensor_read',
      input: { sensor_id: `${own.did}/temperature` },
    })

  before(async () => {
    broker = await startMosquitto()
    const nobody = { username: undefined, password: undefined, client_id: 'engine-1' }
    outside = await startInProcess({ config: { mqtt: { url: broker.url, ...nobody } } })
    await addMember(outside.service.store.engine, outside.tenant_id, outside.agent_did, new Date(0))
    await registerDevice(outside, own)
    thermostat = await startDevice(broker.url, outside.tenant_id, own, {})
    thermostat.keys = await commandKeys(outside)
  })
  after(async () => {
    await thermostat?.close()
    await outside?.stop()
    await broker?.close()
  })

  test('devices survive a broker outage: unsent commands are never sent, known readings are stale', async () => {
    await thermostat.say('descriptor', describeDevice(own), { retain: true })
    await thermostat.read(19)
    await eventually(async () => assert.equal((await latest()).body.output?.quality, 'good'))
    assert.equal(done(await set_there({ setpoint: 21 })).status, 'confirmed')
    await broker.kill()
    const gone = { code: 'adapter_error', stage: 7, reason: 'broker away' } as const
    await eventually(async () => {
      const expires_at = new Date(system_clock.now_ms() + 300).toISOString()
      assertRefusal(await set_there({ setpoint: 25 }, { expires_at }), gone)
    })
    const answer = done(await latest())
    assert.deepEqual([answer.value, answer.quality], [19, 'stale'])
    await broker.start()
    await eventually(async () => {
      await thermostat.read(20)
      assert.equal((await latest()).body.output?.value, 20)
    })
    assert.equal((await latest()).body.output.quality, 'good')
    assert.equal(done(await set_there({ setpoint: 22 })).status, 'confirmed')
    assert.deepEqual(
      thermostat.commands.map(({ v }) => v.setpoint),
      [21, 22],
    )
  })
})
