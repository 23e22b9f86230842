// Memory cells with their content, now or at another time.
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'
import { type ContentRow, content_columns, openRow, type StoredContent } from '../content/api.ts'

export interface ReadCell extends StoredContent {
  readonly occurred_at: Date
  readonly confidence: number
}

interface CellRow extends ContentRow {
  readonly occurred_at: Date | null
  readonly cell_confidence: number | null
}

interface Moment {
  readonly as_of?: string | undefined
  readonly known_at?: string | undefined
}

/** By reference, without redacted or missing ones. Other content is dated by the start of its validity. */
export async function readCells(
  context: Pick<OperationContext<'vault'>, 'db' | 'tenant_id' | 'vault' | 'now'>,
  refs: readonly string[],
  { as_of, known_at }: Moment = {},
): Promise<Map<string, ReadCell>> {
  const standing =
    as_of === undefined && known_at === undefined
      ? sql`content.superseded_at IS NULL`
      : sql`content.recorded_at <= ${known_at ?? context.now}::timestamptz
          AND (${as_of ?? null}::timestamptz IS NULL OR content.valid_from <= ${as_of ?? null}::timestamptz)`
  const rows = await sql<CellRow>`
    SELECT DISTINCT ON (content.ref) ${content_columns}, cell.occurred_at, cell.confidence AS cell_confidence
    FROM content JOIN content_key USING (tenant_id, ref, version)
    LEFT JOIN mind_cell AS cell ON cell.tenant_id = content.tenant_id AND cell.ref = content.ref
    WHERE content.tenant_id = ${context.tenant_id} AND content.ref = ANY(${refs}) AND ${standing}
    ORDER BY content.ref, content.version DESC`.all(context.db)
  const cells = rows.map(({ occurred_at, cell_confidence, ...row }) => ({
    ...openRow(context, row),
    occurred_at: occurred_at ?? row.valid_from,
    confidence: cell_confidence ?? 1,
  }))
  return new Map(cells.filter(({ body }) => body !== undefined).map((cell) => [cell.ref, cell]))
}
