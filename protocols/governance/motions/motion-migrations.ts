// Tables of motions, positions, verdicts and their uses.
import { isolateByTenant, type Migration } from '@svc/database/migration'
import { motion_states } from './motion.ts'
import { outcomes, positions } from './motion-tally.ts'

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ')

const motions = `
  CREATE TABLE motions (
    tenant_id text COLLATE "C" NOT NULL,
    motion_id uuid NOT NULL,
    council_id uuid NOT NULL,
    motion_hash text NOT NULL,
    body text NOT NULL,
    state text NOT NULL CHECK (state IN (${quoted(motion_states)})),
    -- When time may next change it; null where it cannot.
    next_at timestamptz,
    PRIMARY KEY (tenant_id, motion_id)
  );
  CREATE INDEX motions_due ON motions (next_at) WHERE next_at IS NOT NULL;
  ${isolateByTenant('motions', ['SELECT', 'INSERT'], ['SELECT'])}
  -- The words of a motion stay as they are: only how it goes on changes.
  GRANT UPDATE (state, next_at) ON motions TO svc_app, svc_engine;

  CREATE TABLE positions (
    tenant_id text COLLATE "C" NOT NULL,
    motion_id uuid NOT NULL,
    did text COLLATE "C" NOT NULL,
    revision integer NOT NULL CHECK (revision > 0),
    position_id uuid NOT NULL,
    position text NOT NULL CHECK (position IN (${quoted(positions)})),
    reasoning text NOT NULL,
    citations text[] NOT NULL,
    signature text,
    public_key text,
    method text CHECK (method IN ('own', 'custodial')),
    taken_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, motion_id, did, revision),
    FOREIGN KEY (tenant_id, motion_id) REFERENCES motions,
    CHECK ((signature IS NULL) = (method IS NULL) AND (signature IS NULL) = (public_key IS NULL))
  );
  ${isolateByTenant('positions', ['SELECT', 'INSERT'], ['SELECT'])}
`

const verdicts = `
  CREATE TABLE verdicts (
    tenant_id text COLLATE "C" NOT NULL,
    verdict_id text COLLATE "C" NOT NULL,
    -- Null where the only member of a charter acted alone.
    motion_id uuid,
    outcome text NOT NULL CHECK (outcome IN (${quoted(outcomes)})),
    body text NOT NULL,
    max_uses integer NOT NULL CHECK (max_uses > 0),
    uses integer NOT NULL DEFAULT 0 CHECK (uses BETWEEN 0 AND max_uses),
    registered text,
    tallied_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, verdict_id),
    FOREIGN KEY (tenant_id, motion_id) REFERENCES motions
  );
  CREATE UNIQUE INDEX verdicts_of_motion ON verdicts (tenant_id, motion_id) WHERE motion_id IS NOT NULL;
  ${isolateByTenant('verdicts', ['SELECT', 'INSERT'], ['SELECT'])}
  GRANT UPDATE (uses, registered) ON verdicts TO svc_app;

  -- Charter-level verdicts by what they are about, whatever their outcome: who is refused learns of the last one.
  CREATE TABLE verdict_binds (
    tenant_id text COLLATE "C" NOT NULL,
    operation text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    tallied_at timestamptz NOT NULL,
    verdict_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, operation, subject, tallied_at, verdict_id),
    FOREIGN KEY (tenant_id, verdict_id) REFERENCES verdicts
  );
  ${isolateByTenant('verdict_binds', ['SELECT', 'INSERT'], ['SELECT'])}

  CREATE TABLE verdict_uses (
    tenant_id text COLLATE "C" NOT NULL,
    verdict_id text COLLATE "C" NOT NULL,
    use_no integer NOT NULL CHECK (use_no > 0),
    operation text NOT NULL,
    subject text NOT NULL,
    correlation_id uuid NOT NULL,
    used_by text COLLATE "C" NOT NULL,
    used_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, verdict_id, use_no),
    FOREIGN KEY (tenant_id, verdict_id) REFERENCES verdicts
  );
  ${isolateByTenant('verdict_uses', ['SELECT', 'INSERT'], ['SELECT'])}
`

// For lists, newest first. Filled by a type change, which reads every row regardless of row rules.
const listing = `
  ALTER TABLE motions ADD COLUMN convened_at timestamptz;
  ALTER TABLE motions ALTER COLUMN convened_at TYPE timestamptz
    USING (body::jsonb ->> 'convened_at')::timestamptz;
  ALTER TABLE motions ALTER COLUMN convened_at SET NOT NULL;
  CREATE INDEX motions_of_tenant ON motions (tenant_id, convened_at, motion_id);
`

// Engines of the previous version do not know the column, so a trigger fills it from the body.
const convening = `
  CREATE FUNCTION svc_motion_convened() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp AS $convened$
  BEGIN
    NEW.convened_at := (NEW.body::jsonb ->> 'convened_at')::timestamptz;
    RETURN NEW;
  END
  $convened$;
  CREATE TRIGGER motions_convened BEFORE INSERT ON motions
    FOR EACH ROW EXECUTE FUNCTION svc_motion_convened();
`

export const motion_migrations: readonly Migration[] = [
  { name: '2026-11-16-20-motions', sql: `${motions}${verdicts}` },
  { name: '2026-11-20-20-motions-listed', sql: listing },
  { name: '2026-11-20-28-motions-convened', sql: convening },
]
