// One record: its content, the hashed text, and its proof, computed here.
import { Button } from '@mantine/core'
import { verifyProof } from '@svc/sdk'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { Duration, Fact, When } from '../../parts/figure.tsx'
import { JsonView, TextView } from '../../parts/json-view.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Who } from '../../parts/who.tsx'
import { Id, Reason, StateBadge } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'
import { useSession, useWhyNot } from '../../shell/use-session.tsx'
import { type ProvedRecord, proveRecords } from './record-proof.ts'
import type { AuditLogRecord } from './search.ts'
import { useTrust } from './use-trust.ts'
import { useWork } from './use-work.ts'

export function RecordView({ seq }: { seq: string }) {
  const { trust } = useTrust()
  const place = Number(seq)
  const record_query = useQuery(`record ${seq}`, async (client, signal) => {
    const wish = { limit: 1, include_proofs: true, include_checkpoints: true }
    const page = await client.max.audit_query({ ...wish, after_seq: place - 1 }, { signal })
    const [proved] = await proveRecords(page, trust.keys)
    const keys = (page.keys ?? []).map(({ public_key }) => public_key)
    return proved?.record.seq === place ? { proved, keys } : { proved: undefined, keys }
  })
  return (
    <AnswerOf query={record_query}>
      {({ proved, keys }) =>
        proved ? (
          <>
            <Facts record={proved.record} />
            <ProofNote proved={proved} />
            <NewestProof record={proved.record} trusted={trust.keys} named={keys} />
            <Texts proved={proved} />
            <nav className="row" aria-label="Adjacent records">
              {place > 1 && <a href={hashOf('audit-log', ['records', String(place - 1)])}>Previous record</a>}
              <a href={hashOf('audit-log', ['records', String(place + 1)])}>Next record</a>
            </nav>
          </>
        ) : (
          <p className="note">
            Your audit log has no record {seq}. If there should be one, verify the audit log: the verdict says
            where it ends.
          </p>
        )
      }
    </AnswerOf>
  )
}

function Facts({ record }: { record: AuditLogRecord }) {
  const { seq, timestamp, outcome, event_type, protocol, operation, caller_did, latency_ms } = record
  const { correlation_id } = record
  return (
    <section aria-label="Content">
      <h2>Record {seq}</h2>
      <dl className="facts">
        <Fact name="When" value={<When at={timestamp} />} />
        <Fact name="Outcome" value={<StateBadge state={outcome} />} />
        <Fact name="Reason" value={outcome === 'success' ? null : <Reason meta={record.meta} />} />
        <Fact name="Event" value={event_type} />
        <Fact name="Operation" value={[protocol, operation].filter(Boolean).join(' ') || '–'} />
        <Fact name="Took" value={<Duration ms={latency_ms} />} />
        <Fact name="Caller" value={<Who did={caller_did} />} />
        <Fact name="Request" value={<Id text={correlation_id} chars={36} />} />
      </dl>
      <p className="row">
        <a href={hashOf('requests', [correlation_id])}>Its way through the stages</a>
        <a href={hashOf('audit-log', ['correlation', correlation_id])}>
          Follow the request across organizations
        </a>
      </p>
    </section>
  )
}

const headings = { verified: 'Verified in this browser', consistent: 'Consistent', broken: 'Not proved' }
const kinds = { verified: 'note good', consistent: 'note', broken: 'problem' }

function ProofNote({ proved }: { proved: ProvedRecord }) {
  const { receipt, state, tree_size, is_sound, record, computed } = proved
  const keys =
    state === 'verified'
      ? 'a key you trust'
      : 'a key that only the engine vouches for; paste the key you trust under Verify'
  return (
    <section aria-label="Its proof" role="status" className={kinds[state]}>
      <h3>
        {headings[state]} <StateBadge state={state} />
      </h3>
      {receipt.ok ? (
        <p>
          Its content matches its hash. Record {record.seq} is included in the root of the first {tree_size}{' '}
          records, signed with {keys}.
        </p>
      ) : (
        <p>
          Record {record.seq}: {receipt.reason}.
          {!is_sound && computed && ' Its content does not match the stored hash.'}
        </p>
      )}
    </section>
  )
}

interface NewestProofProps {
  readonly record: AuditLogRecord
  /** The reader's own keys, and those the engine reports. */
  readonly trusted: readonly string[]
  readonly named: readonly string[]
}

function NewestProof({ record, trusted, named }: NewestProofProps) {
  const why_not = useWhyNot('MAZE', 'prove')
  const { client } = useSession()
  const work = useWork<{ answer: object; state: ProvedRecord['state']; words: string }>()
  const prove = () =>
    work.start(async ({ signal }) => {
      const input = { kind: 'inclusion' as const, record_hash: record.record_hash }
      const answer = await client.maze.prove(input, { signal })
      const has_own = trusted.length > 0
      const verdict = await verifyProof(answer, { trustedKeys: has_own ? trusted : named })
      const is_this = answer.leaf?.record_hash === record.record_hash && answer.leaf_index === record.seq - 1
      const ok = verdict.ok && is_this
      const reason = verdict.reason ?? 'the proof is for another record'
      return {
        answer,
        state: !ok ? 'broken' : has_own ? 'verified' : 'consistent',
        words: ok ? `It is included in the signed tree of ${verdict.tree_size} records.` : `${reason}.`,
      }
    })
  return (
    <section aria-label="Against the newest checkpoint">
      <Button variant="default" disabled={why_not !== undefined} title={why_not} onClick={prove}>
        Prove against the newest checkpoint
      </Button>{' '}
      {why_not && <span className="quiet">{why_not}</span>}
      <span role="status">
        {work.state === 'running' && 'Fetching the proof …'}
        {work.result && (
          <>
            <StateBadge state={work.result.state} /> {work.result.words}
          </>
        )}
      </span>
      {work.problem && <ProblemNote problem={work.problem} />}
      {work.result && (
        <details>
          <summary>Raw proof</summary>
          <JsonView label="Answer of MAZE prove" value={work.result.answer} />
        </details>
      )}
    </section>
  )
}

function Texts({ proved }: { proved: ProvedRecord }) {
  const { record, text, computed } = proved
  return (
    <section aria-label="Hashes and text">
      <dl className="hashes">
        <Fact name="Previous hash" value={<Id text={record.previous_hash} chars={64} />} />
        <Fact name="Stored hash" value={<Id text={record.record_hash} chars={64} />} />
        <Fact
          name="Hash computed here"
          value={computed ? <Id text={computed} chars={64} /> : 'none: the text is not a record'}
        />
      </dl>
      {text !== undefined && <TextView label="Canonical JSON, as hashed" text={text} />}
      <details>
        <summary>Formatted</summary>
        <JsonView label="Record" value={record} />
      </details>
    </section>
  )
}
