// Signed checkpoints of their table, with cosignatures, by size.

import type { Query } from '../query/client-query.ts'
import { cosignedNote } from '../witness/cosigned-note.ts'

export interface SignedNote {
  readonly size: number
  readonly note: string
}

interface NoteRow {
  readonly size: string
  readonly note: string
}

/** Those of exactly these sizes, smallest first. */
export async function notesOfSizes(
  query: Query,
  tenant_id: string,
  sizes: readonly number[],
): Promise<SignedNote[]> {
  const rows = await query<NoteRow>(
    `SELECT c.size, ${cosignedNote('c')} AS note FROM audit_checkpoints c
     WHERE c.tenant_id = $1 AND c.size = ANY($2::bigint[]) ORDER BY c.size`,
    [tenant_id, sizes],
  )
  return rows.map(noteOf)
}

/** The newest one; undefined for a log without records. */
export async function newestNote(query: Query, tenant_id: string): Promise<SignedNote | undefined> {
  const [row] = await query<NoteRow>(
    `SELECT c.size, ${cosignedNote('c')} AS note FROM audit_checkpoints c
     WHERE c.tenant_id = $1 ORDER BY c.size DESC LIMIT 1`,
    [tenant_id],
  )
  return row && noteOf(row)
}

/** For each record the first note that covers it, by its seq; none where it is not covered. */
export async function notesCovering(
  query: Query,
  tenant_id: string,
  seqs: readonly number[],
): Promise<Map<number, SignedNote>> {
  const rows = await query<NoteRow & { seq: string }>(
    `SELECT wanted.seq, c.size, c.note FROM unnest($2::bigint[]) AS wanted(seq)
     CROSS JOIN LATERAL (
       SELECT n.size, ${cosignedNote('n')} AS note FROM audit_checkpoints n
       WHERE n.tenant_id = $1 AND n.size >= wanted.seq ORDER BY n.size LIMIT 1
     ) AS c`,
    [tenant_id, seqs],
  )
  return new Map(rows.map((row) => [Number(row.seq), noteOf(row)]))
}

function noteOf({ size, note }: NoteRow): SignedNote {
  return { size: Number(size), note }
}
