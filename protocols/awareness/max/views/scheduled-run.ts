// Views that run by themselves: each run is a call as whoever set the view, checked like any other at that moment.
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { EventType } from '@svc/contract/audit/event'
import type { Database } from '@svc/contract/database'
import type { NewMail } from '@svc/contract/needs/mailing'
import type { StandIn } from '@svc/contract/needs/stand-in'
import type { Vault } from '@svc/contract/needs/vault'
import { intervalBefore, nextTime } from './schedule.ts'
import { type DueView, endRun, takeDueViews } from './view-store.ts'
import { actingBox, fileBox } from './views.ts'

const views_at_once = 4
const again_after_ms = 300_000
/** What may be over in a few minutes; anything else waits for the next time. */
const passing: ReadonlySet<string> = new Set(['timeout', 'unavailable', 'draining', 'rate_limited', 'circuit_open', 'no_endpoint_available']) // biome-ignore format: kept on one line

/** The answer of MAX view_file, or its refusal. */
export type ViewAnswer =
  | { readonly kind: 'done'; readonly output: unknown }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }

export interface ViewRunParts {
  /** As the engine: all tenants. */
  readonly db: Database
  readonly now: Date
  newId(): string
  transaction(tenant_id: string): {
    readonly db: Database
    commit(events: readonly AuditEntry[]): Promise<void>
    rollback(): Promise<void>
  }
  vaultOf(tenant_id: string): Vault
  /** Calls MAX view_file with the rights of a stand-in. */
  fileFor(view: DueView, input: object, acting: StandIn): Promise<ViewAnswer>
  queueMail(db: Database, tenant_id: string, mail: NewMail, at: Date): Promise<string | undefined>
  warn(error: unknown, view: DueView): void
}

/** Each by one engine; a failure concerns only its own view. */
export async function runDueViews(parts: ViewRunParts): Promise<number> {
  const views = await takeDueViews(parts.db, parts, views_at_once)
  await Promise.all(views.map((view) => runView(view, parts).catch((error) => parts.warn(error, view))))
  return views.length
}

async function runView(view: DueView, parts: ViewRunParts): Promise<void> {
  const { tenant_id, owner_did, name, schedule, next_at: due_at, sealed_acting: sealed } = view
  const vault = parts.vaultOf(tenant_id)
  const acting = JSON.parse(
    vault.open(actingBox(view), { sealed, wrapped_key: view.acting_key }).toString('utf8'),
  )
  const from = view.last_run_at ?? intervalBefore(schedule, due_at)
  const period = { from: from.toISOString(), to: due_at.toISOString() }
  const answer = await parts.fileFor(view, { name, shared: owner_did === '', period }, acting)
  const transaction = parts.transaction(tenant_id)
  try {
    const events =
      answer.kind === 'done'
        ? await keep(transaction.db, view, answer.output, parts)
        : await fail(transaction.db, view, answer, parts)
    await transaction.commit(events)
  } catch (error) {
    await transaction.rollback()
    throw error
  }
}

/** The file replaces the one before. */
async function keep(
  db: Database,
  view: DueView,
  output: unknown,
  parts: ViewRunParts,
): Promise<AuditEntry[]> {
  const { now, vaultOf, newId } = parts
  const { tenant_id, name, schedule, next_at: due_at } = view
  const { content, rows, truncated } = output as { content: string; rows: number; truncated: boolean }
  const file = vaultOf(tenant_id).seal(fileBox(view), content)
  const end = { file, failure: null, ran_at: due_at, next_at: nextTime(schedule, now) }
  if (!(await endRun(db, view, end))) return []
  const unreached: { to: string; reason: string }[] = []
  for (const to of schedule.mail_to ?? []) {
    const subject = `${name} of ${tenant_id}: ${rows} rows`
    const more = truncated ? ' There is more than a file can have.' : ''
    const text = `The saved view ${name} of ${tenant_id} has ${rows} rows until ${due_at.toISOString()}.${more}\n`
    const attachment = { name: `${name}.csv`, content }
    const mail = { mail_id: newId(), to, subject, text, attachment }
    const reason = await parts.queueMail(db, tenant_id, mail, now)
    if (reason !== undefined) unreached.push({ to, reason })
  }
  const facts = { name, rows, truncated, mail_to: schedule.mail_to?.length ?? 0 }
  return [
    eventOf('ViewReported', view, facts, parts),
    ...unreached.map((mail) => eventOf('MailFailed', view, { name, ...mail }, parts)),
  ]
}

/** Nothing of an earlier run stays: whoever lost the right to read has lost the file too. */
async function fail(
  db: Database,
  view: DueView,
  { code, message }: { readonly code: string; readonly message: string },
  parts: ViewRunParts,
): Promise<AuditEntry[]> {
  const next_at = passing.has(code)
    ? new Date(parts.now.getTime() + again_after_ms)
    : nextTime(view.schedule, parts.now)
  if (!(await endRun(db, view, { file: undefined, failure: message, ran_at: null, next_at }))) return []
  return [
    {
      ...eventOf('ViewReportFailed', view, { name: view.name, code, reason: message }, parts),
      outcome: 'error',
    },
  ]
}

function eventOf(
  event_type: EventType,
  { tenant_id, set_by }: DueView,
  meta: Readonly<Record<string, unknown>>,
  { now, newId }: ViewRunParts,
): AuditEntry {
  const [id, correlation_id] = [newId(), newId()]
  const place = { tenant_id, caller_did: set_by, protocol: 'MAX', timestamp: now.toISOString() }
  return { id, event_type, correlation_id, ...place, outcome: 'success', latency_ms: 0, meta: { ...meta } }
}
