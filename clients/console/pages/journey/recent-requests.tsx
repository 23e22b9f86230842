import { AnswerOf } from '../../parts/answer-of.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { StateMark, When } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'

const shown_max = 25
const looked_at = 200

/** The newest requests, as a start without an id. */
export function RecentRequests() {
  const query = useQuery('recent', async (client, signal) => {
    const { newest_checkpoint } = await client.max.audit_query(
      { after_seq: 0, limit: 1, include_checkpoints: true },
      { signal },
    )
    const after_seq = Math.max(0, (newest_checkpoint?.size ?? 0) - looked_at)
    const { records } = await client.max.audit_query({ after_seq, limit: looked_at }, { signal })
    return records.toReversed().slice(0, shown_max)
  })
  return (
    <AnswerOf query={query}>
      {(records) => (
        <>
          <DataTable
            caption={`The newest ${shown_max}`}
            rows={records}
            keyOf={({ id }) => id}
            empty="No calls yet. Make one in the Playground."
            columns={[
              { head: 'When', cell: ({ timestamp }) => <When at={timestamp} /> },
              {
                head: 'Call',
                cell: ({ protocol, operation, event_type }) =>
                  protocol ? `${protocol} ${operation}` : event_type,
              },
              { head: 'Outcome', cell: ({ outcome }) => <StateMark state={outcome} /> },
              { head: 'Reason', cell: ({ meta }) => String(meta.reason ?? '') },
              { head: 'Took', is_number: true, cell: ({ latency_ms }) => `${latency_ms} ms` },
              {
                head: 'Follow',
                cell: ({ correlation_id, seq }) => (
                  <a href={hashOf('journey', [correlation_id])} aria-label={`Follow record ${seq}`}>
                    follow
                  </a>
                ),
              },
            ]}
          />
          <button type="button" onClick={query.again}>
            Refresh
          </button>
        </>
      )}
    </AnswerOf>
  )
}
