// One report as a page: only what its signature covers, verified in this browser.
import type { Client, OutputOf } from '@svc/sdk'
import { verifyReport } from '@svc/sdk/verify/report'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { BarList } from '../../parts/bar-list.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Count, Fact, Stat, When } from '../../parts/figure.tsx'
import { TextView } from '../../parts/json-view.tsx'
import { NoRight } from '../../parts/no-right.tsx'
import { Id, StateBadge } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'
import { useTrust } from '../audit-log/use-trust.ts'
import { Controls } from './control-list.tsx'
import { type Period, periodText } from './period.ts'
import { ReportFiles } from './report-files.tsx'

const text = words.reports

type Report = OutputOf<'MAX', 'compliance_report'> & {
  readonly tenant_id: string
  readonly period: Period
  readonly framework: keyof typeof text.frameworks
  readonly issued_at: string
}

interface Verified {
  readonly report: Report
  /** Whose key signed it: one that the reader trusts, or one that only the engine vouches for. */
  readonly state: 'verified' | 'consistent'
  readonly attestation: string
}

/** The file has the signed report in it; nothing else of the file is shown. */
async function readReport(
  report_id: string,
  trusted: readonly string[],
  client: Client,
  signal: AbortSignal,
): Promise<Verified> {
  const { content } = await client.max.compliance_report_file({ report_id, format: 'csv' }, { signal })
  const file = Uint8Array.fromBase64(content)
  const attestation = /eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(new TextDecoder().decode(file))?.[0] ?? ''
  const own = await verifyReport(file, trusted)
  if (own.ok) return { report: own.report as unknown as Report, state: 'verified', attestation }
  const newest = { after_seq: 0, limit: 1, include_checkpoints: true }
  const { keys = [] } = await client.max.audit_query(newest, { signal })
  const verdict = await verifyReport(
    file,
    keys.map(({ public_key }) => public_key),
  )
  if (!verdict.ok) throw new Error(text.not_verified(verdict.reason))
  return { report: verdict.report as unknown as Report, state: 'consistent', attestation }
}

export function ReportPage({ report_id }: { report_id: string }) {
  const may_read = useWhyNot('MAX', 'compliance_report_file') === undefined
  const { trust } = useTrust()
  const query = useQuery(
    `report ${report_id} ${trust.keys.join()}`,
    (client, signal) => readReport(report_id, trust.keys, client, signal),
    { is_off: !may_read },
  )
  return (
    <>
      <p>
        <a href={hashOf('reports', ['compliance'])}>{text.all_reports}</a>
      </p>
      {may_read ? (
        <AnswerOf query={query}>{(verified) => <ReportView {...verified} />}</AnswerOf>
      ) : (
        <NoRight protocol="MAX" operation="compliance_report_file" />
      )}
    </>
  )
}

function ReportView({ report, state, attestation }: Verified) {
  const { counts, controls, record_count } = report
  return (
    <article className="report" aria-label={text.report}>
      <div className="page-head">
        <div>
          <h2>{text.title(text.frameworks[report.framework], report.tenant_id)}</h2>
          <p className="quiet">
            {periodText(report.period)}. {text.issued} <When at={report.issued_at} />.
          </p>
        </div>
        <ReportFiles report_id={report.report_id} />
      </div>
      <Verdict report={report} state={state} />
      <dl className="stats">
        <Stat name={text.records} value={<Count of={record_count} />} />
        <Stat name={text.succeeded} value={<Count of={counts.success} />} />
        <Stat name={text.refused} value={<Count of={counts.refused} />} />
        <Stat name={text.failed} value={<Count of={counts.error} />} />
      </dl>
      <Controls controls={controls} about={report.framework_about} />
      <Events by_event={counts.by_event} />
      <Authorities report={report} />
      <Proof report={report} attestation={attestation} />
    </article>
  )
}

function Verdict({ report, state }: { report: Report; state: Verified['state'] }) {
  const { chain_verified, first_bad_seq, gaps } = report
  const kind = !chain_verified ? 'problem' : state === 'verified' ? 'note good' : 'note'
  return (
    <div className={kind} role="status">
      <p>
        <StateBadge state={chain_verified ? 'verified' : 'broken'} />{' '}
        {chain_verified ? text.log_verified : text.log_broken(first_bad_seq, gaps.length)}
      </p>
      <p>
        <StateBadge state={state} /> {text.signed[state]}{' '}
        {state === 'consistent' && <a href={hashOf('audit-log', ['verify'])}>{text.add_key}</a>}
      </p>
    </div>
  )
}

const events_shown = 12

function Events({ by_event }: Pick<Report['counts'], 'by_event'>) {
  const events = Object.entries(by_event)
    .map(([name, count]) => ({ name, value: Number(count) }))
    .sort((a, b) => b.value - a.value)
  const bars = events.slice(0, events_shown)
  return <BarList title={text.by_event} unit={text.records_unit} bars={bars} empty={words.no_data} />
}

function Authorities({ report: { authorities, authorities_truncated } }: { report: Report }) {
  return (
    <>
      <DataTable
        caption={text.authorities}
        rows={authorities}
        keyOf={({ source, ref }) => `${source} ${ref}`}
        empty={text.no_authorities}
        columns={[
          { head: text.kind, cell: ({ source }) => source },
          { head: text.reference, cell: ({ ref }) => <Id text={ref} /> },
          { head: text.calls, is_number: true, cell: ({ calls }) => <Count of={calls} /> },
        ]}
      />
      {authorities_truncated && <p className="quiet">{text.more_authorities}</p>}
    </>
  )
}

function Proof({ report, attestation }: { report: Report; attestation: string }) {
  return (
    <section className="panel" aria-label={text.proof}>
      <h2>{text.proof}</h2>
      <p>{text.proof_means}</p>
      <dl className="facts">
        <Fact name={text.report_id} value={<Id text={report.report_id} chars={20} />} />
        <Fact name={text.record_span} value={`${report.first_seq} – ${report.last_seq}`} />
        <Fact name={text.head} value={<Id text={report.head} chars={20} />} />
        <Fact name={text.merkle_root} value={<Id text={report.merkle_root} chars={20} />} />
        <Fact name={text.tree_size} value={<Count of={report.tree_size} />} />
      </dl>
      <details>
        <summary>{text.attestation}</summary>
        <TextView label={text.attestation_label} text={attestation} />
      </details>
    </section>
  )
}
