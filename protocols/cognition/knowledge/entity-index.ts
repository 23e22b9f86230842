// Entity names in plain text: derived from the sealed facts, and rebuilt from them if lost.
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'
import {
  aliasKeys,
  isAlias,
  isName,
  nameKey,
  normaliseName,
  readContents,
  type Triple,
} from '../content/api.ts'

export type EntityReading = Pick<OperationContext<'vault'>, 'db' | 'tenant_id' | 'vault'>
type Words = Pick<Triple, 'subject' | 'predicate' | 'object'>

const rebuild_page = 500
/** pg_trgm compares this much of a name. */
const likeness_length_max = 256

interface NamedEntity {
  readonly name_key: string
  readonly entity_key: string
  readonly name: string
}

export function factRef(fact_id: string): string {
  return `mind://fact/${fact_id}`
}

/** Subjects and short objects are entities; an alias names the entity it was stated of. */
function namesIn(facts: readonly Words[], { vault }: EntityReading): NamedEntity[] {
  const entities = new Map<string, NamedEntity>()
  for (const { subject, predicate, object } of facts) {
    const entity_key = nameKey(vault.blind, subject)
    const names: NamedEntity[] = []
    if (isName(subject)) names.push({ name_key: entity_key, entity_key, name: subject })
    if (isName(object)) {
      const name_key = nameKey(vault.blind, object)
      names.push({ name_key, entity_key: isAlias(predicate) ? entity_key : name_key, name: object })
    }
    for (const named of names) {
      const id = `${named.name_key}|${named.entity_key}`
      if (!entities.has(id)) entities.set(id, named)
    }
  }
  return [...entities.values()].sort((a, b) => (a.name_key < b.name_key ? -1 : 1))
}

/** The first spelling of a name stays. */
export async function indexNames(context: EntityReading, facts: readonly Words[]): Promise<void> {
  const names = namesIn(facts, context).map((named) => ({
    ...named,
    name: named.name.replaceAll('\0', ' '),
    likeness: normaliseName(named.name).slice(0, likeness_length_max),
  }))
  if (names.length === 0) return
  await sql`
    INSERT INTO kg_entity_index (tenant_id, name_key, entity_key, name, likeness)
    SELECT ${context.tenant_id}, name_key, entity_key, name, likeness
    FROM jsonb_to_recordset(${JSON.stringify(names)}::jsonb)
      AS given(name_key text, entity_key text, name text, likeness text)
    ON CONFLICT DO NOTHING`.execute(context.db)
}

/** After facts were deleted: removes names that no readable fact contains. */
export async function dropNames(context: EntityReading, keys: readonly string[]): Promise<number> {
  const { db, tenant_id, vault } = context
  const alias = aliasKeys(vault.blind)
  const { numAffectedRows } = await sql`
    DELETE FROM kg_entity_index AS named
    WHERE named.tenant_id = ${tenant_id} AND named.name_key = ANY(${keys})
      AND NOT EXISTS (SELECT FROM kg_fact AS fact
        WHERE fact.tenant_id = named.tenant_id AND fact.s = named.entity_key AND fact.status <> 'redacted'
          AND (named.name_key = named.entity_key OR (fact.o = named.name_key AND fact.p = ANY(${alias}))))
      AND NOT EXISTS (SELECT FROM kg_fact AS fact
        WHERE fact.tenant_id = named.tenant_id AND fact.o = named.name_key AND fact.status <> 'redacted'
          AND named.name_key = named.entity_key AND fact.p <> ALL(${alias}))`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** One row lookup; more only after a database crash and for a new organization. */
export async function requireEntityIndex(context: EntityReading): Promise<void> {
  const { db, tenant_id } = context
  if (await hasEpoch(context)) return
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`kg epoch|${tenant_id}`}, 0))`.execute(db)
  if (await hasEpoch(context)) return
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const rows = await sql<{ fact_id: string }>`
      SELECT DISTINCT fact_id FROM kg_fact
      WHERE tenant_id = ${tenant_id} AND fact_id > ${after} AND status <> 'redacted'
      ORDER BY fact_id LIMIT ${rebuild_page}`.all(db)
    if (rows.length === 0) break
    const contents = await readContents(
      context,
      rows.map(({ fact_id }) => factRef(fact_id)),
    )
    await indexNames(
      context,
      [...contents.values()].flatMap(({ body }) => (body === undefined ? [] : [body as Words])),
    )
    after = rows.at(-1)!.fact_id
  }
  await sql`INSERT INTO kg_entity_epoch (tenant_id) VALUES (${tenant_id})`.execute(db)
}

async function hasEpoch({ db, tenant_id }: EntityReading): Promise<boolean> {
  return sql`SELECT FROM kg_entity_epoch WHERE tenant_id = ${tenant_id}`.exists(db)
}
