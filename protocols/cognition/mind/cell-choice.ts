// Preselects memories by structure and time, as references for the search.
import { principalsOf } from '@svc/contract/identity/principals'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { type Fragment, sql } from '@svc/database/sql'
import { linkedTo, mentionsOf } from '../cells/api.ts'
import type { StructuralPredicate, TemporalPredicate } from './recall-input.ts'

const refs_max = 50_000
const path_ms_max = 250
const statement_ms_max = 30_000

// PostgreSQL's codes for an invalid path, an unknown variable in it, and a timeout.
const bad_path = new Set(['42601', '22P02', '2201B', '22000', '42883', '42704'])
const too_slow = '57014'

/** Undefined without a structural or time filter: then all memories qualify. */
export async function chooseRefs(
  context: OperationContext<'vault'>,
  kinds: readonly string[],
  structural: StructuralPredicate = {},
  temporal: TemporalPredicate = {},
): Promise<ReadonlySet<string> | undefined> {
  const { match, jsonpath, entity, linked_to, relation, hops = 1 } = structural
  const sets: (readonly string[])[] = []
  if (linked_to !== undefined) {
    const at = temporal.as_of ?? context.now
    sets.push(await linkedTo(context, { linked_to, relation, hops, at }))
  }
  if (entity !== undefined) sets.push(await mentionsOf(context, entity))
  if (match !== undefined) sets.push(await containing(context, kinds, match))
  if (temporal.as_of !== undefined || temporal.known_at !== undefined)
    sets.push(await standingAt(context, kinds, temporal))
  if (jsonpath !== undefined) sets.push(await havingPath(context, kinds, jsonpath, intersect(sets)))
  return intersect(sets)
}

function intersect(sets: readonly (readonly string[])[]): ReadonlySet<string> | undefined {
  const [first, ...others] = sets.map((refs) => new Set(refs))
  return first && others.reduce((all, refs) => all.intersection(refs), first)
}

async function containing(
  { db }: OperationContext,
  kinds: readonly string[],
  match: Readonly<Record<string, unknown>>,
): Promise<string[]> {
  // The index contains no NUL, so a match with one finds nothing.
  const pattern = JSON.stringify(match)
  if (/\\u0000|\\ud[89a-f]/.test(pattern.replaceAll('\\\\', ''))) return []
  return await refsOf(
    db,
    sql`SELECT ref FROM svc_content_containing(${pattern}::jsonb, ${kinds}::text[], ${refs_max}) AS found(ref)`,
  )
}

/** Versions valid at that time, as far as they were recorded by then. */
async function standingAt(
  { db, tenant_id, now }: OperationContext,
  kinds: readonly string[],
  { as_of, known_at = now }: TemporalPredicate,
): Promise<string[]> {
  return await refsOf(
    db,
    sql`SELECT DISTINCT ref FROM content
      WHERE tenant_id = ${tenant_id} AND kind = ANY(${kinds}) AND recorded_at <= ${known_at}::timestamptz
        AND (${as_of ?? null}::timestamptz IS NULL OR valid_from <= ${as_of ?? null}::timestamptz)
      LIMIT ${refs_max}`,
  )
}

/**
 * A filter or predicate path. Untrusted input, hence the limit of a quarter of a second. CASE keeps it from what the caller may not
 * read: a path that is slow only where a guess is right would tell.
 */
async function havingPath(
  { db, tenant_id, caller }: OperationContext,
  kinds: readonly string[],
  path: string,
  among: ReadonlySet<string> | undefined,
): Promise<string[]> {
  await sql`SET LOCAL statement_timeout = ${sql.lit(path_ms_max)}`.execute(db)
  const only = among ? sql`AND ref = ANY(${[...among]})` : sql``
  try {
    const refs = await refsOf(
      db,
      sql`SELECT ref FROM content_index
        WHERE tenant_id = ${tenant_id} AND present AND kind = ANY(${kinds}) ${only}
          AND CASE WHEN readers IS NULL OR readers && ${principalsOf(caller)}::text[]
            THEN coalesce(jsonb_path_match(doc, ${path}::jsonpath, '{}', true),
              jsonb_path_exists(doc, ${path}::jsonpath, '{}', true)) END LIMIT ${refs_max}`,
    )
    await sql`SET LOCAL statement_timeout = ${sql.lit(statement_ms_max)}`.execute(db)
    return refs
  } catch (error) {
    throw pathRefusal(error as Error & { readonly code?: string }) ?? error
  }
}

function pathRefusal(error: Error & { readonly code?: string }): Error | undefined {
  const details = { path: '/predicate/structural/jsonpath' }
  if (error.code === too_slow)
    return refuse(
      'invalid_payload',
      `The jsonpath took more than ${path_ms_max} ms; simplify it, or filter by kind, namespace or match.`,
      { ...details, reason: 'jsonpath too slow' },
    )
  if (error.code === undefined || !bad_path.has(error.code)) return undefined
  return refuse('invalid_payload', `The jsonpath cannot be parsed: ${error.message}.`, {
    ...details,
    reason: 'bad jsonpath',
  })
}

async function refsOf(db: OperationContext['db'], query: Fragment): Promise<string[]> {
  const rows = await (query as Fragment<{ ref: string }>).all(db)
  return rows.map(({ ref }) => ref)
}
