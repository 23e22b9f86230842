// Sends a command, once its turn has come and is committed.
import type { Devices } from '@svc/contract/needs/devices'
import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal, refuse } from '@svc/contract/refusal'
import { signingInput } from '@svc/contract/signing/signature'
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
/** A command without an end of its own is executed no later than this after its caller stopped waiting. */
const late_ms_max = 60_000

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
    const payload = await commandPayload(devices, tenant_id, part, command)
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
    await devices.publish({ ...hold, payload: await commandPayload(devices, tenant_id, part, newest) })
  return newest.command_id === command_id
}

function heldByBroker(cause: unknown): Refusal {
  if (!(cause instanceof Refusal)) throw cause
  return refuse(
    'adapter_error',
    'The broker did not confirm that it discarded the safe state it holds for this device, so the command was not sent; try again shortly.',
    { reason: 'broker away', in_doubt: false },
    cause,
  )
}

/**
 * Signed with the topic, which names the tenant, the device and the actuator: for another it is a forgery. A device executes
 * each command_id once, none with a lower version, and none that is expired.
 */
export async function commandPayload(
  devices: Pick<Devices, 'now_ms' | 'signerOf'>,
  tenant_id: string,
  part: Part,
  command: Command,
): Promise<string> {
  const { command_id, desired_version, kind, state } = command
  const { key_id, sign } = await devices.signerOf(tenant_id)
  const content = {
    command_id,
    version: desired_version,
    kind,
    v: state,
    at: new Date(devices.now_ms()).toISOString(),
    ...endOf(command),
    key_id,
  }
  const topic = commandTopic(tenant_id, part)
  return JSON.stringify({ ...content, sig: sign(signingInput('svc-command-v1', { topic, ...content })) })
}

/** So that a device that forgot what it executed takes no old command. A safe state stays valid until it is taken back. */
function endOf({ kind, expires_at, give_up_at }: Command): { readonly expires_at?: string } {
  if (expires_at) return { expires_at: expires_at.toISOString() }
  if (kind === 'safe') return {}
  return { expires_at: new Date(give_up_at.getTime() + late_ms_max).toISOString() }
}
