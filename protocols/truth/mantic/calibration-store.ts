import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'
import type { CalibrationMap } from './calibration-map.ts'

export async function keepMap(
  { db, tenant_id, caller, now }: OperationContext,
  map_id: string,
  forecaster: string,
  map: CalibrationMap,
  report: unknown,
): Promise<void> {
  await sql`
    INSERT INTO mantic_maps (tenant_id, map_id, forecaster, map, report, published_by, published_at)
    VALUES (${tenant_id}, ${map_id}, ${forecaster}, ${JSON.stringify(map)}::jsonb, ${JSON.stringify(report)}::jsonb,
      ${caller.did}, ${now})
    ON CONFLICT (tenant_id, map_id) DO UPDATE SET published_by = excluded.published_by,
      published_at = greatest(mantic_maps.published_at, excluded.published_at)`.execute(db)
}

/** The latest published map of a forecaster such as `protocol:MARC`, applied to its later forecasts. */
export async function publishedMap(
  { db, tenant_id }: Pick<OperationContext, 'db' | 'tenant_id'>,
  forecaster: string,
): Promise<CalibrationMap | undefined> {
  const row = await sql<{ map: CalibrationMap }>`
    SELECT map FROM mantic_maps WHERE tenant_id = ${tenant_id} AND forecaster = ${forecaster}
    ORDER BY published_at DESC, map_id LIMIT 1`.first(db)
  return row?.map
}
