import type { Client } from '../client.ts'
import { canonicalText } from './canonical.ts'

/** The range to export, and a progress callback. */
export interface AuditLogOptions {
  /** The first record; default 1. Only a whole audit log can be proved. */
  fromSeq?: number
  /** Exports up to the first signed checkpoint at or after this record; default the newest. */
  toSeq?: number
  /** Called after each page. */
  onProgress?: (progress: { seq: number; to_seq: number }) => void
  signal?: AbortSignal
}

const page_records = 500
/** About 12 MB of notes; beyond that every second one is dropped, which loses no proof: the last covers all. */
const notes_held_max = 50_000

type Asking = Pick<Client, 'max'>
type AuditPage = Awaited<ReturnType<Asking['max']['audit_query']>>
type Note = NonNullable<AuditPage['checkpoints']>[number]

/**
 * Your tenant's audit log as the lines of an export, page by page through MAX audit_query: store them, or pass them to
 * `verifyExport`. Throws a RangeError if there is nothing to export yet.
 *
 * @example
 * ```ts
 * import { createClient, exportAuditLog } from '@svc/sdk'
 *
 * const client = createClient()
 * await client.max.audit_log_entry({ event_type: 'custom.exported', meta: {} }, { waitForAudit: true })
 * for await (const line of exportAuditLog(client, { fromSeq: 1 })) console.log(line)
 * ```
 *
 * ```output
 * {…"tenant_id":"dev"…}
 * {"record":{…},"record_hash":"…"}
 * …
 * ```
 */
export async function* exportAuditLog(
  client: Asking,
  options: AuditLogOptions = {},
): AsyncGenerator<string, void> {
  const { fromSeq: from_seq = 1, toSeq, onProgress, signal } = options
  const call = signal ? { signal } : {}
  const wish = { limit: page_records, include_checkpoints: true }
  const covering = toSeq === undefined ? undefined : await sizeCovering(client, toSeq, call)
  let page = await client.max.audit_query({ ...wish, after_seq: from_seq - 1 }, call)
  // The end is fixed here, because each query is recorded and would extend the log.
  const to_seq = covering ?? page.newest_checkpoint?.size ?? 0
  const first = page.records[0]
  if (!first || to_seq < from_seq) throw nothingToExport(from_seq, to_seq)
  const keys = page.keys ?? []
  const { tenant_id, previous_hash } = first
  const origin = `svc/${tenant_id}`
  const format = 'svc-audit-export/1'
  yield JSON.stringify({ format, tenant_id, origin, keys, from_seq, to_seq, previous_hash })
  const needed = new Set([to_seq, ...keys.map(({ until_seq }) => until_seq)])
  let notes: Note[] = []
  for (let reached = from_seq - 1; ; ) {
    for (const record of page.records) if (record.seq <= to_seq) yield lineOf(record)
    for (const note of page.checkpoints ?? []) if (note.size <= to_seq) notes.push(note)
    if (notes.length > notes_held_max) notes = thinned(notes, needed)
    const after_seq = page.records.at(-1)?.seq ?? to_seq
    onProgress?.({ seq: Math.min(after_seq, to_seq), to_seq })
    // A page without progress ends the export; verification then reports what is missing.
    if (after_seq >= to_seq || after_seq <= reached || page.next_after_seq === undefined) break
    reached = after_seq
    page = await client.max.audit_query({ ...wish, after_seq }, call)
  }
  for (const { note } of notes) yield JSON.stringify({ checkpoint: note })
}

/** Keeps the newest note of each witness, which shows how far the audit log is witnessed. */
function thinned(notes: readonly Note[], needed: ReadonlySet<number | null>): Note[] {
  const signers = new Set<string>()
  const newest_notes = notes.toReversed().filter(({ size, note }, i) => {
    const names = note.split('\n').flatMap((line) => /^\u2014 (\S+) /u.exec(line)?.[1] ?? [])
    const is_newest_of_one = names.some((name) => !signers.has(name))
    for (const name of names) signers.add(name)
    return is_newest_of_one || (notes.length - i) % 2 === 0 || needed.has(size)
  })
  return newest_notes.reverse()
}

/** Undefined past the end of the chain; then the newest checkpoint is used. */
async function sizeCovering(
  client: Asking,
  seq: number,
  call: { signal?: AbortSignal },
): Promise<number | undefined> {
  const wish = { after_seq: seq - 1, limit: 1, include_proofs: true }
  return (await client.max.audit_query(wish, call)).proofs?.[0]?.tree_size
}

function lineOf({ previous_hash: _, record_hash, ...record }: AuditPage['records'][number]): string {
  const line = { record, record_hash }
  try {
    return canonicalText(line)
  } catch {
    // A tampered record is exported unchanged, so that verification fails.
    return JSON.stringify(line)
  }
}

function nothingToExport(from_seq: number, to_seq: number): RangeError {
  const extent = to_seq === 0 ? 'holds no signed record yet' : `is signed up to record ${to_seq}`
  return new RangeError(`The audit log ${extent}, so there is nothing to export from record ${from_seq} on.`)
}
