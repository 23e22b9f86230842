// MAKER.execute_action: performs a stoppable action once its risk is known and acceptable.

import { compileExpression, judge } from '@svc/contract/expressions/expression'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import { Closed, described, OneOf } from '@svc/contract/schema'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { asRefusal } from '@svc/database/as-refusal'
import { type Static, Type } from 'typebox'
import { bandOfRisk } from '../../truth/mare/api.ts'
import { action_ref_start, refuseWhileStopped } from '../stop-latch/api.ts'
import { type ActionAsk, action_states, deviceOf, grace_ms_default, isOver } from './action.ts'
import { createAction, findAction, type OpenAction } from './action-store.ts'
import { actionTopic, maker_topic } from './action-supervisor.ts'
import { uuidOf } from './name-uuid.ts'

const risk_start = 'mare://risk/'
const bearable: ReadonlySet<string> = new Set(['low', 'moderate'])
const sync_ms_max = 24_000
const look_every_ms = 1_000

export const ActionView = Closed({
  action_id: Type.String({ description: 'Names the action, for emergency_stop.' }),
  ref: Type.String({ description: 'Names the action, for citations.' }),
  state: described(
    OneOf(...action_states),
    'stop_unconfirmed: it was told to stop, and nothing proves that it has.',
  ),
  how: Type.Optional(Type.String({ description: 'How it ended, in words.' })),
  output: Type.Optional(
    Type.Unknown({ description: 'What the executor answered; absent until it has ended.' }),
  ),
  error_code: Type.Optional(Type.String({ description: 'Code of the failure; absent if it did not fail.' })),
  started_at: Type.Optional(Type.String({ description: 'When it began, RFC 3339; absent until then.' })),
  stop_token: Type.String({ description: 'Names this action to emergency_stop, in place of its id.' }),
})
export type ActionView = Static<typeof ActionView>

export async function executeAction(
  ask: Static<typeof ActionAsk>,
  context: OperationContext<'change_notifications' | 'requireAuthority' | 'standIn' | 'vault'>,
) {
  refuseOddExecutor(ask)
  requirePreconditions(ask, context)
  const authority = await requireBearableRisk(ask, context)
  const action = await propose(ask, authority, context)
  context.change_notifications.tell(maker_topic)
  const { mode = 'async', max_duration_ms } = ask
  const wait_ms = mode === 'sync' ? Math.min(sync_ms_max, max_duration_ms + sync_ms_max / 4) : 0
  return view(await ended(action, wait_ms, context), context)
}

type Ask = Static<typeof ActionAsk>

/** The intent is committed before the action starts, and the stop latch is read in the same transaction. */
async function propose(
  ask: Ask,
  authority: string | null,
  context: OperationContext<'standIn' | 'vault'>,
): Promise<OpenAction> {
  const { tenant_id, vault, now } = context
  const acting = context.standIn()
  const action_id = actionId(context)
  const device_id = deviceOf(ask.executor)
  return context.apart(async ({ db, audit }) => {
    await refuseWhileStopped(db, tenant_id, { agent: acting.did, device: device_id ?? undefined })
    const at = { db, tenant_id, vault }
    const action = await findAction(at, action_id)
    if (action) return action
    await createAction(at, {
      action_id,
      ask,
      acting,
      device_id,
      stop_token: tokenOf(context, action_id),
      authority,
      grace_ms: ask.grace_ms ?? grace_ms_default,
      now,
      deadline_at: new Date(Date.parse(now) + ask.max_duration_ms),
    })
    const { action_kind, irreversible, risk_ref } = ask
    const grounds = { ...(risk_ref && { risk_ref }), ...(authority && { authority }) }
    audit('ActionStarted', { action: action_id, action_kind, irreversible, ...grounds })
    return (await findAction(at, action_id))!
  })
}

/** A call repeated under its key is the same action, even if the first answer was lost. */
function actionId({ idempotency_key, record_id, tenant_id, caller }: OperationContext): string {
  return idempotency_key === undefined
    ? record_id
    : uuidOf(`action ${tenant_id} ${caller.did} ${idempotency_key}`)
}

function tokenOf({ vault }: OperationContext<'vault'>, action_id: string): string {
  return `stop-${uuidOf(vault.blind(`stop ${action_id}`))}`
}

/** Returns when it is over, or with its state when the wait ends. */
async function ended(
  action: OpenAction,
  wait_ms: number,
  context: OperationContext<'change_notifications' | 'vault'>,
): Promise<OpenAction> {
  if (wait_ms === 0) return action
  const { tenant_id, vault, change_notifications, signal } = context
  const listening = change_notifications.listen(actionTopic(action.action_id))
  const look = () => context.apart(({ db }) => findAction({ db, tenant_id, vault }, action.action_id))
  try {
    for (;;) {
      const current = (await look()) ?? action
      const left_ms = wait_ms - listening.elapsed_ms()
      if (isOver(current.state) || left_ms <= 0 || signal.aborted) return current
      await listening.heard(Math.min(left_ms, look_every_ms), signal)
    }
  } finally {
    listening.close()
  }
}

function view(action: OpenAction, context: OperationContext<'vault'>): ActionView {
  const { action_id, state, how, output, error_code, started_at } = action
  return {
    action_id,
    ref: action_ref_start + action_id,
    state,
    ...(how !== null && { how }),
    ...(output !== undefined && { output }),
    ...(error_code !== null && { error_code }),
    ...(started_at && { started_at: started_at.toISOString() }),
    stop_token: tokenOf(context, action_id),
  }
}

function refuseOddExecutor({ executor, safe_state }: Ask): void {
  if ('builtin' in executor && (executor.builtin === 'script_ref') !== (executor.script_ref !== undefined)) {
    throw refuse(
      'invalid_payload',
      'The builtin script_ref, and only it, needs script_ref: the name of a program.',
      {
        reason: 'script_ref',
      },
    )
  }
  if (safe_state && !('actuator_id' in executor)) {
    throw refuse(
      'invalid_payload',
      'Only an actuator can be read back; leave safe_state out for other executors.',
      {
        reason: 'safe_state',
      },
    )
  }
}

function requirePreconditions(
  { preconditions = [], action_kind, target, parameters = {} }: Ask,
  context: OperationContext,
): void {
  const input = { action_kind, target, parameters }
  const scope = { input, steps: {}, signal: null, now_ms: Date.parse(context.now), seed: context.record_id }
  for (const text of preconditions) {
    if (judge(compileExpression(text), scope)) continue
    throw refuse(
      'policy_denied',
      `The precondition "${text.slice(0, 200)}" does not hold, so nothing was done.`,
      {
        reason: 'precondition',
      },
    )
  }
}

/** Irreversible actions need a known risk, and a council's approval if it is more than moderate. */
async function requireBearableRisk(
  ask: Ask,
  context: OperationContext<'requireAuthority'>,
): Promise<string | null> {
  const { irreversible, risk_ref, authority } = ask
  if (!irreversible && risk_ref === undefined) return null
  if (risk_ref === undefined) {
    throw refuse('invalid_payload', 'An irreversible action needs risk_ref: score it with MARE first.', {
      reason: 'risk_ref',
    })
  }
  const band = await context.apart(({ db }) =>
    bandOfRisk({ db, tenant_id: context.tenant_id }, risk_ref.slice(risk_start.length)),
  )
  if (band === undefined || !risk_ref.startsWith(risk_start)) throw notFound('risk', risk_ref)
  if (!irreversible || bearable.has(band)) return null
  try {
    return await context.requireAuthority('MAKER.execute_action', subjectOf(ask), authority)
  } catch (thrown) {
    throw aboveAppetite(band, subjectOf(ask), asRefusal(thrown))
  }
}

/** What a council decides on: this action on this target, at this risk. */
function subjectOf({
  action_kind,
  target,
  risk_ref,
}: Pick<Ask, 'action_kind' | 'target' | 'risk_ref'>): string {
  return contentHash({ action_kind, target, risk_ref })
}

function aboveAppetite(band: string, subject: string, cause: Refusal): Refusal {
  return refuse(
    'policy_denied',
    `The risk of this action is ${band}, which is above appetite; a verdict of MACE that binds MAKER.execute_action to ${subject} lets it run.`,
    { reason: 'risk above appetite', band, subject, needed: cause.message },
    cause,
  )
}
