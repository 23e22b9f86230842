// A command between request and sending: real rows, and a fake broker that pauses where the test says.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { DeviceMessage, Devices } from '@svc/contract/needs/devices'
import type { Apart, OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { describeDevice, newDevice, test_signer } from '../../../checks/neighbours/test-device.ts'
import { testContext, testTick } from '../../../checks/rehearsal/test-context.ts'
import { type TestDatabase, testDatabase } from '../../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../../checks/rehearsal/test-store.ts'
import type { Confirm } from './actuator-command-store.ts'
import { recordAck, recordReported } from './actuator-reports.ts'
import { assertSafeState, type SafeStateMeans } from './actuator-safe-state.ts'
import { setState } from './actuator-set-state.ts'
import type { ActuatorState } from './actuator-state.ts'
import type { Descriptor } from './device-descriptor.ts'
import { keepDescriptor } from './device-store.ts'
import { partOf } from './device-topic.ts'
import { storeReadings } from './sensor-store.ts'

const tenant_id = 'dev'
const caller_did = `did:oas:dev:agent:${'a'.repeat(64)}`
let database: TestDatabase
let store: PostgresStore
let now_ms = Date.parse('2026-11-18T10:00:00Z')

beforeEach(() => {
  onWait = () => undefined
})
before(async () => {
  database = await testDatabase()
  store = await storeAt(database.url)
})
after(async () => {
  await store.close()
  await database.close()
})

/** Runs while a caller waits; the caller then checks again at once. */
let onWait: () => Promise<unknown> | unknown = () => undefined
const heard = async () => {
  await onWait()
  return true
}
const change_notifications = {
  listen: () => ({ heard, wait: heard, elapsed_ms: () => 0, close() {} }),
  tell() {},
}

async function apart<Result>(work: (rows: Apart) => Promise<Result>): Promise<Result> {
  const rows = store.transaction(tenant_id)
  try {
    const result = await work({
      db: rows.db,
      audit: () => ({ tenant_id, record_id: '', correlation_id: '' }),
    })
    await rows.commit([])
    return result
  } catch (error) {
    await rows.rollback()
    throw error
  }
}

interface Scene {
  readonly actuator_id: string
  readonly sent: DeviceMessage[]
  /** Before the broker gets it. */
  onPublish: (message: DeviceMessage) => Promise<void> | void
  set(state: ActuatorState, idempotency_key?: string, confirm?: Confirm): Promise<unknown>
  report(v: ActuatorState): Promise<unknown>
  read(value: number): Promise<unknown>
  stop(): Promise<unknown>
  ack(message: DeviceMessage): Promise<unknown>
}

async function scene(other: object = {}): Promise<Scene> {
  const key = newDevice(tenant_id)
  const [actuator] = describeDevice(key).actuators
  const setpoint = { ...actuator.fields.setpoint, rate_max_per_s: 0.5 }
  const actuators = [{ ...actuator, fields: { ...actuator.fields, setpoint }, ...other }]
  const device_descriptor = describeDevice(key, { actuators }) as Descriptor
  await keepDescriptor(store.engine, tenant_id, device_descriptor, new Date(now_ms))
  const actuator_id = `${key.did}/thermostat`
  let seq = 0
  const devices: Devices = {
    state: () => 'connected',
    isRegistered: async () => true,
    now_ms: () => now_ms,
    signerOf: async () => test_signer,
    async publish(message) {
      await self.onPublish(message)
      self.sent.push(message)
      return 'taken'
    },
  }
  const self: Scene = {
    actuator_id,
    sent: [],
    onPublish() {},
    async set(state, idempotency_key, confirm = 'none') {
      const input = { actuator_id, state, confirm }
      return setState(input as never, contextOf(devices, idempotency_key))
    },
    read(value) {
      const at = new Date(now_ms)
      const reading = { seq: ++seq, value, observed_at: at }
      const place = { tenant_id, device_did: key.did, name: 'temperature' }
      return storeReadings(store.engine, [{ ...place, ...reading }], at)
    },
    report: (v) =>
      store.engine.transaction((db) => {
        const state = { v, seq: ++seq, at: new Date(now_ms).toISOString() }
        const at = { db, tenant_id, part: partOf(actuator_id) }
        return recordReported(at, device_descriptor.actuators[0]!, state, testTick(now_ms))
      }),
    stop: () => stopActuator(devices, actuator_id),
    ack: ({ payload }) =>
      store.engine.transaction((db) => {
        const { command_id } = JSON.parse(payload)
        const ack = { command_id, status: 'accepted' as const, at: new Date(now_ms).toISOString() }
        return recordAck({ db, tenant_id, part: partOf(actuator_id) }, ack, testTick(now_ms))
      }),
  }
  await self.read(19)
  return self
}

function contextOf(
  devices: Devices,
  idempotency_key: string | undefined,
): OperationContext<'devices' | 'change_notifications'> {
  const now = new Date(now_ms).toISOString()
  const signal = new AbortController().signal
  const call = { caller: { did: caller_did }, record_id: randomUUID(), idempotency_key, signal, now }
  const invoke = { correlation_id: randomUUID(), metadata: {} }
  return testContext<'devices' | 'change_notifications'>({
    tenant_id,
    devices,
    change_notifications,
    apart,
    invoke,
    ...call,
  })
}

function stopActuator(devices: Devices, actuator_id: string) {
  const run: SafeStateMeans['run'] = (work) => apart(({ db }: Apart) => work(db))
  const by = { by_did: caller_did, correlation_id: randomUUID() }
  const order = { tenant_id, actuator_id, command_id: randomUUID(), ...by, wait_ms: 1 }
  return assertSafeState({ devices, change_notifications, run }, order)
}

/** A finished stop whose safe state the broker still retains. */
async function stopped(): Promise<Scene> {
  const room = await scene()
  await room.stop()
  now_ms += 61_000
  await room.read(19)
  return room
}

const refusedBy = (rule: string) => (error: { code: string; details: Record<string, unknown> }) => {
  const { reason, rule: broken_rule } = error.details
  assert.deepEqual([error.code, reason, broken_rule], ['policy_denied', 'outside safe envelope', rule])
  return true
}
const reasoned = (reason: string) => (error: { details: Record<string, unknown> }) =>
  error.details.reason === reason
const kinds = ({ sent }: Scene) =>
  sent.map(({ payload }) => (payload === '' ? 'taken back' : JSON.parse(payload).kind))

test('the rate limit of a field counts from when that field was set, whatever was set since', async () => {
  const room = await scene()
  await room.set({ setpoint: 20 })
  await room.ack(room.sent[0]!)
  now_ms += 1_000
  await room.set({ on: true })
  await room.ack(room.sent[1]!)
  await assert.rejects(room.set({ setpoint: 30 }), refusedBy('rate_of_change'))
  now_ms += 19_000
  await room.set({ setpoint: 30 })
  assert.equal(room.sent.length, 3)
})

test('a command is checked again when its turn comes, and not sent if it is no longer safe', async () => {
  const room = await scene()
  await room.set({ setpoint: 20 })
  onWait = async () => {
    now_ms += 1_000
    await room.read(70)
    await room.ack(room.sent[0]!)
  }
  await assert.rejects(room.set({ on: true }), refusedBy('interlock'))
  assert.deepEqual(kinds(room), ['set'])
  const rows = await sql<{ phase: string }>`SELECT phase FROM mote_commands
    WHERE device_did = ${partOf(room.actuator_id).device_did} ORDER BY desired_version`.all(store.engine)
  assert.deepEqual(rows, [{ phase: 'confirmed' }, { phase: 'unsent' }])
})

test('an interlock sees the last command of each field, however old', async () => {
  const interlock = '!(has(input.state.on) && input.state.on && input.state.setpoint > 20)'
  const room = await scene({ interlock })
  await room.set({ setpoint: 20, on: true })
  await room.ack(room.sent[0]!)
  now_ms += 60_000
  await room.set({ setpoint: 19 })
  await room.ack(room.sent[1]!)
  now_ms += 60_000
  await assert.rejects(room.set({ setpoint: 25 }), refusedBy('interlock'))
})

test('an interlock uses the report of a device changed by hand after its last command', async () => {
  const room = await scene({ interlock: '!(input.state.on && input.state.setpoint > 20)' })
  onWait = () => room.report({ setpoint: 20, on: false })
  await room.set({ setpoint: 20, on: false }, undefined, 'readback')
  await room.report({ setpoint: 20, on: true })
  now_ms += 60_000
  await assert.rejects(room.set({ setpoint: 25 }), refusedBy('interlock'))
})

test('a key used for one actuator can be used for another', async () => {
  const [one, other] = [await scene(), await scene()]
  one.onPublish = () => {
    throw refuse('adapter_error', 'The broker is away.', { reason: 'broker away', in_doubt: false })
  }
  await assert.rejects(one.set({ on: true }, 'key'), { code: 'adapter_error' })
  await other.set({ on: true }, 'key')
  assert.deepEqual(kinds(other), ['set'])
})

test('a stop during the clearing of an earlier safe state stays retained', async () => {
  const room = await stopped()
  room.onPublish = async ({ payload }) => {
    if (payload !== '') return
    room.onPublish = () => undefined
    await room.stop()
  }
  await assert.rejects(room.set({ on: true }), reasoned('emergency stop active'))
  assert.deepEqual(kinds(room), ['safe', 'safe', 'taken back', 'safe'])
  assert.equal(room.sent.at(-1)!.retain, true)
  const rows = await sql`SELECT safe_retained FROM mote_twins
    WHERE device_did = ${partOf(room.actuator_id).device_did}`.all(store.engine)
  assert.deepEqual(rows, [{ safe_retained: true }])
})

test('a command is not in doubt if only the clearing before it is', async () => {
  const room = await stopped()
  room.onPublish = () => {
    throw refuse('adapter_error', 'Nobody said that it arrived.', { reason: 'broker away', in_doubt: true })
  }
  await assert.rejects(room.set({ on: true }), { details: { reason: 'broker away', in_doubt: false } })
  const rows = await sql`SELECT phase FROM mote_commands WHERE kind = 'set'
    AND device_did = ${partOf(room.actuator_id).device_did}`.all(store.engine)
  assert.deepEqual(rows, [{ phase: 'unsent' }])
})
