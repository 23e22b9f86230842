// The copies of content_index that this process searches. Before each search a copy is caught up with all that was
// committed by then, here or elsewhere, in one query: every engine reads its own writes and those of the others.
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
  /** Whether any entity has a name, so that a walk from one is worth a look. */
  readonly has_names: boolean
}

interface Copy {
  readonly epoch: string
  readonly index: SearchIndex
  /** All that this snapshot shows is in the copy. */
  seen: string | undefined
  /** Under way, perhaps by several at once. */
  reading: Reading | undefined
  /** Made for one call that made the index again: only that call can see those rows as yet. */
  readonly is_own: boolean
  /** How often it was kept up to date since anybody asked. */
  idle: number
}

interface Reading {
  /** What it began with: when it is done, all of that is in the copy. */
  readonly snapshot: string
  /** The last row that is in the copy. */
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
/** Of all copies: a gibibyte, or a quarter of what this process may have, where that is less. */
const bytes_max = Math.min(1024 ** 3, Math.min(totalmem(), process.constrainedMemory() || Infinity) / 4)
const page_rows = 500
/** A reading that takes longer is not waited for: the next who asks, or the engine by itself, goes on with it. */
const pages_max = 30
const rounds_max = 16
/** Dead slots cost as much as others: a copy that is mostly dead is made again. */
const dead_slots_kept = 4_096

const no_words: Wording = { words: '', phrases: [], without: [] }
/** After so many rounds in which nobody asked a copy is looked after only now and then. */
const idle_rounds = 60
const idle_every = 30
const warmed_max = 64

/** By engine and tenant, the one used last at the end. */
const copies = new Map<string, Copy>()

/** The copy with everything that is committed now, and the question's words as PostgreSQL reads them. */
export async function catchUp(context: Searching, wording: Wording): Promise<Ready> {
  const name = `${context.engine.did} ${context.tenant_id}`
  let own: Copy | undefined
  let was_rebuilt = false
  for (let round = 0; round < rounds_max; round++) {
    const current_copy: Copy | undefined = own ?? copies.get(name)
    // Who goes on with somebody else's reading may miss what was committed since: it looks again.
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

/** `whole` where all is in the copy that was committed when this was asked; `again` where that is not certain. */
type Progress = 'whole' | 'again' | 'more'

/** Pages let others have their turn in between; what changes meanwhile is read by the next. */
async function apply(
  context: Copying,
  copy: Copy,
  { head, rows: first }: Changes,
  joined: Reading | undefined,
): Promise<Progress> {
  const ended = joined ? 'again' : 'whole'
  // Others began, or ended, while this was asked: what it brings is good, but says nothing about the rest of theirs.
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
    // Somebody who joined was faster.
    if (copy.reading !== reading) return ended
  }
  return 'more'
}

/** As the engine's role: reads what is there at the start, and what comes then, before anybody waits for it. */
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

/** Not where the index itself must be made first. A copy that was dropped meanwhile is not brought back. */
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

/** Rows of this very transaction are not for the copy: it may yet be undone. */
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
      SELECT ref, kind, namespace, present, lexemes::text, embedding, embedder_id, importance,
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
    // What is being used stays, however large.
    if (oldest === name) return
    copies.delete(oldest)
    bytes -= bytesOfIndex(index)
  }
}
