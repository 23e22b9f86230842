// Puts an actuator into its safe state: retained for offline devices, proved by the device's report.

import type { Database } from '@svc/contract/database'
import type { ChangeNotifications } from '@svc/contract/needs/change-notifications'
import type { Devices } from '@svc/contract/needs/devices'
import { Refusal } from '@svc/contract/refusal'
import {
  type Command,
  cancelOpen,
  findCommand,
  lockTwin,
  noteRetained,
  type Place,
  readTwin,
  wantState,
} from './actuator-command-store.ts'
import { commandPayload } from './actuator-sending.ts'
import type { ActuatorState } from './actuator-state.ts'
import { findActuator } from './device-store.ts'
import { commandTopic, partOf, partTopic } from './device-topic.ts'

const look_every_ms = 500
const looks_max = 1_000
/** How long a late proof is still recorded. */
const give_up_ms = 60_000

/** Provided by a handler's context, or by the engine when it resumes after a restart. */
export interface SafeStateMeans {
  readonly devices: Pick<Devices, 'publish' | 'now_ms' | 'signerOf'>
  readonly change_notifications: ChangeNotifications
  /** Runs work in its own transaction and commits it: `context.apart`, or one of the engine's role. */
  run<Result>(work: (db: Database) => Promise<Result>): Promise<Result>
}

export interface SafeStateOrder {
  readonly tenant_id: string
  readonly actuator_id: string
  /** UUID; a repeated order is the same command, sent again. */
  readonly command_id: string
  readonly by_did: string
  readonly correlation_id: string
  readonly wait_ms: number
  readonly signal?: AbortSignal
}

export type SafeStateProof =
  | { readonly confirmed: true; readonly reported: ActuatorState }
  | { readonly confirmed: false; readonly why: string }

/** Ignores latches, queues and interlocks. Cancels open commands. Device failures never throw. */
export async function assertSafeState(means: SafeStateMeans, order: SafeStateOrder): Promise<SafeStateProof> {
  const { devices, change_notifications, run } = means
  const { tenant_id, actuator_id } = order
  const part = partOf(actuator_id)
  const over = AbortSignal.any([AbortSignal.timeout(order.wait_ms), ...(order.signal ? [order.signal] : [])])
  const listening = change_notifications.listen(partTopic(tenant_id, part))
  try {
    const command = await run((db) => want({ db, tenant_id, part }, order, devices.now_ms()))
    if (!command) return { confirmed: false, why: 'there is no such actuator' }
    change_notifications.tell(partTopic(tenant_id, part))
    const fault = await publish(means, order, command)
    for (let looks = 0; looks < looks_max; looks++) {
      const { phase, reported } = await run(async (db) => {
        const at = { db, tenant_id, part }
        const [current, twin] = [await findCommand(at, order.command_id), await readTwin(at)]
        return { phase: current?.phase, reported: twin?.reported }
      })
      if (phase === 'confirmed' && reported) return { confirmed: true, reported }
      if (phase === 'rejected') return { confirmed: false, why: 'the device rejected its safe state' }
      if (phase === 'cancelled') return { confirmed: false, why: 'a later order took its place' }
      if (fault !== undefined) return { confirmed: false, why: fault }
      if (over.aborted) break
      await listening.heard(look_every_ms, over)
    }
    return { confirmed: false, why: `nothing read back within ${order.wait_ms} ms` }
  } finally {
    listening.close()
  }
}

async function want(at: Place, order: SafeStateOrder, now_ms: number): Promise<Command | undefined> {
  const actuator = await findActuator(at.db, at.tenant_id, order.actuator_id)
  if (!actuator) return undefined
  await lockTwin(at)
  const command = await findCommand(at, order.command_id)
  if (command) return command
  const now = new Date(now_ms)
  await cancelOpen(at, now)
  await wantState(at, {
    command_id: order.command_id,
    kind: 'safe',
    state: actuator.actuator.safe_state,
    confirm: 'readback',
    by_did: order.by_did,
    correlation_id: order.correlation_id,
    created_at: now,
    expires_at: null,
    give_up_at: new Date(now_ms + give_up_ms),
    sent_at: now,
  })
  await noteRetained(at, true)
  return await findCommand(at, order.command_id)
}

async function publish({ devices }: SafeStateMeans, order: SafeStateOrder, command: Command) {
  const part = partOf(order.actuator_id)
  const topic = commandTopic(order.tenant_id, part)
  const payload = await commandPayload(devices, order.tenant_id, part, command)
  try {
    await devices.publish({ topic, payload, retain: true, wait_ms: Math.max(100, order.wait_ms) })
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}
