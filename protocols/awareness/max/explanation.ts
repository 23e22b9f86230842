// Why a call was allowed or refused. A pure function of the records, so the answer is reproducible.
import { type AuditRecord, endsCall } from '@svc/contract/audit/audit-record'
import { covers } from '@svc/contract/authority/capability'

export interface Explanation {
  readonly decision: 'allowed' | 'refused' | 'failed'
  readonly stage: number
  readonly code?: string
  readonly reason: string
  /** `ref`: the delegation, treaty or envelope used; `credential`: the key, token or session presented. */
  readonly capability: {
    requested?: string
    matched?: string
    source?: string
    ref?: string
    credential?: string
  }
  readonly limits?: { retry_after_ms?: number }
  readonly appeal_path?: string
  readonly narrative: string
  /** False if the record contradicts the rules it claims were applied. */
  readonly consistent: boolean
}

/** The record ending the outermost dispatch. Others choose correlation ids freely: their calls sort last. */
export function terminalRecord(records: readonly AuditRecord[]): AuditRecord | undefined {
  const ends = records.filter(endsCall).sort((a, b) => depthOf(a) - depthOf(b) || a.seq - b.seq)
  return ends.find(({ meta }) => meta.caller_tenant === undefined) ?? ends[0]
}

function depthOf(record: AuditRecord): number {
  return typeof record.meta.depth === 'number' ? record.meta.depth : 0
}

const decisions = { success: 'allowed', refused: 'refused', error: 'failed' } as const

export function explain(record: AuditRecord): Explanation {
  const { meta } = record
  const text = (key: string) => (typeof meta[key] === 'string' ? (meta[key] as string) : undefined)
  const [requested, matched, source, code] = [
    text('capability'),
    text('grant'),
    text('grant_source'),
    text('code'),
  ]
  const decision = decisions[record.outcome]
  // Without a stage: a success passed all of them, a refusal by the gateway passed none.
  const stage = typeof meta.stage === 'number' ? meta.stage : record.outcome === 'success' ? 8 : 0
  const reason = text('reason') ?? (matched ? `${matched} grants ${requested}` : 'no rule said no')
  const retry_after_ms = typeof meta.retry_after_ms === 'number' ? meta.retry_after_ms : undefined
  return {
    decision,
    stage,
    code,
    reason,
    capability: { requested, matched, source, ref: text('grant_ref'), credential: text('credential') },
    limits: retry_after_ms === undefined ? undefined : { retry_after_ms },
    appeal_path: text('appeal_path'),
    narrative: narrate(record, decision, stage, reason),
    consistent: isConsistent(record, requested, matched, stage),
  }
}

/** Repeats the capability match: what passed stage 4 must have been covered, what failed there must not. */
function isConsistent(
  record: AuditRecord,
  requested: string | undefined,
  matched: string | undefined,
  stage: number,
) {
  const passed_stage_4 = record.outcome === 'success' || stage > 4
  if (passed_stage_4) return requested !== undefined && matched !== undefined && covers(matched, requested)
  return stage !== 4 || record.meta.code !== 'capability_denied' || matched === undefined
}

function narrate(
  record: AuditRecord,
  decision: Explanation['decision'],
  stage: number,
  reason: string,
): string {
  const what = `${record.protocol ?? 'a protocol'} ${record.operation ?? ''}`.trim()
  if (decision === 'allowed')
    return `At ${record.timestamp} ${record.caller_did} was allowed ${what}: ${reason}.`
  const verb = decision === 'refused' ? 'was refused' : 'failed in'
  return `At ${record.timestamp} ${record.caller_did} ${verb} ${what} at stage ${stage}: ${reason}.`
}
