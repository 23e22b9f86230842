import type { Database } from '@svc/contract/database'
import type { Vault } from '@svc/contract/needs/vault'
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'

export type SignalKind = 'log' | 'span'
const signals_a_batch_max = 100
const rows_a_statement_max = 20

/** In the transaction of the call: what was accepted can be read back. */
export async function keepSignals(
  context: OperationContext<'vault'>,
  kind: SignalKind,
  signals: readonly object[],
): Promise<void> {
  const rows: { batch_id: string; sealed: Buffer; wrapped_key: Buffer }[] = []
  for (let from = 0; from < signals.length; from += signals_a_batch_max) {
    const batch_id = context.newId()
    const text = JSON.stringify(signals.slice(from, from + signals_a_batch_max))
    rows.push({ batch_id, ...context.vault.seal(boxName(batch_id), text) })
  }
  for (let from = 0; from < rows.length; from += rows_a_statement_max) {
    const some = rows.slice(from, from + rows_a_statement_max)
    const hex = (name: 'sealed' | 'wrapped_key') => some.map((row) => row[name].toString('hex'))
    await sql`
      INSERT INTO signal_batches (tenant_id, batch_id, kind, sent_by, received_at, bytes, sealed, wrapped_key)
      SELECT ${context.tenant_id}, b.batch_id, ${kind}, ${context.caller.did}, ${context.now}::timestamptz,
        octet_length(b.sealed) / 2, decode(b.sealed, 'hex'), decode(b.wrapped_key, 'hex')
      FROM unnest(${some.map(({ batch_id }) => batch_id)}::uuid[], ${hex('sealed')}::text[],
        ${hex('wrapped_key')}::text[]) AS b(batch_id, sealed, wrapped_key)`.execute(context.db)
  }
}

export interface SignalBatch {
  readonly batch_id: string
  readonly received_at: Date
  readonly sealed: Buffer
  readonly wrapped_key: Buffer
}

export interface BatchesAsked {
  readonly tenant_id: string
  readonly sent_by: string
  readonly kind: SignalKind
  readonly since: string | null
  /** This batch and older ones. */
  readonly from: { readonly at: string; readonly batch_id: string } | null
  readonly limit: number
}

/** Newest first. */
export function readBatches(db: Database, question: BatchesAsked): Promise<SignalBatch[]> {
  const { tenant_id, sent_by, kind, since, from, limit } = question
  return sql<SignalBatch>`
    SELECT batch_id, received_at, sealed, wrapped_key FROM signal_batches
    WHERE tenant_id = ${tenant_id} AND sent_by = ${sent_by} AND kind = ${kind}
      AND ${since === null ? sql`true` : sql`received_at >= ${since}`}
      AND ${from === null ? sql`true` : sql`received_at <= ${from.at} AND (received_at, batch_id) <= (${from.at}, ${from.batch_id})`}
    ORDER BY received_at DESC, batch_id DESC LIMIT ${limit}`.all(db)
}

export function openBatch(vault: Vault, { batch_id, sealed, wrapped_key }: SignalBatch): unknown[] {
  return JSON.parse(vault.open(boxName(batch_id), { sealed, wrapped_key }).toString()) as unknown[]
}

function boxName(batch_id: string): string {
  return `signals:${batch_id}`
}
