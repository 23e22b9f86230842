// Models are immutable: a row is written once, and a name always refers to the same model.

import type { Database } from '@svc/contract/database'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import type { PackedModel } from '../causal/api.ts'
import { readContent } from '../content/api.ts'

const ref_start = 'marc://model/'
const model_form = /^marc:\/\/model\/[0-9a-f]{64}$/
const hold_slack_ms = 10_000

export interface ModelName {
  readonly name: string
  readonly version: string
  readonly sha256: string
  readonly supersedes: string | null
  readonly provenance: readonly string[]
}

export function modelRef(sha256: string): string {
  return ref_start + sha256
}

export function hashIn(model_ref: string): string {
  return model_ref.slice(ref_start.length)
}

export async function requireModel({ db, tenant_id }: OperationContext, model_ref: string): Promise<void> {
  const rows = await sql`
    SELECT 1 FROM causal_models WHERE tenant_id = ${tenant_id} AND sha256 = ${hashIn(model_ref)}`.all(db)
  if (rows.length === 0) throw notFound('model', model_ref)
}

/** Equal content is stored once. */
export async function keepModel({ db, tenant_id, now }: OperationContext, model: PackedModel): Promise<void> {
  const { sha256, packed, variables, edges, parameters, treewidth_bound } = model
  await sql`
    INSERT INTO causal_models (tenant_id, sha256, packed, variables, edges, parameters, treewidth_bound, published_at)
    VALUES (${tenant_id}, ${sha256}, ${Buffer.from(packed)}, ${variables}, ${edges}, ${parameters},
      ${treewidth_bound}, ${now})
    ON CONFLICT DO NOTHING`.execute(db)
}

/** Undefined if the name was new and now refers to this model; otherwise the model it refers to. */
export async function nameModel(
  { db, tenant_id, now, caller }: OperationContext,
  { name, version, sha256, supersedes, provenance }: ModelName,
): Promise<string | undefined> {
  const rows = await sql`
    INSERT INTO causal_model_names (tenant_id, name, version, sha256, supersedes, provenance, published_by, published_at)
    VALUES (${tenant_id}, ${name}, ${version}, ${sha256}, ${supersedes}, ${provenance}, ${caller.did}, ${now})
    ON CONFLICT DO NOTHING RETURNING name`.all(db)
  if (rows.length > 0) return undefined
  const standing = await sql<{ sha256: string }>`
    SELECT sha256 FROM causal_model_names
    WHERE tenant_id = ${tenant_id} AND name = ${name} AND version = ${version}`.execute(db)
  return standing.rows[0]!.sha256
}

/** The transaction stays open meanwhile, so its idle limit covers the work on the model. */
export async function readModel(
  { db, tenant_id }: OperationContext,
  model_ref: string,
  hold_ms: number,
): Promise<Uint8Array> {
  await holdRows(db, hold_ms)
  const row = await sql<{ packed: Buffer }>`
    SELECT packed FROM causal_models
    WHERE tenant_id = ${tenant_id} AND sha256 = ${hashIn(model_ref)}`.first(db)
  if (!row) throw notFound('model', model_ref)
  // A copy: the driver's buffer is larger, and all of it would be sent to the thread.
  return Uint8Array.from(row.packed)
}

/** A snapshot refers to a model by a field of its content. */
export async function modelOfSnapshot(
  context: OperationContext<'vault'>,
  snapshot_ref: string,
  hold_ms: number,
): Promise<string> {
  await holdRows(context.db, hold_ms)
  const content = await readContent(context, snapshot_ref)
  const model_ref = (content?.body as { model_ref?: unknown } | null | undefined)?.model_ref
  if (typeof model_ref !== 'string' || !model_form.test(model_ref))
    throw notFound('model behind the snapshot', snapshot_ref)
  return model_ref
}

async function holdRows(db: Database, hold_ms: number): Promise<void> {
  const idle_ms = String(Math.ceil(hold_ms) + hold_slack_ms)
  await sql`SELECT set_config('idle_in_transaction_session_timeout', ${idle_ms}, true)`.execute(db)
}
