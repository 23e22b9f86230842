// What a compliance report asks of a span of the log: which records answer a question, and which of them lack what they should say.
import { type AuditBody, isNote } from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'
import { bodyOf } from '../pages/stored-record.ts'
import { queryOf } from './query.ts'
import { scanRecords, searchRecords } from './search.ts'
import type { Span } from './span.ts'

/** Hashes of exceptions that a finding names; all of them are counted. */
const exceptions_max = 5
const invocations = { event_types: ['ProtocolInvocation'] }
const authority_sources: readonly unknown[] = ['delegation', 'treaty', 'envelope']

/** Which records are counted, as data. A list that is missing is no condition. */
export interface EvidenceQuery {
  readonly event_types?: readonly string[]
  /** As `PROTOCOL.operation`. */
  readonly operations?: readonly string[]
  readonly outcomes?: readonly string[]
  /** A field of `meta`, with dots for fields in it, that has one of these values. */
  readonly where?: { readonly field: string; readonly one_of: readonly string[] }
  /** What every record counted must have in `meta`, and where given, its value; one that does not is an exception. */
  readonly must?: { readonly field: string; readonly equals?: string }
}

export interface RecordName {
  readonly seq: number
  readonly record_hash: string
}

export interface Findings {
  readonly count: number
  readonly first?: RecordName
  readonly last?: RecordName
  readonly exceptions: number
  readonly exception_hashes: readonly string[]
}

/** All queries in one pass, so that a framework of many controls costs no more than one. What was overwritten with no record counts nowhere. */
export async function gatherEvidence(
  db: Database,
  tenant_id: string,
  { first_seq, last_seq }: Span,
  queries: readonly EvidenceQuery[],
  signal?: AbortSignal,
): Promise<Findings[]> {
  const tallies = queries.map((query) => new Tally(query))
  const range = { from_seq: first_seq, to_seq: last_seq }
  for await (const records of scanRecords(queryOf(db), tenant_id, range)) {
    signal?.throwIfAborted()
    for (const record of records) {
      const body = bodyOf(record)
      if (!body || !isEvidence(body)) continue
      for (const tally of tallies) tally.take(body, record)
    }
  }
  return tallies.map(({ findings }) => findings)
}

/** Notes of callers could say anything; a dry run or a stored answer given again to a retry did nothing. */
function isEvidence({ event_type, meta }: AuditBody): boolean {
  return !isNote({ event_type, meta }) && meta.dry_run !== true && meta.replayed !== true
}

class Tally {
  readonly findings = {
    count: 0,
    first: undefined as RecordName | undefined,
    last: undefined as RecordName | undefined,
    exceptions: 0,
    exception_hashes: [] as string[],
  }
  readonly #query: EvidenceQuery
  readonly #event_types: ReadonlySet<string> | undefined
  readonly #operations: ReadonlySet<string> | undefined

  constructor(query: EvidenceQuery) {
    this.#query = query
    this.#event_types = query.event_types && new Set(query.event_types)
    this.#operations = query.operations && new Set(query.operations)
  }

  take(body: AuditBody, { seq, record_hash }: RecordName): void {
    if (!this.#matches(body)) return
    const { findings } = this
    findings.count++
    findings.first ??= { seq, record_hash }
    findings.last = { seq, record_hash }
    if (isSaid(body, this.#query.must)) return
    findings.exceptions++
    if (findings.exception_hashes.length < exceptions_max) findings.exception_hashes.push(record_hash)
  }

  #matches({ event_type, protocol, operation, outcome, meta }: AuditBody): boolean {
    const { outcomes, where } = this.#query
    return (
      (this.#event_types?.has(event_type) ?? true) &&
      (this.#operations?.has(`${protocol}.${operation}`) ?? true) &&
      (outcomes?.includes(outcome) ?? true) &&
      (where === undefined || where.one_of.includes(String(fieldOf(meta, where.field))))
    )
  }
}

function isSaid({ meta }: AuditBody, must: EvidenceQuery['must']): boolean {
  if (!must) return true
  const value = fieldOf(meta, must.field)
  return must.equals === undefined ? value !== undefined : String(value) === must.equals
}

function fieldOf(meta: AuditBody['meta'], path: string): unknown {
  let value: unknown = meta
  for (const name of path.split('.'))
    value =
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Record<string, unknown>)[name]
        : undefined
  return value
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
