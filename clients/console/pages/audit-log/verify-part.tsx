// Verifies an audit log in this browser: the engine's own, page by page, or an export file.
import { Button } from '@mantine/core'
import { exportAuditLog } from '@svc/sdk'
import { type DragEvent, type FormEvent, useId, useState } from 'react'
import { useSession, useWhyNot } from '../../shell/use-session.tsx'
import { type CheckedAuditLog, checkAuditLog } from './check-audit-log.ts'
import { linesOf } from './lines.ts'
import { ProgressLine } from './progress-line.tsx'
import { SpanFields, type SpanTexts, spanOf, whole_audit_log } from './span-fields.tsx'
import { TrustFields } from './trust-fields.tsx'
import { useTrust } from './use-trust.ts'
import { useWork } from './use-work.ts'
import { VerdictNote } from './verdict-note.tsx'

type Checked = CheckedAuditLog & { readonly source: string }

export function VerifyPart() {
  const { client } = useSession()
  const why_not = useWhyNot('MAX', 'audit_query')
  const stored_trust = useTrust()
  const [span, setSpan] = useState<SpanTexts>(whole_audit_log)
  const [file, setFile] = useState<File>()
  const work = useWork<Checked>()
  const { trust } = stored_trust
  const verify = (event: FormEvent) => {
    event.preventDefault()
    work.start(async (watching) => {
      const lines = file
        ? linesOf(file.stream())
        : exportAuditLog(client, { ...spanOf(span), signal: watching.signal })
      return { ...(await checkAuditLog(lines, trust, watching)), source: sourceWords(file) }
    })
  }
  const keepNote = (note: string) => {
    const notes = [stored_trust.texts.notes.trim(), note.trim()].filter(Boolean).join('\n')
    stored_trust.keep({ ...stored_trust.texts, notes: `${notes}\n` })
  }
  return (
    <form onSubmit={verify} aria-label="Verify an audit log">
      <FileField file={file} onChoose={setFile} />
      {!file && <SpanFields span={span} onChange={setSpan} />}
      <TrustFields {...stored_trust} />
      <div className="row">
        <Button
          type="submit"
          disabled={work.state === 'running' || trust.faults.length > 0 || (!file && why_not !== undefined)}
        >
          {file ? 'Verify the file' : 'Verify the audit log'}
        </Button>
        {!file && why_not && <span className="quiet">{why_not}</span>}
      </div>
      <ProgressLine work={work} doing="Verifying" />
      {work.result && <VerdictNote checked={work.result} source={work.result.source} onKeepNote={keepNote} />}
    </form>
  )
}

function sourceWords(file: File | undefined): string {
  return file
    ? `Read from the file ${file.name}; the engine was not contacted.`
    : 'Read from the engine page by page; every hash and every signature was computed in this browser.'
}

/** Without a chosen or dropped file, the engine's own audit log is verified. */
function FileField({ file, onChoose }: { file: File | undefined; onChoose(file: File | undefined): void }) {
  const id = useId()
  const drop = (event: DragEvent) => {
    event.preventDefault()
    const [dropped] = event.dataTransfer.files
    if (dropped) onChoose(dropped)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the file field inside is the accessible way to choose a file.
    <div className="drop" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <p>
        {file ? (
          <>
            <strong>{file.name}</strong>, {file.size} bytes.{' '}
            <Button variant="default" onClick={() => onChoose(undefined)}>
              Use this engine’s audit log instead
            </Button>
          </>
        ) : (
          'Verifies this engine’s audit log. To verify an export, drop its file here or choose it.'
        )}
      </p>
      <label htmlFor={id}>Export file (.jsonl)</label>{' '}
      <input
        key={file?.name ?? ''}
        id={id}
        type="file"
        accept=".jsonl,.ndjson,.json,.txt"
        onChange={({ target }) => onChoose(target.files?.[0])}
      />
    </div>
  )
}
