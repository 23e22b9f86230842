// One record as the story of its request: which stage knew what, and where it ended. Everything told is in the record.
import type { AuditRecord } from '@svc/sdk'

export type StageVerdict = 'passed' | 'refused' | 'failed' | 'not reached'

export interface StageStory {
  readonly stage: number
  readonly name: string
  readonly question: string
  readonly verdict: StageVerdict
  readonly knew: readonly (readonly [fact: string, value: string])[]
}

interface StageRow {
  readonly name: string
  readonly question: string
  /** What of the record belongs to this stage; what belongs to none is told with the last. */
  readonly meta: readonly string[]
}

const stages: readonly StageRow[] = [
  {
    name: 'Identity',
    question: 'Who is calling?',
    meta: ['caller_kind', 'caller_level', 'lineage_verified', 'warnings', 'supplied'],
  },
  { name: 'Version', question: 'Which version of the protocol?', meta: ['version', 'canary'] },
  {
    name: 'Context',
    question: 'Under which circumstances?',
    meta: ['origin', 'target_tenant', 'from_tenant', 'trace_id', 'gateway', 'gateway_did', 'dry_run'],
  },
  {
    name: 'Rate limit',
    question: 'Is there room for it?',
    meta: ['limit', 'remaining', 'retry_after_ms', 'bucket'],
  },
  {
    name: 'Capability',
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
    name: 'Circuit and budget',
    question: 'Is it well, and is it paid for?',
    meta: ['breaker', 'last_failure', 'runway', 'envelope_id', 'reserved'],
  },
  { name: 'Endpoint', question: 'Who will do it?', meta: ['endpoint'] },
  {
    name: 'Invocation',
    question: 'What came of it?',
    meta: ['input_hash', 'output_hash', 'module', 'fault_count', 'cause', 'replayed'],
  },
  { name: 'Record', question: 'Is it in the book?', meta: ['usage'] },
]

/** Why it ended: told where it ended. */
const why_fields = ['sentence', 'reason', 'code']

export const stage_count = stages.length

export function storyOf(record: AuditRecord): readonly StageStory[] {
  const ended_at = endOf(record)
  const known = new Set([
    ...stages.flatMap(({ meta }) => meta),
    ...(ended_at === undefined ? [] : why_fields),
  ])
  return stages.map(({ name, question, meta }, stage) => {
    const is_last = stage === stages.length - 1
    const own = [
      ...(stage === ended_at ? why_fields : []),
      ...meta,
      ...(is_last ? Object.keys(record.meta).filter((field) => !known.has(field)) : []),
    ]
    const facts = own.filter((field) => record.meta[field] !== undefined)
    return {
      stage,
      name,
      question,
      verdict: verdictOf(stage, ended_at, record.outcome),
      knew: [
        ...factsBeside(stage, record),
        ...facts.map((field) => [field, textOf(record.meta[field])] as const),
      ],
    }
  })
}

/** Whatever is decided is recorded, so the last stage was always there. */
function verdictOf(stage: number, ended_at: number | undefined, outcome: string): StageVerdict {
  if (ended_at === undefined || stage < ended_at || stage === stages.length - 1) return 'passed'
  if (stage > ended_at) return 'not reached'
  return outcome === 'refused' ? 'refused' : 'failed'
}

/** Undefined where it went through. */
function endOf({ outcome, meta }: AuditRecord): number | undefined {
  if (outcome === 'success') return undefined
  const { stage } = meta
  return typeof stage === 'number' && stage >= 0 && stage < stages.length ? stage : 0
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

/** Of all records of a request the one that says how it ended: the call's own, else the last. */
export function decisionOf(records: readonly AuditRecord[]): AuditRecord | undefined {
  return (
    records.find(({ event_type, protocol }) => event_type === 'ProtocolInvocation' && protocol) ??
    records.findLast(({ outcome }) => outcome !== 'success') ??
    records.at(-1)
  )
}
