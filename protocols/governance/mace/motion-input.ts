// Input of a motion, and its view.
import { refuse } from '@svc/contract/refusal'
import { Closed, Did, Hash, ListOf, OneOf, Text, Timestamp, Uuid } from '@svc/contract/schema'
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

export const Bind = Closed({
  protocol: Type.String({ pattern: '^[A-Z][A-Za-z]{1,31}$' }),
  operation: Type.String({ pattern: '^[a-z][a-z0-9_.]{0,63}$' }),
  subject: Text(256, {
    description: 'What the operation may be applied to: a hash, or a name defined by the operation.',
  }),
})

const Dids = Type.Array(Did, { maxItems: seats_max, uniqueItems: true })

const Effect = Closed({
  kind: OneOf('charter_members'),
  add: Type.Optional(Dids),
  remove: Type.Optional(Dids),
})

const MotionInput = Type.Union([
  Text(text_length_max),
  Closed({
    title: Text(title_length_max),
    text: Text(text_length_max),
    charter_level: Type.Optional(
      Type.Boolean({ description: 'Binds the whole organization; always true if binds or effects do.' }),
    ),
    binds: Type.Optional(ListOf(Bind, 0, 16)),
    effects: Type.Optional(ListOf(Effect, 0, 4)),
    authority_ttl_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 365, default: ttl_days_default })),
    max_uses: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 1 })),
    executor_did: Type.Optional(Did),
  }),
])

export const ConveneInput = Closed({
  motion: MotionInput,
  quorum: Quorum,
  deadline_ms: Type.Integer({
    minimum: 1000,
    maximum: 2_592_000_000,
    description: 'Time until the deadline.',
  }),
  composition_rules: Closed({
    min_delegates: Type.Optional(Type.Integer({ minimum: 1, maximum: seats_max, default: 1 })),
    must_include_did: Type.Optional(Type.Union([Did, Dids])),
    delegates: Type.Optional(
      Type.Array(Did, {
        maxItems: seats_max,
        uniqueItems: true,
        description: 'The seats. Default, and fixed for charter-level motions: all charter members.',
      }),
    ),
  }),
})
export type ConveneInput = Static<typeof ConveneInput>

export const Attendance = Closed({
  present: Type.Integer({ minimum: 0 }),
  needed: Type.Integer({ minimum: 1 }),
})

export const Threshold = Closed({
  of_votes: Type.String({ description: 'Share of the votes for and against.' }),
  of_seats: Type.Optional(Type.String({ description: 'Share of all seats; charter-level motions only.' })),
})

export const MotionView = Closed({
  motion_id: Uuid,
  council_id: Uuid,
  motion_hash: Hash,
  state: OneOf(...motion_states),
  title: Text(title_length_max),
  text: Text(text_length_max),
  charter_level: Type.Boolean(),
  binds: ListOf(Bind, 0, 16),
  effects: ListOf(Closed({ kind: OneOf('charter_members'), add: Dids, remove: Dids }), 0, 1),
  authority_ttl_days: Type.Integer(),
  max_uses: Type.Integer(),
  executor_did: Type.Optional(Did),
  convened_by: Did,
  seats: ListOf(Closed({ did: Did, required: Type.Boolean() }), 1, seats_max),
  attendance: Attendance,
  attendance_needed: Type.Integer({ minimum: 1 }),
  threshold: Threshold,
  opens_when: Type.String(),
  deadline_at: Timestamp,
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
