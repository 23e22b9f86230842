// MACE list, an operation of our own: motions, their state and their verdicts.
import { parseDid } from '@svc/contract/identity/did'
import { next_cursor, page_fields, page_max, requireOne } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, Did, described, Hash, ListOf, OneOf, Ref, Timestamp, Uuid } from '@svc/contract/schema'
import { uuid_form } from '@svc/contract/text-form'
import { type Static, Type } from 'typebox'
import {
  advance,
  finalPositions,
  findVerdictOf,
  fractionText,
  listMotions,
  type Motion,
  outcomes,
  positions,
  type TakenPosition,
  tally,
  type Verdict,
  type Votes,
  verdictsOf,
  votesOf,
  votesOn,
} from '../motions/api.ts'
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
import { Counts, declared, TallyOutput } from './verdict-declaring.ts'

export const ListInput = Closed({
  motion_id: Type.Optional(described(Uuid, 'Only this motion.')),
  state: Type.Optional(described(State, 'Only motions in this state now.')),
  charter_level: Type.Optional(
    Type.Boolean({ description: 'True: only those that bind the whole organization; false: only others.' }),
  ),
  include_detail: Type.Optional(Type.Boolean({ default: false, description: 'Only with motion_id.' })),
  ...page_fields,
})
export type ListInput = Static<typeof ListInput>

const Detail = Closed({
  motion: described(MotionView, 'The motion in full.'),
  quorum: Closed(
    {
      attendance: Type.String({ description: 'Share of the seats that are not recused.' }),
      threshold: Type.String({ description: 'Share of the votes for and against.' }),
      min_delegates: Type.Integer({
        minimum: 1,
        description: 'Members who must attend at least, whatever the quorum.',
      }),
    },
    { description: 'Attendance and agreement it needs.' },
  ),
  verdict: Type.Optional(
    described(TallyOutput, 'Result with majority and dissent; absent before the tally.'),
  ),
  positions: Type.Optional(
    Type.Array(
      Closed({
        did: described(Did, 'Member who took it.'),
        position: described(
          OneOf(...positions),
          'Abstain and present count for attendance only; recuse leaves the count.',
        ),
        position_id: described(Uuid, 'Names the position in the verdict.'),
        signed: described(
          OneOf('own', 'custodial', 'no'),
          "Own: by the member's key. Custodial: by the engine, which keeps the key. No: unsigned.",
        ),
      }),
      { maxItems: seats_max, description: 'The last position of each seat, once the motion is tallied.' },
    ),
  ),
})
type Detail = Static<typeof Detail>

const MotionItem = Closed({
  motion_id: described(Uuid, 'Names the motion in the other MACE operations.'),
  council_id: described(Uuid, 'Council of this motion; it ends with the motion.'),
  motion_hash: described(Hash, 'Hash of the motion; votes sign it.'),
  state: State,
  title: Type.String({ description: 'Short name for lists.' }),
  charter_level: Type.Boolean({ description: 'Whether it binds the whole organization.' }),
  binds: described(ListOf(Bind, 0, 16), 'Operations that the verdict authorizes once passed.'),
  convened_by: described(Did, 'DID that called the council.'),
  convened_at: described(Timestamp, 'When the council was called.'),
  deadline_at: described(Timestamp, 'Positions are taken until then.'),
  seats: Type.Integer({ minimum: 1, maximum: seats_max, description: 'Number of members in the council.' }),
  attendance: described(Attendance, 'Who has appeared, and how many must.'),
  threshold: described(Threshold, 'Agreement needed to pass.'),
  verdict: Type.Optional(
    Closed(
      {
        ref: described(Ref, 'Reference to cite as authority.'),
        outcome: described(OneOf(...outcomes), 'NO_QUORUM: too few took part, or a required member did not.'),
        counts: described(Counts, 'Seats by final position.'),
        dissent: Type.Integer({ minimum: 0, description: 'Number of outvoted seats.' }),
        tallied_at: described(Timestamp, 'When the result was declared.'),
        valid_until: described(Timestamp, 'The verdict authorizes nothing after this.'),
        uses: Type.Integer({ minimum: 0, description: 'How often it has been used.' }),
        max_uses: Type.Integer({ minimum: 1, description: 'How often it may be used.' }),
      },
      { description: 'Result; absent before the tally.' },
    ),
  ),
  detail: Type.Optional(described(Detail, 'Motion, quorum and verdict in full; with include_detail.')),
})
type MotionItem = Static<typeof MotionItem>

export const ListOutput = Closed({
  items: described(ListOf(MotionItem, 0, page_max), 'Motions, newest first.'),
  next_cursor,
})

export function listOwn(input: ListInput, context: OperationContext) {
  const { db, tenant_id, now, caller } = context
  const { motion_id, state, charter_level, include_detail } = input
  requireOne(include_detail, motion_id, 'motion_id')
  const is_home = parseDid(caller.did)?.namespace === tenant_id
  if (!is_home && motion_id === undefined) throw notAtHome(caller.did, tenant_id)
  const asOf = (motion: Motion) => ({ ...motion, state: advance(motion, new Date(now)).state })
  return listing(input, context, {
    id_form: uuid_form,
    read: (bounds) => listMotions(db, tenant_id, { ...bounds, now, motion_id, state, charter_level }),
    placeOf: ({ body }) => ({ at: body.convened_at, id: body.motion_id }),
    isWanted: (motion) =>
      (state === undefined || asOf(motion).state === state) && (is_home || sits(motion, caller.did)),
    async view(motions) {
      const ids = motions.map(({ body }) => body.motion_id)
      const [votes, verdicts] = [await votesOn(db, tenant_id, ids), await verdictsOf(db, tenant_id, ids)]
      return motions.map((motion, place) =>
        motionItem(asOf(motion), votes.get(ids[place]!), verdicts.get(ids[place]!)),
      )
    },
    detail: {
      by: 'motion_id',
      async of(motion) {
        const taken = await finalPositions(db, motion.body)
        return motionDetail(asOf(motion), taken, await findVerdictOf(db, tenant_id, motion.body.motion_id))
      },
    },
  })
}

function sits({ body }: Motion, did: string): boolean {
  return body.seats.some((seat) => seat.did === did)
}

/** Votes are hidden until all are cast; before that only attendance is shown. */
export function motionItem(
  { body, council_id, motion_hash, state }: Motion,
  votes: Votes | undefined,
  verdict: Verdict | undefined,
): MotionItem {
  const { motion_id, title, charter_level, convened_by, convened_at, deadline_at } = body
  return {
    motion_id,
    council_id,
    motion_hash,
    state,
    title,
    charter_level,
    binds: [...body.binds],
    convened_by,
    convened_at,
    deadline_at,
    seats: body.seats.length,
    attendance: tally(body, votes ?? new Map()).attendance,
    threshold: thresholdOf(body),
    ...(verdict && { verdict: shortOf(verdict) }),
  }
}

function shortOf(verdict: Verdict): MotionItem['verdict'] {
  const { ref, outcome, counts, dissent, tallied_at, valid_until, uses, max_uses } = verdict
  return { ref, outcome, counts, dissent: dissent.length, tallied_at, valid_until, uses, max_uses }
}

export function motionDetail(
  motion: Motion,
  taken: readonly TakenPosition[],
  verdict: Verdict | undefined,
): Detail {
  const { quorum, min_delegates } = motion.body
  return {
    motion: viewOf(motion, votesOf(taken)),
    quorum: {
      attendance: fractionText(quorum.attendance),
      threshold: fractionText(quorum.threshold),
      min_delegates,
    },
    ...(verdict && {
      verdict: declared(motion, verdict, taken),
      positions: verdict.positions.map(({ did, position, position_id, signed }) => ({
        did,
        position,
        position_id,
        signed: signed?.method ?? 'no',
      })),
    }),
  }
}

function notAtHome(did: string, tenant_id: string) {
  return refuse(
    'policy_denied',
    `${did} does not belong to ${tenant_id}; read a motion on which you have a seat by motion_id.`,
    { reason: 'not your organization', denying_policy: 'MACE seats' },
  )
}
