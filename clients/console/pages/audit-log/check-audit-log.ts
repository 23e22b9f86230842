// Verifies the lines of an audit log without trusting their source.
import { type ExportVerdict, verifyExport } from '@svc/sdk'
import { paced } from './lines.ts'
import { optionsOf, type Trust } from './trust.ts'

export interface HeaderKey {
  readonly key_id: string
  readonly public_key: string
  readonly from_seq: number
  readonly until_seq: number | null
}

export interface AuditLogHeader {
  readonly tenant_id: string
  readonly from_seq: number
  readonly to_seq: number
  readonly keys: readonly HeaderKey[]
}

export interface CheckedAuditLog {
  readonly verdict: ExportVerdict
  /** As stated in the first line; undefined if it states none. */
  readonly header: AuditLogHeader | undefined
  /** The newest signed note. Kept by a reader, it reveals later if earlier records are removed. */
  readonly newest_note: string | undefined
  readonly trust: Trust
}

export interface Watching {
  readonly signal: AbortSignal
  onProgress(done: number, total: number): void
}

/** Rejects only if the lines cannot be read; every fault in them is part of the verdict. */
export async function checkAuditLog(
  lines: AsyncIterable<string>,
  trust: Trust,
  { signal, onProgress }: Watching,
): Promise<CheckedAuditLog> {
  let header: AuditLogHeader | undefined
  let newest_note: string | undefined
  const failed: unknown[] = []
  const onPause = (count: number) => onProgress(Math.max(0, count - 1), header ? recordsOf(header) : 0)
  async function* watched() {
    try {
      for await (const line of paced(lines, { signal, onPause })) {
        header ??= readHeader(line)
        newest_note = noteIn(line) ?? newest_note
        yield line
      }
    } catch (error) {
      failed.push(error)
      throw error
    }
  }
  const verdict = await verifyExport(watched(), optionsOf(trust))
  if (failed.length > 0) throw failed[0]
  return { verdict, header, newest_note: verdict.ok ? newest_note : undefined, trust }
}

function recordsOf({ from_seq, to_seq }: AuditLogHeader): number {
  return to_seq - from_seq + 1
}

/** For display only: the verifier parses the line itself. */
function readHeader(line: string): AuditLogHeader | undefined {
  const { tenant_id, from_seq, to_seq, keys } = fieldsOf(line)
  if (typeof tenant_id !== 'string' || !Number.isSafeInteger(from_seq) || !Number.isSafeInteger(to_seq))
    return undefined
  const listed = Array.isArray(keys) ? keys.filter((key) => typeof key?.public_key === 'string') : []
  return { tenant_id, from_seq: Number(from_seq), to_seq: Number(to_seq), keys: listed }
}

function noteIn(line: string): string | undefined {
  if (!line.startsWith('{"checkpoint"')) return undefined
  const { checkpoint } = fieldsOf(line)
  return typeof checkpoint === 'string' ? checkpoint : undefined
}

function fieldsOf(line: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(line))
  } catch {
    return {}
  }
}
