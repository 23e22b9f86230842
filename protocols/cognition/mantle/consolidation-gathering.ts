// The input of a consolidation run: cells with their text, and the callers' records.
import { findRecords } from '@svc/audit/query/records'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Readers, readContents, type StoredContent } from '../content/api.ts'
import { closedSessions, entitiesOf, sessionsOf } from './consolidation.ts'
import type { ConsolidationTask } from './consolidation-job.ts'
import type { Session } from './consolidation-sequences.ts'
import { type CellRow, findCells, vectorsOf, type Window } from './consolidation-store.ts'
import { factsInText } from './free-text-facts.ts'
import { factsByModel } from './model-facts.ts'

const records_max = 5_000
const records_days = 30
const day_ms = 86_400_000
const sequence_length = { length_min: 3, length_max: 12 }
const read_page = 500

export interface Looking {
  readonly namespace_key: string
  readonly readers: Readers
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
  { namespace_key, readers, window, watermark, max_cells, with_working }: Looking,
): Promise<Experience> {
  const now = new Date(context.now)
  const find = (kind: 'working' | 'episodic', limit: number) =>
    findCells(context, { namespace_key, readers }, kind, window, watermark, limit)
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
    for (const [ref, content] of await readContents(context, refs)) contents.set(ref, withFacts(content))
  }
  return { promoted: [...closed], cells, contents, truncated: episodic.length > room }
}

/** A memory stored without facts states those that its sentences say. */
function withFacts(content: StoredContent): StoredContent {
  if ((content.triples?.length ?? 0) > 0 || !content.index) return content
  return { ...content, triples: factsInText(content.index.text) }
}

/** Where a model is set, it reads the new notes in which the patterns found nothing. */
export async function readByModel(
  context: OperationContext<'model' | 'tokens'>,
  experience: Experience,
): Promise<Experience> {
  const unread = experience.cells.flatMap(({ ref, is_known }) => {
    const content = experience.contents.get(ref)
    return content?.index && !is_known && (content.triples?.length ?? 0) === 0 ? [content] : []
  })
  if (!context.model || unread.length === 0) return experience
  context.takePath('agent')
  const facts = await factsByModel(context, unread)
  const contents = new Map(experience.contents)
  for (const [ref, triples] of facts) contents.set(ref, { ...contents.get(ref)!, triples })
  return { ...experience, contents }
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
  readers: Readers,
): Promise<Session[]> {
  const { db, tenant_id, now, caller } = context
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
  // What only this agent reads is made of its own calls.
  return sessionsOf(readers ? records.filter(({ caller_did }) => caller_did === caller.did) : records)
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
