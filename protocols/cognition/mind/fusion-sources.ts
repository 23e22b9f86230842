// Reads the named sources: memories, claims, snapshots, single facts, and inline statements.
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { memory_kinds } from '../cells/api.ts'
import {
  isFunctionalWord,
  type Readers,
  readContents,
  type StoredContent,
  spanOf,
  type Triple,
} from '../content/api.ts'
import { factRef } from '../knowledge/api.ts'
import type { SaidFact } from './fusion-claims.ts'

/** Read from references; inline statements are bounded by the request size. */
const facts_read_max = 10_000

export interface InlineSource {
  readonly source_did: string
  readonly facts: readonly Triple[]
}
export type FusionSource = string | InlineSource

interface ClaimBody {
  readonly claim: string | Triple
  readonly issuer?: string
  readonly confidence?: number
  readonly valid_from?: string
  readonly valid_to?: string
}

export interface ReadSources {
  readonly facts: readonly SaidFact[]
  /** Who may read what is made of them: whoever may read each of them, and the caller, who did. */
  readonly readers: Readers
  /** The first that is not of the tenant, and that the caller may not publish. */
  readonly unpublishable: string | undefined
}

/** Refuses a source that is missing or unreadable. */
export async function readSources(
  context: OperationContext<'vault'>,
  sources: readonly FusionSource[],
): Promise<ReadSources> {
  const refs = [...new Set(sources.filter((source) => typeof source === 'string'))]
  const contents = refs.length > 0 ? await readContents(context, refs) : new Map<string, StoredContent>()
  const hidden = await hiddenAmong(context, contents)
  for (const [place, source] of sources.entries())
    if (typeof source === 'string') requireReadable(source, `/sources/${place}`, contents.get(source), hidden)
  const cells = refs.filter((ref) => isMemory(contents.get(ref)!))
  const of_cells = await factsOfCells(context, cells)
  const stated_facts = refs.flatMap((ref) => saidIn(contents.get(ref)!, of_cells.get(ref) ?? []))
  const sent = sources.flatMap((source, place) =>
    typeof source === 'string' ? [] : sentAlong(source, place),
  )
  return {
    facts: [...stated_facts, ...sent],
    readers: readersOfAll([...contents.values()], context.caller.did),
    unpublishable: [...contents.values()].find((content) => !mayPublish(content, context.caller.did))?.ref,
  }
}

function readersOfAll(contents: readonly StoredContent[], caller_did: string): Readers {
  const limited = contents.flatMap(({ readers }) => (readers === null ? [] : [readers]))
  const [first, ...others] = limited
  if (!first) return null
  const common = first.filter((name) => others.every((readers) => readers.includes(name)))
  return [...new Set([...common, caller_did])].sort()
}

/** Its author publishes a memory; what was made of memories of others is nobody's to publish. */
function mayPublish(content: StoredContent, caller_did: string): boolean {
  return content.readers === null || (isMemory(content) && content.author_did === caller_did)
}

function sentAlong({ source_did, facts }: InlineSource, place: number): SaidFact[] {
  return facts.map((fact, at) => {
    const pointer = `/sources/${place}/facts/${at}`
    return saidBy(source_did, source_did, fact, { pointer })
  })
}

function saidIn(content: StoredContent, of_cell: readonly Triple[]): SaidFact[] {
  const { ref, author_did, body, recorded_at } = content
  const recorded = { recorded_ms: recorded_at.getTime() }
  const say = (fact: Triple) => saidBy(author_did, ref, fact, recorded)
  if (content.kind === 'fact') return [say(body as Triple)]
  if (content.kind === 'snapshot') return ((body as { facts?: Triple[] }).facts ?? []).map(say)
  if (content.kind !== 'claim') return of_cell.length > 0 ? of_cell.map(say) : tripleOf(body).map(say)
  const { claim, issuer = author_did, ...terms } = body as ClaimBody
  const triple = typeof claim === 'string' ? { subject: claim, predicate: 'is_claimed', object: true } : claim
  return [saidBy(issuer, ref, { ...terms, ...triple }, recorded)]
}

/** A memory whose body is a triple states that triple. */
function tripleOf(body: unknown): Triple[] {
  const { subject, predicate, object } = (body ?? {}) as Record<string, unknown>
  if (typeof subject !== 'string' || typeof predicate !== 'string') return []
  if (subject === '' || predicate === '') return []
  if (typeof object !== 'string' && typeof object !== 'number' && typeof object !== 'boolean') return []
  return [{ subject, predicate, object }]
}

function saidBy(
  source: string,
  origin: string,
  fact: Triple,
  { pointer = '', recorded_ms = -Infinity }: { readonly pointer?: string; readonly recorded_ms?: number },
): SaidFact {
  const { subject, predicate, object, confidence = 1, functional } = fact
  const valid = spanOf(fact, pointer)
  const at = Number.isFinite(valid.from) ? valid.from : recorded_ms
  const single = functional ?? isFunctionalWord(predicate)
  return { subject, predicate, object, confidence, functional: single, valid, source, origin, at }
}

function isMemory({ kind }: StoredContent): boolean {
  return memory_kinds.some((memory_kind) => memory_kind === kind)
}

function requireReadable(
  ref: string,
  path: string,
  content: StoredContent | undefined,
  hidden: ReadonlySet<string>,
): void {
  if (!content || hidden.has(ref))
    throw refuse('invalid_payload', `There is no source ${ref} that you may see; check ${path}.`, {
      reason: 'not_found',
      path,
    })
  if (content.body === undefined)
    throw refuse('invalid_payload', `${ref} was redacted; remove ${path}.`, {
      reason: 'redacted',
      path,
    })
  if (isMemory(content) || ['claim', 'snapshot', 'fact'].includes(content.kind)) return
  throw refuse(
    'invalid_payload',
    `${ref} is a ${content.kind}; facts are read from memories, claims, snapshots and facts.`,
    { reason: 'unsupported_source', path },
  )
}

/** A claim under embargo is visible only to its author until it is indexed. */
async function hiddenAmong(
  { db, tenant_id, caller }: OperationContext,
  contents: ReadonlyMap<string, StoredContent>,
): Promise<ReadonlySet<string>> {
  const refs_of_cells = [...contents.values()]
    .filter(({ kind, index, author_did }) => kind === 'claim' && !index && author_did !== caller.did)
    .map(({ ref }) => ref)
  if (refs_of_cells.length === 0) return new Set()
  const rows = await sql<{ ref: string }>`
    SELECT ref FROM content_index WHERE tenant_id = ${tenant_id} AND ref = ANY(${refs_of_cells}) AND present`.all(
    db,
  )
  return new Set(refs_of_cells).difference(new Set(rows.map(({ ref }) => ref)))
}

/** The facts a memory states, including those not believed. */
async function factsOfCells(
  context: OperationContext<'vault'>,
  refs: readonly string[],
): Promise<Map<string, Triple[]>> {
  const by_cell = new Map<string, Triple[]>()
  if (refs.length === 0) return by_cell
  const { db, tenant_id } = context
  const rows = await sql<{ fact_id: string; source_ref: string }>`
    SELECT DISTINCT fact_id, source_ref FROM kg_fact
    WHERE tenant_id = ${tenant_id} AND source_ref = ANY(${refs}) AND status <> 'redacted' AND NOT withdrawn
    ORDER BY fact_id LIMIT ${facts_read_max + 1}`.all(db)
  if (rows.length > facts_read_max) throw tooMany()
  const words = await readContents(
    context,
    rows.map(({ fact_id }) => factRef(fact_id)),
  )
  for (const { fact_id, source_ref } of rows) {
    const body = words.get(factRef(fact_id))?.body as Triple | undefined
    if (body) by_cell.set(source_ref, [...(by_cell.get(source_ref) ?? []), body])
  }
  return by_cell
}

function tooMany() {
  return refuse(
    'invalid_payload',
    `The sources hold more than ${facts_read_max} facts; fuse fewer at a time, and then their snapshots.`,
    { reason: 'too_large', path: '/sources' },
  )
}
