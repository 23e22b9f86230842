// The owner's own session, outside of the simulation: it sets the time of the database and reads for the invariants.
import { hash } from 'node:crypto'
import { Client } from 'pg'

const time_sql = `
  CREATE SCHEMA IF NOT EXISTS simulation;
  CREATE SEQUENCE simulation.clock_ms MINVALUE 0;
  CREATE FUNCTION simulation.clock_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS
    'SELECT to_timestamp(last_value / 1000.0) FROM simulation.clock_ms';
  CREATE FUNCTION simulation.now() RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT coalesce(nullif(current_setting('simulation.now', true), ''),
      set_config('simulation.now', simulation.clock_timestamp()::text, true))::timestamptz $$;
  CREATE FUNCTION simulation.statement_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS
    'SELECT simulation.clock_timestamp()';
  CREATE FUNCTION simulation.transaction_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS
    'SELECT simulation.now()';
  GRANT USAGE ON SCHEMA simulation TO PUBLIC;
  GRANT SELECT ON simulation.clock_ms TO PUBLIC`

export async function connectControl(url: string): Promise<Client> {
  const control = new Client({ connectionString: url, options: '-c plan_cache_mode=force_generic_plan' })
  control.on('error', () => {})
  await control.connect()
  await control.query(time_sql)
  const { rows } = await control.query<{ name: string }>('SELECT quote_ident(current_database()) AS name')
  await control.query(`ALTER DATABASE ${rows[0]!.name} SET search_path = simulation, pg_catalog, public`)
  prepareReads(control)
  return control
}

export async function setTime(control: Client, now_ms: number): Promise<void> {
  await control.query("SELECT setval('simulation.clock_ms', $1)", [now_ms])
}

/** The same reads follow each step, so each is parsed and planned once. */
function prepareReads(control: Client): void {
  const query = control.query.bind(control) as (...args: unknown[]) => unknown
  const names = new Map<string, string>()
  const prepared = (text: unknown, values?: unknown[]) => {
    if (typeof text !== 'string' || !/^\s*(select|with)/i.test(text)) return query(text, values)
    const name = names.get(text) ?? hash('sha256', text, 'hex').slice(0, 32)
    names.set(text, name)
    return query({ name, text, values })
  }
  Object.assign(control, { query: prepared })
}
