// Charters and plans are sealed content; this table only maps a name to its charter.
import { isolateByTenant, type Migration } from '@svc/database/migration'

const charters = `
  CREATE TABLE maestro_charters (
    tenant_id text COLLATE "C" NOT NULL,
    -- A keyed hash: names are content, too.
    name_key text COLLATE "C" NOT NULL,
    version integer NOT NULL CHECK (version > 0),
    charter_ref text COLLATE "C" NOT NULL,
    previous text COLLATE "C",
    declared_by text COLLATE "C" NOT NULL,
    declared_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, name_key, version)
  );
  ${isolateByTenant('maestro_charters', ['SELECT', 'INSERT'], ['SELECT'])}
`

export const maestro_migrations: readonly Migration[] = [{ name: '2026-11-18-40-charters', sql: charters }]
