// In-memory copies of content_index. Before each search one query brings a copy up to date with everything
// committed by then, here or elsewhere: every engine reads its own writes and those of others.
import { totalmem } from 'node:os'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { rebuildIndex } from './rebuild.ts'
import { applyRow, bytesOfIndex, type IndexedRow, newSearchIndex, type SearchIndex } from './search-index.ts'
import { type Lexeme, readLexemes, type Wording } from './search-lexemes.ts'

type Copying = Pick<OperationContext<'embedder'>, 'db' | 'tenant_id' | 'embedder'> & {
  readonly engine: { readonly did: string }
}
export type Searching = Copying & Pick<OperationContext<'vault'>, 'vault' | 'signal' | 'now'>

export interface Ready {
  readonly index: SearchIndex
  readonly lexemes: readonly Lexeme[]
  readonly without: readonly Lexeme[]
  /** Whether any entity has a name, so that a graph search makes sense. */
  readonly has_names: boolean
}

interface Copy {
  readonly epoch: string
  readonly index: SearchIndex
  /** Everything visible in this snapshot is in the copy. */
  seen: string | undefined
  /** In progress, perhaps shared by several callers. */
  reading: Reading | undefined
  /** Made for one call that rebuilt the index: only that call can see those rows yet. */
  readonly is_own: boolean
  /** Refreshes since the last search. */
  idle: number
}

interface Reading {
  /** Its starting snapshot: when it finishes, the copy contains all of that. */
  readonly snapshot: string
  /** The last row in the copy. */
  position: { readonly revision: string; readonly ref: string } | undefined
}

interface Head {
  readonly epoch: string | null
  readonly snapshot: string
  readonly asked: string
  readonly excluded: string
  readonly has_names: boolean
}

interface Changes {
  readonly head: Head
  readonly rows: readonly IndexedRow[]
}

const copies_max = 256
/** For all copies: one GiB, or a quarter of this process's memory if that is less. */
const bytes_max = Math.min(1024 ** 3, Math.min(totalmem(), process.constrainedMemory() || Infinity) / 4)
const page_rows = 500
/** A longer read is not awaited: the next caller or the engine continues it. */
const pages_max = 30
const rounds_max = 16
/** Dead slots cost as much as live ones: a mostly dead copy is rebuilt. */
const dead_slots_kept = 4_096

const no_words: Wording = { words: '', phrases: [], without: [] }
/** After this many rounds without a search a copy is refreshed less often. */
const idle_rounds = 60
const idle_every = 30
const warmed_max = 64

/** By engine and tenant, most recently used last. */
const copies = new Map<string, Copy>()

/** The copy with everything committed now, and the query's words as PostgreSQL parses them. */
export async function catchUp(context: Searching, wording: Wording): Promise<Ready> {
  const name = `${context.engine.did} ${context.tenant_id}`
  let own: Copy | undefined
  let was_rebuilt = false
  for (let round = 0; round < rounds_max; round++) {
    const current_copy: Copy | undefined = own ?? copies.get(name)
    // A caller that joined another's read may miss later commits, so it reads again.
    const joined = current_copy?.reading
    const changes = await readChanges(context, wording, current_copy)
    const { head } = changes
    if (head.epoch === null) {
      await rebuildIndex(context)
      was_rebuilt = true
    } else if (
      current_copy === undefined ||
      current_copy.epoch !== head.epoch ||
      isMostlyDead(current_copy.index)
    ) {
      const copy = newCopy(context, head.epoch, was_rebuilt)
      if (was_rebuilt) own = copy
      else keepCopy(name, copy)
    } else {
      const progress = await apply(context, current_copy, changes, joined)
      current_copy.idle = 0
      if (!current_copy.is_own) keepCopy(name, current_copy)
      if (progress === 'more') throw unready('What is known is being read into memory')
      if (progress === 'whole') return { ...wordsOf(head), index: current_copy.index }
    }
  }
  throw unready('What is known is changing all the time')
}

function wordsOf({ asked, excluded, has_names }: Head): Omit<Ready, 'index'> {
  return { lexemes: readLexemes(asked), without: readLexemes(excluded), has_names }
}

function unready(why: string): Refusal {
  return refuse('no_endpoint_available', `${why}, so it cannot be searched yet; try again shortly.`, {
    reason: 'index is being read',
    retry_after_ms: 1_000,
  })
}

function newCopy({ embedder }: Copying, epoch: string, is_own: boolean): Copy {
  const index = newSearchIndex(embedder.id, embedder.dimensions)
  return { epoch, index, seen: undefined, reading: undefined, is_own, idle: 0 }
}

function isMostlyDead({ slots, dead }: SearchIndex): boolean {
  return dead > dead_slots_kept && dead * 2 > slots
}

/** `whole`: everything committed at the time of the call is in the copy; `again`: not certain. */
type Progress = 'whole' | 'again' | 'more'

/** Pages let other work run in between; later changes are left to the next read. */
async function apply(
  context: Copying,
  copy: Copy,
  { head, rows: first }: Changes,
  joined: Reading | undefined,
): Promise<Progress> {
  const ended = joined ? 'again' : 'whole'
  // Another read began or ended meanwhile: these rows are valid, but do not complete that read.
  const is_apart = copy.reading !== joined
  copy.reading ??= joined ? undefined : { snapshot: head.snapshot, position: undefined }
  const { reading } = copy
  let rows = first
  for (let page = 0; page < pages_max; page++) {
    for (const row of rows) applyRow(copy.index, row)
    if (is_apart || !reading) return rows.length < page_rows ? ended : 'again'
    if (rows.length < page_rows) {
      copy.seen = reading.snapshot
      copy.reading = undefined
      return ended
    }
    const { revision, ref } = rows.at(-1)!
    reading.position = { revision, ref }
    rows = (await readChanges(context, no_words, copy)).rows
    // A caller that joined was faster.
    if (copy.reading !== reading) return ended
  }
  return 'more'
}

/** Runs as the engine's role: loads copies at start and later changes, before anybody waits. */
export async function warmCopies(context: Omit<Copying, 'tenant_id'>, is_start: boolean): Promise<void> {
  const start = `${context.engine.did} `
  if (is_start)
    for (const tenant_id of await indexedTenants(context)) await warmCopy({ ...context, tenant_id })
  for (const [name, copy] of [...copies]) {
    if (!name.startsWith(start)) continue
    if (copy.idle++ > idle_rounds && copy.idle % idle_every !== 0) continue
    await warmCopy({ ...context, tenant_id: name.slice(start.length) })
  }
}

async function indexedTenants({ db }: Pick<Copying, 'db'>): Promise<string[]> {
  const rows = await sql<{ tenant_id: string }>`
    SELECT tenant_id FROM content_index_epoch LIMIT ${warmed_max}`.all(db)
  return rows.map(({ tenant_id }) => tenant_id)
}

/** Not if the index must be built first. A copy dropped meanwhile is not restored. */
async function warmCopy(context: Copying): Promise<void> {
  const name = `${context.engine.did} ${context.tenant_id}`
  const copy = copies.get(name)
  const joined = copy?.reading
  const changes = await readChanges(context, no_words, copy)
  const { epoch } = changes.head
  if (epoch === null) return
  if (copy === undefined) keepCopy(name, newCopy(context, epoch, false))
  else if (copy.epoch !== epoch) copies.delete(name)
  else await apply(context, copy, changes, joined)
}

/** Skips rows of this transaction: it may still roll back. */
async function readChanges(
  { db, tenant_id }: Copying,
  { words, without }: Wording,
  copy: Copy | undefined,
): Promise<Changes> {
  const { seen = null, reading, is_own = false } = copy ?? {}
  const position = reading?.position
  const from = position?.revision ?? seen?.split(':')[0] ?? '0'
  const rows = await sql<Head & IndexedRow>`
    SELECT head.*, found.*
    FROM (SELECT (SELECT epoch FROM content_index_epoch WHERE tenant_id = ${tenant_id}) AS epoch,
      pg_current_snapshot()::text AS snapshot,
      to_tsvector('english', ${words}::text)::text AS asked,
      to_tsvector('english', ${without.join(' ')}::text)::text AS excluded,
      EXISTS (SELECT FROM kg_entity_index WHERE tenant_id = ${tenant_id}) AS has_names) AS head
    LEFT JOIN LATERAL (
      SELECT ref, kind, namespace, present, readers, lexemes::text, embedding, embedder_id, importance,
        (extract(epoch FROM occurred_at) * 1000)::float8 AS occurred_ms,
        (extract(epoch FROM active_until) * 1000)::float8 AS active_until_ms, revision::text
      FROM content_index
      WHERE ${copy !== undefined} AND tenant_id = ${tenant_id} AND revision >= ${from}::text::xid8
        AND (revision > ${from}::text::xid8 OR ref > ${position?.ref ?? ''})
        AND (present OR ${seen}::text IS NOT NULL)
        AND (${seen}::text IS NULL OR NOT pg_visible_in_snapshot(revision, ${seen}::text::pg_snapshot))
        AND (${is_own} OR revision IS DISTINCT FROM pg_current_xact_id_if_assigned())
      ORDER BY content_index.revision, ref LIMIT ${page_rows}) AS found ON true`.all(db)
  return { head: rows[0]!, rows: rows.filter(({ ref }) => ref !== null) }
}

function keepCopy(name: string, copy: Copy): void {
  copies.delete(name)
  copies.set(name, copy)
  let bytes = 0
  for (const { index } of copies.values()) bytes += bytesOfIndex(index)
  for (const [oldest, { index }] of copies) {
    if (copies.size <= copies_max && bytes <= bytes_max) return
    // The copy in use stays, however large.
    if (oldest === name) return
    copies.delete(oldest)
    bytes -= bytesOfIndex(index)
  }
}
