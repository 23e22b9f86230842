// The lists of records: all of them in the audit log, and those that end a call in Requests.
import type { AuditRecord, Client, Whoami } from '@svc/sdk'
import type { ListColumn, ListDescription, ListFilter, ListQuery } from '../../list/describe.ts'
import { Duration, Money, When } from '../../parts/figure.tsx'
import { Id, Reason, StateBadge } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { callText, endsCall, isOwnRead, reasonOf, spentUsd } from './record-words.ts'
import { nextOf, outcomes, questionOf, searchOf } from './search.ts'

/** Names of agents by DID, where the reader may list them. */
export type Names = ReadonlyMap<string, string>

function callerColumn(names: Names): ListColumn<AuditRecord> {
  return {
    key: 'caller',
    head: 'Caller',
    cell: ({ caller_did }) => (
      <Id text={caller_did} name={names.get(caller_did)} href={hashOf('access', ['agents', caller_did])} />
    ),
    text: ({ caller_did }) => caller_did,
  }
}

const request_column: ListColumn<AuditRecord> = {
  key: 'request',
  head: 'Request',
  cell: ({ correlation_id }) => (
    <a href={hashOf('requests', [correlation_id])} aria-label={`Request ${correlation_id}`}>
      <code>{correlation_id.slice(0, 8)}</code>
    </a>
  ),
  text: ({ correlation_id }) => correlation_id,
}

export function recordColumns(names: Names): Readonly<Record<string, ListColumn<AuditRecord>>> {
  return {
    seq: {
      key: 'seq',
      head: 'Record',
      is_number: true,
      cell: ({ seq }) => <a href={hashOf('audit-log', ['records', String(seq)])}>{seq}</a>,
      text: ({ seq }) => seq,
    },
    when: {
      key: 'when',
      head: 'When',
      cell: ({ timestamp }) => <When at={timestamp} />,
      text: ({ timestamp }) => timestamp,
    },
    outcome: {
      key: 'outcome',
      head: 'Outcome',
      cell: ({ outcome }) => <StateBadge state={outcome} />,
      text: ({ outcome }) => outcome,
    },
    call: { key: 'call', head: 'Operation', cell: callText, text: callText },
    reason: {
      key: 'reason',
      head: 'Reason',
      cell: ({ meta, outcome }) => outcome !== 'success' && <Reason meta={meta} />,
      text: reasonOf,
    },
    event: {
      key: 'event',
      head: 'Event',
      cell: ({ event_type }) => event_type,
      text: ({ event_type }) => event_type,
    },
    caller: callerColumn(names),
    took: {
      key: 'took',
      head: 'Took',
      is_number: true,
      cell: ({ latency_ms }) => <Duration ms={latency_ms} />,
      text: ({ latency_ms }) => latency_ms,
    },
    cost: {
      key: 'cost',
      head: 'Cost',
      is_number: true,
      cell: (record) => <Money usd={spentUsd(record)} />,
      text: spentUsd,
      is_extra: true,
    },
    request: request_column,
  }
}

const outcome_names = { success: 'Success', refused: 'Refused', error: 'Failed' } as const

export function recordFilters(
  operations: readonly { protocol: string; operation: string }[],
): Readonly<Record<string, ListFilter>> {
  const names = (of: 'protocol' | 'operation') =>
    [...new Set(operations.map((each) => each[of]))].sort().map((name) => [name, name] as const)
  return {
    outcome: {
      field: 'outcome',
      label: 'Outcome',
      kind: 'choice',
      choices: outcomes.map((outcome) => [outcome, outcome_names[outcome]] as const),
    },
    protocol: { field: 'protocol', label: 'Protocol', kind: 'text', choices: names('protocol') },
    operation: { field: 'operation', label: 'Operation', kind: 'text', choices: names('operation') },
    caller: { field: 'caller_did', label: 'Caller', kind: 'agent' },
    event: { field: 'event_type', label: 'Event type', kind: 'text' },
    from: { field: 'from', label: 'From', kind: 'time' },
    to: { field: 'to', label: 'Until', kind: 'time' },
    request: { field: 'correlation_id', label: 'Request id', kind: 'text' },
    seq: { field: 'seq', label: 'Start at record', kind: 'text' },
    order: {
      field: 'order',
      label: 'Order',
      kind: 'choice',
      choices: [['oldest', 'Oldest first']],
    },
  }
}

export async function readRecords(
  query: ListQuery,
  cursor: string | undefined,
  client: Client,
  signal: AbortSignal,
  limit?: number,
) {
  const question = questionOf(searchOf(query), cursor === undefined ? undefined : Number(cursor))
  const page = await client.max.audit_query({ ...question, ...(limit && { limit }) }, { signal })
  const next = nextOf(page)
  return { rows: page.records as readonly AuditRecord[], next: next === undefined ? undefined : String(next) }
}

/** An open console reads a few times a minute: what was called before hours of that is still found at once. */
const calls_pages = [50, 100, 250, 500, 1_000, 1_000]
const calls_wanted = 20

/**
 * Only the records that end a call, without the reader's own reads unless a caller or a request is asked for; pages
 * with few of them are joined, each larger than the one before.
 */
export async function readCalls(
  whoami: Whoami,
  query: ListQuery,
  cursor: string | undefined,
  client: Client,
  signal: AbortSignal,
) {
  const rows: AuditRecord[] = []
  const is_named = Boolean(query.caller_did || query.correlation_id)
  let next = cursor
  for (const limit of calls_pages) {
    const part = await readRecords(query, next, client, signal, limit)
    rows.push(...part.rows.filter((record) => endsCall(record) && (is_named || !isOwnRead(record, whoami))))
    next = part.next
    if (next === undefined || rows.length >= calls_wanted) break
  }
  return { rows, next }
}

const ago = (hours: number, now_ms: number) => new Date(now_ms - hours * 3_600_000).toISOString()

/** Date presets that everybody has. */
export function recordViews(now_ms: number): NonNullable<ListDescription<AuditRecord>['views']> {
  return [
    { name: 'Refusals of the last 24 hours', query: { outcome: 'refused', from: ago(24, now_ms) } },
    { name: 'Refusals of the last 30 days', query: { outcome: 'refused', from: ago(720, now_ms) } },
    { name: 'Failures of the last 7 days', query: { outcome: 'error', from: ago(168, now_ms) } },
  ]
}
