// Artifacts and the pieces of their bytes. Their content is sealed like any other, with the pieces' keys.
import { isolateByTenant, type Migration } from '@svc/database/migration'
import { hashPartitions } from '@svc/database/partitions'

const tables = `
  -- Sealed each with a key of its own, which only the content that holds it knows: redacted, nothing opens it any more.
  CREATE TABLE mage_pieces (
    tenant_id text COLLATE "C" NOT NULL,
    piece_id uuid NOT NULL,
    sealed bytea NOT NULL,
    PRIMARY KEY (tenant_id, piece_id)
  ) PARTITION BY HASH (piece_id);
  ALTER TABLE mage_pieces ALTER COLUMN sealed SET STORAGE EXTERNAL;
  ${hashPartitions('mage_pieces')}
  -- Which content holds which bytes, by a blinded digest: the same bytes are kept once.
  CREATE TABLE mage_holdings (
    tenant_id text COLLATE "C" NOT NULL,
    digest_key text COLLATE "C" NOT NULL,
    ref text COLLATE "C" NOT NULL,
    version integer NOT NULL,
    PRIMARY KEY (tenant_id, digest_key, ref, version)
  );
  CREATE TABLE mage_artifacts (
    tenant_id text COLLATE "C" NOT NULL,
    digest text COLLATE "C" NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
    kind text COLLATE "C" NOT NULL,
    license text COLLATE "C" NOT NULL,
    visibility text COLLATE "C" NOT NULL CHECK (visibility IN ('tenant', 'treaty', 'public')),
    supersedes text COLLATE "C",
    superseded_by text COLLATE "C",
    published_by text COLLATE "C" NOT NULL,
    published_at timestamptz NOT NULL,
    mars_entry text COLLATE "C" NOT NULL,
    record_hash text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, digest)
  );
  ${isolateByTenant('mage_pieces', ['SELECT', 'INSERT'], ['SELECT'])}
  ${isolateByTenant('mage_holdings', ['SELECT', 'INSERT'], ['SELECT'])}
  ${isolateByTenant('mage_artifacts', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT'])}
`

// Artifacts published before this have only the hash of their record.
const record_names = `
  ALTER TABLE mage_artifacts ALTER COLUMN record_hash DROP NOT NULL,
    ADD COLUMN record_id text COLLATE "C", ADD COLUMN correlation_id text COLLATE "C";
`

export const artifact_migrations: readonly Migration[] = [{ name: '2026-11-18-25-artifacts', sql: tables }]

export const artifact_record_migrations: readonly Migration[] = [
  { name: '2026-11-22-10-artifact-records', sql: record_names },
]
