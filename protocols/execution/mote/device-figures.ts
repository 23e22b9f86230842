// Counts an organization's devices, and those heard from recently.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'

/** Longer than the silence of a healthy device. */
const silent_ms_max = 300_000

export interface DeviceFigures {
  readonly devices: number
  readonly heard_lately: number
}

export async function countDevices(db: Database, tenant_id: string, now: string): Promise<DeviceFigures> {
  const since = new Date(Date.parse(now) - silent_ms_max)
  const row = await sql<Record<keyof DeviceFigures, string>>`
    SELECT count(*) AS devices, count(*) FILTER (WHERE last_seen_at >= ${since}) AS heard_lately
    FROM mote_devices WHERE tenant_id = ${tenant_id}`.first(db)
  return { devices: Number(row!.devices), heard_lately: Number(row!.heard_lately) }
}
