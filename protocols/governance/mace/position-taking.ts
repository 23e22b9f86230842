// Takes a seat, argues and votes: the last position before the deadline counts, and all revisions are stored.
import { parseDid } from '@svc/contract/identity/did'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import {
  Closed,
  described,
  ListOf,
  OneOf,
  PublicKey,
  Ref,
  Signature,
  Text,
  Timestamp,
  Uuid,
} from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import {
  closesAt,
  finalPositions,
  keepPosition,
  type Motion,
  moveTo,
  openMotion,
  positions,
  requireReader,
  requireState,
  requireVote,
  tally,
  votesOf,
} from '../motions/api.ts'
import { requireL2 } from './motion-convening.ts'
import { Attendance, State } from './motion-input.ts'
import { notifySeats } from './motion-notice.ts'
import { requireCitations } from './position-citation.ts'
import { mayVoteItself, vote_capability } from './position-right.ts'

const revisions_max = 100

export const DeliberateInput = Closed({
  motion_id: described(Uuid, 'Motion to take a position on.'),
  position: described(
    OneOf(...positions),
    'Abstain and present count for attendance only; recuse leaves the count. The last one counts.',
  ),
  reasoning: Text(20_000, { description: 'Why; published with the verdict, also if outvoted.' }),
  citations: Type.Optional(described(ListOf(Ref, 0, 64), 'Evidence that must exist; it is checked.')),
  signature: Type.Optional(
    described(
      Signature,
      'Of the vote; absent: the engine signs if it keeps your key. Charter-level votes must be signed.',
    ),
  ),
  public_key: Type.Optional(
    described(PublicKey, 'Key that made the signature; needed unless the engine keeps it.'),
  ),
})

export const DeliberateOutput = Closed({
  position_id: described(Uuid, 'Names this position in the verdict.'),
  state: State,
  attendance: described(Attendance, 'Who has appeared, and how many must.'),
  counted_position: described(OneOf(...positions), 'Your position as it counts now.'),
  revision: Type.Integer({
    minimum: 1,
    maximum: revisions_max,
    description: 'Number of positions you have taken on this motion.',
  }),
  closes_at: described(
    Timestamp,
    'When it may be tallied as things are now; until then every seat may still take a position or dissent.',
  ),
})

export async function takePosition(
  input: Static<typeof DeliberateInput>,
  context: OperationContext<
    'audit_log' | 'authority' | 'charter' | 'custody' | 'notify' | 'telemetry' | 'tokens'
  >,
): Promise<Static<typeof DeliberateOutput>> {
  const { motion_id, position, reasoning, citations = [] } = input
  const { db, tenant_id, caller, now } = context
  const motion = await openMotion(context, motion_id)
  requireReader(context, motion)
  await requireSeat(context, motion)
  requireState(motion, 'deliberate', ['CONVENED', 'OPEN'])
  if (Date.parse(now) >= Date.parse(motion.body.deadline_at)) throw tooLate(motion)
  await requireCitations(context, citations)
  const signed = await requireVote(context, motion, { position, reasoning }, input)
  const before = await finalPositions(db, motion.body)
  const revision = (before.find(({ did }) => did === caller.did)?.revision ?? 0) + 1
  if (revision > revisions_max) throw tooOften()
  const taken = {
    did: caller.did,
    revision,
    position_id: context.newId(),
    position,
    reasoning,
    signed,
    taken_at: new Date(now),
  }
  await keepPosition(db, { tenant_id, motion_id }, taken, citations)
  context.tokens.use(await context.tokens.count([reasoning]), 0)
  const { position_id } = taken
  // The vote stays in its row until all are cast: the chain, which all can read, would reveal it.
  const facts = {
    motion_id,
    position_id,
    revision,
    signed: signed?.method ?? 'no',
    citations: citations.length,
  }
  context.audit('PositionRecorded', facts, { also: [tenant_id] })
  const final = [...before.filter(({ did }) => did !== caller.did), taken]
  const { attendance } = tally(motion.body, votesOf(final))
  const { state } = await openWhereQuorate(context, motion, attendance)
  const closes_at = closesAt(motion.body, final).toISOString()
  return { position_id, state, attendance, counted_position: position, revision, closes_at }
}

/** An open motion stays open; later recusals are counted at the tally. */
async function openWhereQuorate(
  context: OperationContext<'notify'>,
  motion: Motion,
  { present, needed }: { readonly present: number; readonly needed: number },
): Promise<Motion> {
  if (motion.state !== 'CONVENED' || present < needed) return motion
  const { motion_id } = motion.body
  const facts = { motion_id, motion_hash: motion.motion_hash, present, needed }
  context.audit('MotionOpened', facts, { also: [context.tenant_id] })
  notifySeats(context, motion.body, 'voting_opened')
  return moveTo(context, motion, 'OPEN')
}

/** A seat is personal: it is neither delegated nor used through a delegation. */
async function requireSeat(
  context: OperationContext<'authority' | 'charter'>,
  { body }: Motion,
): Promise<void> {
  const { caller, tenant_id } = context
  if (!body.seats.some(({ did }) => did === caller.did)) throw notSeated(body.motion_id, caller.did)
  if (body.charter_level) {
    requireL2(caller, 'A vote on a charter-level motion')
    if (!(await context.charter.has(caller.did))) throw notSeated(body.motion_id, caller.did)
  }
  // A caller from another organization holds here only what its treaty grants.
  if (parseDid(caller.did)?.namespace !== tenant_id) return
  const { held } = await context.authority.ofCaller()
  if (mayVoteItself(held, context.now)) return
  throw refuse(
    'policy_denied',
    `You hold ${vote_capability} only by delegation, and delegated capabilities cannot vote; ask for a grant.`,
    { reason: 'delegation cannot vote', requested_capability: vote_capability, denying_policy: 'MACE seats' },
  )
}

function notSeated(motion_id: string, did: string): Refusal {
  return refuse(
    'policy_denied',
    `${did} has no seat on motion ${motion_id}; only its seats may take positions.`,
    {
      reason: 'not seated',
      denying_policy: 'MACE seats',
    },
  )
}

function tooLate({ body }: Motion): Refusal {
  return refuse('policy_denied', `The deadline of the motion passed at ${body.deadline_at}; tally it.`, {
    reason: 'deadline passed',
    appeal_path: 'MACE convene',
  })
}

function tooOften(): Refusal {
  return refuse(
    'policy_denied',
    `A seat may change its position at most ${revisions_max} times; the last position counts.`,
    { reason: 'too many revisions' },
  )
}
