// Manifests, runs, and the journal from which the engine with the lease continues a run.
import { isolateByTenant, type Migration } from '@svc/database/migration'

export const moon_migrations: readonly Migration[] = [
  {
    name: '2026-11-18-45-moon-manifests',
    sql: `
      CREATE TABLE moon_manifest (
        tenant_id text NOT NULL,
        ref text NOT NULL,
        name text NOT NULL,
        version text NOT NULL,
        recipe_id text NOT NULL,
        manifest bytea NOT NULL,
        submitted_by text NOT NULL,
        submitted_at timestamptz NOT NULL,
        is_active boolean NOT NULL,
        cron text,
        time_zone text,
        overlap text CHECK (overlap IN ('skip', 'queue')),
        acting bytea,
        next_at timestamptz,
        paused_reason text,
        PRIMARY KEY (tenant_id, ref),
        UNIQUE (tenant_id, name, version)
      );
      CREATE INDEX moon_manifest_recipe ON moon_manifest (tenant_id, recipe_id);
      CREATE INDEX moon_manifest_due ON moon_manifest (next_at) WHERE next_at IS NOT NULL;
      ${isolateByTenant('moon_manifest', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT', 'UPDATE'])}
    `,
  },
  {
    name: '2026-11-18-46-moon-runs',
    sql: `
      CREATE TABLE moon_run (
        tenant_id text NOT NULL,
        run_id text NOT NULL,
        manifest_ref text NOT NULL,
        run_key text,
        owner_did text NOT NULL,
        state text NOT NULL,
        waiting_on text,
        cancel text CHECK (cancel IN ('stop', 'compensate')),
        undoing text CHECK (undoing IN ('failed', 'cancelled')),
        error_code text,
        confidence double precision,
        acting bytea NOT NULL,
        input bytea NOT NULL,
        output bytea,
        correlation_id text NOT NULL,
        depth integer NOT NULL,
        line text,
        retry_of text,
        created_at timestamptz NOT NULL,
        started_at timestamptz,
        ended_at timestamptz,
        deadline_at timestamptz,
        wake_at timestamptz,
        journal_seq bigint NOT NULL DEFAULT 0,
        lease_owner text,
        lease_until timestamptz,
        epoch bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (tenant_id, run_id),
        FOREIGN KEY (tenant_id, manifest_ref) REFERENCES moon_manifest (tenant_id, ref)
      );
      CREATE UNIQUE INDEX moon_run_key ON moon_run (tenant_id, run_key) WHERE run_key IS NOT NULL;
      CREATE INDEX moon_run_due ON moon_run (wake_at) WHERE wake_at IS NOT NULL;
      CREATE INDEX moon_run_line ON moon_run (tenant_id, line) WHERE line IS NOT NULL AND ended_at IS NULL;
      CREATE INDEX moon_run_open ON moon_run (tenant_id, manifest_ref) WHERE ended_at IS NULL;
      CREATE INDEX moon_run_age ON moon_run (tenant_id, created_at);
      ${isolateByTenant('moon_run', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT', 'UPDATE'])}

      CREATE TABLE moon_step (
        tenant_id text NOT NULL,
        run_id text NOT NULL,
        path text NOT NULL,
        seq bigint NOT NULL,
        state text NOT NULL,
        attempt integer NOT NULL,
        started_at timestamptz NOT NULL,
        due_at timestamptz,
        ended_at timestamptz,
        elapsed_ms double precision NOT NULL,
        base_score double precision,
        decision boolean,
        skip_reason text,
        error_code text,
        result bytea,
        record_id text,
        PRIMARY KEY (tenant_id, run_id, path),
        FOREIGN KEY (tenant_id, run_id) REFERENCES moon_run (tenant_id, run_id)
      );
      CREATE INDEX moon_step_seq ON moon_step (tenant_id, run_id, seq);
      ${isolateByTenant('moon_step', ['SELECT', 'INSERT', 'UPDATE', 'DELETE'], ['SELECT'])}

      CREATE TABLE moon_signal (
        tenant_id text NOT NULL,
        run_id text NOT NULL,
        seq bigint GENERATED ALWAYS AS IDENTITY,
        name text NOT NULL,
        payload bytea NOT NULL,
        sent_by text NOT NULL,
        sent_at timestamptz NOT NULL,
        taken_by text,
        PRIMARY KEY (tenant_id, run_id, seq),
        FOREIGN KEY (tenant_id, run_id) REFERENCES moon_run (tenant_id, run_id)
      );
      ${isolateByTenant('moon_signal', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT'])}
    `,
  },
  {
    // Indexes for the lists: all, by state and by manifest, each newest first.
    name: '2026-11-20-20-moon-lists',
    sql: `
      ALTER TABLE moon_manifest ADD COLUMN steps integer CHECK (steps > 0);
      CREATE INDEX moon_manifest_age ON moon_manifest (tenant_id, submitted_at, ref);
      DROP INDEX moon_run_age;
      CREATE INDEX moon_run_age ON moon_run (tenant_id, created_at, run_id);
      CREATE INDEX moon_run_of_state ON moon_run (tenant_id, state, created_at, run_id);
      CREATE INDEX moon_run_of_manifest ON moon_run (tenant_id, manifest_ref, created_at, run_id);
    `,
  },
]

/** Which run has started a run, and what steps were called with. */
export const moon_history_migrations: readonly Migration[] = [
  {
    name: '2026-12-02-10-moon-children',
    sql: `
      ALTER TABLE moon_run ADD COLUMN parent_run_id text;
      CREATE INDEX moon_run_of_parent ON moon_run (tenant_id, parent_run_id, created_at, run_id)
        WHERE parent_run_id IS NOT NULL;
    `,
  },
  {
    // Inputs are kept with the intent; attempts that another one followed, apart from the row of their step.
    name: '2026-12-02-11-moon-history',
    sql: `
      ALTER TABLE moon_step ADD COLUMN input bytea;
      CREATE INDEX moon_step_age ON moon_step (tenant_id, run_id, started_at, path);
      ALTER TABLE moon_run ADD COLUMN attributes bytea, ADD COLUMN attribute_tokens text[];
      CREATE INDEX moon_run_attributes ON moon_run USING gin (attribute_tokens) WHERE attribute_tokens IS NOT NULL;
      CREATE TABLE moon_attempt (
        tenant_id text NOT NULL,
        run_id text NOT NULL,
        path text NOT NULL,
        seq bigint NOT NULL,
        attempt integer NOT NULL,
        started_at timestamptz NOT NULL,
        ended_at timestamptz NOT NULL,
        elapsed_ms double precision NOT NULL,
        error_code text NOT NULL,
        result bytea NOT NULL,
        record_id text,
        PRIMARY KEY (tenant_id, run_id, path, seq),
        FOREIGN KEY (tenant_id, run_id) REFERENCES moon_run (tenant_id, run_id)
      );
      ${isolateByTenant('moon_attempt', ['SELECT', 'INSERT'], ['SELECT'])}
    `,
  },
  {
    // Runs are claimed in turn of their organizations.
    name: '2027-01-05-00-moon-run-turns',
    sql: 'CREATE INDEX moon_run_due_of_each ON moon_run (tenant_id COLLATE "C", wake_at) WHERE wake_at IS NOT NULL;',
  },
]
