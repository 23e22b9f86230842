// People of an organization by the names that rules use for them.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'

interface Person {
  readonly login: string
  readonly did: string
  readonly disabled: boolean
}

/** Those with one of these user names or DIDs, as the engine's role. */
export async function findPeople(
  db: Database,
  tenant_id: string,
  logins: readonly string[],
  dids: readonly string[],
): Promise<readonly Person[]> {
  if (logins.length + dids.length === 0) return []
  return sql<Person>`
    SELECT login, did, disabled_at IS NOT NULL AS disabled FROM users
    WHERE tenant_id = ${tenant_id} AND (login = ANY(${[...logins]}::text[]) OR did = ANY(${[...dids]}::text[]))
    ORDER BY login`.all(db)
}
