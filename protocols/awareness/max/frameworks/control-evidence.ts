// What the log of a period has to say to each control of a framework. It judges nobody: evidence, none in the period, or not shown.
import { type Findings, gatherEvidence, type RecordName } from '@svc/audit/query/control-query'
import type { Span } from '@svc/audit/query/span'
import type { Database } from '@svc/contract/database'
import { Closed, described, ListOf, OneOf, Ref } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import type { Control, NamedQuery } from './framework.ts'

const controls_max = 64
const queries_max = 4
const names_max = 16

const SeqAndRef = Closed({
  seq: Type.Integer({ description: 'Place of the record in the log.' }),
  ref: described(Ref, 'The record; audit_query with proof_report proves that the report covers it.'),
})

const QueryEvidence = Closed({
  counts: Type.String({ description: 'What was counted, in words.' }),
  event_types: described(
    ListOf(Type.String(), 0, names_max),
    'Types of records that were counted; empty for any.',
  ),
  operations: described(
    ListOf(Type.String(), 0, names_max),
    'Operations whose records were counted; empty for any.',
  ),
  outcomes: described(ListOf(Type.String(), 0, 3), 'Outcomes that were counted; empty for any.'),
  where: Type.Optional(
    Closed(
      {
        field: Type.String({ description: 'A field of meta, with dots for fields in it.' }),
        one_of: described(ListOf(Type.String(), 1, names_max), 'Values of which it had one.'),
      },
      { description: 'A further condition on what was counted; absent where there was none.' },
    ),
  ),
  must: Type.Optional(
    Closed(
      {
        field: Type.String({ description: 'A field of meta that each counted record must have.' }),
        equals: Type.Optional(Type.String({ description: 'The value it must have; absent for any.' })),
      },
      { description: 'What each counted record must say; absent where to be there is enough.' },
    ),
  ),
  count: Type.Integer({
    description:
      'Records of the period that matched. Notes of callers, dry runs and stored answers given again never count; ' +
      'of many equal refusals in a second, one record has the number.',
  }),
  first: Type.Optional(described(SeqAndRef, 'The first of them; absent where there is none.')),
  last: Type.Optional(described(SeqAndRef, 'The last of them; absent where there is none.')),
  exceptions: Type.Integer({ description: 'How many of them do not say what they must.' }),
  exception_refs: described(ListOf(Ref, 0, 5), 'The first of the exceptions.'),
})

export const ControlEvidence = Closed({
  id: Type.String({ description: 'The control in its framework, such as CC6.1, A.9.4 or Art. 12(1).' }),
  title: Type.String({ description: 'Short title in our own words.' }),
  question: Type.String({ description: 'What the control asks, in our own words.' }),
  status: described(
    OneOf('evidence', 'no_evidence', 'not_shown'),
    'evidence: records of the period speak to it. no_evidence: records could, and the period has none. ' +
      'not_shown: no log of calls can show it. None says that a control is satisfied.',
  ),
  evidence: described(
    ListOf(QueryEvidence, 0, queries_max),
    'Each query that answers it, and what it found.',
  ),
  gap: Type.String({ description: 'What this log cannot show of the control.' }),
})

export const Controls = ListOf(ControlEvidence, 0, controls_max)

export type ControlEvidence = Static<typeof ControlEvidence>

/** `span` is undefined where the period has no record. */
export async function evidenceOf(
  controls: readonly Control[],
  log: { readonly db: Database; readonly tenant_id: string; readonly signal?: AbortSignal },
  span: Span | undefined,
): Promise<ControlEvidence[]> {
  const { db, tenant_id, signal } = log
  const queries = [...new Set(controls.flatMap((control) => control.queries))]
  const results = span ? await gatherEvidence(db, tenant_id, span, queries, signal) : []
  const findings = new Map(queries.map((query, at) => [query, results[at] ?? nothing]))
  return controls.map(({ id, title, question, queries: own, gap }) => {
    const evidence = own.map((query) => evidenceRow(query, findings.get(query)!, tenant_id))
    return { id, title, question, status: statusOf(evidence), evidence, gap }
  })
}

const nothing: Findings = { count: 0, exceptions: 0, exception_hashes: [] }

function statusOf(evidence: ControlEvidence['evidence']): ControlEvidence['status'] {
  if (evidence.length === 0) return 'not_shown'
  return evidence.some(({ count }) => count > 0) ? 'evidence' : 'no_evidence'
}

function evidenceRow(
  { counts, event_types = [], operations = [], outcomes = [], where, must }: NamedQuery,
  { count, first, last, exceptions, exception_hashes }: Findings,
  tenant_id: string,
): ControlEvidence['evidence'][number] {
  const refOf = (record_hash: string) => `max://${tenant_id}/record/${record_hash}`
  const placeOf = ({ seq, record_hash }: RecordName) => ({ seq, ref: refOf(record_hash) })
  return {
    counts,
    event_types: [...event_types],
    operations: [...operations],
    outcomes: [...outcomes],
    where: where && { field: where.field, one_of: [...where.one_of] },
    must: must && { ...must },
    count,
    first: first && placeOf(first),
    last: last && placeOf(last),
    exceptions,
    exception_refs: exception_hashes.map(refOf),
  }
}
