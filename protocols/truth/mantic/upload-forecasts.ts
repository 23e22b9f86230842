// MANTIC upload_forecasts: forecasts for calibrate in parts, where they do not fit into one request.
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, described, ListOf, Timestamp } from '@svc/contract/schema'
import { sql } from '@svc/database/sql'
import { type Static, Type } from 'typebox'
import { openJson, sealJson } from '../../cognition/content/api.ts'
import { type ResolvedForecast, readAsserted } from './calibration-sample.ts'
import { AssertedForecast, forecasts_max, UploadRef } from './calibration-schema.ts'

const part_forecasts_max = 10_000
const parts_max = 100
const uploads_max = 4
const kept_ms = 24 * 3_600_000

export const UploadInput = Closed({
  upload_ref: Type.Optional(
    described(UploadRef, 'Upload to which the part is added; absent with the first.'),
  ),
  part: Type.Integer({
    minimum: 1,
    maximum: parts_max,
    description: 'Number of the part; sent again, it replaces the earlier one.',
  }),
  forecasts: described(
    ListOf(AssertedForecast, 1, part_forecasts_max),
    "What was forecast and what happened, as you say: it changes nobody's weight.",
  ),
})
export const UploadOutput = Closed({
  upload_ref: UploadRef,
  parts: Type.Integer({ minimum: 1, description: 'Parts so far.' }),
  forecasts: Type.Integer({ minimum: 1, description: `Forecasts so far; at most ${forecasts_max}.` }),
  kept_until: described(Timestamp, 'Until when it can be calibrated.'),
})

type Context = OperationContext<'vault'>

export async function uploadForecasts(
  { upload_ref, part, forecasts }: Static<typeof UploadInput>,
  context: Context,
): Promise<Static<typeof UploadOutput>> {
  for (const [place, forecast] of forecasts.entries()) readAsserted(forecast, `/forecasts/${place}`)
  await lockUploads(context)
  await removeExpired(context)
  const upload_id = upload_ref === undefined ? await newUpload(context) : idIn(upload_ref)
  const begun = upload_ref === undefined ? undefined : await sumsOf(context, upload_id)
  if (upload_ref !== undefined && !begun) throw notFound('upload', upload_ref)
  const begun_at = begun?.begun_at ?? new Date(context.now)
  const { db, tenant_id, caller, vault } = context
  const sealed = sealJson(vault, nameOf(upload_id, part), forecasts)
  await sql`
    INSERT INTO mantic_uploads (tenant_id, upload_id, part, uploaded_by, begun_at, forecasts, sealed)
    VALUES (${tenant_id}, ${upload_id}, ${part}, ${caller.did}, ${begun_at}, ${forecasts.length}, ${sealed})
    ON CONFLICT (tenant_id, upload_id, part) DO UPDATE SET forecasts = excluded.forecasts, sealed = excluded.sealed`.execute(
    db,
  )
  const sums = (await sumsOf(context, upload_id))!
  if (sums.forecasts > forecasts_max)
    throw refuse(
      'policy_denied',
      `The upload would have ${sums.forecasts} forecasts, and may have ${forecasts_max}; begin another.`,
      { reason: 'upload is full' },
    )
  return {
    upload_ref: `mantic://upload/${upload_id}`,
    parts: sums.parts,
    forecasts: sums.forecasts,
    kept_until: new Date(begun_at.getTime() + kept_ms).toISOString(),
  }
}

/** The caller's own, in the order of its parts. */
export async function readUpload(context: Context, upload_ref: string): Promise<ResolvedForecast[]> {
  const { db, tenant_id, caller, vault, now } = context
  const upload_id = idIn(upload_ref)
  const rows = await sql<{ part: number; sealed: Buffer }>`
    SELECT part, sealed FROM mantic_uploads
    WHERE tenant_id = ${tenant_id} AND upload_id = ${upload_id} AND uploaded_by = ${caller.did}
      AND begun_at > ${expiredAt(now)} ORDER BY part LIMIT ${parts_max}`.all(db)
  if (rows.length === 0) throw notFound('upload', upload_ref)
  const resolved: ResolvedForecast[] = []
  for (const { part, sealed } of rows) {
    // Each part in a turn of its own: a hundred thousand forecasts at once would hold up others.
    await new Promise((done) => setImmediate(done))
    const forecasts = openJson<AssertedForecast[]>(vault, nameOf(upload_id, part), sealed)
    for (const forecast of forecasts) resolved.push(readAsserted(forecast, ''))
  }
  return resolved
}

function idIn(upload_ref: string): string {
  return upload_ref.slice('mantic://upload/'.length)
}

function nameOf(upload_id: string, part: number): string {
  return `mantic upload ${upload_id} ${part}`
}

function expiredAt(now: string): string {
  return new Date(Date.parse(now) - kept_ms).toISOString()
}

async function lockUploads({ db, tenant_id, caller }: Context): Promise<void> {
  const name = `mantic uploads|${tenant_id}|${caller.did}`
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(db)
}

async function removeExpired({ db, tenant_id, now }: Context): Promise<void> {
  await sql`DELETE FROM mantic_uploads WHERE tenant_id = ${tenant_id} AND begun_at <= ${expiredAt(now)}`.execute(
    db,
  )
}

async function newUpload(context: Context): Promise<string> {
  const { db, tenant_id, caller } = context
  const row = await sql<{ uploads: string }>`
    SELECT count(DISTINCT upload_id) AS uploads FROM mantic_uploads
    WHERE tenant_id = ${tenant_id} AND uploaded_by = ${caller.did}`.first(db)
  if (Number(row!.uploads) < uploads_max) return context.newId()
  throw refuse(
    'policy_denied',
    `You have ${uploads_max} uploads, which is the maximum; add to one of them, or wait a day until they are removed.`,
    { reason: 'too many uploads' },
  )
}

async function sumsOf(
  { db, tenant_id, caller }: Context,
  upload_id: string,
): Promise<{ parts: number; forecasts: number; begun_at: Date } | undefined> {
  const row = await sql<{ parts: string; forecasts: string | null; begun_at: Date | null }>`
    SELECT count(*) AS parts, sum(forecasts) AS forecasts, min(begun_at) AS begun_at FROM mantic_uploads
    WHERE tenant_id = ${tenant_id} AND upload_id = ${upload_id} AND uploaded_by = ${caller.did}`.first(db)
  if (!row?.begun_at) return undefined
  return { parts: Number(row.parts), forecasts: Number(row.forecasts), begun_at: row.begun_at }
}
