// What one organization keeps of a request: each record with its hash computed here, and the records of others that it names.
import { Long, StateMark, When } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { counterpartOf, type ProvedRecord } from './record-proof.ts'
import type { AuditLogRecord } from './search.ts'

export interface BookSide {
  readonly tenant_id: string
  readonly is_own: boolean
  readonly records: readonly ProvedRecord[]
  /** Of another's book: whether the engine found it in order. */
  readonly engine_says?: boolean | undefined
}

export function BookSideView({ side, all }: { side: BookSide; all: readonly AuditLogRecord[] }) {
  const { tenant_id, is_own, records, engine_says } = side
  return (
    <section aria-label={`Book of ${tenant_id}`}>
      <h2>{is_own ? `Your book, ${tenant_id}` : `Book of ${tenant_id}`}</h2>
      {records.length === 0 && <p className="empty">It keeps nothing of this request that you may see.</p>}
      <ol className="story">
        {records.map((proved) => (
          <li key={proved.record.seq} className="card">
            <RecordCard proved={proved} is_own={is_own} all={all} />
          </li>
        ))}
      </ol>
      {!is_own && records.length > 0 && (
        <p className="quiet">
          Between these stand records you may not see, so a path to their checkpoint cannot be followed here.
          The engine says of theirs: {engine_says ? 'they are signed as they stand' : 'they are not in order'}
          .
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
  // Of another's log only the hash was computed here, and no signature.
  const state = is_own ? proved.state : is_sound ? 'consistent' : 'broken'
  return (
    <>
      <p className="row">
        {is_own ? (
          <a href={hashOf('book', ['records', String(seq)])}>Record {seq}</a>
        ) : (
          <strong>Record {seq}</strong>
        )}
        <StateMark state={outcome} />
        <When at={timestamp} />
      </p>
      <p>
        {event_type}
        {protocol && `: ${protocol} ${operation ?? ''}`}
      </p>
      <p className="quiet">
        by <Long text={caller_did} />
      </p>
      <p>
        <StateMark state={state} /> {proofWords(proved, is_own)}
      </p>
      <CounterpartLine record={record} all={all} />
    </>
  )
}

function proofWords({ receipt, is_sound, state, tree_size }: ProvedRecord, is_own: boolean): string {
  if (!is_sound) return 'its content has another hash than it states.'
  if (!is_own) return 'its content has the hash it states.'
  if (!receipt.ok) return `${receipt.reason ?? 'it is not proved'}.`
  const whose = state === 'verified' ? 'a key you trust' : 'a key that only the engine vouches for'
  return `it leads to the root of ${tree_size} records, signed by ${whose}.`
}

/** Both books name each other's record by its hash: neither can be changed alone. */
function CounterpartLine({ record, all }: { record: AuditLogRecord; all: readonly AuditLogRecord[] }) {
  const named = counterpartOf(record.meta)
  if (!named) return null
  const named_record = all.find(({ record_hash }) => record_hash === named.record_hash)
  return (
    <p>
      <StateMark state={named_record ? 'verified' : 'broken'} />{' '}
      {named_record
        ? `It names record ${named_record.seq} of ${named.tenant_id} by its hash, which is that of the record beside it.`
        : `It names a record of ${named.tenant_id} by its hash that is not among those shown.`}{' '}
      <Long text={named.record_hash} />
    </p>
  )
}
