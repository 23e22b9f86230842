// The controls of a report: what each asks, what the log shows of it, and what it cannot show.
import type { OutputOf } from '@svc/sdk'
import { DataTable } from '../../parts/data-table.tsx'
import { Count, Stat } from '../../parts/figure.tsx'
import { Id, StateBadge } from '../../parts/words.tsx'
import { words } from '../../words/en.ts'

const text = words.reports

type Control = OutputOf<'MAX', 'compliance_report'>['controls'][number]
type Evidence = Control['evidence'][number]

/** In reports of earlier releases a control had one sentence and a verdict. */
interface EarlierControl {
  readonly id: string
  readonly statement: string
  readonly status: string
}

interface Props {
  readonly controls: readonly (Control | EarlierControl)[]
  readonly about: string | undefined
}

export function Controls({ controls, about }: Props) {
  if (controls.length === 0) return null
  const numberOf = (state: string) => controls.filter(({ status }) => status === state).length
  return (
    <>
      {about !== undefined && (
        <>
          <p>{text.evidence_only}</p>
          <dl className="stats">
            {(['evidence', 'no_evidence', 'not_shown'] as const).map((status) => (
              <Stat key={status} name={text.statuses[status]} value={<Count of={numberOf(status)} />} />
            ))}
          </dl>
        </>
      )}
      <DataTable
        caption={text.controls}
        rows={controls}
        keyOf={({ id }) => id}
        empty={words.none}
        columns={[
          { head: text.control, cell: (control) => <Name control={control} /> },
          {
            head: text.question,
            cell: (control) => ('statement' in control ? control.statement : control.question),
          },
          { head: text.shown, cell: ({ status }) => <StateBadge state={statusWord(status)} /> },
          { head: text.evidence, cell: (control) => <EvidenceOf control={control} /> },
          { head: text.gap, cell: (control) => ('gap' in control ? control.gap : words.none) },
        ]}
      />
      {about !== undefined && <p className="quiet">{about}</p>}
    </>
  )
}

function statusWord(status: string): string {
  return Object.hasOwn(text.statuses, status) ? text.statuses[status as Control['status']] : status
}

function Name({ control }: { control: Control | EarlierControl }) {
  return (
    <>
      <strong>{control.id}</strong>
      {'title' in control && <div>{control.title}</div>}
    </>
  )
}

function EvidenceOf({ control }: { control: Control | EarlierControl }) {
  if ('statement' in control || control.evidence.length === 0) return words.none
  return control.evidence.map((evidence) => <Query key={evidence.counts} evidence={evidence} />)
}

function Query({ evidence }: { evidence: Evidence }) {
  const { counts, count, exceptions, exception_refs, first, last } = evidence
  return (
    <details>
      <summary>
        {text.evidence_count(count)}
        {exceptions > 0 && <strong>, {text.exceptions(exceptions)}</strong>}: {counts}
      </summary>
      <dl className="facts">
        <dt>{text.query}</dt>
        <dd>{queryText(evidence)}</dd>
        {first && <Place name={text.first} place={first} />}
        {last && <Place name={text.last} place={last} />}
        {exception_refs.length > 0 && (
          <>
            <dt>{text.exception_records}</dt>
            <dd>
              {exception_refs.map((ref) => (
                <div key={ref}>
                  <Id text={ref} />
                </div>
              ))}
            </dd>
          </>
        )}
      </dl>
    </details>
  )
}

function Place({ name, place }: { name: string; place: NonNullable<Evidence['first']> }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {place.seq}: <Id text={place.ref} />
      </dd>
    </>
  )
}

function queryText({ event_types, operations, outcomes, where, must }: Evidence): string {
  const parts = [
    event_types.join(', '),
    operations.join(', '),
    outcomes.join(', '),
    where ? text.where(where.field, where.one_of.join(', ')) : '',
    must ? text.must(must.field, must.equals) : '',
  ].filter((part) => part !== '')
  return parts.length > 0 ? parts.join('; ') : text.any_record
}
