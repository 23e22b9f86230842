// MAKER.emergency_stop: blocks new actions and stops running ones; reports as stopped only with proof.
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, described, ListOf, OneOf, Ref, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { clearLatch, type StopScope, setLatch } from '../stop-latch/api.ts'
import { isOver, proof_ms } from './action.ts'
import { type ActionRow, actionOfToken, actionsIn, actionsOf, askToStop } from './action-store.ts'
import { actionTopic, maker_topic } from './action-supervisor.ts'
import { type DeviceProof, makeDevicesSafe } from './emergency-devices.ts'

const actions_max = 1000
const look_every_ms = 250

export const StopInput = Closed({
  action_id: Type.Optional(Text(128, { description: 'Action to stop, with the scope action.' })),
  stop_token: Type.Optional(
    Text(128, { description: 'As execute_action answered it, in place of action_id.' }),
  ),
  scope: Type.Optional(
    described(
      OneOf('action', 'agent', 'device', 'tenant'),
      'How much to stop: one action (default), all of an agent or device, or the whole tenant.',
    ),
  ),
  scope_id: Type.Optional(
    Text(256, { description: 'The DID of an agent or a device; for tenant it is your own.' }),
  ),
  reason: Text(500, { description: 'Why it is stopped; recorded in the audit log.' }),
  mode: Type.Optional(
    Type.Enum(['graceful', 'immediate'], {
      default: 'graceful',
      description: 'immediate skips the grace period.',
    }),
  ),
  clear: Type.Optional(
    Closed(
      {
        authority: Type.Optional(
          described(Ref, 'Charter verdict that allows it to run again; absent means the newest that fits.'),
        ),
      },
      { description: 'Lifts the stop instead; needs L1 and the authority.' },
    ),
  ),
})
export type StopInput = Static<typeof StopInput>

export const StopOutput = Closed({
  stop_ref: Type.String({ description: 'Names this stop.' }),
  halted: described(
    ListOf(
      Closed({
        action_id: Type.String({ description: 'Action that was stopped.' }),
        at: Type.String({ description: 'When it ended, RFC 3339.' }),
        how: Type.String({ description: 'How it ended, such as never_started or already_finished.' }),
      }),
      0,
      actions_max,
    ),
    'Actions that have provably ended.',
  ),
  unconfirmed: described(
    ListOf(
      Closed({
        action_id: Type.String({ description: 'Action that may still run.' }),
        why: Type.String({ description: 'What is missing.' }),
      }),
      0,
      actions_max,
    ),
    'Actions not yet proved to have ended; stopping them is retried every second.',
  ),
  not_listed: Type.Optional(
    Type.Integer({ minimum: 1, description: 'How many more actions were told to stop than are listed.' }),
  ),
  devices_not_listed: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'How many more devices were told to be safe; those that are not safe are listed first.',
    }),
  ),
  devices: described(
    ListOf(
      Closed({
        actuator_id: Type.String({ description: 'Actuator that was told.' }),
        safe: Type.Boolean({ description: 'It has confirmed its safe state.' }),
        why: Type.Optional(Type.String({ description: 'What is missing; absent if it is safe.' })),
      }),
      0,
      actions_max,
    ),
    'Actuators that were sent to their safe state.',
  ),
  latched: Closed(
    {
      scope: described(OneOf('action', 'agent', 'device', 'tenant'), 'How much is stopped.'),
      scope_id: Type.String({ description: 'Action, agent, device or tenant that is stopped.' }),
      is_set: Type.Boolean({ description: 'False after it was lifted.' }),
    },
    { description: 'What may not start anything until the stop is lifted.' },
  ),
  latency_ms: Type.Integer({ minimum: 0, description: 'Milliseconds until this answer.' }),
})
export type StopOutput = Static<typeof StopOutput>

export async function stopActions(
  input: Static<typeof StopInput>,
  context: OperationContext<'devices' | 'change_notifications' | 'requireAuthority'>,
) {
  const covered = await scopeOf(input, context)
  return input.clear ? lift(covered, input, context) : stop(covered, input, context)
}

interface Covered {
  readonly scope: StopScope
  readonly scope_id: string
}

async function scopeOf(input: StopInput, context: OperationContext): Promise<Covered> {
  const { scope = 'action', scope_id, stop_token } = input
  if (scope === 'tenant') {
    const { tenant_id } = context
    if (scope_id === undefined || scope_id === tenant_id) return { scope, scope_id: tenant_id }
    throw refuse(
      'invalid_payload',
      `Nothing was stopped: scope tenant stops ${tenant_id}, to which this call goes, and scope_id names another ` +
        'organization. Leave scope_id out, or call in that organization.',
      { reason: 'scope_id' },
    )
  }
  if (scope !== 'action') {
    if (scope_id !== undefined) return { scope, scope_id }
    throw refuse('invalid_payload', `To stop all of one ${scope}, say which: scope_id is missing.`, {
      reason: 'scope_id',
    })
  }
  const { tenant_id } = context
  const of_token =
    stop_token && (await context.apart(({ db }) => actionOfToken({ db, tenant_id }, stop_token)))
  const action_id = input.action_id ?? of_token ?? scope_id
  if (action_id !== undefined && action_id !== '') return { scope, scope_id: action_id }
  if (stop_token !== undefined) throw notFound('action', stop_token)
  throw refuse('invalid_payload', 'Say what to stop: action_id, stop_token, or a scope with its scope_id.', {
    reason: 'action_id',
  })
}

/** The latch is committed before anything is stopped, so nothing it covers can start meanwhile. */
async function stop(
  covered: Covered,
  input: StopInput,
  context: OperationContext<'devices' | 'change_notifications'>,
): Promise<StopOutput> {
  const { tenant_id, now, caller } = context
  const { scope, scope_id } = covered
  const { mode = 'graceful', reason } = input
  const stop_ref = `maker://stop/${context.record_id}`
  const listening = context.change_notifications.listen(maker_topic)
  try {
    const { found, told } = await context.apart(async ({ db, audit }) => {
      const latch = { tenant_id, scope, scope_id, stop_ref, set_by: caller.did, set_at: new Date(now) }
      const epoch = await setLatch(db, latch)
      const action_rows = await actionsIn({ db, tenant_id }, scope, scope_id, actions_max)
      if (scope === 'action' && action_rows.length === 0) throw notFound('action', scope_id)
      const stopping = await askToStop({ db, tenant_id }, covered, { stop_ref, mode, at: now })
      const facts = { stop_ref, scope, mode, epoch: String(epoch), actions: stopping }
      audit('EmergencyStop', facts, { supplied: { scope_id, reason } })
      for (const { action_id } of action_rows.filter(({ state }) => state === 'authorised'))
        audit('ActionFinished', { action: action_id, state: 'stopped', how: 'never_started' })
      return { found: action_rows, told: stopping }
    })
    context.change_notifications.tell(maker_topic)
    const grace_ms = mode === 'immediate' ? 0 : Math.max(0, ...found.map((action) => action.grace_ms))
    const [actions, devices] = await Promise.all([
      proven(found, grace_ms + proof_ms, context),
      scope === 'tenant' || scope === 'device'
        ? makeDevicesSafe(context, scope === 'device' ? scope_id : undefined, grace_ms + proof_ms)
        : [],
    ])
    return answer({
      stop_ref,
      covered,
      is_set: true,
      found,
      actions,
      not_listed: told - found.length,
      devices,
      latency_ms: listening.elapsed_ms(),
    })
  } finally {
    listening.close()
  }
}

/** Their states when all are over, or when the time for proof has run out. */
async function proven(
  action_rows: readonly ActionRow[],
  wait_ms: number,
  context: OperationContext<'change_notifications'>,
): Promise<readonly ActionRow[]> {
  const { tenant_id, change_notifications, signal } = context
  const ids = action_rows.map(({ action_id }) => action_id)
  const listenings = ids.map((action_id) => change_notifications.listen(actionTopic(action_id)))
  const clock = change_notifications.listen(maker_topic)
  try {
    for (;;) {
      const rows = await context.apart(({ db }) => actionsOf({ db, tenant_id }, ids))
      const left_ms = wait_ms - clock.elapsed_ms()
      const open = rows.filter(({ state }) => !isOver(state))
      if (open.length === 0 || left_ms <= 0 || signal.aborted) return rows
      const waiting = listenings[ids.indexOf(open[0]!.action_id)]!
      await waiting.heard(Math.min(left_ms, look_every_ms), signal)
    }
  } finally {
    for (const listening of [...listenings, clock]) listening.close()
  }
}

async function lift(
  covered: Covered,
  input: StopInput,
  context: OperationContext<'requireAuthority'>,
): Promise<StopOutput> {
  const { scope, scope_id } = covered
  const { tenant_id, now, caller } = context
  if (caller.conformance_level === 'L0') {
    throw refuse('policy_denied', 'A stop is lifted by an identity of level L1 or more; yours is L0.', {
      reason: 'level',
    })
  }
  const { authority } = input.clear!
  const verdict = await context.requireAuthority('MAKER.emergency_stop', `${scope} ${scope_id}`, authority)
  const was_set = await clearLatch(context.db, tenant_id, scope, scope_id, new Date(now))
  const stop_ref = `maker://stop/${context.record_id}`
  const { reason } = input
  const facts = { stop_ref, scope, authority: verdict, was_set }
  context.audit('EmergencyStopCleared', facts, { supplied: { scope_id, reason } })
  const nothing = { found: [], actions: [], devices: [], not_listed: 0, latency_ms: 0 }
  return answer({ stop_ref, covered, is_set: false, ...nothing })
}

interface Answered {
  readonly stop_ref: string
  readonly covered: Covered
  readonly is_set: boolean
  readonly found: readonly ActionRow[]
  readonly actions: readonly ActionRow[]
  readonly not_listed: number
  readonly devices: readonly DeviceProof[]
  readonly latency_ms: number
}

function answer(answered: Answered): StopOutput {
  const { stop_ref, covered, is_set, found, actions, not_listed, devices, latency_ms } = answered
  const were_over = new Set(found.filter(({ state }) => isOver(state)).map(({ action_id }) => action_id))
  const over = actions.filter(({ state }) => isOver(state))
  return {
    stop_ref,
    halted: over.map(({ action_id, ended_at, how }) => ({
      action_id,
      at: ended_at!.toISOString(),
      how: were_over.has(action_id) ? 'already_finished' : (how ?? 'ended'),
    })),
    unconfirmed: actions
      .filter(({ state }) => !isOver(state))
      .map(({ action_id, how, state }) => ({ action_id, why: how ?? `it is still ${state}` })),
    ...(not_listed > 0 && { not_listed }),
    devices: devices.slice(0, actions_max),
    ...(devices.length > actions_max && { devices_not_listed: devices.length - actions_max }),
    latched: { ...covered, is_set },
    latency_ms: Math.round(latency_ms),
  }
}
