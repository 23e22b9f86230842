// One organization's records of a request: each with its hash computed here, and the records of others it refers to.
import { When } from '../../parts/figure.tsx'
import { Id, StateBadge } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { counterpartOf, type ProvedRecord } from './record-proof.ts'
import type { AuditLogRecord } from './search.ts'

export interface AuditLogSide {
  readonly tenant_id: string
  readonly is_own: boolean
  readonly records: readonly ProvedRecord[]
  /** For another tenant's audit log: whether the engine verified it. */
  readonly engine_says?: boolean | undefined
}

export function AuditLogSideView({ side, all }: { side: AuditLogSide; all: readonly AuditLogRecord[] }) {
  const { tenant_id, is_own, records, engine_says } = side
  return (
    <section aria-label={`Audit log of ${tenant_id}`}>
      <h2>{is_own ? `Your audit log, ${tenant_id}` : `Audit log of ${tenant_id}`}</h2>
      {records.length === 0 && <p className="empty">It has no record of this request that you may see.</p>}
      <ol className="story">
        {records.map((proved) => (
          <li key={proved.record.seq} className="card">
            <RecordCard proved={proved} is_own={is_own} all={all} />
          </li>
        ))}
      </ol>
      {!is_own && records.length > 0 && (
        <p className="quiet">
          You may not see the records between these, so the path to their checkpoint cannot be checked here.
          The engine reports: {engine_says ? 'the signatures are valid' : 'the signatures are not valid'}.
        </p>
      )}
    </section>
  )
}

function RecordCard({
  proved,
  is_own,
  all,
}: {
  proved: ProvedRecord
  is_own: boolean
  all: readonly AuditLogRecord[]
}) {
  const { record, is_sound } = proved
  const { seq, timestamp, event_type, protocol, operation, outcome, caller_did } = record
  // For another tenant's log only the hash was computed here; no signature was checked.
  const state = is_own ? proved.state : is_sound ? 'consistent' : 'broken'
  return (
    <>
      <p className="row">
        {is_own ? (
          <a href={hashOf('audit-log', ['records', String(seq)])}>Record {seq}</a>
        ) : (
          <strong>Record {seq}</strong>
        )}
        <StateBadge state={outcome} />
        <When at={timestamp} />
      </p>
      <p>
        {event_type}
        {protocol && `: ${protocol} ${operation ?? ''}`}
      </p>
      <p className="quiet">
        by <Id text={caller_did} />
      </p>
      <p>
        <StateBadge state={state} /> {proofWords(proved, is_own)}
      </p>
      <CounterpartLine record={record} all={all} />
    </>
  )
}

function proofWords({ receipt, is_sound, state, tree_size }: ProvedRecord, is_own: boolean): string {
  if (!is_sound) return 'its content does not match its hash.'
  if (!is_own) return 'its content matches its hash.'
  if (!receipt.ok) return `${receipt.reason ?? 'it is not proved'}.`
  const whose = state === 'verified' ? 'a key you trust' : 'a key that only the engine vouches for'
  return `it leads to the root of ${tree_size} records, signed by ${whose}.`
}

/** The two audit logs refer to each other's record by hash, so neither can be changed alone. */
function CounterpartLine({ record, all }: { record: AuditLogRecord; all: readonly AuditLogRecord[] }) {
  const named = counterpartOf(record.meta)
  if (!named) return null
  const named_record = all.find(({ record_hash }) => record_hash === named.record_hash)
  return (
    <p>
      <StateBadge state={named_record ? 'verified' : 'broken'} />{' '}
      {named_record
        ? `It refers to record ${named_record.seq} of ${named.tenant_id}, and the hash matches.`
        : `It refers to a record of ${named.tenant_id} that is not shown here.`}{' '}
      <Id text={named.record_hash} />
    </p>
  )
}
