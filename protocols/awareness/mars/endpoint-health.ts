// Health of published endpoints: the effect of a probe and the schedule. The adapter sends the probes.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import { probed_kind } from './endpoint-url.ts'

const probe_every_ms = 10_000
/** Probe interval of an entry that is no longer live; its next heartbeat makes it due at once. */
const rest_ms = 600_000
const jitter = 0.1
const latencies_kept_max = 15
/** So that one tenant's slow endpoints do not use every slot. */
const per_tenant_max = 8
const fault_chars_max = 120

export interface ProbeResult {
  readonly healthy: boolean
  readonly latency_ms: number
  readonly fault?: string
}

export interface Health {
  readonly health_bps: number | null
  readonly latencies_ms: readonly number[]
  readonly failures: number
}

export interface DueProbe extends Health {
  readonly tenant_id: string
  readonly entry: string
  readonly url: string
}

/** Health is a moving average with weight 1/8 per probe: one lost packet is no outage, three are. */
export function afterProbe(health: Health, { healthy, latency_ms }: ProbeResult) {
  const now_bps = healthy ? 10_000 : 0
  const latencies_ms = healthy
    ? [...health.latencies_ms, Math.round(latency_ms)].slice(-latencies_kept_max)
    : health.latencies_ms
  return {
    healthy,
    health_bps: health.health_bps === null ? now_bps : Math.trunc((health.health_bps * 7 + now_bps) / 8),
    latencies_ms,
    latency_p50_ms: medianOf(latencies_ms),
    failures: healthy ? 0 : health.failures + 1,
  }
}

function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null
}

/**
 * Claims due probes for this engine: the same statement moves each to its next turn. `chance` in [0, 1)
 * spreads the turns, so that engines started together do not stay in step.
 */
export async function takeDueProbes(
  db: Database,
  now: Date,
  chance: number,
  taken_max: number,
): Promise<DueProbe[]> {
  const next_ms = probe_every_ms * (1 + jitter * (2 * chance - 1))
  const rows = await sql<DueProbe & { live: boolean }>`
    WITH due AS (
      SELECT entry, url, row_number() OVER (PARTITION BY tenant_id ORDER BY next_probe_at) AS turn, next_probe_at
      FROM endpoints_health WHERE next_probe_at <= ${now}
    ), taken AS (
      SELECT h.entry, h.url, e.ended_at IS NULL AND (e.expires_at IS NULL OR e.expires_at > ${now}) AS live
      FROM endpoints_health h JOIN registry_entries e ON e.hash = h.entry
      WHERE (h.entry, h.url) IN (
        SELECT entry, url FROM due WHERE turn <= ${per_tenant_max} ORDER BY next_probe_at LIMIT ${taken_max})
        AND h.next_probe_at <= ${now}
      FOR UPDATE OF h SKIP LOCKED
    )
    UPDATE endpoints_health h
    SET next_probe_at = CASE WHEN t.live THEN ${new Date(now.getTime() + next_ms)}::timestamptz
      ELSE ${new Date(now.getTime() + rest_ms)}::timestamptz END
    FROM taken t WHERE h.entry = t.entry AND h.url = t.url
    RETURNING h.tenant_id, h.entry, h.url, h.health_bps, h.latencies_ms, h.failures, t.live`.all(db)
  return rows.filter(({ live }) => live)
}

/** An endpoint that was replaced meanwhile has no row, and nothing is stored. */
export async function noteProbe(db: Database, due: DueProbe, result: ProbeResult, at: Date): Promise<void> {
  const { healthy, health_bps, latencies_ms, latency_p50_ms, failures } = afterProbe(due, result)
  const fault = healthy ? null : (result.fault ?? 'unhealthy').slice(0, fault_chars_max)
  await sql`
    UPDATE endpoints_health SET healthy = ${healthy}, health_bps = ${health_bps}, latencies_ms = ${latencies_ms},
      latency_p50_ms = ${latency_p50_ms}, failures = ${failures}, fault = ${fault}, checked_at = ${at}
    WHERE entry = ${due.entry} AND url = ${due.url}`.execute(db)
}

interface Published {
  readonly tenant_id: string
  readonly entry: string
  readonly previous: string | null
  readonly endpoints: readonly { readonly kind: string; readonly url: string }[]
}

/** Health of an address is kept when its owner publishes a new version. */
export async function watchEndpoints(db: Database, published: Published, now: Date): Promise<void> {
  const { tenant_id, entry, previous } = published
  const urls = [
    ...new Set(published.endpoints.filter(({ kind }) => kind === probed_kind).map(({ url }) => url)),
  ]
  if (urls.length > 0) {
    await sql`
      INSERT INTO endpoints_health (tenant_id, entry, url, healthy, health_bps, latencies_ms, latency_p50_ms,
        failures, fault, checked_at, next_probe_at)
      SELECT ${tenant_id}, ${entry}, wanted.url, old.healthy, old.health_bps, coalesce(old.latencies_ms, '{}'),
        old.latency_p50_ms, coalesce(old.failures, 0), old.fault, old.checked_at,
        least(coalesce(old.next_probe_at, ${now}), ${new Date(now.getTime() + probe_every_ms)})
      FROM unnest(${urls}::text[]) AS wanted(url)
      LEFT JOIN endpoints_health old ON old.entry = ${previous} AND old.url = wanted.url`.execute(db)
  }
  if (previous) await forgetEndpoints(db, previous)
}

export async function forgetEndpoints(db: Database, entry: string): Promise<void> {
  await sql`DELETE FROM endpoints_health WHERE entry = ${entry}`.execute(db)
}

/** A heartbeat: endpoints that rested because the entry was not live are due again. */
export async function wakeEndpoints(db: Database, entry: string, now: Date): Promise<void> {
  const soon = new Date(now.getTime() + 2 * probe_every_ms)
  await sql`
    UPDATE endpoints_health SET next_probe_at = ${now}
    WHERE entry = ${entry} AND next_probe_at > ${soon}`.execute(db)
}
