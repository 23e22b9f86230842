// Exports the audit log as a file that `svc-engine verify` and `svc audit verify` read.
import { Button } from '@mantine/core'
import { exportAuditLog } from '@svc/sdk'
import { type FormEvent, useEffect, useMemo, useState } from 'react'
import { useSession, useWhyNot } from '../../shell/use-session.tsx'
import type { Watching } from './check-audit-log.ts'
import { paced } from './lines.ts'
import { ProgressLine } from './progress-line.tsx'
import { SpanFields, type SpanTexts, spanOf, whole_audit_log } from './span-fields.tsx'
import { useWork } from './use-work.ts'

/** The most a browser can hold in one file; longer audit logs are exported with the CLI, which streams. */
const export_chars_max = 1_500_000_000
const chunk_lines = 1_000

export function ExportPart() {
  const { client, tenant_id } = useSession()
  const why_not = useWhyNot('MAX', 'audit_query')
  const [span, setSpan] = useState<SpanTexts>(whole_audit_log)
  const work = useWork<Blob>()
  const make = (event: FormEvent) => {
    event.preventDefault()
    work.start((watching) => {
      const { signal } = watching
      let total = 0
      const onProgress = ({ to_seq }: { to_seq: number }) => {
        total = to_seq - (spanOf(span).fromSeq ?? 1) + 1
      }
      const lines = exportAuditLog(client, { ...spanOf(span), signal, onProgress })
      return blobOf(lines, { signal, onProgress: (done) => watching.onProgress(done, total) })
    })
  }
  return (
    <form onSubmit={make} aria-label="Export the audit log">
      <p>
        Every record, key and signed checkpoint, one per line. Anyone who has the log’s key from a trusted
        source can verify the file offline: here under Verify, with <code>svc audit verify</code> or with{' '}
        <code>svc-engine verify</code>.
      </p>
      <SpanFields span={span} onChange={setSpan} />
      <Button type="submit" disabled={work.state === 'running' || why_not !== undefined} title={why_not}>
        Create export
      </Button>
      <ProgressLine work={work} doing="Exporting" />
      {work.result && <Download blob={work.result} name={`${tenant_id}-audit-log.jsonl`} />}
    </form>
  )
}

function Download({ blob, name }: { blob: Blob; name: string }) {
  const url = useMemo(() => URL.createObjectURL(blob), [blob])
  useEffect(() => () => URL.revokeObjectURL(url), [url])
  return (
    <p role="status" className="note good">
      The export is ready: {blob.size} bytes.{' '}
      <a href={url} download={name}>
        Save {name}
      </a>
    </p>
  )
}

/** In chunks, which a browser may move to disk. */
async function blobOf(lines: AsyncIterable<string>, watching: Watching): Promise<Blob> {
  const chunks: Blob[] = []
  let chunk: string[] = []
  let chars = 0
  const onPause = (count: number) => watching.onProgress(Math.max(0, count - 1), 0)
  for await (const line of paced(lines, { signal: watching.signal, onPause })) {
    chunk.push(`${line}\n`)
    chars += line.length + 1
    if (chars > export_chars_max) throw tooLong()
    if (chunk.length < chunk_lines) continue
    chunks.push(new Blob(chunk))
    chunk = []
  }
  return new Blob([...chunks, ...chunk], { type: 'application/jsonl' })
}

function tooLong(): Error {
  return new Error('The audit log is too large for a browser; export it with: svc audit export')
}
