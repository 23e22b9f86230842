// Asset definitions. Anyone may look one up by name; only its issuer owns the row.

import type { Database } from '@svc/contract/database'
import type { Bounds } from '@svc/contract/list-page'
import { sql } from '@svc/database/sql'
import { type Asset, assetHash, type Definition } from './asset.ts'

interface AssetRow extends Omit<Asset, 'lot_size' | 'tick_size' | 'max_supply'> {
  readonly lot_size: string
  readonly tick_size: string
  readonly max_supply: string | null
}

export interface Published {
  readonly tenant_id: string
  readonly did: string
  readonly at: string
}

/** False if the name is taken. */
export async function keepAsset(db: Database, asset: Definition, by: Published): Promise<boolean> {
  const rows = await sql`
    INSERT INTO assets (asset_id, tenant_id, asset_hash, kind, rail, code, decimals, finality_s, lot_size, tick_size,
      max_supply, published_by, published_at)
    VALUES (${asset.asset_id}, ${by.tenant_id}, ${assetHash(asset)}, ${asset.kind}, ${asset.rail}, ${asset.code},
      ${asset.decimals}, ${asset.finality_s}, ${String(asset.lot_size)}, ${String(asset.tick_size)},
      ${asset.max_supply === null ? null : String(asset.max_supply)}, ${by.did}, ${by.at})
    ON CONFLICT (asset_id) DO NOTHING RETURNING asset_id`.all(db)
  return rows.length === 1
}

/** Whoever published them. Unknown ones are left out. */
export async function findAssets(db: Database, asset_ids: readonly string[]): Promise<Map<string, Asset>> {
  const distinct_ids = [...new Set(asset_ids)]
  const rows = await sql<AssetRow>`
    SELECT asset_id, tenant_id, asset_hash, kind, rail, code, decimals, finality_s, lot_size, tick_size, max_supply
    FROM svc_assets(${distinct_ids}::text[])`.all(db)
  return new Map(
    rows.map((row) => [
      row.asset_id,
      {
        ...row,
        lot_size: BigInt(row.lot_size),
        tick_size: BigInt(row.tick_size),
        max_supply: row.max_supply === null ? null : BigInt(row.max_supply),
      },
    ]),
  )
}

/** By name: assets this tenant has published, or in which it or its identities have an account. */
export async function namesOfAssets(
  db: Database,
  tenant_id: string,
  { before, limit }: Bounds,
): Promise<string[]> {
  const after = before?.id ?? ''
  // Skips from name to name, so the number of accounts per asset does not matter.
  const rows = await sql<{ asset_id: string }>`
    WITH RECURSIVE held (asset_id) AS (
      (SELECT a.asset_id FROM ledger_accounts a WHERE a.tenant_id = ${tenant_id} AND a.asset_id > ${after}
        ORDER BY a.asset_id LIMIT 1)
      UNION ALL
      SELECT (SELECT a.asset_id FROM ledger_accounts a WHERE a.tenant_id = ${tenant_id}
        AND a.asset_id > held.asset_id ORDER BY a.asset_id LIMIT 1)
      FROM held WHERE held.asset_id IS NOT NULL)
    SELECT asset_id FROM (
      (SELECT asset_id FROM held WHERE asset_id IS NOT NULL LIMIT ${limit})
      UNION
      (SELECT asset_id FROM assets WHERE tenant_id = ${tenant_id} AND asset_id > ${after}
        ORDER BY asset_id LIMIT ${limit})) AS named
    ORDER BY asset_id LIMIT ${limit}`.all(db)
  return rows.map(({ asset_id }) => asset_id)
}
