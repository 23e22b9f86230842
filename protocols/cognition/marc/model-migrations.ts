// Published models, each stored once under its hash, and their names.
import { isolateByTenant, type Migration } from '@svc/database/migration'

const tables = `
  CREATE TABLE causal_models (
    tenant_id text COLLATE "C" NOT NULL,
    sha256 text COLLATE "C" NOT NULL,
    -- Canonical JSON, compressed: what the address is the hash of.
    packed bytea NOT NULL,
    variables integer NOT NULL,
    edges integer NOT NULL,
    parameters integer NOT NULL,
    treewidth_bound integer NOT NULL,
    published_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, sha256)
  );
  -- Packed already.
  ALTER TABLE causal_models ALTER COLUMN packed SET STORAGE EXTERNAL;
  CREATE TABLE causal_model_names (
    tenant_id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    version text COLLATE "C" NOT NULL,
    sha256 text COLLATE "C" NOT NULL,
    supersedes text COLLATE "C",
    provenance text[] NOT NULL,
    published_by text COLLATE "C" NOT NULL,
    published_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, name, version),
    FOREIGN KEY (tenant_id, sha256) REFERENCES causal_models (tenant_id, sha256)
  );
  CREATE INDEX causal_model_names_by_model ON causal_model_names (tenant_id, sha256);
  ${isolateByTenant('causal_models', ['SELECT', 'INSERT'], ['SELECT'])}
  ${isolateByTenant('causal_model_names', ['SELECT', 'INSERT'], ['SELECT'])}
`

export const model_migrations: readonly Migration[] = [{ name: '2026-11-17-25-causal-models', sql: tables }]
