// Manifest rows. The submitted manifest is sealed, because step payloads are content.

import type { Database } from '@svc/contract/database'
import type { StandIn } from '@svc/contract/needs/stand-in'
import type { Vault } from '@svc/contract/needs/vault'
import { refuse } from '@svc/contract/refusal'
import { type NotNull, sql } from '@svc/database/sql'
import { openJson, sealJson } from '../../cognition/content/api.ts'
import type { Manifest } from './manifest.ts'

const named_bytes_max = 16 * 1024 * 1024

export interface StoredManifest {
  readonly ref: string
  readonly manifest: Manifest
  readonly is_active: boolean
}

export interface ManifestRow {
  readonly ref: string
  readonly name: string
  readonly version: string
  readonly recipe_id: string
  readonly submitted_by: string
  readonly submitted_at: string
  readonly is_active: boolean
  /** Includes the steps of the recipes it names. */
  readonly steps: number
  readonly schedule?: {
    readonly cron: string
    readonly tz: string
    readonly overlap: string
    readonly next_at: Date | null
  }
}

interface Found {
  readonly ref: string
  readonly manifest: Buffer
  readonly is_active: boolean
}

interface Place {
  readonly db: Database
  readonly tenant_id: string
  readonly vault: Vault
}

/** False if the content is already stored; then only the activation, submitter and identity are updated. */
export async function keepManifest(
  { db, tenant_id, vault }: Place,
  row: ManifestRow,
  manifest: Manifest,
  acting: StandIn,
): Promise<boolean> {
  const { ref, name, version, recipe_id, submitted_by, submitted_at, is_active, steps, schedule } = row
  const sealed_acting = schedule && is_active ? sealJson(vault, `acting ${ref}`, acting) : null
  const next_at = is_active ? (schedule?.next_at ?? null) : null
  const rows = await sql<{ is_new: boolean }>`
    INSERT INTO moon_manifest AS kept (tenant_id, ref, name, version, recipe_id, manifest, submitted_by,
      submitted_at, is_active, steps, cron, time_zone, overlap, acting, next_at)
    VALUES (${tenant_id}, ${ref}, ${name}, ${version}, ${recipe_id}, ${sealJson(vault, ref, manifest)},
      ${submitted_by}, ${submitted_at}, ${is_active}, ${steps}, ${schedule?.cron ?? null}, ${schedule?.tz ?? null},
      ${schedule?.overlap ?? null}, ${sealed_acting}, ${next_at})
    ON CONFLICT (tenant_id, ref) DO UPDATE SET is_active = excluded.is_active, acting = excluded.acting,
      submitted_by = excluded.submitted_by, steps = excluded.steps, next_at = excluded.next_at, paused_reason = NULL
    RETURNING (xmax = 0) AS is_new`.all(db)
  return rows[0]!.is_new
}

/** The ref that already has this name and version, if any. */
export async function refOfVersion(
  { db, tenant_id }: Pick<Place, 'db' | 'tenant_id'>,
  name: string,
  version: string,
): Promise<string | undefined> {
  const row = await sql<{ ref: string }>`
    SELECT ref FROM moon_manifest
    WHERE tenant_id = ${tenant_id} AND name = ${name} AND version = ${version}`.first(db)
  return row?.ref
}

export interface NamedVersion {
  readonly name: string
  readonly version: string
}

/** Those of the names and versions that no manifest has. */
export async function missingVersions<Version extends NamedVersion>(
  { db, tenant_id }: Pick<Place, 'db' | 'tenant_id'>,
  versions: readonly Version[],
): Promise<Version[]> {
  if (versions.length === 0) return []
  const rows = await sql<{ place: number }>`
    SELECT wanted.place::float8 AS place
    FROM unnest(${versions.map(({ name }) => name)}::text[], ${versions.map(({ version }) => version)}::text[])
      WITH ORDINALITY AS wanted (name, version, place)
    WHERE NOT EXISTS (SELECT FROM moon_manifest
      WHERE tenant_id = ${tenant_id} AND name = wanted.name AND version = wanted.version)
    ORDER BY wanted.place`.all(db)
  return rows.map(({ place }) => versions[place - 1]!)
}

export async function findManifest(place: Place, ref: string): Promise<StoredManifest | undefined> {
  const row = await sql<Found>`
    SELECT ref, manifest, is_active FROM moon_manifest
    WHERE tenant_id = ${place.tenant_id} AND ref = ${ref}`.first(place.db)
  return row && opened(place, row)
}

export function refuseInactive({ ref, is_active }: StoredManifest): void {
  if (is_active) return
  throw refuse('policy_denied', `Manifest ${ref} is not active; submit it again with activate.`, {
    reason: 'manifest inactive',
  })
}

/** The manifests that contain these recipes; the oldest one for each recipe. */
export async function manifestsOfRecipes(
  place: Place,
  recipe_ids: readonly string[],
): Promise<readonly Manifest[]> {
  if (recipe_ids.length === 0) return []
  await refuseTooMuch(place, recipe_ids)
  const rows = await sql<Found>`
    SELECT DISTINCT ON (recipe_id) ref, manifest, is_active FROM moon_manifest
    WHERE tenant_id = ${place.tenant_id} AND recipe_id = ANY(${[...recipe_ids]})
    ORDER BY recipe_id, submitted_at`.all(place.db)
  return rows.map((row) => opened(place, row).manifest)
}

async function refuseTooMuch({ db, tenant_id }: Place, recipe_ids: readonly string[]): Promise<void> {
  const row = await sql<{ bytes: number }>`
    SELECT coalesce(sum(octet_length(manifest)), 0)::float8 AS bytes FROM moon_manifest
    WHERE tenant_id = ${tenant_id} AND recipe_id = ANY(${[...recipe_ids]})`.first(db)
  if (row!.bytes <= named_bytes_max) return
  throw refuse(
    'invalid_payload',
    `The recipes it names hold more than ${named_bytes_max} bytes; name fewer.`,
    {
      reason: 'too_large',
    },
  )
}

function opened({ vault }: Place, { ref, manifest, is_active }: Found): StoredManifest {
  return { ref, is_active, manifest: openJson(vault, ref, manifest) }
}

export interface DueSchedule {
  readonly tenant_id: string
  readonly ref: string
  readonly cron: NotNull<string>
  readonly time_zone: NotNull<string>
  readonly overlap: NotNull<'skip' | 'queue'>
  readonly acting: NotNull<Buffer>
  readonly next_at: NotNull<Date>
}

/** Locks due schedules for one engine until the transaction ends; runs can be started meanwhile. */
export async function claimDueSchedules(db: Database, now: Date, limit: number): Promise<DueSchedule[]> {
  return sql<DueSchedule>`
    SELECT tenant_id, ref, cron, time_zone, overlap, acting, next_at FROM moon_manifest
    WHERE next_at <= ${now} AND is_active AND acting IS NOT NULL
    ORDER BY next_at LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED`.all(db)
}

export async function setNextRun(
  db: Database,
  { tenant_id, ref }: Pick<DueSchedule, 'tenant_id' | 'ref'>,
  next_at: Date | null,
  paused_reason: string | null,
): Promise<void> {
  await sql`UPDATE moon_manifest SET next_at = ${next_at}, paused_reason = ${paused_reason}
    WHERE tenant_id = ${tenant_id} AND ref = ${ref}`.execute(db)
}
