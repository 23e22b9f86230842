// Queries of a compliance report over a span: which records a rule applies to, and which of them break it.
import type { AuditBody } from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'
import { bodyOf } from '../pages/stored-record.ts'
import { queryOf } from './query.ts'
import type { RecordFilter } from './record-filter.ts'
import { searchRecords } from './search.ts'
import type { Span } from './span.ts'

const samples_max = 5
const invocations = { event_types: ['ProtocolInvocation'] }
const authority_sources: readonly unknown[] = ['delegation', 'treaty', 'envelope']
const charter_operations: readonly string[] = [
  'MOAT.sign',
  'MAUSOLEUM.initiate',
  'MAXIM.author',
  'MEAL.admin_set_rate',
  'MEAL.admin',
]

interface Rule {
  readonly filter: Partial<RecordFilter>
  /** Of what the filter found; all where it is missing. */
  applies?(record: AuditBody): boolean
  isKept(record: AuditBody): boolean
}

const questions = {
  refusals: { filter: { outcome: 'refused' }, isKept: ({ meta }) => 'reason' in meta },
  state_changes: { filter: invocations, isKept: ({ meta }) => 'grant' in meta },
  borrowed_authority: {
    filter: invocations,
    applies: ({ meta }) => authority_sources.includes(meta.grant_source),
    isKept: ({ meta }) => 'grant_ref' in meta,
  },
  charter_operations: {
    filter: invocations,
    applies: ({ protocol, operation }) => charter_operations.includes(`${protocol}.${operation}`),
    isKept: ({ meta }) => 'verdict' in moduleOf(meta),
  },
  reconciliations: {
    filter: { ...invocations, protocol: 'MEAL', operation: 'reconcile' },
    isKept: ({ meta }) => String(moduleOf(meta).balanced) === 'true',
  },
  verdicts: { filter: { event_types: ['MotionTallied'] }, isKept: ({ meta }) => 'dissent_count' in meta },
} as const satisfies Record<string, Rule>

function moduleOf({ module }: AuditBody['meta']): Record<string, unknown> {
  return typeof module === 'object' && module !== null ? { ...module } : {}
}

export type Question = keyof typeof questions

export interface Findings {
  readonly subjects: number
  /** Record hashes, a few of each. */
  readonly breaches: readonly string[]
  readonly samples: readonly string[]
}

/** What was overwritten with something that is no record breaks every rule. */
export async function countMatching(
  db: Database,
  tenant_id: string,
  span: Span,
  question: Question,
): Promise<Findings> {
  const rule: Rule = questions[question]
  let subjects = 0
  const breaches: string[] = []
  const samples: string[] = []
  for await (const records of searchRecords(queryOf(db), tenant_id, { ...rule.filter, ...boundsOf(span) }))
    for (const record of records) {
      const body = bodyOf(record)
      if (body && rule.applies?.(body) === false) continue
      subjects++
      if (samples.length < samples_max) samples.push(record.record_hash)
      if (!(body && rule.isKept(body)) && breaches.length < samples_max) breaches.push(record.record_hash)
    }
  return { subjects, breaches, samples }
}

export interface AuthorityUse {
  readonly source: 'delegation' | 'treaty' | 'envelope'
  readonly ref: string
  readonly calls: number
}

/** Which delegations, treaties and envelopes calls were made under, the most used first. */
export async function authoritiesUsed(
  db: Database,
  tenant_id: string,
  span: Span,
  limit: number,
): Promise<AuthorityUse[]> {
  const uses = new Map<string, { source: AuthorityUse['source']; ref: string; calls: number }>()
  for await (const records of searchRecords(queryOf(db), tenant_id, { ...invocations, ...boundsOf(span) }))
    for (const record of records) {
      const { grant_source, grant_ref, appended } = bodyOf(record)?.meta ?? {}
      if (!authority_sources.includes(grant_source) || typeof grant_ref !== 'string' || appended === true)
        continue
      const source = grant_source as AuthorityUse['source']
      const use = uses.get(`${source} ${grant_ref}`) ?? { source, ref: grant_ref, calls: 0 }
      use.calls++
      uses.set(`${source} ${grant_ref}`, use)
    }
  return [...uses]
    .sort(([a, one], [b, other]) => other.calls - one.calls || (a < b ? -1 : 1))
    .slice(0, limit)
    .map(([, use]) => use)
}

function boundsOf({ first_seq, last_seq }: Span) {
  return { after_seq: first_seq - 1, before_seq: last_seq + 1 }
}
