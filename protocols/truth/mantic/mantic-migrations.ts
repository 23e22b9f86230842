import { app_role, isolateByTenant, type Migration } from '@svc/database/migration'

const maps = `
  -- The newest of a forecaster is the one in force; publishing an old one again makes it the newest.
  CREATE TABLE mantic_maps (
    tenant_id text COLLATE "C" NOT NULL,
    map_id text COLLATE "C" NOT NULL,
    forecaster text COLLATE "C" NOT NULL,
    map jsonb NOT NULL,
    report jsonb NOT NULL,
    published_by text COLLATE "C" NOT NULL,
    published_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, map_id)
  );
  CREATE INDEX mantic_maps_in_force ON mantic_maps (tenant_id, forecaster, published_at DESC, map_id);
  ${isolateByTenant('mantic_maps', ['SELECT', 'INSERT'], ['SELECT'])}
  GRANT UPDATE (published_by, published_at) ON mantic_maps TO ${app_role};
`

export const mantic_migrations: readonly Migration[] = [{ name: '2026-11-17-43-calibration', sql: maps }]
