// Input of a motion, and its view.
import { refuse } from '@svc/contract/refusal'
import { Closed, Did, described, Hash, ListOf, OneOf, Text, Timestamp, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import {
  type CharterEffect,
  type Counted,
  type Electorate,
  fractionText,
  isCharterOperation,
  type Motion,
  motion_states,
  Quorum,
  tally,
  type Votes,
} from '../motions/api.ts'

/** Upper bound for what one response can list and count. */
export const seats_max = 101
const title_length_max = 200
const text_length_max = 8000
const ttl_days_default = 30
export const objection_ms_default = 86_400_000
/** What binds the whole organization leaves every seat so much time to be heard, whoever convenes. */
export const hearing_ms_min = 3_600_000

export const Bind = Closed({
  protocol: Type.String({
    pattern: '^[A-Z][A-Za-z]{1,31}$',
    description: 'Protocol of the operation that the verdict authorizes.',
  }),
  operation: Type.String({
    pattern: '^[a-z][a-z0-9_.]{0,63}$',
    description: 'Operation that the verdict authorizes.',
  }),
  subject: Text(256, {
    description: 'What the operation may be applied to: a hash, or a name defined by the operation.',
  }),
})

export const State = described(
  OneOf(...motion_states),
  'CONVENED until enough members appeared, then OPEN for votes; ends as TALLIED, LAPSED or WITHDRAWN.',
)

const Dids = Type.Array(Did, { maxItems: seats_max, uniqueItems: true })

const Effect = Closed({
  kind: described(
    OneOf('charter_members'),
    'What the motion changes when it passes: who is a charter member.',
  ),
  add: Type.Optional(described(Dids, 'New charter members.')),
  remove: Type.Optional(described(Dids, 'Charter members who leave.')),
})

const MotionInput = Type.Union([
  Text(text_length_max),
  Closed({
    title: Text(title_length_max, { description: 'Short name for lists.' }),
    text: Text(text_length_max, { description: 'What is put to the vote; it cannot be changed later.' }),
    charter_level: Type.Optional(
      Type.Boolean({ description: 'Binds the whole organization; always true if binds or effects do.' }),
    ),
    binds: Type.Optional(
      described(ListOf(Bind, 0, 16), 'Operations that the verdict authorizes once passed.'),
    ),
    effects: Type.Optional(described(ListOf(Effect, 0, 4), 'Changes made in the moment it passes.')),
    authority_ttl_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 365,
        default: ttl_days_default,
        description: 'Days for which a passed verdict may be used.',
      }),
    ),
    max_uses: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: 1,
        description: 'How often a passed verdict may be used.',
      }),
    ),
    executor_did: Type.Optional(described(Did, 'Who may use the verdict; absent: any charter member.')),
  }),
])

export const ConveneInput = Closed({
  motion: described(MotionInput, 'Its text, or title and text with what it authorizes and changes.'),
  quorum: Quorum,
  deadline_ms: Type.Integer({
    minimum: 1000,
    maximum: 2_592_000_000,
    description: 'Time until the deadline; at least an hour for a charter-level motion of several seats.',
  }),
  objection_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2_592_000_000,
      default: objection_ms_default,
      description:
        'How long seats may still object after the last position, where nothing can change any more. A vote of all seats needs no wait, and the deadline ends it. At least an hour for a charter-level motion of several seats.',
    }),
  ),
  composition_rules: Closed(
    {
      min_delegates: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: seats_max,
          default: 1,
          description: 'Members who must attend at least, whatever the quorum.',
        }),
      ),
      must_include_did: Type.Optional(
        Type.Union([Did, Dids], { description: 'Must take part, or there is no quorum.' }),
      ),
      delegates: Type.Optional(
        Type.Array(Did, {
          maxItems: seats_max,
          uniqueItems: true,
          description: 'The seats. Default, and fixed for charter-level motions: all charter members.',
        }),
      ),
    },
    { description: 'Who sits in the council and who must take part.' },
  ),
})
export type ConveneInput = Static<typeof ConveneInput>

export const Attendance = Closed({
  present: Type.Integer({ minimum: 0, description: 'Seats that voted, abstained or are present.' }),
  needed: Type.Integer({ minimum: 1, description: 'Seats needed for a quorum.' }),
})

export const Threshold = Closed({
  of_votes: Type.String({ description: 'Share of the votes for and against.' }),
  of_seats: Type.Optional(Type.String({ description: 'Share of all seats; charter-level motions only.' })),
})

export const MotionView = Closed({
  motion_id: described(Uuid, 'Names the motion in the other MACE operations.'),
  council_id: described(Uuid, 'Council of this motion; it ends with the motion.'),
  motion_hash: described(Hash, 'Hash of the motion; votes sign it.'),
  state: State,
  title: Text(title_length_max, { description: 'Short name for lists.' }),
  text: Text(text_length_max, { description: 'What is put to the vote.' }),
  charter_level: Type.Boolean({
    description: 'Whether it binds the whole organization; seats are then all charter members.',
  }),
  binds: described(ListOf(Bind, 0, 16), 'Operations that the verdict authorizes once passed.'),
  effects: described(
    ListOf(
      Closed({
        kind: described(OneOf('charter_members'), 'What changes: who is a charter member.'),
        add: described(Dids, 'New charter members.'),
        remove: described(Dids, 'Charter members who leave.'),
      }),
      0,
      1,
    ),
    'Changes made in the moment it passes.',
  ),
  authority_ttl_days: Type.Integer({ description: 'Days for which a passed verdict may be used.' }),
  max_uses: Type.Integer({ description: 'How often a passed verdict may be used.' }),
  executor_did: Type.Optional(described(Did, 'Who may use the verdict; absent: any charter member.')),
  convened_by: described(Did, 'DID that called the council.'),
  seats: described(
    ListOf(
      Closed({
        did: described(Did, 'The member.'),
        required: Type.Boolean({ description: 'Whether there is no quorum without this member.' }),
      }),
      1,
      seats_max,
    ),
    'Members of the council.',
  ),
  attendance: described(Attendance, 'Who has appeared, and how many must.'),
  attendance_needed: Type.Integer({ minimum: 1, description: 'Seats needed for a quorum.' }),
  threshold: described(Threshold, 'Agreement needed to pass.'),
  opens_when: Type.String({ description: 'What is needed for voting to open, in words.' }),
  deadline_at: described(Timestamp, 'Positions are taken until then.'),
  objection_ms: Type.Integer({
    minimum: 0,
    description: 'How long seats may still object after the last position of a settled vote.',
  }),
})
export type MotionView = Static<typeof MotionView>

/** Shows attendance but not the votes, which stay secret until all are cast. */
export function viewOf({ body, council_id, motion_hash, state }: Motion, votes: Votes): MotionView {
  const {
    v: _,
    tenant_id: __,
    quorum: ___,
    min_delegates: ____,
    convened_at: _____,
    executor_did,
    ...shown
  } = body
  const { attendance }: Pick<Counted, 'attendance'> = tally(body, votes)
  return {
    ...shown,
    council_id,
    motion_hash,
    state,
    ...(executor_did !== null && { executor_did }),
    binds: [...body.binds],
    effects: body.effects.map(({ kind, add, remove }) => ({ kind, add: [...add], remove: [...remove] })),
    seats: [...body.seats],
    attendance,
    attendance_needed: attendance.needed,
    threshold: thresholdOf(body),
    objection_ms: body.objection_ms ?? 0,
    opens_when: `${attendance.needed} of ${body.seats.length} seats have attended`,
  }
}

export function thresholdOf({ quorum, charter_level }: Electorate): Static<typeof Threshold> {
  return { of_votes: fractionText(quorum.threshold), ...(charter_level && { of_seats: '>1/2' }) }
}

/** A plain text is a motion that binds nothing. */
export function wordsOf(motion: ConveneInput['motion']) {
  const words = typeof motion === 'string' ? { title: titleOf(motion), text: motion } : motion
  const {
    title,
    text,
    charter_level = false,
    binds = [],
    max_uses = 1,
    executor_did = null,
  } = words as Exclude<ConveneInput['motion'], string>
  const { authority_ttl_days = ttl_days_default, effects } = words as {
    authority_ttl_days?: number
    effects?: Effects
  }
  const merged = mergedEffects(effects ?? [])
  return {
    title,
    text,
    charter_level: charter_level || merged.length > 0 || binds.some(isCharterOperation),
    binds,
    effects: merged,
    authority_ttl_days,
    max_uses,
    executor_did,
  }
}

type Effects = readonly Static<typeof Effect>[]

/** The first line, cut without splitting a character. */
function titleOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] || text
  return [...line].slice(0, title_length_max).join('').slice(0, title_length_max).toWellFormed()
}

/** Effects are merged, so that the charter changes once. */
function mergedEffects(effects: Effects): CharterEffect[] {
  if (effects.length === 0) return []
  const all = (field: 'add' | 'remove') =>
    [...new Set(effects.flatMap((effect) => effect[field] ?? []))].sort()
  const [add, remove] = [all('add'), all('remove')]
  const both = add.find((did) => remove.includes(did))
  if (both !== undefined) throw badEffect(`${both} would be added and removed at once`)
  if (add.length + remove.length === 0) throw badEffect('no member would be added or removed')
  return [{ kind: 'charter_members', add, remove }]
}

function badEffect(why: string) {
  return refuse('invalid_payload', `The effects of the motion are invalid: ${why}; correct them.`, {
    reason: 'effects do not hold',
    faults: [{ pointer: '/motion/effects', message: why }],
  })
}
