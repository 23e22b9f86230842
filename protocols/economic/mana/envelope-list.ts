// MANA.list: envelopes with their balance, throttles and holds, and every hold.

import { next_cursor, page_fields, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { Hold } from '@svc/contract/money/books'
import { envelopeDay, envelopeMonth } from '@svc/contract/money/budget-counter'
import { usdText } from '@svc/contract/money/money'
import type { BudgetCounterState } from '@svc/contract/needs/budgets'
import type { OperationContext } from '@svc/contract/operation-context'
import { listMisfit, requireAtHome } from '@svc/contract/own-list'
import { CapabilityName, Closed, Did, described, ListOf, OneOf, Timestamp, Uuid } from '@svc/contract/schema'
import { uuid_form } from '@svc/contract/text-form'
import { type Static, Type } from 'typebox'
import { Department, EnvelopeState, envelope_states, isHeldAt, members_max, stateAt } from './envelope.ts'
import { type ListedEnvelope, listEnvelopes, versionsOf } from './envelope-store.ts'
import { parseScope, scopeText } from './hold.ts'
import { holds_live_max, type ListedHold, listHolds } from './hold-store.ts'
import { Part, partOf } from './mana-budget.ts'

const hold_states = ['HELD', 'RELEASED'] as const
const Granted = ListOf(CapabilityName, 0, 64)
const Members = ListOf(Did, 0, members_max)

export const ListInput = Closed({
  kind: Type.Optional(
    Type.Enum(['envelopes', 'holds'], { default: 'envelopes', description: 'What to list.' }),
  ),
  state: Type.Optional(
    Type.Enum([...new Set([...envelope_states, ...hold_states])], {
      description: 'Of envelopes ACTIVE, HELD, EXHAUSTED or CLOSED; of holds HELD or RELEASED.',
    }),
  ),
  envelope_id: Type.Optional(described(Uuid, 'Only this envelope.')),
  department: Type.Optional(described(Department, 'Only envelopes of this department.')),
  scope: Type.Optional(
    Type.String({
      pattern: '^(tenant|(envelope|agent|protocol):[A-Za-z0-9:_-]{1,220})$',
      description: 'Of holds.',
    }),
  ),
  include_detail: Type.Optional(
    Type.Boolean({ default: false, description: 'With envelope_id: all versions of the envelope.' }),
  ),
  ...page_fields,
})
export type ListInput = Static<typeof ListInput>

const Version = Closed({
  version: Type.Integer({ minimum: 1, description: 'Grows with each change.' }),
  state: described(OneOf('ACTIVE', 'CLOSED'), 'CLOSED: this version ended the envelope.'),
  max_per_day_usd: described(Part.properties.limit, 'Limit of a UTC day.'),
  max_per_month_usd: described(Part.properties.limit, 'Limit of a calendar month, UTC.'),
  granted: described(Granted, 'Capabilities its members had through it.'),
  members: described(Members, 'Its members.'),
  authority: Type.String({ description: 'Verdict that authorized it.' }),
  allocated_by: described(Did, 'Who made this version.'),
  effective_at: described(Timestamp, 'When it took effect.'),
  ended_at: Type.Optional(described(Timestamp, 'When a later one replaced it; absent: it counts now.')),
})

const HoldView = Closed({
  hold_id: described(Uuid, 'Names the hold, to release it.'),
  scope: Type.String({ description: 'What is frozen: tenant, envelope:<id>, agent:<did> or protocol:<ID>.' }),
  state: described(OneOf(...hold_states), 'HELD: matching calls are refused.'),
  reason: Type.String({ description: 'Why, as callers are told.' }),
  placed_by: described(Did, 'Who placed it.'),
  placed_at: described(Timestamp, 'When it was placed.'),
  until: described(Timestamp, 'It ends by itself then.'),
  released_at: Type.Optional(described(Timestamp, 'When it was released early; absent: it was not.')),
  released_by: Type.Optional(described(Did, 'Who released it.')),
})

const EnvelopeView = Closed({
  envelope_id: described(Uuid, 'Names the envelope.'),
  version: Type.Integer({ minimum: 1, description: 'Grows with each change.' }),
  department: Department,
  state: EnvelopeState,
  day: described(Part, 'Of the current UTC day.'),
  month: described(Part, 'Of the current calendar month, UTC.'),
  granted: described(Granted, 'Capabilities its members have through it.'),
  members: described(Members, 'Identities whose calls are charged to it.'),
  authority: Type.String({ description: 'Verdict that authorized its current version.' }),
  allocated_by: described(Did, 'Who made its current version.'),
  created_at: described(Timestamp, 'When it was first allocated.'),
  effective_at: described(Timestamp, 'When its current version took effect.'),
  throttle: Type.Optional(
    Closed(
      {
        throttle_id: described(Uuid, 'Names this list of rules.'),
        rules: described(
          ListOf(
            Closed({
              match: Type.String({ description: 'A capability, the wildcard of a protocol, or * for all.' }),
              factor_bps: Type.Integer({
                description: 'Share of the normal rate that is left, in basis points.',
              }),
            }),
            1,
            64,
          ),
          'Which calls are slowed, and how much.',
        ),
        set_by: described(Did, 'Who set it.'),
        in_force_from: described(Timestamp, 'When it was set.'),
      },
      { description: 'How its members are slowed down; absent: not at all.' },
    ),
  ),
  held_by: described(
    ListOf(
      Closed({
        hold_id: described(Uuid, 'Names the hold.'),
        scope: Type.String({ description: 'What is frozen.' }),
        reason: Type.String({ description: 'Why, as callers are told.' }),
        until: described(Timestamp, 'It ends by itself then.'),
      }),
      0,
      holds_live_max,
    ),
    'Holds that freeze it now.',
  ),
  detail: Type.Optional(
    Closed(
      { versions: described(ListOf(Version, 1, 256), 'All versions, newest first.') },
      { description: 'With include_detail.' },
    ),
  ),
})

export const ListOutput = Closed({
  envelopes: Type.Optional(
    described(ListOf(EnvelopeView, 0, page_max), 'Envelopes, newest first; for kind envelopes.'),
  ),
  holds: Type.Optional(described(ListOf(HoldView, 0, page_max), 'Holds, newest first; for kind holds.')),
  next_cursor,
})

export function listEnvelopesAndHolds(input: Static<typeof ListInput>, context: OperationContext<'budgets'>) {
  requireAtHome(context, 'envelopes and holds')
  return (input.kind ?? 'envelopes') === 'holds'
    ? pageOfHolds(input, context)
    : pageOfEnvelopes(input, context)
}

interface Budgeted extends ListedEnvelope {
  readonly day: BudgetCounterState
  readonly month: BudgetCounterState
  readonly stands: EnvelopeState
}

async function pageOfEnvelopes(input: ListInput, context: OperationContext<'budgets'>) {
  const { envelope_id, department, state } = input
  const { db, tenant_id } = context
  if (state === 'RELEASED') throw listMisfit('state', 'no envelope is RELEASED')
  if (input.scope !== undefined) throw listMisfit('scope', 'only holds have one')
  const { holds } = await context.budgets.rules()
  const filters = {
    envelope_id,
    department,
    state: state && (state === 'CLOSED' ? 'CLOSED' : 'ACTIVE'),
  } as const
  const { items: envelopes, ...next } = await listing(input, context, {
    id_form: uuid_form,
    async read(bounds) {
      const rows = await listEnvelopes(db, tenant_id, { ...bounds, ...filters })
      return Promise.all(rows.map((row) => budgeted(row, holds, context)))
    },
    placeOf: ({ created_at, envelope_id: id }) => ({ at: created_at.toISOString(), id }),
    isWanted: ({ stands }) => state === undefined || stands === state,
    view: (rows) => rows.map((row) => envelopeView(row, holds, Date.parse(context.now))),
    detail: {
      by: 'envelope_id',
      of: async ({ envelope_id: id }) => ({
        versions: (await versionsOf(db, tenant_id, id)).map(versionView),
      }),
    },
  })
  return { envelopes, ...next }
}

async function budgeted(
  row: ListedEnvelope,
  holds: readonly Hold[],
  context: OperationContext<'budgets'>,
): Promise<Budgeted> {
  const { envelope_id, state } = row
  const [day, month] = await Promise.all([
    context.budgets.counter(envelopeDay(envelope_id, context.now)),
    context.budgets.counter(envelopeMonth(envelope_id, context.now)),
  ])
  const is_held = isHeldAt(holds, envelope_id, Date.parse(context.now))
  return { ...row, day, month, stands: stateAt(state, row, { is_held, day, month }) }
}

function envelopeView(row: Budgeted, holds: readonly Hold[], now_ms: number): Static<typeof EnvelopeView> {
  const { envelope_id, version, department, granted, members, authority, allocated_by, throttle } = row
  const freezing = holds.filter((hold) => row.state === 'ACTIVE' && isHeldAt([hold], envelope_id, now_ms))
  return {
    envelope_id,
    version,
    department,
    state: row.stands,
    day: partOf(row.day_limit_micro_usd, row.day),
    month: partOf(row.month_limit_micro_usd, row.month),
    granted: [...granted],
    members: [...members],
    authority,
    allocated_by,
    created_at: row.created_at.toISOString(),
    effective_at: row.effective_at.toISOString(),
    ...(throttle && { throttle: throttleView(throttle) }),
    held_by: freezing.map(({ hold_id, scope, reason, until_ms }) => {
      return { hold_id, scope, reason, until: new Date(until_ms).toISOString() }
    }),
  }
}

function throttleView({ rules, in_force_from, ...throttle }: NonNullable<ListedEnvelope['throttle']>) {
  return { ...throttle, rules: [...rules], in_force_from: new Date(in_force_from).toISOString() }
}

function versionView(row: Awaited<ReturnType<typeof versionsOf>>[number]): Static<typeof Version> {
  const { version, state, granted, members, authority, allocated_by, effective_at, ended_at } = row
  return {
    version,
    state,
    max_per_day_usd: usdText(row.day_limit_micro_usd),
    max_per_month_usd: usdText(row.month_limit_micro_usd),
    granted: [...granted],
    members: [...members],
    authority,
    allocated_by,
    effective_at: effective_at.toISOString(),
    ...(ended_at && { ended_at: ended_at.toISOString() }),
  }
}

async function pageOfHolds(input: ListInput, context: OperationContext) {
  const { state, scope, envelope_id, department } = input
  if (state !== undefined && state !== 'HELD' && state !== 'RELEASED')
    throw listMisfit('state', `no hold is ${state}`)
  if (department !== undefined) throw listMisfit('department', 'holds know envelopes by their ids')
  if (input.include_detail) throw listMisfit('include_detail', 'a hold has no more than is listed')
  if (scope !== undefined && envelope_id !== undefined) throw listMisfit('scope', 'envelope_id says one')
  const scope_name = envelope_id === undefined ? scope : `envelope:${envelope_id}`
  const now = new Date(context.now)
  const { items: holds, ...next } = await listing(input, context, {
    id_form: uuid_form,
    read: (bounds) =>
      listHolds(context.db, context.tenant_id, {
        ...bounds,
        scope: scope_name && scopeText(parseScope(scope_name)),
      }),
    placeOf: ({ placed_at, hold_id: id }) => ({ at: placed_at.toISOString(), id }),
    isWanted: (hold) => state === undefined || holdState(hold, now) === state,
    view: (rows) => rows.map((hold) => holdView(hold, now)),
  })
  return { holds, ...next }
}

function holdState({ released_at, until }: ListedHold, now: Date): (typeof hold_states)[number] {
  return released_at === null && until > now ? 'HELD' : 'RELEASED'
}

function holdView(hold: ListedHold, now: Date): Static<typeof HoldView> {
  const { hold_id, scope, reason, placed_by, placed_at, until, released_at, released_by } = hold
  return {
    hold_id,
    scope,
    state: holdState(hold, now),
    reason,
    placed_by,
    placed_at: placed_at.toISOString(),
    until: until.toISOString(),
    ...(released_at && { released_at: released_at.toISOString() }),
    ...(released_by && { released_by }),
  }
}
