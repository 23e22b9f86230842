// MOTE actuator_set_state: commits the desired state, sends it in turn, and answers on the device's report.
import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { Closed, described, OneOf, Text, Timestamp, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { actionOf, refuseWhileStopped } from '../stop-latch/api.ts'
import {
  type Command,
  endCommand,
  endOverdue,
  findCommand,
  lockTwin,
  markSent,
  openCommands,
  type Place,
  readTwin,
  type Twin,
} from './actuator-command-store.ts'
import { findBreach, type Intent, intend, type Wish } from './actuator-intent.ts'
import { sendCommand } from './actuator-sending.ts'
import { ActuatorState, stateFaults } from './actuator-state.ts'
import { findActuator } from './device-store.ts'
import { PartId, partId, partOf, partTopic } from './device-topic.ts'

export const set_state_ms_max = 60_000
const answer_ms = 1_000
const timeout_ms_default = 5_000
/** Waiters also poll, because change notifications may be lost with a connection. */
const look_every_ms = 1_000
const looks_max = 10_000

export const ActuatorSetStateInput = Closed({
  actuator_id: PartId,
  state: described(ActuatorState, 'Fields to set; those left out stay as they are.'),
  expected_version: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Refused where something else was wanted since.' }),
  ),
  confirm: Type.Optional(
    Type.Enum(['none', 'ack', 'readback'], {
      default: 'readback',
      description: 'What must be known before the answer: that it was handed over, taken, or is so.',
    }),
  ),
  timeout_ms: Type.Optional(
    Type.Integer({
      minimum: 100,
      maximum: set_state_ms_max,
      default: timeout_ms_default,
      description: 'How long to wait for the confirmation.',
    }),
  ),
  expires_at: Type.Optional(described(Timestamp, 'After this time the device must not act on it.')),
  reason: Type.Optional(Text(500, { description: 'Why it is set, for those who look later.' })),
})
export type ActuatorSetStateInput = Static<typeof ActuatorSetStateInput>

export const ActuatorSetStateOutput = Closed({
  command_id: described(Uuid, 'Names the command.'),
  desired_version: Type.Integer({
    minimum: 1,
    description: 'Counts what was wanted of this actuator; pass it as expected_version.',
  }),
  status: described(
    OneOf('confirmed', 'accepted', 'timeout', 'rejected'),
    'confirmed as asked; accepted: handed over, with confirm none; rejected by the device.',
  ),
  reported: Type.Optional(described(ActuatorState, 'State that the device reported last.')),
  refusal: Type.Optional(Type.String({ description: 'Why the device rejected it, in its word.' })),
  latency_ms: Type.Number({ minimum: 0, description: 'Milliseconds until this answer.' }),
})
export type ActuatorSetStateOutput = Static<typeof ActuatorSetStateOutput>

export async function setState(
  input: ActuatorSetStateInput,
  context: OperationContext<'devices' | 'change_notifications'>,
): Promise<ActuatorSetStateOutput> {
  const { change_notifications, tenant_id } = context
  const timeout_ms = Math.min(input.timeout_ms ?? timeout_ms_default, set_state_ms_max - answer_ms)
  requireUnexpired(input, context)
  const wish: Wish = { ...input, confirm: input.confirm ?? 'readback', timeout_ms }
  const over = AbortSignal.any([context.signal, AbortSignal.timeout(timeout_ms)])
  const listening = change_notifications.listen(partTopic(tenant_id, partOf(input.actuator_id)))
  try {
    const intent = await context.apart((rows) => intend(rows, context, wish))
    for (let looks = 0; looks < looks_max; looks++) {
      const current = await context.apart(({ db }) => look(db, context, intent))
      if (current.breach) {
        change_notifications.tell(partTopic(tenant_id, partOf(input.actuator_id)))
        throw current.breach
      }
      if (current.may_send) {
        const is_sent = await sendCommand(context, intent, current)
        // Answer at once if no confirmation is requested.
        if (is_sent && wish.confirm === 'none') return answer(context, { ...current, status: 'accepted' })
      } else {
        const status = statusOf(current.command, wish)
        if (status) return answer(context, { ...current, status })
      }
      if (over.aborted) break
      await listening.heard(look_every_ms, over)
    }
    return await giveUp(context, intent, timeout_ms)
  } finally {
    listening.close()
  }
}

function requireUnexpired(
  { expires_at }: ActuatorSetStateInput,
  { now, devices }: OperationContext<'devices'>,
): void {
  if (expires_at === undefined) return
  const now_ms = Math.max(Date.parse(now), devices.now_ms())
  if (isMoment(expires_at) && Date.parse(expires_at) > now_ms) return
  throw refuse(
    'invalid_payload',
    'The command would be over before it began; send an expires_at that lies ahead.',
    {
      reason: 'expired',
      faults: [{ pointer: '/expires_at', message: 'must be a moment that lies ahead' }],
    },
  )
}

interface Seen {
  readonly command: Command
  readonly twin: Twin
  readonly may_send: boolean
  /** Why it may no longer be sent although its turn has come; the command has then ended. */
  readonly breach?: Refusal
}

/** Takes the command's turn if it has come, and checks the stop latch in the same transaction. */
async function look(
  db: Place['db'],
  context: OperationContext<'devices'>,
  { found, command_id }: Intent,
): Promise<Seen> {
  const { tenant_id, caller, devices } = context
  const { device_did, name } = found
  const at: Place = { db, tenant_id, part: { device_did, name } }
  const now = new Date(devices.now_ms())
  const [command, [first]] = [(await findCommand(at, command_id))!, await openCommands(at, 1)]
  const is_next = first?.command_id === command_id || (first && first.give_up_at < now)
  // A waiting command locks nothing.
  if (command.phase !== 'queued' || !is_next) return { command, twin: (await readTwin(at))!, may_send: false }
  await refuseWhileStopped(db, tenant_id, {
    agent: caller.did,
    device: device_did,
    action: actionOf(context),
  })
  const twin = await lockTwin(at)
  await endOverdue(at, now)
  const [head] = await openCommands(at, 1)
  if (head?.command_id !== command_id || head.phase !== 'queued') return { command, twin, may_send: false }
  const breach = await breachNow(at, command, twin, now)
  if (breach) await endCommand(at, command_id, 'unsent', now)
  return breach
    ? { command, twin, may_send: false, breach }
    : { command, twin, may_send: await markSent(at, command_id, now) }
}

/** Uses the device's current descriptor, which may be newer than the request. */
async function breachNow(at: Place, command: Command, twin: Twin, now: Date): Promise<Refusal | undefined> {
  const actuator_id = partId(at.part)
  const actuator = await findActuator(at.db, at.tenant_id, actuator_id)
  if (!actuator || stateFaults(actuator.actuator.fields, command.state).length > 0)
    return refuse(
      'policy_denied',
      `${actuator_id} was described anew and has no such state; ask for one that it has.`,
      {
        reason: 'outside safe envelope',
        rule: 'descriptor',
      },
    )
  const request = { actuator_id, state: command.state, version: command.desired_version }
  return findBreach(at, actuator, twin, request, now.getTime())
}

/** Undefined while still waiting. */
function statusOf(
  { phase, command_id }: Command,
  { confirm }: Wish,
): ActuatorSetStateOutput['status'] | undefined {
  if (phase === 'confirmed' || phase === 'rejected') return phase
  if (confirm === 'none' && (phase === 'sent' || phase === 'acked')) return 'accepted'
  if (phase === 'cancelled')
    throw refuse(
      'policy_denied',
      'An emergency stop withdrew this command before the device confirmed it; send it again once the stop is cleared.',
      {
        reason: 'emergency stop active',
        command_id,
      },
    )
  if (phase === 'queued' || phase === 'sent' || phase === 'acked') return undefined
  throw late(command_id, phase !== 'timed_out')
}

function answer(
  { devices }: OperationContext<'devices'>,
  current: Omit<Seen, 'may_send'> & Pick<ActuatorSetStateOutput, 'status'>,
): ActuatorSetStateOutput {
  const { command_id, desired_version, created_at, refusal } = current.command
  const { reported } = current.twin
  return {
    command_id,
    desired_version,
    status: current.status,
    ...(reported ? { reported } : {}),
    ...(refusal === null ? {} : { refusal }),
    latency_ms: Math.max(0, devices.now_ms() - created_at.getTime()),
  }
}

/** A sent command may still be answered, which is then recorded; an unsent one is never sent. */
async function giveUp(
  context: OperationContext<'devices' | 'change_notifications'>,
  { found, command_id }: Intent,
  timeout_ms: number,
): Promise<never> {
  const { tenant_id, devices, change_notifications } = context
  const { device_did, name } = found
  const part = { device_did, name }
  const was_sent = await context.apart(async ({ db }) => {
    const at: Place = { db, tenant_id, part }
    await lockTwin(at)
    const command = (await findCommand(at, command_id))!
    await endCommand(at, command_id, command.sent_at ? 'timed_out' : 'expired', new Date(devices.now_ms()))
    return command.sent_at !== null
  })
  change_notifications.tell(partTopic(tenant_id, part))
  throw late(command_id, !was_sent, timeout_ms)
}

function late(command_id: string, is_unsent: boolean, timeout_ms?: number): Refusal {
  const within = timeout_ms === undefined ? 'in time' : `within ${timeout_ms} ms`
  const sentence = is_unsent
    ? `The command was not sent ${within} and never will be; try again when the actuator is less busy.`
    : `The device did not confirm ${within}; the command stands as pending, and what it says later is recorded.`
  return refuse('timeout', sentence, {
    reason: is_unsent ? 'command not sent' : 'not confirmed in time',
    command_id,
    status: 'timeout',
  })
}
