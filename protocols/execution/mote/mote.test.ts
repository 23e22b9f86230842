// Rules of sensors and actuators, with a device simulated in this process.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { databaseChanges } from '@svc/adapters/change-notifications/database'
import { system_clock } from '@svc/adapters/clock/system'
import { asOwner } from '@svc/audit/test-audit-log'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { Devices } from '@svc/contract/needs/devices'
import {
  type DeviceScript,
  describeDevice,
  newDevice,
  scriptDevice,
  test_keys,
  test_signer,
} from '../../../checks/neighbours/test-device.ts'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { test_tenant } from '../../../checks/rehearsal/test-ports.ts'
import { deviceAlarms } from './device-alarms.ts'
import { takeMessages } from './device-intake.ts'
import { mote } from './mote.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

let stage: Rehearsal
let device: DeviceScript
const key = newDevice(test_tenant)
const alarms = deviceAlarms('operator')
const nowText = (shift_ms = 0) => new Date(system_clock.now_ms() + shift_ms).toISOString()

/** A broker without a network: commands reach the device at once. */
const devices: Devices = {
  state: () => 'connected',
  isRegistered: async () => true,
  now_ms: system_clock.now_ms,
  signerOf: async () => test_signer,
  async publish({ topic, payload }) {
    await device.obey(topic, payload)
    return 'taken'
  },
}

before(async () => {
  const changes = databaseChanges(undefined)
  const needs = { devices: () => devices, change_notifications: () => changes }
  stage = await rehearse(mote, { needs, ports: { clock: system_clock } })
  device = scriptDevice(test_tenant, key, async (topic, payload) => {
    const now = new Date(system_clock.now_ms())
    const tick = { now, newId: system_clock.uuid }
    const { isRegistered } = devices
    const intake = { db: stage.store.engine, alarms, isRegistered, ...tick }
    for (const changed of await takeMessages(intake, [{ topic, payload }])) changes.tell(changed)
  })
  device.keys = test_keys
  await device.say('descriptor', describeDevice(key))
  // The interlock of the thermostat needs a reading.
  await device.read(19)
})
after(() => stage?.close())

const read = (input: Fields = {}): Promise<Fields> =>
  stage.run('sensor_read', { sensor_id: `${key.did}/temperature`, ...input })
const set = (state: Fields, more: Fields = {}): Promise<Fields> =>
  stage.run('actuator_set_state', {
    actuator_id: `${key.did}/thermostat`,
    state,
    timeout_ms: 10_000,
    ...more,
  })
/** From the handlers and from the intake. */
const events = (event_type: string) =>
  asOwner(stage.database.url, async (owner) => {
    const { rows } = await owner.query('SELECT entry FROM audit_outbox')
    const entries: AuditEntry[] = rows.map(({ entry }) =>
      typeof entry === 'string' ? JSON.parse(entry) : entry,
    )
    return entries.filter((entry) => entry.event_type === event_type)
  })

test('a state outside the safe envelope is refused and not sent; one inside is set and read back', async () => {
  for (const state of [{ setpoint: 90 }, { setpoint: 21.3 }])
    await assertRefused(set(state), 'policy_denied', 'outside safe envelope')
  await assertRefused(set({ humidity: 1 }), 'invalid_payload', 'state')
  assert.equal(device.commands.length, 0, 'nothing was sent')
  const answer = await set({ setpoint: 21, on: true }, { expected_version: 0 })
  assert.deepEqual([answer.status, answer.desired_version, answer.reported.setpoint], ['confirmed', 1, 21])
  const conflict = await assertRefused(
    set({ setpoint: 22 }, { expected_version: 0 }),
    'invalid_payload',
    'version_conflict',
  )
  assert.equal(conflict.details.current_version, 1)
  for (const event of ['ActuatorCommanded', 'ActuatorConfirmed'])
    assert.deepEqual(
      (await events(event)).map(({ meta }) => meta.desired_version),
      [1],
    )
})

test('twenty concurrent commands run one at a time, and a queue takes at most sixteen', async () => {
  const calls = Array.from({ length: 20 }, (_, at) => set({ setpoint: 10 + at / 2 }, { timeout_ms: 30_000 }))
  const ended = await Promise.allSettled(calls)
  const versions = ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value.desired_version] : []))
  for (const [at, { status }] of ended.entries())
    if (status === 'rejected') await assertRefused(calls[at]!, 'policy_denied', 'actuator queue full')
  assert.equal(new Set(versions).size, versions.length)
  assert.ok(versions.length >= 17, `${versions.length} were done`)
  const sent = device.commands.map(({ version }) => version)
  assert.deepEqual(
    sent,
    [...new Set(sent)].sort((a, b) => a - b),
    'in their order, each once',
  )
})

test('a device may reject a command; a silent one times out, and its late answer is recorded', async (t) => {
  t.after(() => {
    device.manner = 'obedient'
  })
  device.manner = 'refusing'
  const rejected = await set({ setpoint: 20 })
  assert.deepEqual([rejected.status, rejected.refusal], ['rejected', 'door_open'])
  device.manner = 'silent after ack'
  assert.equal((await set({ setpoint: 20 }, { confirm: 'ack' })).status, 'confirmed')
  device.manner = 'deaf'
  assert.equal((await set({ setpoint: 20 }, { confirm: 'none', timeout_ms: 2_000 })).status, 'accepted')
  const refused = await assertRefused(
    set({ setpoint: 19 }, { timeout_ms: 5_000 }),
    'timeout',
    'not confirmed in time',
  )
  const { command_id } = refused.details
  await device.say('ack/thermostat', { command_id, status: 'accepted', at: nowText() })
  await device.reportState({ setpoint: 19 })
  const late = (await events('ActuatorConfirmed')).find(({ meta }) => meta.command_id === command_id)
  assert.equal(late?.meta.late, true)
})

test('sensors are fused by their certainty; a contradiction is suspect, and explained', async () => {
  const twins = ['a', 'b'].map((id) => ({ id, unit: 'Cel', low: -40, high: 120, sd: 0.1 }))
  const { sensors } = describeDevice(key)
  await device.say('descriptor', describeDevice(key, { seq: 7, sensors: [...sensors, ...twins] }))
  let seq = 0
  const say = (id: string, v: number) => device.say(`telemetry/${id}`, { v, at: nowText(), seq: ++seq })
  const [sensor_id, other] = ['a', 'b'].map((id) => `${key.did}/${id}`)
  await say('a', 20)
  await say('b', 20.2)
  assert.equal((await read({ sensor_id, fuse: [other] })).fused.value, 20.1)
  await say('b', 25)
  const answer = await read({ sensor_id, fuse: [other] })
  assert.equal(answer.quality, 'suspect')
  assert.match(answer.explanation.text, /standard deviations apart/)
  assert.equal(answer.explanation.verified, true)
})

test('a window returns samples in pages, judged as in one page, and aggregates of all of them', async () => {
  for (const value of [19.2, 45, 19.3, 19.4]) await device.read(value)
  assert.equal((await read()).value, 19.4)
  const span = {
    mode: 'window',
    from: nowText(-3_600_000),
    to: '2999-01-01T00:00:00Z',
  }
  await assertRefused(read(span), 'invalid_payload', 'window')
  const window = { ...span, to: nowText(3_600_000) }
  const all = (await read(window)).samples as Fields[]
  const paged: Fields[] = []
  for (let cursor: string | undefined, page = 0; page === 0 || cursor; page++) {
    const answer = await read({ ...window, limit: 1, ...(cursor ? { cursor } : {}) })
    paged.push(...answer.samples)
    cursor = answer.cursor
  }
  assert.deepEqual(paged, all)
  assert.equal(all.find(({ value }) => value === 45)!.quality, 'suspect')
  const { aggregates } = await read({ ...window, aggregate: ['count', 'max', 'last'] })
  assert.deepEqual(aggregates, {
    count: all.length,
    max: Math.max(...all.map(({ value }) => value)),
    last: all.at(-1)!.value,
  })
})
