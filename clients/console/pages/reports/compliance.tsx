// Compliance reports: issue one, and those that were issued.
import { Button, Select, TextInput } from '@mantine/core'
import type { AuditRecord, InputOf } from '@svc/sdk'
import { type FormEvent, useMemo, useState } from 'react'
import type { ListDescription } from '../../list/describe.ts'
import { ListPage } from '../../list/list-page.tsx'
import { When } from '../../parts/figure.tsx'
import { NoRight } from '../../parts/no-right.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Id, StateBadge } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { nowMs } from '../../shell/clock.ts'
import { useAct } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'
import { type Names, readRecords } from '../audit-log/record-list.tsx'
import { useNames } from '../audit-log/use-names.ts'
import { type Period, type PeriodName, period_names, periodOf, periodOfDays, periodText } from './period.ts'
import { ReportFiles } from './report-files.tsx'
import { ReportPage } from './report-view.tsx'

const text = words.reports
type Framework = NonNullable<InputOf<'MAX', 'compliance_report'>['framework']>

export function Compliance({ report_id }: { report_id: string | undefined }) {
  const may_issue = useWhyNot('MAX', 'compliance_report') === undefined
  const may_list = useWhyNot('MAX', 'audit_query') === undefined
  if (report_id !== undefined) return <ReportPage key={report_id} report_id={report_id} />
  return (
    <>
      {may_issue ? <IssueForm /> : <NoRight protocol="MAX" operation="compliance_report" />}
      {may_list ? <IssuedList /> : <NoRight protocol="MAX" operation="audit_query" />}
    </>
  )
}

function IssueForm() {
  const [name, setName] = useState<PeriodName | 'days'>('last_30_days')
  const [first, setFirst] = useState('')
  const [last, setLast] = useState('')
  const [framework, setFramework] = useState<Framework>('core')
  const period = name === 'days' ? periodOfDays(first, last) : periodOf(name, nowMs())
  const issue = useAct(async (client) => {
    const { report_id } = await client.max.compliance_report({ period: period!, framework })
    location.hash = hashOf('reports', ['compliance', report_id])
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void issue.run(undefined)
  }
  return (
    <form onSubmit={submit} className="panel" aria-label={text.issue_title}>
      <h2>{text.issue_title}</h2>
      <p>{text.issue_means}</p>
      <div className="row issue-fields">
        <Select
          label={text.period}
          allowDeselect={false}
          data={[...period_names, 'days' as const].map((value) => ({ value, label: text.periods[value] }))}
          value={name}
          onChange={(choice) => choice && setName(choice as typeof name)}
        />
        {name === 'days' && (
          <>
            <DayField label={text.first_day} value={first} onChange={setFirst} />
            <DayField label={text.last_day} value={last} onChange={setLast} />
          </>
        )}
        <Select
          label={text.framework}
          allowDeselect={false}
          data={Object.entries(text.frameworks).map(([value, label]) => ({ value, label }))}
          value={framework}
          onChange={(choice) => choice && setFramework(choice as Framework)}
        />
        <Button type="submit" loading={issue.is_waiting} disabled={period === undefined}>
          {text.issue}
        </Button>
      </div>
      <p className="quiet">{period ? text.covers(periodText(period)) : text.no_period}</p>
      {issue.problem && <ProblemNote problem={issue.problem} />}
    </form>
  )
}

function DayField(props: { label: string; value: string; onChange(day: string): void }) {
  const { label, value, onChange } = props
  return (
    <TextInput
      type="date"
      label={label}
      required
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

/** Issuing is a record of the audit log, so the list of reports is a search there. */
function IssuedList() {
  const names = useNames()
  const list = useMemo(() => issuedList(names), [names])
  return <ListPage list={list} />
}

function issuedList(names: Names): ListDescription<AuditRecord> {
  return {
    name: text.issued_reports,
    columns: [
      {
        key: 'when',
        head: text.issued,
        cell: ({ timestamp }) => <When at={timestamp} />,
        text: ({ timestamp }) => timestamp,
      },
      {
        key: 'report',
        head: text.report,
        cell: (record) => <a href={hashOf('reports', ['compliance', idOf(record)])}>{frameworkOf(record)}</a>,
        text: idOf,
      },
      {
        key: 'period',
        head: text.period,
        cell: (record) => periodIn(record),
        text: periodIn,
      },
      {
        key: 'records',
        head: text.records,
        is_number: true,
        cell: ({ meta }) => `${meta.first_seq} – ${meta.last_seq}`,
        text: ({ meta }) => `${meta.first_seq}-${meta.last_seq}`,
      },
      {
        key: 'verified',
        head: text.log,
        cell: ({ meta }) => <StateBadge state={meta.chain_verified === true ? 'verified' : 'broken'} />,
        text: ({ meta }) => String(meta.chain_verified),
      },
      {
        key: 'by',
        head: text.issued_by,
        cell: ({ caller_did }) => <Id text={caller_did} name={names.get(caller_did)} />,
        text: ({ caller_did }) => caller_did,
      },
      {
        key: 'files',
        head: text.files,
        cell: (record) => <ReportFiles report_id={idOf(record)} />,
        text: idOf,
      },
    ],
    filters: [
      { field: 'from', label: text.issued_from, kind: 'time' },
      { field: 'to', label: text.issued_until, kind: 'time' },
      { field: 'caller_did', label: text.issued_by, kind: 'agent' },
    ],
    keyOf: idOf,
    read: (query, cursor, client, signal) =>
      readRecords({ ...query, event_type: 'ComplianceReportIssued' }, cursor, client, signal),
    empty: text.none_issued,
  }
}

/** Records of earlier releases name neither framework nor period. */
function frameworkOf({ meta }: AuditRecord): string {
  return text.frameworks[meta.framework as Framework] ?? text.report
}

function periodIn({ meta }: AuditRecord): string {
  return meta.period === undefined ? '–' : periodText(meta.period as Period)
}

function idOf({ meta }: AuditRecord): string {
  return String(meta.report_id)
}
