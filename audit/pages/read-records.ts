// Stored records by their places. The only way to a record's text: it also decides what others may read of a log.
import { refuse } from '@svc/contract/refusal'
import { app_role, tenant_setting } from '@svc/database/migration'
import type { Query } from '../query/client-query.ts'
import { openBodies } from './bodies.ts'
import { part_records } from './page.ts'

export interface StoredRecord {
  readonly tenant_id: string
  readonly seq: number
  /** Undefined where it was overwritten with something that cannot be opened. */
  readonly body: string | undefined
  readonly record_hash: string
  readonly previous_hash: string
  /** The latest time in its page. */
  readonly page_at: Date
}

/** Both ends included. */
export interface SeqRange {
  readonly from_seq: number
  readonly to_seq: number
}

export type Matches = (record: StoredRecord) => boolean

const hash_bytes = 32

interface PieceRow {
  readonly tenant_id: string
  readonly first_seq: string
  readonly before_hash: Buffer
  readonly hashes: Buffer
  readonly bytes: Uint8Array | null
  /** Where its parts begin in the whole page; its name and size in the archive, null where it is not there. */
  readonly start: number
  readonly archived_as: string | null
  readonly archived_bytes: number | null
  /** Ends of the compressed parts in `bytes`; null for a piece of the tail, which is one part. */
  readonly part_ends: number[] | null
  readonly format: number
  readonly at: Date
  readonly is_own: boolean
}

// Of a page only the parts of 64 records that are asked for. Naming one log lets PostgreSQL plan for its partition alone.
function piecesSql(ranges: string, owner: string): string {
  return `
  SELECT piece.*, current_setting('role') <> '${app_role}'
    OR piece.tenant_id = current_setting('${tenant_setting}', true) AS is_own
  FROM ${ranges}
  CROSS JOIN LATERAL (
    SELECT p.tenant_id, p.page * 256 + part.first * 64 + 1 AS first_seq,
      CASE part.first WHEN 0 THEN p.before_hash
        ELSE substring(p.hashes FROM part.first * 2048 - 31 FOR 32) END AS before_hash,
      substring(p.hashes FROM part.first * 2048 + 1 FOR (part.last - part.first + 1) * 2048) AS hashes,
      substring(p.bytes FROM part.start + 1 FOR p.part_ends[part.last + 1] - part.start) AS bytes,
      ARRAY(SELECT p.part_ends[i + 1] - part.start FROM generate_series(part.first, part.last) i) AS part_ends,
      p.format, p.to_at AS at, part.start,
      CASE WHEN p.bytes IS NULL THEN encode(p.sha256, 'hex') END AS archived_as, p.part_ends[4] AS archived_bytes
    FROM audit_pages p
    CROSS JOIN LATERAL (
      SELECT greatest(0, (wanted.from_seq - 1 - p.page * 256) / 64)::integer AS first,
        least(3, (wanted.to_seq - 1 - p.page * 256) / 64)::integer AS last
    ) asked
    CROSS JOIN LATERAL (SELECT asked.first, asked.last, coalesce(p.part_ends[asked.first], 0) AS start) part
    WHERE p.tenant_id = ${owner} AND p.page BETWEEN (wanted.from_seq - 1) / 256 AND (wanted.to_seq - 1) / 256
    UNION ALL
    SELECT t.tenant_id, t.first_seq, t.before_hash, t.hashes, t.bytes, NULL, t.format, t.to_at, 0, NULL, NULL FROM audit_tail t
    WHERE t.tenant_id = ${owner} AND t.last_seq >= wanted.from_seq AND t.first_seq <= wanted.to_seq
  ) AS piece ORDER BY piece.tenant_id, piece.first_seq`
}

const pieces_of_one = piecesSql('unnest($2::bigint[], $3::bigint[]) AS wanted(from_seq, to_seq)', '$1')
const pieces_of_several = piecesSql(
  'unnest($1::text[], $2::bigint[], $3::bigint[]) AS wanted(tenant_id, from_seq, to_seq)',
  'wanted.tenant_id',
)

/** The records in these ranges that the transaction's tenant may read, in order; missing ones are missing. */
export async function readRecords(
  query: Query,
  tenant_id: string,
  ranges: readonly SeqRange[],
  matches?: Matches,
): Promise<StoredRecord[]> {
  const { records, is_own } = await recordsToCheck(query, tenant_id, ranges, matches)
  return is_own ? records : await readable(query, tenant_id, records)
}

/** As above, with records that only may be checked: nothing but whether they are sound may leave this folder. */
export async function recordsToCheck(
  query: Query,
  tenant_id: string,
  ranges: readonly SeqRange[],
  matches: Matches = () => true,
): Promise<{ records: StoredRecord[]; is_own: boolean }> {
  const in_order = ranges.toSorted((a, b) => a.from_seq - b.from_seq)
  const asked_for = joined(in_order)
  const pieces =
    asked_for.length === 0
      ? []
      : await piecesOf(query, await query<PieceRow>(pieces_of_one, [tenant_id, ...endsOf(asked_for)]))
  let next = 0
  // Records come in order, and so do ranges.
  const isAsked = ({ seq }: StoredRecord) => {
    while (next < in_order.length && in_order[next]!.to_seq < seq) next++
    return next < in_order.length && in_order[next]!.from_seq <= seq
  }
  const records = pieces.flatMap((row) =>
    recordsOf(row).filter((record) => isAsked(record) && matches(record)),
  )
  return { records, is_own: pieces.every(({ is_own }) => is_own) }
}

/** Records of several tenants, for the engine itself: one range of each. */
export async function readTenants(
  query: Query,
  ranges: readonly (SeqRange & { readonly tenant_id: string })[],
): Promise<StoredRecord[]> {
  const range_of = new Map(ranges.map((range) => [range.tenant_id, range]))
  if (ranges.length === 0) return []
  const tenant_ids = ranges.map(({ tenant_id }) => tenant_id)
  const rows = await query<PieceRow>(pieces_of_several, [tenant_ids, ...endsOf(ranges)])
  const pieces = await piecesOf(query, rows)
  return pieces.flatMap(recordsOf).filter(({ tenant_id, seq }) => {
    const { from_seq, to_seq } = range_of.get(tenant_id)!
    return seq >= from_seq && seq <= to_seq
  })
}

/** Those that may meet in one part of a page become one, so that it is read once. */
function joined(in_order: readonly SeqRange[]): SeqRange[] {
  const ranges: { from_seq: number; to_seq: number }[] = []
  for (const { from_seq, to_seq } of in_order) {
    const last = ranges.at(-1)
    if (last && from_seq <= last.to_seq + part_records) last.to_seq = Math.max(last.to_seq, to_seq)
    else ranges.push({ from_seq, to_seq })
  }
  return ranges
}

function endsOf(ranges: readonly SeqRange[]): number[][] {
  return [ranges.map(({ from_seq }) => from_seq), ranges.map(({ to_seq }) => to_seq)]
}

async function piecesOf(query: Query, rows: readonly PieceRow[]): Promise<readonly PieceRow[]> {
  // A piece of the tail is as long as its batch, so that two ranges may read it.
  const pieces = [...new Map(rows.map((row) => [`${row.tenant_id} ${row.first_seq}`, row])).values()]
  return await Promise.all(
    pieces.map(async (row) =>
      row.archived_as === null ? row : { ...row, bytes: await archived(query, row) },
    ),
  )
}

/** Null where the archive has other bytes or none: the records are returned without their texts. */
async function archived(
  { page_archive }: Query,
  { archived_as, archived_bytes, start, part_ends }: PieceRow,
): Promise<Uint8Array | null> {
  if (!page_archive)
    throw refuse(
      'unavailable',
      'Old pages of this audit log are in an archive that this program does not know; its operator must set SVC_LOG_ARCHIVE.',
      { reason: 'log_archive unavailable', unavailable: 'log_archive' },
    )
  const bytes = await page_archive.read({ sha256: archived_as!, bytes: archived_bytes! })
  return bytes?.subarray(start, start + part_ends!.at(-1)!) ?? null
}

function recordsOf(row: PieceRow): StoredRecord[] {
  const { tenant_id, first_seq, before_hash, hashes, at } = row
  const bodies = bodiesOf(row)
  const texts = hashes.toString('hex')
  return Array.from({ length: hashes.length / hash_bytes }, (_, index) => ({
    tenant_id,
    seq: Number(first_seq) + index,
    body: bodies[index],
    record_hash: texts.slice(index * 64, (index + 1) * 64),
    previous_hash: index === 0 ? before_hash.toString('hex') : texts.slice((index - 1) * 64, index * 64),
    page_at: at,
  }))
}

function bodiesOf({ bytes, part_ends, format, hashes }: PieceRow): readonly (string | undefined)[] {
  if (!bytes) return []
  const ends = part_ends ?? [bytes.length]
  const count = hashes.length / hash_bytes / ends.length
  return ends.flatMap((end, part) => {
    try {
      const bodies = openBodies(bytes.subarray(ends[part - 1] ?? 0, end), format, count)
      if (bodies.length === count) return bodies
    } catch {
      // Somebody wrote over it; its records are returned without their texts.
    }
    return Array<undefined>(count).fill(undefined)
  })
}

/** Of another organization's log only what its rules open, record by record, as the database decides. */
async function readable(
  query: Query,
  tenant_id: string,
  records: readonly StoredRecord[],
): Promise<StoredRecord[]> {
  const rows = await query<{ seq: string }>(
    'SELECT r.seq FROM unnest($2::bigint[], $3::text[]) AS r(seq, body) WHERE svc_may_read($1, r.body)',
    [tenant_id, records.map(({ seq }) => seq), records.map(({ body }) => body ?? '')],
  )
  const open = new Set(rows.map(({ seq }) => Number(seq)))
  return records.filter(({ seq }) => open.has(seq))
}
