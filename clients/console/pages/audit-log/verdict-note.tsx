import { Button } from '@mantine/core'
import { TextView } from '../../parts/json-view.tsx'
import { Id, StateBadge } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { useSession } from '../../shell/use-session.tsx'
import type { CheckedAuditLog } from './check-audit-log.ts'
import { KeyList } from './key-list.tsx'
import { verdictWords } from './verdict-words.ts'

interface Props {
  readonly checked: CheckedAuditLog
  readonly source: string
  onKeepNote(note: string): void
}

export function VerdictNote({ checked, source, onKeepNote }: Props) {
  const { verdict, header, newest_note, trust } = checked
  const { tenant_id } = useSession()
  const { state, title, sentences } = verdictWords(checked, source)
  const kind = { verified: 'note good', consistent: 'note', broken: 'problem', 'not proved': 'note' }[state]
  const is_ours = verdict.tenant_id === tenant_id
  return (
    <section aria-label="Verdict">
      <div className={kind} role={state === 'broken' ? 'alert' : 'status'}>
        <h2>
          {title} <StateBadge state={state} />
        </h2>
        <ul>
          {sentences.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        {verdict.head && (
          <p>
            Last hash: <Id text={verdict.head} chars={64} />
          </p>
        )}
        {is_ours && verdict.first_bad_seq !== undefined && (
          <a href={hashOf('audit-log', ['records', String(verdict.first_bad_seq)])}>
            See record {verdict.first_bad_seq}
          </a>
        )}
      </div>
      {header && <KeyList keys={header.keys} trusted={trust.keys} />}
      {newest_note && (
        <>
          <TextView
            label="Newest checkpoint: keep it to notice later if earlier records are removed"
            text={newest_note}
          />
          <Button
            variant="default"
            disabled={trust.notes.includes(newest_note)}
            onClick={() => onKeepNote(newest_note)}
          >
            Keep this checkpoint for the next verification
          </Button>
        </>
      )}
    </section>
  )
}
