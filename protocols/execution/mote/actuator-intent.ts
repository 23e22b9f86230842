// The desired state of an actuator, after all checks: committed before anything is sent.

import type { Apart, OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { refuseWhileStopped } from '../stop-latch/api.ts'
import {
  type Command,
  type Confirm,
  endOverdue,
  findCommand,
  lastTold,
  lockTwin,
  openCommands,
  type Place,
  type Twin,
  wantState,
} from './actuator-command-store.ts'
import { holdsInterlock } from './actuator-interlock.ts'
import { type ActuatorState, envelopeBreach, matchesState, stateFaults } from './actuator-state.ts'
import { type FoundActuator, findActuator } from './device-store.ts'
import { partOf } from './device-topic.ts'
import { window_size } from './sensor-filter.ts'
import { judgeLatest } from './sensor-quality.ts'
import { latestReadings } from './sensor-store.ts'

/** Behind the active command. */
const queue_max = 16
/** Interlocks use only readings younger than this. */
const fresh_ms = 60_000

export interface Wish {
  readonly actuator_id: string
  readonly state: ActuatorState
  readonly expected_version?: number | undefined
  readonly confirm: Confirm
  readonly timeout_ms: number
  readonly expires_at?: string | undefined
}

export interface Intent {
  readonly found: FoundActuator
  readonly command_id: string
}

/** Both the intent and its answer commit with these rows. A repeated request finds its own command. */
export async function intend(
  { db, audit }: Apart,
  context: OperationContext<'devices'>,
  wish: Wish,
): Promise<Intent> {
  const { tenant_id, caller, now } = context
  const actuator = await findActuator(db, tenant_id, wish.actuator_id)
  if (!actuator) throw notFound('actuator', wish.actuator_id)
  refuseFaults(actuator, wish)
  // Before the twin's row: the same lock order as a stop.
  await refuseWhileStopped(db, tenant_id, { agent: caller.did, device: actuator.device_did })
  const at: Place = { db, tenant_id, part: partOf(wish.actuator_id) }
  const twin = await lockTwin(at)
  const command_id = commandId(context, wish)
  const command = await findCommand(at, command_id)
  if (command) return requireSame(command, wish, actuator)
  await endOverdue(at, new Date(context.devices.now_ms()))
  const open = await openCommands(at, queue_max + 1)
  if (open.length > queue_max) throw queueFull(wish.actuator_id)
  requireVersion(twin, wish)
  const moment_ms = Math.max(Date.parse(now), context.devices.now_ms())
  const request = { actuator_id: wish.actuator_id, state: wish.state, version: twin.desired_version + 1 }
  const breach = await findBreach(at, actuator, twin, request, moment_ms)
  if (breach) throw breach
  await requireReachable(context, actuator)
  const desired_version = await wantState(at, {
    command_id,
    kind: 'set',
    state: wish.state,
    confirm: wish.confirm,
    by_did: caller.did,
    correlation_id: context.invoke.correlation_id,
    created_at: new Date(moment_ms),
    expires_at: wish.expires_at === undefined ? null : new Date(Date.parse(wish.expires_at)),
    give_up_at: new Date(moment_ms + wish.timeout_ms),
    sent_at: null,
  })
  const { actuator_id, confirm } = wish
  const facts = { actuator_id, command_id, desired_version, confirm }
  audit('ActuatorCommanded', facts, { supplied: { fields: Object.keys(wish.state) } })
  return { found: actuator, command_id }
}

/** A repeated request has the same command id, so the device executes it once. */
function commandId(
  { record_id, idempotency_key, tenant_id, caller }: OperationContext,
  { actuator_id }: Wish,
): string {
  if (idempotency_key === undefined) return record_id
  const hex = sha256Hex(`mote command|${tenant_id}|${caller.did}|${actuator_id}|${idempotency_key}`)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

function requireSame(command: Command, { actuator_id, state }: Wish, actuator: FoundActuator): Intent {
  const { fields } = actuator.actuator
  const is_same =
    Object.keys(command.state).length === Object.keys(state).length &&
    matchesState(fields, state, command.state)
  if (is_same) return { found: actuator, command_id: command.command_id }
  throw refuse(
    'idempotency_key_reused',
    `This idempotency key was used for another state of ${actuator_id}; send a new key for a new command.`,
    { reason: 'another state under this key' },
  )
}

function refuseFaults({ actuator }: FoundActuator, { actuator_id, state }: Wish): void {
  const faults = stateFaults(actuator.fields, state)
  if (faults.length === 0) return
  const { pointer, message } = faults[0]!
  throw refuse('invalid_payload', `${actuator_id} has no such state: ${pointer} ${message}.`, {
    reason: 'state',
    faults,
  })
}

function requireVersion({ desired_version }: Twin, { actuator_id, expected_version }: Wish): void {
  if (expected_version === undefined || expected_version === desired_version) return
  throw refuse(
    'invalid_payload',
    `${actuator_id} is at version ${desired_version}, not ${expected_version}; look at what changed and try again.`,
    { reason: 'version_conflict', current_version: desired_version },
  )
}

interface Asked {
  readonly actuator_id: string
  readonly state: ActuatorState
  /** Its version: later commands do not count. */
  readonly version: number
}

/** Checked on request and again when its turn comes, since conditions may have changed. */
export async function findBreach(
  at: Place,
  actuator: FoundActuator,
  twin: Twin,
  { actuator_id, state, version }: Asked,
  now_ms: number,
): Promise<Refusal | undefined> {
  const { fields, interlock } = actuator.actuator
  const last_values = await lastTold(at, Object.keys(fields), version)
  const references = last_values.map(({ field, value, told_at }) => [
    field,
    { value, at_ms: told_at.getTime() },
  ])
  const breach = envelopeBreach(fields, state, now_ms, Object.fromEntries(references))
  if (breach) return outside(actuator_id, breach.rule, breach.sentence, breach.field)
  if (interlock === undefined) return undefined
  const reported = twin.reported ?? {}
  const pending = last_values.filter(
    ({ field, is_read_back }) => !is_read_back || !Object.hasOwn(reported, field),
  )
  const awaited = Object.fromEntries(pending.map(({ field, value }) => [field, value]))
  const facts = { state: { ...reported, ...awaited, ...state }, reported }
  const sensors = await freshSensors(at, actuator, now_ms)
  if (holdsInterlock(interlock, { ...facts, sensors }, now_ms)) return undefined
  return outside(actuator_id, 'interlock', 'its interlock does not allow it now')
}

async function freshSensors(
  { db, tenant_id }: Place,
  { device, device_did }: FoundActuator,
  now_ms: number,
): Promise<Record<string, number>> {
  const fresh: Record<string, number> = {}
  for (const sensor of device.sensors) {
    const readings = await latestReadings(db, tenant_id, { device_did, name: sensor.id }, window_size)
    const latest = judgeLatest(sensor, readings, (age_ms) => age_ms > fresh_ms, now_ms)
    if (latest?.quality === 'good') fresh[sensor.id] = latest.reading.value
  }
  return fresh
}

/** Checked last: missing permissions and invalid states are reported first. */
async function requireReachable(
  { devices }: OperationContext<'devices'>,
  { device_did }: FoundActuator,
): Promise<void> {
  if (devices.state() !== 'connected')
    throw refuse(
      'adapter_error',
      'No broker is connected, so the device cannot be reached and nothing was sent; try again shortly.',
      { reason: 'broker away', in_doubt: false },
    )
  if (await devices.isRegistered(device_did)) return
  throw refuse(
    'policy_denied',
    'The device of this actuator is not registered with MARS, so nothing was sent; register it and try again.',
    { reason: 'device not registered', device_did },
  )
}

function outside(actuator_id: string, rule: string, sentence: string, field?: string): Refusal {
  return refuse('policy_denied', `${actuator_id} was not set: ${sentence}; ask for less, or later.`, {
    reason: 'outside safe envelope',
    rule,
    ...(field === undefined ? {} : { field }),
  })
}

function queueFull(actuator_id: string): Refusal {
  return refuse(
    'policy_denied',
    `${actuator_id} has ${queue_max} commands waiting already; wait until some of them are done.`,
    { reason: 'actuator queue full' },
  )
}
