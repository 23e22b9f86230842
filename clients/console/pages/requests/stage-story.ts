// A record divided by stage: what each stage knew, and where the request ended. Uses only the record.
import type { AuditRecord } from '@svc/sdk'
import { stages } from '../../../../generated/sdk-operations.ts'

export type StageVerdict = 'passed' | 'refused' | 'failed' | 'not reached'

export interface StageStory {
  readonly stage: number
  readonly name: string
  readonly question: string
  readonly verdict: StageVerdict
  readonly knew: readonly (readonly [fact: string, value: string])[]
}

interface StageRow {
  readonly question: string
  /** The fields of the record that belong to this stage; the rest are shown with the last. */
  readonly meta: readonly string[]
}

const stage_rows: readonly StageRow[] = [
  {
    question: 'Who is calling?',
    meta: ['caller_kind', 'caller_level', 'lineage_verified', 'warnings', 'supplied'],
  },
  { question: 'Which version of the protocol?', meta: ['version', 'canary'] },
  {
    question: 'From where, and to which tenant?',
    meta: ['origin', 'target_tenant', 'from_tenant', 'trace_id', 'gateway', 'gateway_did', 'dry_run'],
  },
  {
    question: 'Is the caller within its limits?',
    meta: ['limit', 'remaining', 'retry_after_ms', 'bucket'],
  },
  {
    question: 'May this caller do this?',
    meta: [
      'capability',
      'requested_capability',
      'grant',
      'grant_source',
      'grant_ref',
      'credential',
      'treaty_id',
      'policies',
      'denying_policy',
      'dissent',
      'appeal_path',
    ],
  },
  {
    question: 'Is the protocol healthy, and does the budget cover it?',
    meta: ['breaker', 'last_failure', 'runway', 'envelope_id', 'reserved'],
  },
  { question: 'Which endpoint handles it?', meta: ['endpoint'] },
  {
    question: 'What was the result?',
    meta: ['input_hash', 'output_hash', 'module', 'fault_count', 'cause', 'replayed'],
  },
  { question: 'Was it recorded?', meta: ['usage'] },
]

/** Why it ended; shown at the stage where it ended, below the sentence that its caller got. */
const why_fields = ['reason', 'code']

export const stage_count = stage_rows.length

export function storyOf(record: AuditRecord): readonly StageStory[] {
  const ended_at = endOf(record)
  const shown_fields = new Set([
    ...stage_rows.flatMap(({ meta }) => meta),
    ...(ended_at === undefined ? [] : ['sentence', ...why_fields]),
  ])
  return stage_rows.map(({ question, meta }, stage) => {
    const is_last = stage === stage_rows.length - 1
    const own = [
      ...(stage === ended_at ? why_fields : []),
      ...meta,
      ...(is_last ? Object.keys(record.meta).filter((field) => !shown_fields.has(field)) : []),
    ]
    const facts = own.filter((field) => record.meta[field] !== undefined)
    return {
      stage,
      name: stages[stage]!.title,
      question,
      verdict: verdictOf(stage, ended_at, record.outcome),
      knew: [
        ...factsBeside(stage, record),
        ...facts.map((field) => [field, textOf(record.meta[field])] as const),
      ],
    }
  })
}

/** Every decision is recorded, so the last stage always ran. */
function verdictOf(stage: number, ended_at: number | undefined, outcome: string): StageVerdict {
  if (ended_at === undefined || stage < ended_at || stage === stage_rows.length - 1) return 'passed'
  if (stage > ended_at) return 'not reached'
  return outcome === 'refused' ? 'refused' : 'failed'
}

/** Undefined if it succeeded. */
function endOf({ outcome, meta }: AuditRecord): number | undefined {
  if (outcome === 'success') return undefined
  const { stage } = meta
  return typeof stage === 'number' && stage >= 0 && stage < stage_rows.length ? stage : 0
}

function factsBeside(stage: number, record: AuditRecord): (readonly [string, string])[] {
  if (stage === 0) return [['caller', record.caller_did]]
  if (stage === 1)
    return [
      ['protocol', record.protocol ?? 'none'],
      ['operation', record.operation ?? 'none'],
    ]
  if (stage === 2)
    return [
      ['tenant', record.tenant_id],
      ['correlation', record.correlation_id],
    ]
  if (stage === 7) return [['latency_ms', String(record.latency_ms)]]
  if (stage === 8)
    return [
      ['number', String(record.seq)],
      ['hash', record.record_hash],
      ['at', record.timestamp],
    ]
  return []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The record that says how a request ended: the call's own, else the last. */
export function decisionOf(records: readonly AuditRecord[]): AuditRecord | undefined {
  return (
    records.find(({ event_type, protocol }) => event_type === 'ProtocolInvocation' && protocol) ??
    records.findLast(({ outcome }) => outcome !== 'success') ??
    records.at(-1)
  )
}
