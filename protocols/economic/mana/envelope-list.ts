// MANA.list: envelopes with their balance, throttles and holds, and every hold.

import { next_cursor, page_fields, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { Hold } from '@svc/contract/money/books'
import { envelopeDay, envelopeMonth } from '@svc/contract/money/budget-counter'
import { usdText } from '@svc/contract/money/money'
import type { BudgetCounterState } from '@svc/contract/needs/budgets'
import type { OperationContext } from '@svc/contract/operation-context'
import { listMisfit, requireAtHome } from '@svc/contract/own-list'
import { CapabilityName, Closed, Did, ListOf, OneOf, Timestamp, Uuid } from '@svc/contract/schema'
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
  kind: Type.Optional(Type.Enum(['envelopes', 'holds'], { default: 'envelopes' })),
  state: Type.Optional(
    Type.Enum([...new Set([...envelope_states, ...hold_states])], {
      description: 'Of envelopes ACTIVE, HELD, EXHAUSTED or CLOSED; of holds HELD or RELEASED.',
    }),
  ),
  envelope_id: Type.Optional(Uuid),
  department: Type.Optional(Department),
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
  version: Type.Integer({ minimum: 1 }),
  state: OneOf('ACTIVE', 'CLOSED'),
  max_per_day_usd: Part.properties.limit,
  max_per_month_usd: Part.properties.limit,
  granted: Granted,
  members: Members,
  authority: Type.String(),
  allocated_by: Did,
  effective_at: Timestamp,
  ended_at: Type.Optional(Timestamp),
})

const HoldView = Closed({
  hold_id: Uuid,
  scope: Type.String(),
  state: OneOf(...hold_states),
  reason: Type.String(),
  placed_by: Did,
  placed_at: Timestamp,
  until: Timestamp,
  released_at: Type.Optional(Timestamp),
  released_by: Type.Optional(Did),
})

const EnvelopeView = Closed({
  envelope_id: Uuid,
  version: Type.Integer({ minimum: 1 }),
  department: Department,
  state: EnvelopeState,
  day: Part,
  month: Part,
  granted: Granted,
  members: Members,
  authority: Type.String(),
  allocated_by: Did,
  created_at: Timestamp,
  effective_at: Timestamp,
  throttle: Type.Optional(
    Closed({
      throttle_id: Uuid,
      rules: ListOf(Closed({ match: Type.String(), factor_bps: Type.Integer() }), 1, 64),
      set_by: Did,
      in_force_from: Timestamp,
    }),
  ),
  held_by: ListOf(
    Closed({ hold_id: Uuid, scope: Type.String(), reason: Type.String(), until: Timestamp }),
    0,
    holds_live_max,
  ),
  detail: Type.Optional(Closed({ versions: ListOf(Version, 1, 256) })),
})

export const ListOutput = Closed({
  envelopes: Type.Optional(ListOf(EnvelopeView, 0, page_max)),
  holds: Type.Optional(ListOf(HoldView, 0, page_max)),
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
