import { AnswerOf } from '../../parts/answer-of.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Pager } from '../../parts/pager.tsx'
import { usePages } from '../../parts/use-pages.ts'
import { Long, StateMark, When } from '../../parts/words.tsx'
import { hashOf, type Place } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { RecordView } from './record-view.tsx'
import { type AuditLogRecord, nextOf, queryOf, questionOf, type Search, searchOf } from './search.ts'
import { SearchForm } from './search-form.tsx'

export function RecordsPart({ place }: { place: Place }) {
  const why_not = useWhyNot('MAX', 'audit_query')
  const search = searchOf(place.query)
  const search_key = JSON.stringify(search)
  const seq = place.rest[1]
  if (why_not) return <p className="note">{why_not}</p>
  if (seq !== undefined) return <RecordView key={seq} seq={seq} search={search} />
  return (
    <>
      <SearchForm search={search} />
      <RecordList key={search_key} search={search} />
    </>
  )
}

function RecordList({ search }: { search: Search }) {
  const pages = usePages<number>()
  const question = questionOf(search, pages.cursor)
  const query = useQuery(JSON.stringify(question), (client, signal) =>
    client.max.audit_query(question, { signal }),
  )
  return (
    <AnswerOf query={query}>
      {(page) => (
        <>
          <RecordTable records={page.records} search={search} />
          <div className="row">
            <Pager pages={pages} next={nextOf(page)} />
            <button type="button" onClick={query.again}>
              Refresh
            </button>
          </div>
          <p className="quiet">Reading the audit log is a call like any other, and is recorded too.</p>
        </>
      )}
    </AnswerOf>
  )
}

function RecordTable({ records, search }: { records: readonly AuditLogRecord[]; search: Search }) {
  const query = queryOf(search)
  return (
    <DataTable
      caption={search.order === 'oldest' ? 'Records, oldest first' : 'Records, newest first'}
      rows={records}
      keyOf={({ seq }) => String(seq)}
      empty="No records match. Remove a filter or widen the time range."
      columns={[
        {
          head: 'Record',
          is_number: true,
          cell: ({ seq }) => <a href={hashOf('audit-log', ['records', String(seq)], query)}>{seq}</a>,
        },
        { head: 'Time (UTC)', cell: ({ timestamp }) => <When at={timestamp} /> },
        { head: 'Outcome', cell: ({ outcome }) => <StateMark state={outcome} /> },
        {
          head: 'Operation',
          cell: ({ protocol, operation }) => [protocol, operation].filter(Boolean).join(' ') || '–',
        },
        { head: 'Event', cell: ({ event_type }) => event_type },
        { head: 'Caller', cell: ({ caller_did }) => <Long text={caller_did} /> },
        {
          head: 'Request',
          cell: ({ correlation_id }) => (
            <a
              href={hashOf('audit-log', ['correlation', correlation_id])}
              aria-label={`Follow the request ${correlation_id}`}
            >
              <code>{correlation_id.slice(0, 8)}</code>
            </a>
          ),
        },
      ]}
    />
  )
}
