// Sends a command, once its turn has come and is committed.
import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal, refuse } from '@svc/contract/refusal'
import {
  type Command,
  endCommand,
  lastSent,
  lockTwin,
  noteRetained,
  type Phase,
  type Place,
  type Twin,
} from './actuator-command-store.ts'
import type { Intent } from './actuator-intent.ts'
import { commandTopic, type Part } from './device-topic.ts'

const publish_ms_max = 5_000

/** Never sends twice: a failure ends the command or leaves it in doubt. False if its turn has passed. */
export async function sendCommand(
  context: OperationContext<'devices'>,
  { found, command_id }: Intent,
  { command, twin }: { readonly command: Command; readonly twin: Twin },
): Promise<boolean> {
  const { devices, tenant_id } = context
  const { device_did, name } = found
  const part = { device_did, name }
  const topic = commandTopic(tenant_id, part)
  const end = (phase: Phase) =>
    context.apart(({ db }) =>
      endCommand({ db, tenant_id, part }, command_id, phase, new Date(devices.now_ms())),
    )
  if (twin.safe_retained) {
    const cleared = await takeBackSafe(context, part, command_id).catch(async (cause) => {
      await end('unsent')
      throw heldByBroker(cause)
    })
    if (!cleared) return false
  }
  try {
    const expires_at = command.expires_at?.toISOString()
    const payload = commandPayload(command, devices.now_ms())
    const outcome = await devices.publish({ topic, payload, expires_at, wait_ms: publish_ms_max })
    if (outcome === 'taken') return true
  } catch (error) {
    if (!(error instanceof Refusal && error.details.in_doubt === true)) await end('unsent')
    throw error
  }
  await end('expired')
  throw refuse(
    'timeout',
    'The command expired before its turn came and was not sent; try again with more time.',
    {
      reason: 'command expired',
      command_id,
    },
  )
}

/** Clears the retained safe state: a reconnect would undo the command. False if a newer one was sent. */
async function takeBackSafe(
  context: OperationContext<'devices'>,
  part: Part,
  command_id: string,
): Promise<boolean> {
  const { devices, tenant_id } = context
  const hold = { topic: commandTopic(tenant_id, part), retain: true, wait_ms: publish_ms_max }
  await devices.publish({ ...hold, payload: '' })
  const newest = await context.apart(async ({ db }) => {
    const at: Place = { db, tenant_id, part }
    await lockTwin(at)
    const sent = (await lastSent(at))!
    if (sent.command_id === command_id) await noteRetained(at, false)
    return sent
  })
  // The cleared message may have been the safe state of a newer stop: publish it again.
  if (newest.kind === 'safe')
    await devices.publish({ ...hold, payload: commandPayload(newest, devices.now_ms()) })
  return newest.command_id === command_id
}

function heldByBroker(cause: unknown): Refusal {
  if (!(cause instanceof Refusal)) throw cause
  return refuse(
    'adapter_error',
    'The broker did not say that it gave up the safe state it holds, so the command was not sent; try again shortly.',
    { reason: 'broker away', in_doubt: false },
    cause,
  )
}

/** A device executes each command_id once, none with a lower version, and none that is expired. */
export function commandPayload(command: Command, now_ms: number): string {
  const { command_id, desired_version, kind, state, expires_at } = command
  return JSON.stringify({
    command_id,
    version: desired_version,
    kind,
    v: state,
    at: new Date(now_ms).toISOString(),
    ...(expires_at ? { expires_at: expires_at.toISOString() } : {}),
  })
}
