// Explains a request from the audit log, the policies in force then and the council, to authorized readers.
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { policySetAt } from '@svc/contract/authority/policy-timeline'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound } from '@svc/contract/refusal'
import { readTimeline } from '../../governance/policies/api.ts'
import {
  callsBefore,
  judgeAgain,
  not_judged,
  type RulesThen,
  setNamed,
  whatWouldChange,
} from '../replay/api.ts'
import { recordsOf, requireRightToAsk } from './audit-log-access.ts'
import { councilOf } from './council-verdict.ts'
import { explain, terminalRecord } from './explanation.ts'

const evidence_max = 256
const every_did = /did:oas:[a-z0-9-]{1,63}:[a-z][a-z-]{0,62}:[0-9a-f]{64}/g

interface Asked {
  readonly correlation_id: string
  readonly audience?: 'subject' | 'operator' | 'auditor'
  readonly counterfactuals?: boolean
}

export async function explainRequest(
  input: Asked,
  context: OperationContext<'audit_log' | 'policies' | 'served' | 'telemetry'>,
) {
  const records = await recordsOf(input.correlation_id, context)
  const record = terminalRecord(records)
  if (!record) throw notFound('finished request', input.correlation_id)
  requireRightToAsk(record.caller_did, context)
  const explanation = explain(record)
  const judged = await judgedBy(record, context)
  const consistent = explanation.consistent && judged.consistent
  if (!consistent) {
    context.alarm('a record contradicts the rules it names', {
      seq: record.seq,
      record_hash: record.record_hash,
    })
  }
  const council = await councilOf(records, context)
  const answer = {
    ...explanation,
    consistent,
    policies: [...judged.policies],
    counterfactuals: input.counterfactuals === false || !consistent ? [] : await changesOf(record, context),
    ...(council && { council: { ...council, dissent: [...council.dissent] } }),
    evidence: records
      .map(({ record_hash }) => `max://${context.tenant_id}/record/${record_hash}`)
      .slice(0, evidence_max),
  }
  return (input.audience ?? 'subject') === 'subject' ? hideOthers(answer, context.caller.did) : answer
}

/** A record that contradicts its rules explains nothing, so nothing is tried on it. */
async function changesOf(record: AuditRecord, context: OperationContext<'policies' | 'served'>) {
  const rules = await rulesThen(record, context)
  return whatWouldChange(record, rules, await callsBefore(record, context)).map((change) => ({ ...change }))
}

/** A call refused before its policies were asked names no set: then what was in force counts. */
async function rulesThen(
  record: AuditRecord,
  { db, tenant_id, policies, served }: OperationContext<'policies' | 'served'>,
): Promise<RulesThen> {
  const digest = setNamed(record, tenant_id)
  const at = new Date(record.timestamp)
  const set =
    digest === undefined
      ? policySetAt(await readTimeline(db, tenant_id, at), at.getTime())
      : await policies.named(digest)
  const { protocol = '', operation = '' } = record
  return { tenant_id, cedar: policies.cedar, set, facts: served.find(protocol, operation)?.facts }
}

async function judgedBy(record: AuditRecord, context: OperationContext<'policies'>) {
  const { tenant_id } = context
  const digest = setNamed(record, tenant_id)
  if (digest === undefined) return not_judged
  return judgeAgain(record, tenant_id, await context.policies.named(digest), context.policies.cedar)
}

/** A subject sees its own DID only, no other agent's. */
function hideOthers<T>(answer: T, own_did: string): T {
  const text = JSON.stringify(answer).replace(every_did, (did) => (did === own_did ? did : 'another agent'))
  return JSON.parse(text) as T
}
