// Tables of the root keys. No tenant's data: only the engine's own role reads them.
import { engine_role, type Migration } from '@svc/database/migration'

export const root_key_migrations: readonly Migration[] = [
  {
    name: '2026-12-20-00-root-keys',
    sql: `
      CREATE TABLE root_keys (
        -- seal: wraps what is sealed. index: keys of hashes that are looked up. first: the master key of an installation from before root keys.
        purpose text NOT NULL CHECK (purpose IN ('seal', 'index', 'first')),
        version integer NOT NULL CHECK (version BETWEEN 0 AND 65535),
        state text NOT NULL CHECK (state IN ('announced', 'current', 'old', 'destroyed')),
        wrapped bytea,
        -- The name of the master key, which tells nothing about it.
        wrapped_by text NOT NULL,
        created_at timestamptz NOT NULL,
        current_at timestamptz,
        destroyed_at timestamptz,
        PRIMARY KEY (purpose, version),
        CHECK ((state = 'destroyed') = (wrapped IS NULL)),
        CHECK (purpose = 'seal' OR state = 'current')
      );
      CREATE UNIQUE INDEX root_keys_one_each ON root_keys (purpose, state) WHERE state <> 'destroyed';
      -- Which root keys each engine holds and uses, by its journal.
      CREATE TABLE root_key_engines (
        journal_id uuid PRIMARY KEY,
        journal_dir text NOT NULL,
        opens integer NOT NULL,
        seals integer NOT NULL,
        -- Nothing in its journal is sealed by an older version than this.
        journalled integer NOT NULL,
        seals_since timestamptz NOT NULL,
        seen_at timestamptz NOT NULL
      );
      -- Columns that begin with an envelope, or as text contain some in base64.
      CREATE TABLE sealed_columns (
        relation text COLLATE "C" NOT NULL,
        column_name text COLLATE "C" NOT NULL,
        PRIMARY KEY (relation, column_name)
      );
      CREATE TABLE reseal_progress (
        relation text COLLATE "C" NOT NULL,
        column_name text COLLATE "C" NOT NULL,
        next_block bigint NOT NULL,
        blocks bigint NOT NULL,
        resealed bigint NOT NULL,
        PRIMARY KEY (relation, column_name)
      );
      GRANT SELECT, INSERT, UPDATE ON root_keys TO ${engine_role};
      GRANT SELECT, INSERT, UPDATE, DELETE ON root_key_engines, reseal_progress TO ${engine_role};
      GRANT SELECT ON sealed_columns TO ${engine_role};
    `,
  },
]
