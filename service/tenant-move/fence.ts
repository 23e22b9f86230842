// While rows are copied, the database itself refuses every write to them, whoever makes it.
import { fence_state } from '@svc/contract/tenant-home'
import { app_role } from '@svc/database/migration'
import { type Client, DatabaseError, escapeIdentifier, escapeLiteral } from 'pg'
import { ofTenants, type Table } from './tables.ts'

/** A trigger waits for statements that write the table now, and others wait behind it: so it gives up soon, and tries again. */
const lock_ms = 200
const attempts_max = 300
const lock_not_available = '55P03'

// A sweep that deletes old rows passes these over; whatever would add or change one learns that it cannot.
const create_function = `
CREATE OR REPLACE FUNCTION svc_tenant_fence() RETURNS trigger LANGUAGE plpgsql AS $fence$
BEGIN
  IF TG_OP = 'DELETE' AND coalesce(current_setting('role', true), '') <> '${app_role}' THEN RETURN NULL; END IF;
  -- The move itself ends the tenant's accounts here.
  IF current_setting('svc.tenant_move', true) = 'ending' THEN RETURN coalesce(NEW, OLD); END IF;
  RAISE EXCEPTION USING ERRCODE = '${fence_state}', MESSAGE = 'this row is being moved to another database';
END $fence$;`

function triggersOf(name: string, tenant_ids: readonly string[]): string {
  const array = `ARRAY[${tenant_ids.map(escapeLiteral).join(', ')}]::text[]`
  const when = (row: string) =>
    ofTenants(name, array)
      .split(' OR ')
      .map((condition) => `${row}.${condition}`)
      .join(' OR ')
  const table = escapeIdentifier(name)
  return `
    CREATE OR REPLACE TRIGGER aa_tenant_fence_new BEFORE INSERT ON ${table} FOR EACH ROW
      WHEN (${when('NEW')}) EXECUTE FUNCTION svc_tenant_fence();
    CREATE OR REPLACE TRIGGER aa_tenant_fence_old BEFORE UPDATE OR DELETE ON ${table} FOR EACH ROW
      WHEN (${when('OLD')}) EXECUTE FUNCTION svc_tenant_fence();`
}

/** Also where some of it is there already. */
export async function raiseFence(
  client: Client,
  tables: readonly Table[],
  tenant_ids: readonly string[],
): Promise<void> {
  await client.query(create_function)
  for (const { name } of tables) await locked(client, triggersOf(name, tenant_ids))
}

/** Reads which triggers there are, because even a drop that finds none waits for everybody. */
export async function dropFence(client: Client): Promise<void> {
  const { rows } = await client.query<{ table: string; name: string }>(
    `SELECT t.tgrelid::regclass::text AS "table", t.tgname AS name FROM pg_trigger t
     WHERE t.tgname LIKE 'aa\\_tenant\\_fence\\_%' AND t.tgparentid = 0 ORDER BY 1`,
  )
  for (const { table, name } of rows) await locked(client, `DROP TRIGGER IF EXISTS ${name} ON ${table};`)
}

async function locked(client: Client, text: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      // unchecked sql: triggers that are there only during a move
      await client.query(`BEGIN; SET LOCAL lock_timeout = ${lock_ms}; ${text} COMMIT;`)
      return
    } catch (error) {
      await client.query('ROLLBACK')
      const is_busy = error instanceof DatabaseError && error.code === lock_not_available
      if (!is_busy || attempt === attempts_max) throw error
    }
  }
}
