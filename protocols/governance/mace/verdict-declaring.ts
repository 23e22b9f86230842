// Closes a council and declares its verdict once, with all final positions and effects.
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { Closed, Did, described, Hash, ListOf, OneOf, Ref, Timestamp, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import {
  bodyOf,
  type CharterEffect,
  closesAt,
  finalPositions,
  findVerdictOf,
  keepRegistered,
  keepVerdict,
  type Motion,
  moveTo,
  openMotion,
  outcomes,
  requireReader,
  requireState,
  type TakenPosition,
  tally,
  type Verdict,
  votesOf,
} from '../motions/api.ts'
import { charterAfter } from './motion-convening.ts'
import {
  Attendance,
  Bind,
  MotionView,
  State,
  seats_max,
  Threshold,
  thresholdOf,
  viewOf,
} from './motion-input.ts'
import { notifySeats } from './motion-notice.ts'

export const TallyInput = Closed({
  motion_id: described(Uuid, 'Motion to close or view.'),
  action: Type.Optional(
    described(
      OneOf('tally', 'view', 'withdraw'),
      'Default tally: declare the result. View changes nothing; withdraw ends it without a result.',
    ),
  ),
})

const Voice = Closed({
  did: described(Did, 'Member of the council.'),
  reasoning: Type.String({ description: 'The reasons given.' }),
  position_id: described(Uuid, 'Names the position.'),
})
const Count = Type.Integer({ minimum: 0 })

export const Counts = Closed({
  for: described(Count, 'Votes for.'),
  against: described(Count, 'Votes against.'),
  abstain: described(Count, 'Attended without voting for or against.'),
  recused: described(Count, 'Members who recused themselves.'),
  absent: described(Count, 'Members who took no position.'),
})

export const TallyOutput = Closed({
  motion_id: described(Uuid, 'The motion.'),
  state: State,
  motion: Type.Optional(described(MotionView, 'The motion in full; for view and withdraw.')),
  verdict_id: Type.Optional(described(Hash, 'Hash of the verdict with every position.')),
  ref: Type.Optional(described(Ref, 'Reference to cite as authority.')),
  registered: Type.Optional(described(Ref, 'Its entry in the registry.')),
  outcome: Type.Optional(
    described(OneOf(...outcomes), 'NO_QUORUM: too few took part, or a required member did not.'),
  ),
  counts: Type.Optional(described(Counts, 'Seats by final position.')),
  attendance: Type.Optional(described(Attendance, 'Who appeared, and how many had to.')),
  threshold: Type.Optional(described(Threshold, 'Agreement needed to pass.')),
  majority: Type.Optional(described(ListOf(Voice, 0, seats_max), 'Members whose side won, with reasons.')),
  dissent: Type.Optional(described(ListOf(Voice, 0, seats_max), 'Members who were outvoted, with reasons.')),
  binds: Type.Optional(described(ListOf(Bind, 0, 16), 'Operations that it authorizes.')),
  max_uses: Type.Optional(described(Count, 'How often it may be used.')),
  valid_until: Type.Optional(described(Timestamp, 'It authorizes nothing after this.')),
  effects_applied: Type.Optional(
    described(
      ListOf(
        Closed({
          kind: described(OneOf('charter_members'), 'What changed: who is a charter member.'),
          add: described(ListOf(Did), 'New charter members.'),
          remove: described(ListOf(Did), 'Charter members who left.'),
        }),
        0,
        1,
      ),
      'Changes that were made with it.',
    ),
  ),
})
export type TallyOutput = Static<typeof TallyOutput>

export async function closeMotion(
  { motion_id, action = 'tally' }: Static<typeof TallyInput>,
  context: OperationContext<'charter' | 'notify' | 'register'>,
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

/** Whoever has not voted is heard until the deadline, or for the time of objections where nothing can change. */
function requireClosed({ body }: Motion, taken: readonly TakenPosition[], now: string): void {
  const closes_at = closesAt(body, taken)
  if (Date.parse(now) >= closes_at.getTime()) return
  const is_settled = closes_at.getTime() < Date.parse(body.deadline_at)
  const why = is_settled
    ? 'Its outcome is settled, but some seats may still object'
    : 'Missing votes can still change its outcome'
  throw refuse(
    'policy_denied',
    `${why}; tally motion ${body.motion_id} once all have voted, or after ${closes_at.toISOString()}.`,
    {
      reason: is_settled ? 'objections awaited' : 'vote still open',
      denying_policy: 'MACE quorum',
      closes_at: closes_at.toISOString(),
    },
  )
}

async function declare(
  context: OperationContext<'charter' | 'notify' | 'register'>,
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
  notifySeats(context, motion.body, 'result', { outcome, verdict: ref })
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
async function withdraw(context: OperationContext<'notify'>, motion: Motion): Promise<Motion> {
  if (motion.state === 'WITHDRAWN') return motion
  const { convened_by } = motion.body
  if (context.caller.did !== convened_by) throw notConvener(convened_by)
  requireState(motion, 'withdraw', ['CONVENED', 'OPEN'])
  const { motion_id } = motion.body
  const facts = { motion_id, motion_hash: motion.motion_hash, why: 'withdrawn' }
  context.audit('MotionLapsed', facts, { also: [context.tenant_id] })
  notifySeats(context, motion.body, 'withdrawn')
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
