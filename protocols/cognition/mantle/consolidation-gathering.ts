// The input of a consolidation run: cells with their text, and the callers' records.
import { findRecords } from '@svc/audit/query/records'
import type { OperationContext } from '@svc/contract/operation-context'
import { readContents, type StoredContent } from '../content/api.ts'
import { closedSessions, entitiesOf, sessionsOf } from './consolidation.ts'
import type { ConsolidationTask } from './consolidation-job.ts'
import type { Session } from './consolidation-sequences.ts'
import { type CellRow, findCells, vectorsOf, type Window } from './consolidation-store.ts'

const records_max = 5_000
const records_days = 30
const day_ms = 86_400_000
const sequence_length = { length_min: 3, length_max: 12 }
const read_page = 500

export interface Looking {
  readonly namespace_key: string
  readonly window: Window | undefined
  readonly watermark: Date | undefined
  readonly max_cells: number
  /** Whether working memories of ended sessions become episodic. */
  readonly with_working: boolean
}

export interface Experience {
  readonly promoted: readonly string[]
  readonly cells: readonly CellRow[]
  readonly contents: ReadonlyMap<string, StoredContent>
  readonly truncated: boolean
}

/** Ended sessions' working memories and the episodic ones, with their text. */
export async function gather(
  context: OperationContext<'vault'>,
  { namespace_key, window, watermark, max_cells, with_working }: Looking,
): Promise<Experience> {
  const now = new Date(context.now)
  const find = (kind: 'working' | 'episodic', limit: number) =>
    findCells(context, namespace_key, kind, window, watermark, limit)
  const working = with_working ? await find('working', max_cells) : []
  const closed = new Set(
    closedSessions(
      working.map(({ ref, created_at, status, expires_at }) => {
        const is_over = status !== 'active' || (expires_at !== null && expires_at <= now)
        return { ref, created_at, is_over }
      }),
      now,
    ),
  )
  const promoted = working.filter(({ ref }) => closed.has(ref))
  const room = max_cells - promoted.length
  const episodic = await find('episodic', room + 1)
  const cells = [...promoted, ...episodic.slice(0, room)]
  const contents = new Map<string, StoredContent>()
  for (let from = 0; from < cells.length; from += read_page) {
    context.signal.throwIfAborted()
    const refs = cells.slice(from, from + read_page).map(({ ref }) => ref)
    for (const [ref, content] of await readContents(context, refs)) contents.set(ref, content)
  }
  return { promoted: [...closed], cells, contents, truncated: episodic.length > room }
}

/** The time of the last cell examined; promoted ones were recorded earlier. */
export function lastOf({ cells, promoted }: Experience, watermark: Date | undefined): Date | undefined {
  const old = new Set(promoted)
  const times = cells.filter(({ ref }) => !old.has(ref)).map(({ created_at }) => created_at.getTime())
  return times.length > 0 ? new Date(Math.max(...times, watermark?.getTime() ?? 0)) : undefined
}

export async function readSessions(
  context: OperationContext<'audit_log'>,
  window: Window | undefined,
): Promise<Session[]> {
  const { db, tenant_id, now } = context
  await context.audit_log.settled()
  const since = new Date(Date.parse(now) - records_days * day_ms).toISOString()
  const records = await findRecords(db, tenant_id, {
    event_types: ['ProtocolInvocation'],
    outcome: 'success',
    from: window?.from ?? since,
    ...(window && { to: window.to }),
    newest_first: true,
    limit: records_max,
  })
  return sessionsOf(records)
}

export async function taskOf(
  context: OperationContext<'embedder'>,
  fresh: readonly CellRow[],
  contents: ReadonlyMap<string, StoredContent>,
  sessions: readonly Session[],
  support_min: number,
): Promise<ConsolidationTask> {
  const vectors = await vectorsOf(
    context,
    fresh.map(({ ref }) => ref),
  )
  return {
    occurrences: fresh.map(({ ref, occurred_at }) => ({
      vector: vectors.get(ref),
      entities: entitiesOf(contents.get(ref)?.triples ?? []),
      at_ms: occurred_at.getTime(),
    })),
    sessions,
    bounds: { support_min, ...sequence_length },
  }
}
