// Who may read a piece of content. The database enforces it: a row with readers is invisible to everybody else.
import type { OperationContext } from '@svc/contract/operation-context'
import { all_principals, limitToReaders, type Migration, principals_setting } from '@svc/database/migration'
import { sql } from '@svc/database/sql'

/** DIDs of agents and names of groups; null means the whole tenant. */
export type Readers = readonly string[] | null

/** Runs the work over all content of the tenant, whoever may read it: to rebuild an index, and to erase. */
export async function amongAll<Result>(
  { db }: Pick<OperationContext, 'db'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const row = await sql<{ before: string }>`
    SELECT coalesce(current_setting(${principals_setting}, true), '') AS before`.first(db)
  const readAs = (principals: string) =>
    sql`SELECT set_config(${principals_setting}, ${principals}, true)`.execute(db)
  await readAs(all_principals)
  const result = await work()
  // After an error the transaction is over, or rolled back to where the setting was another.
  await readAs(row!.before)
  return result
}

const limited = `
  ${limitToReaders('content')}
  ALTER TABLE content_index ADD COLUMN readers text[];
  -- Working memory belongs to the agent that wrote it, also what was stored before.
  ALTER TABLE content NO FORCE ROW LEVEL SECURITY;
  ALTER TABLE content_index NO FORCE ROW LEVEL SECURITY;
  UPDATE content SET readers = ARRAY[first.author_did] FROM content AS first
  WHERE content.kind = 'working' AND first.tenant_id = content.tenant_id AND first.ref = content.ref
    AND first.version = 1;
  UPDATE content_index AS found SET readers = content.readers, revision = pg_current_xact_id()
  FROM content WHERE content.tenant_id = found.tenant_id AND content.ref = found.ref
    AND content.version = found.version AND content.readers IS NOT NULL;
  ALTER TABLE content FORCE ROW LEVEL SECURITY;
  ALTER TABLE content_index FORCE ROW LEVEL SECURITY;
`

export const reader_migrations: readonly Migration[] = [
  { name: '2026-11-28-61-readers-of-content', sql: limited },
]
