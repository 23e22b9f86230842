// Supports redaction: keeps text out of the catalogues, and covers records that arrive late.
import { engine_role, isolateByTenant, type Migration } from '@svc/database/migration'

const forgetting = `
  ALTER TABLE content_redaction
    -- Older readers may still see what was there before this transaction: until then its file cannot be scrubbed.
    ADD COLUMN revision xid8 NOT NULL DEFAULT pg_current_xact_id(),
    -- When to ask again for the kept input of the call that brought it; null once that is forgotten.
    ADD COLUMN forget_at timestamptz;
  CREATE INDEX content_redaction_unforgotten ON content_redaction (forget_at) WHERE forget_at IS NOT NULL;
  -- Further calls that brought the same words without making a version of their own.
  CREATE TABLE content_call (
    tenant_id text COLLATE "C" NOT NULL,
    ref text COLLATE "C" NOT NULL,
    record_id text COLLATE "C" NOT NULL,
    correlation_id uuid NOT NULL,
    PRIMARY KEY (tenant_id, ref, record_id)
  );
  ${isolateByTenant('content_call', ['SELECT', 'INSERT'], ['SELECT'])}
  DO $$ BEGIN
    IF current_setting('server_version_num')::integer >= 170000 THEN
      GRANT MAINTAIN ON content_key TO ${engine_role};
    END IF;
  END $$;
`

/** ANALYZE copies samples of a column into a logged catalogue: disabled for these columns. */
const unsampled = `
  ALTER TABLE content_index
    ALTER COLUMN text SET STATISTICS 0, ALTER COLUMN lexemes SET STATISTICS 0,
    ALTER COLUMN doc SET STATISTICS 0, ALTER COLUMN embedding SET STATISTICS 0,
    ALTER COLUMN namespace SET STATISTICS 0;
  ALTER TABLE IF EXISTS kg_entity_index
    ALTER COLUMN name SET STATISTICS 0, ALTER COLUMN likeness SET STATISTICS 0;
`

const cells = `
  ALTER TABLE IF EXISTS mind_cell
    DROP CONSTRAINT IF EXISTS mind_cell_status_check,
    ADD CONSTRAINT mind_cell_status_check
      CHECK (status IN ('active', 'evicted', 'expired', 'archived', 'redacted'));
`

export const redaction_migrations: readonly Migration[] = [
  { name: '2026-11-17-36-forgetting-late-inputs', sql: forgetting },
  { name: '2026-11-17-37-no-words-in-statistics', sql: unsampled },
  { name: '2026-11-17-38-cell-ends', sql: cells },
]
