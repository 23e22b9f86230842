import type { AuditRecord } from '@svc/sdk'
import { useMemo } from 'react'
import type { ListDescription } from '../../list/describe.ts'
import { ListPage } from '../../list/list-page.tsx'
import { hashOf, type Place } from '../../shell/address.ts'
import { nowMs } from '../../shell/clock.ts'
import { useSession } from '../../shell/use-session.tsx'
import { readRecords, recordColumns, recordFilters, recordViews } from './record-list.tsx'
import { RecordView } from './record-view.tsx'
import { storedIn } from './search.ts'
import { useNames } from './use-names.ts'

export function RecordsPart({ place }: { place: Place }) {
  const seq = place.rest[1]
  return seq === undefined ? <RecordList /> : <RecordPage seq={seq} />
}

function RecordPage({ seq }: { seq: string }) {
  return (
    <>
      <p>
        <a href={hashOf('audit-log', ['records'])}>All records</a>
      </p>
      <RecordView key={seq} seq={seq} />
    </>
  )
}

function RecordList() {
  const { whoami } = useSession()
  const names = useNames()
  const list = useMemo((): ListDescription<AuditRecord> => {
    const columns = recordColumns(names)
    const filters = recordFilters(whoami.operations)
    return {
      name: 'Records',
      columns: ['seq', 'when', 'outcome', 'call', 'reason', 'event', 'caller', 'took', 'cost', 'request'].map(
        (key) => columns[key]!,
      ),
      filters: [
        'outcome',
        'protocol',
        'operation',
        'event',
        'caller',
        'from',
        'to',
        'request',
        'seq',
        'order',
      ].map((key) => filters[key]!),
      views: recordViews(nowMs()),
      stored: storedIn('audit-log/records'),
      keyOf: ({ seq }) => String(seq),
      read: readRecords,
      panel: (seq) => ({ title: `Record ${seq}`, body: <RecordView key={seq} seq={seq} /> }),
      empty: 'No records match. Remove a filter or widen the time range.',
    }
  }, [names, whoami.operations])
  return (
    <>
      <ListPage list={list} />
      <p className="quiet">Reading the audit log is a call like any other, and is recorded too.</p>
    </>
  )
}
