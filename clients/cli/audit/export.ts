// svc audit export: the audit log as the lines that svc audit verify and svc-engine verify read.

import type { Client } from '@svc/sdk/client'
import { type AuditLogOptions, exportAuditLog } from '@svc/sdk/verify/audit-log'
import { openProgress } from '../calls/progress.ts'
import type { Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { writeOwnFile } from './file.ts'

export interface Exported {
  readonly tenant_id: string
  readonly from_seq: number
  readonly to_seq: number
  readonly records: number
  readonly checkpoints: number
}

/** The lines of the audit log, with progress on stderr; `onLine` is called for each. */
export async function* watchedLines(
  client: Pick<Client, 'max'>,
  span: Pick<AuditLogOptions, 'fromSeq' | 'toSeq'>,
  terminal: Terminal,
): AsyncGenerator<string> {
  // In a pipe, progress lines would only be noise.
  const live = terminal.stderr_is_tty ? openProgress(terminal) : undefined
  const from = (span.fromSeq ?? 1) - 1
  const onProgress = ({ seq, to_seq }: { seq: number; to_seq: number }) =>
    live?.show({ fraction: (seq - from) / (to_seq - from), message: `record ${seq} of ${to_seq}` })
  try {
    yield* exportAuditLog(client, { ...span, onProgress, signal: terminal.signal })
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message) : error
  } finally {
    live?.clear()
  }
}

/** Writes atomically to the file, or streams to standard output. */
export async function exportTo(
  file: string | undefined,
  lines: AsyncIterable<string>,
  terminal: Terminal,
): Promise<Exported> {
  if (file === undefined && terminal.stdout_is_tty) {
    const hint = 'For example: svc audit export --file audit-log.jsonl'
    throw new UsageError(
      'Refusing to print an audit log to a terminal; name a --file, or redirect the output.',
      hint,
    )
  }
  const count = { tenant_id: '', from_seq: 0, to_seq: 0, records: 0, checkpoints: 0 }
  const counted = countedLines(lines, count)
  if (file !== undefined) await writeOwnFile(file, counted)
  else for await (const line of counted) terminal.out(line)
  return count
}

type Count = { -readonly [Name in keyof Exported]: Exported[Name] }

async function* countedLines(lines: AsyncIterable<string>, count: Count): AsyncGenerator<string> {
  let is_first = true
  for await (const line of lines) {
    if (is_first) {
      const { tenant_id, from_seq, to_seq } = JSON.parse(line) as Exported
      Object.assign(count, { tenant_id, from_seq, to_seq })
    } else if (line.startsWith('{"checkpoint"')) count.checkpoints++
    else count.records++
    is_first = false
    yield `${line}\n`
  }
}
