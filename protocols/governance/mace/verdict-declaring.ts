// Closes a council and declares its verdict once, with all final positions and effects.
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { Closed, Did, Hash, ListOf, OneOf, Ref, Timestamp, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import {
  bodyOf,
  type CharterEffect,
  finalPositions,
  findVerdictOf,
  keepRegistered,
  keepVerdict,
  type Motion,
  motion_states,
  moveTo,
  openMotion,
  outcomes,
  requireReader,
  requireState,
  settledOutcome,
  type TakenPosition,
  tally,
  type Verdict,
  votesOf,
} from '../motions/api.ts'
import { charterAfter } from './motion-convening.ts'
import { Attendance, Bind, MotionView, seats_max, Threshold, thresholdOf, viewOf } from './motion-input.ts'

export const TallyInput = Closed({
  motion_id: Uuid,
  action: Type.Optional(OneOf('tally', 'view', 'withdraw')),
})

const Voice = Closed({ did: Did, reasoning: Type.String(), position_id: Uuid })
const Count = Type.Integer({ minimum: 0 })

export const Counts = Closed({ for: Count, against: Count, abstain: Count, recused: Count, absent: Count })

export const TallyOutput = Closed({
  motion_id: Uuid,
  state: OneOf(...motion_states),
  motion: Type.Optional(MotionView),
  verdict_id: Type.Optional(Hash),
  ref: Type.Optional(Ref),
  registered: Type.Optional(Ref),
  outcome: Type.Optional(OneOf(...outcomes)),
  counts: Type.Optional(Counts),
  attendance: Type.Optional(Attendance),
  threshold: Type.Optional(Threshold),
  majority: Type.Optional(ListOf(Voice, 0, seats_max)),
  dissent: Type.Optional(ListOf(Voice, 0, seats_max)),
  binds: Type.Optional(ListOf(Bind, 0, 16)),
  max_uses: Type.Optional(Count),
  valid_until: Type.Optional(Timestamp),
  effects_applied: Type.Optional(
    ListOf(Closed({ kind: OneOf('charter_members'), add: ListOf(Did), remove: ListOf(Did) }), 0, 1),
  ),
})
export type TallyOutput = Static<typeof TallyOutput>

export async function closeMotion(
  { motion_id, action = 'tally' }: Static<typeof TallyInput>,
  context: OperationContext<'charter' | 'register'>,
): Promise<TallyOutput> {
  const motion = await openMotion(context, motion_id)
  requireReader(context, motion)
  const taken = await finalPositions(context.db, motion.body)
  if (action === 'withdraw') return shown(await withdraw(context, motion), taken)
  if (action === 'view') return shown(motion, taken)
  if (motion.state === 'TALLIED') {
    const verdict = await findVerdictOf(context.db, context.tenant_id, motion_id)
    return declared(motion, verdict!, taken)
  }
  requireState(motion, 'tally', ['CONVENED', 'OPEN'])
  requireClosed(motion, taken, context.now)
  return declared(motion, await declare(context, motion, taken), taken)
}

/** Before the deadline only if no missing vote could change the outcome. */
function requireClosed({ body }: Motion, taken: readonly TakenPosition[], now: string): void {
  if (Date.parse(now) >= Date.parse(body.deadline_at)) return
  if (settledOutcome(body, votesOf(taken)) !== undefined) return
  throw refuse(
    'policy_denied',
    `Missing votes can still change the outcome of motion ${body.motion_id}; tally it after they are cast or after ${body.deadline_at}.`,
    { reason: 'vote still open', denying_policy: 'MACE quorum' },
  )
}

async function declare(
  context: OperationContext<'charter' | 'register'>,
  motion: Motion,
  taken: readonly TakenPosition[],
): Promise<Verdict> {
  const { db, now, tenant_id } = context
  const passed = tally(motion.body, votesOf(taken)).outcome === 'PASSED'
  const effects = passed ? await applyEffects(context, motion) : []
  const verdict = await keepVerdict(db, bodyOf(motion, taken, effects, now))
  await moveTo(context, motion, 'TALLIED')
  const { verdict_id, ref, outcome, counts, charter_level, binds, valid_until, motion_id, dissent } = verdict
  const { uses: _, registered: __, ref: ___, verdict_id: ____, ...content } = verdict
  const registered = await context.register({
    kind: 'verdict',
    subject: verdict_id,
    visibility: 'tenant',
    content: { ...content },
  })
  await keepRegistered(db, verdict, registered)
  const facts = { motion_id, motion_hash: motion.motion_hash, verdict: ref, outcome, counts, charter_level }
  context.audit(
    'MotionTallied',
    { ...facts, dissent_count: dissent.length, valid_until, effects_applied: effects },
    { also: [tenant_id], supplied: { binds } },
  )
  return { ...verdict, registered }
}

/** In the same transaction as the verdict. May be empty if the charter has changed since. */
async function applyEffects(
  context: OperationContext<'charter'>,
  { body }: Motion,
): Promise<CharterEffect[]> {
  const applied: CharterEffect[] = []
  for (const { kind, add, remove } of body.effects) {
    const members = await context.charter.members()
    const left = charterAfter(members, { add, remove })
    if (left.length === 0 || left.length > seats_max) continue
    const change = {
      add: add.filter((did) => !members.includes(did)),
      remove: remove.filter((did) => members.includes(did)),
    }
    await context.charter.change(change)
    applied.push({ kind, ...change })
  }
  return applied
}

/** By the convener, before a decision; positions are kept. */
async function withdraw(context: OperationContext, motion: Motion): Promise<Motion> {
  if (motion.state === 'WITHDRAWN') return motion
  const { convened_by } = motion.body
  if (context.caller.did !== convened_by) throw notConvener(convened_by)
  requireState(motion, 'withdraw', ['CONVENED', 'OPEN'])
  const { motion_id } = motion.body
  const facts = { motion_id, motion_hash: motion.motion_hash, why: 'withdrawn' }
  context.audit('MotionLapsed', facts, { also: [context.tenant_id] })
  return moveTo(context, motion, 'WITHDRAWN')
}

function notConvener(convened_by: string): Refusal {
  return refuse('policy_denied', `Only ${convened_by}, who convened the motion, may withdraw it; ask them.`, {
    reason: 'not the convener',
  })
}

function shown(motion: Motion, taken: readonly TakenPosition[]): TallyOutput {
  return { motion_id: motion.body.motion_id, state: motion.state, motion: viewOf(motion, votesOf(taken)) }
}

export function declared({ body }: Motion, verdict: Verdict, taken: readonly TakenPosition[]): TallyOutput {
  const position_of = new Map(taken.map((one) => [one.did, one]))
  const voices = (dids: readonly string[]) =>
    dids.flatMap((did) => {
      const { reasoning, position_id } = position_of.get(did) ?? {}
      return reasoning !== undefined && position_id ? [{ did, reasoning, position_id }] : []
    })
  const { verdict_id, ref, registered, outcome, counts, attendance, majority, dissent } = verdict
  return {
    motion_id: body.motion_id,
    state: 'TALLIED',
    verdict_id,
    ref,
    ...(registered !== null && { registered }),
    outcome,
    counts,
    attendance,
    threshold: thresholdOf(body),
    majority: voices(majority),
    dissent: voices(dissent),
    binds: [...verdict.binds],
    max_uses: verdict.max_uses,
    valid_until: verdict.valid_until,
    effects_applied: verdict.effects_applied.map(({ kind, add, remove }) => ({
      kind,
      add: [...add],
      remove: [...remove],
    })),
  }
}
