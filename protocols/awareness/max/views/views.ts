// MAX set_view, list_views, remove_view and view_file.
import { isWithin } from '@svc/contract/authority/attenuation'
import { capabilityFor, unexpired } from '@svc/contract/authority/capability'
import { closest } from '@svc/contract/closest'
import type { OperationContext } from '@svc/contract/operation-context'
import { requireAtHome } from '@svc/contract/own-list'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import { AnyObject, Closed, Did, described, ListOf, Period, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { requireMoments } from '../audit-log-access.ts'
import { nextTime, requireSchedule, Schedule } from './schedule.ts'
import { tableOf } from './view-query.ts'
import {
  fileOfView,
  findView,
  listViews,
  lockAndCountViews,
  putView,
  removeView,
  type View,
  type ViewName,
} from './view-store.ts'

const views_max = 100
const filters_bytes_max = 8 * 1024

const NameField = Type.String({
  pattern: '^[a-z0-9][a-z0-9_-]{0,63}$',
  description: 'Names the view among yours, or among those of your organization.',
})
const Shared = Type.Optional(
  Type.Boolean({ default: false, description: 'A view of your organization, for all; otherwise your own.' }),
)
const view_fields = {
  name: NameField,
  shared: Shared,
  operation: Type.String({
    pattern: '^[A-Za-z]{1,64}\\.[a-z][a-z0-9_.]{0,127}$',
    description: 'The operation it reads, such as MAX.audit_query.',
  }),
  filters: described(AnyObject, 'Input of that operation, up to 8 KiB.'),
  page: Type.Optional(Text(64, { description: 'Page of the console that shows it.' })),
  schedule: Type.Optional(Schedule),
}

export const SetViewInput = Closed(view_fields)
const ViewItem = Closed({
  ...view_fields,
  set_by: described(Did, 'Whoever set it last, and as whom it runs by itself.'),
  set_at: described(Timestamp, 'When it was set last.'),
  next_run_at: Type.Optional(described(Timestamp, 'When it runs next; absent without a schedule.')),
  last_run_at: Type.Optional(described(Timestamp, 'When it last made a file.')),
  last_failure: Type.Optional(Type.String({ description: 'Why the newest run made none.' })),
  has_file: Type.Boolean({ description: 'A run has made a file, which view_file answers.' }),
})
export const SetViewOutput = ViewItem

export const ListViewsInput = Closed({})
export const ListViewsOutput = Closed({
  items: described(
    ListOf(ViewItem, 0, 2 * views_max),
    'Your own views and those of your organization, by name.',
  ),
})

export const RemoveViewInput = Closed({ name: NameField, shared: Shared })
export const RemoveViewOutput = Closed({
  name: NameField,
  removed_at: described(Timestamp, 'From when on it is gone, with its file.'),
})

export const ViewFileInput = Closed({
  name: NameField,
  shared: Shared,
  period: Type.Optional(described(Period, 'Only what is from this time, where the operation can tell.')),
  scheduled: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'The file of its newest run by itself, instead of a new one.',
    }),
  ),
})
export const ViewFileOutput = Closed({
  name: NameField,
  media_type: Type.String({ description: 'text/csv; charset=utf-8' }),
  content: Type.String({ description: 'The rows as CSV, with the names of their fields first.' }),
  rows: Type.Optional(Type.Integer({ description: 'How many rows it has; absent for a scheduled file.' })),
  truncated: Type.Optional(
    Type.Boolean({
      description:
        'There is more than a file can have: ten pages, 2 MiB and 64 columns. Absent for a scheduled file.',
    }),
  ),
})

type SetContext = OperationContext<'mailing' | 'served' | 'standIn' | 'vault'>

export async function setView(input: Static<typeof SetViewInput>, context: SetContext) {
  requireAtHome(context, 'views')
  const { name, filters, page = null, schedule = null } = input
  const { protocol, operation } = placeOf(input.operation, context)
  if (Buffer.byteLength(JSON.stringify(filters)) > filters_bytes_max)
    throw misfit('filters', 'must have at most 8 KiB')
  if (schedule) await requireMailable(schedule, context)
  const { db, caller } = context
  const place = nameOf(input, context)
  const count = await lockAndCountViews(db, place)
  if (count >= views_max && !(await findView(db, place)))
    throw refuse(
      'policy_denied',
      `There are ${views_max} views here; remove one that is not used any more.`,
      {
        reason: 'too many views',
      },
    )
  const set_at = new Date(context.now)
  const next_at = schedule && nextTime(schedule, set_at)
  const acting = schedule
    ? context.vault.seal(actingBox(place), JSON.stringify(context.standIn()))
    : undefined
  await putView(
    db,
    place,
    { page, protocol, operation, filters, set_by: caller.did, set_at, schedule, next_at },
    acting,
  )
  const is_shared = place.owner_did === ''
  context.audit('ViewSet', { name, shared: is_shared, protocol, operation, every: schedule?.every })
  return viewOf((await findView(db, place))!)
}

export async function listOwnViews(_: Static<typeof ListViewsInput>, context: OperationContext) {
  requireAtHome(context, 'views')
  return { items: (await listViews(context.db, context.tenant_id, context.caller.did)).map(viewOf) }
}

export async function removeOwnView(input: Static<typeof RemoveViewInput>, context: OperationContext) {
  requireAtHome(context, 'views')
  const { name, shared = false } = input
  if (!(await removeView(context.db, nameOf(input, context)))) throw notFound('view', name)
  context.audit('ViewRemoved', { name, shared })
  return { name, removed_at: context.now }
}

export async function viewFile(
  input: Static<typeof ViewFileInput>,
  context: OperationContext<'authority' | 'compute' | 'served' | 'vault'>,
): Promise<Static<typeof ViewFileOutput>> {
  requireAtHome(context, 'views')
  const { name, period } = input
  const place = nameOf(input, context)
  const view = await findView(context.db, place)
  if (!view) throw notFound('view', name)
  const file = { name, media_type: 'text/csv; charset=utf-8' }
  if (input.scheduled) return { ...file, content: await scheduledFile(view, place, context) }
  if (period) requireMoments(period, '/period')
  const { csv, rows, truncated } = await tableOf(view, period, context)
  return { ...file, content: csv, rows, truncated }
}

/** It was made with the rights of whoever set the view: nobody else gets it, nor they after losing those rights. */
async function scheduledFile(
  { set_by, protocol, operation, name }: View,
  place: ViewName,
  { db, caller, authority, vault, now }: OperationContext<'authority' | 'vault'>,
): Promise<string> {
  const capability = capabilityFor(protocol, operation)
  const { held } = await authority.ofCaller()
  if (set_by !== caller.did || !isWithin({ name: capability, caveats: [] }, unexpired(held, now)))
    throw refuse(
      'policy_denied',
      `Its scheduled file is only for whoever set the view, and only while they may call ${capability}; leave scheduled out to read it with your own rights.`,
      { reason: 'not your file' },
    )
  const box = await fileOfView(db, place)
  if (!box) throw notFound('scheduled file of', name)
  return vault.open(fileBox(place), box).toString('utf8')
}

/** The names that contents are sealed under. */
export function actingBox({ owner_did, name }: ViewName): string {
  return `acting of view ${owner_did} ${name}`
}
export function fileBox({ owner_did, name }: ViewName): string {
  return `file of view ${owner_did} ${name}`
}

function nameOf(
  { name, shared = false }: { readonly name: string; readonly shared?: boolean },
  { tenant_id, caller }: OperationContext,
): ViewName {
  return { tenant_id, owner_did: shared ? '' : caller.did, name }
}

/** Only what reads: a view changes nothing, however often it runs. */
function placeOf(text: string, { served }: SetContext) {
  const [id = '', ...rest] = text.split('.')
  const [protocol, operation] = [id.toUpperCase(), rest.join('.')]
  const one = served.find(protocol, operation)
  if (!one) {
    const near = closest(
      text,
      served.all().map((other) => `${other.protocol}.${other.operation}`),
    )
    throw misfit(
      'operation',
      `names nothing that this engine serves${near === undefined ? '' : `; did you mean ${near}?`}`,
    )
  }
  if (one.facts.effect !== 'read') throw misfit('operation', 'changes something; a view only reads')
  return { protocol: one.protocol, operation }
}

async function requireMailable(schedule: Schedule, { mailing }: SetContext): Promise<void> {
  requireSchedule(schedule)
  for (const [place, login] of (schedule.mail_to ?? []).entries()) {
    const why_not = await mailing.whyNotTo(login)
    if (why_not !== undefined) throw misfit(`schedule/mail_to/${place}`, why_not)
  }
}

function misfit(field: string, message: string): Refusal {
  const end = message.endsWith('?') ? '' : '.'
  return refuse('invalid_payload', `The view is invalid: /${field} ${message}${end}`, {
    reason: 'invalid view',
    faults: [{ pointer: `/${field}`, message }],
  })
}

function viewOf(view: View): Static<typeof ViewItem> {
  const { name, owner_did, protocol, operation, filters, page, schedule, set_by, set_at } = view
  const { next_at, last_run_at, last_failure, has_file } = view
  return {
    name,
    shared: owner_did === '',
    operation: `${protocol}.${operation}`,
    filters: { ...filters },
    ...(page !== null && { page }),
    ...(schedule && { schedule }),
    set_by,
    set_at: set_at.toISOString(),
    ...(next_at && { next_run_at: next_at.toISOString() }),
    ...(last_run_at && { last_run_at: last_run_at.toISOString() }),
    ...(last_failure !== null && { last_failure }),
    has_file,
  }
}
