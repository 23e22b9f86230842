// Progress, inputs and results of consolidation: only references and keyed hashes, no text.
import { isolateByTenant, type Migration } from '@svc/database/migration'

const consolidation = `
  CREATE TABLE mantle_watermark (
    tenant_id text COLLATE "C" NOT NULL,
    namespace_key text COLLATE "C" NOT NULL,
    -- Everything recorded before it was looked at.
    watermark timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, namespace_key)
  );
  -- Cells that were looked at; each is part of one episode at most, for good.
  CREATE TABLE mantle_member (
    tenant_id text COLLATE "C" NOT NULL,
    cell_ref text COLLATE "C" NOT NULL,
    episode_ref text COLLATE "C",
    PRIMARY KEY (tenant_id, cell_ref)
  );
  -- Which cell states what, by keyed hashes of the triple and of its subject with its predicate.
  CREATE TABLE mantle_mention (
    tenant_id text COLLATE "C" NOT NULL,
    namespace_key text COLLATE "C" NOT NULL,
    triple_key text COLLATE "C" NOT NULL,
    cell_ref text COLLATE "C" NOT NULL,
    pair_key text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, namespace_key, triple_key, cell_ref)
  );
  CREATE INDEX mantle_mention_by_pair ON mantle_mention (tenant_id, namespace_key, pair_key);
  -- What has become a lasting memory already, so that nothing becomes one twice.
  CREATE TABLE mantle_output (
    tenant_id text COLLATE "C" NOT NULL,
    namespace_key text COLLATE "C" NOT NULL,
    output_key text COLLATE "C" NOT NULL,
    ref text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, namespace_key, output_key)
  );
  ${isolateByTenant('mantle_watermark', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT'])}
  ${isolateByTenant('mantle_member', ['SELECT', 'INSERT'], ['SELECT'])}
  ${isolateByTenant('mantle_mention', ['SELECT', 'INSERT'], ['SELECT'])}
  ${isolateByTenant('mantle_output', ['SELECT', 'INSERT'], ['SELECT'])}
  CREATE INDEX mind_cell_by_age ON mind_cell (tenant_id, namespace_key, kind, created_at, ref);
  CREATE INDEX mind_cell_by_occurrence ON mind_cell (tenant_id, namespace_key, kind, occurred_at, ref);
`

export const mantle_migrations: readonly Migration[] = [
  { name: '2026-11-17-38-consolidation', sql: consolidation },
]
