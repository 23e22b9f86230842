// Every committed change of a run and of its steps, written by triggers: what engines did, whatever they say about it.
import type { Client } from 'pg'

export interface RunChange {
  readonly kind: 'run'
  readonly run_id: string
  readonly old_state: string
  readonly new_state: string
  readonly old_owner: string | null
  readonly new_owner: string | null
  readonly old_epoch: number
  readonly new_epoch: number
  readonly old_seq: number
  readonly new_seq: number
  /** By the database's clock. */
  readonly is_lease_over: boolean
  readonly is_cancelled: boolean
}

export interface StepChange {
  readonly kind: 'step'
  readonly run_id: string
  readonly path: string
  readonly old_state: string | null
  readonly new_state: string
  readonly old_seq: number
  readonly new_seq: number
  readonly old_error: string | null
  readonly new_error: string | null
}

const log_sql = `
  CREATE TABLE simulation.run_log (id bigint GENERATED ALWAYS AS IDENTITY, kind text, run_id text, path text,
    old_state text, new_state text, old_owner text, new_owner text, old_epoch float8, new_epoch float8,
    old_seq float8, new_seq float8, is_lease_over boolean, is_cancelled boolean, old_error text,
    new_error text);
  CREATE FUNCTION simulation.log_run() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN
      INSERT INTO simulation.run_log (kind, run_id, old_state, new_state, old_owner, new_owner, old_epoch, new_epoch,
        old_seq, new_seq, is_lease_over, is_cancelled)
      VALUES ('run', NEW.run_id, OLD.state, NEW.state, OLD.lease_owner, NEW.lease_owner, OLD.epoch, NEW.epoch,
        OLD.journal_seq, NEW.journal_seq,
        OLD.lease_until IS NULL OR OLD.lease_until < simulation.clock_timestamp(), NEW.cancel IS NOT NULL);
      RETURN NULL;
    END $$;
  CREATE FUNCTION simulation.log_step() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN
      INSERT INTO simulation.run_log (kind, run_id, path, old_state, new_state, old_seq, new_seq, old_error, new_error)
      VALUES ('step', NEW.run_id, NEW.path, OLD.state, NEW.state, coalesce(OLD.seq, 0), NEW.seq, OLD.error_code,
        NEW.error_code);
      RETURN NULL;
    END $$;
  CREATE TRIGGER simulation_log AFTER UPDATE ON moon_run FOR EACH ROW EXECUTE FUNCTION simulation.log_run();
  CREATE TRIGGER simulation_log AFTER INSERT OR UPDATE ON moon_step FOR EACH ROW EXECUTE FUNCTION simulation.log_step()`

const tables = [
  'moon_attempt',
  'moon_signal',
  'moon_step',
  'moon_run',
  'moon_manifest',
  'stop_latch',
  'idempotency_keys',
  'audit_outbox',
]

/**
 * Empty tables: engines work for all tenants, and the order in which rows are locked follows from where they lie and from statistics,
 * which must be the same in each run of a seed.
 */
export async function openRunLog(control: Client): Promise<void> {
  const { rows } = await control.query(`SELECT to_regclass('simulation.run_log') IS NULL AS is_absent`)
  if (rows[0].is_absent) {
    await control.query(log_sql)
    for (const table of tables) await control.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`)
  }
  await control.query(`TRUNCATE ${tables.join()}, simulation.run_log RESTART IDENTITY`)
}

/** In the order in which the changes were made; each is returned once. */
export async function takeRunLog(control: Client): Promise<(RunChange | StepChange)[]> {
  const { rows } = await control.query(`WITH taken AS (DELETE FROM simulation.run_log RETURNING *)
    SELECT * FROM taken ORDER BY id`)
  return rows
}
