// The oracle: every answered decision is in its chain exactly once, which the export alone proves.
import assert from 'node:assert/strict'
import type { Addresses } from '../../engines/running-engine.ts'
import { until } from '../../suite/eventually.ts'
import type { Answered } from './callers.ts'
import { type Chain, emptyChain, exportByCommand, readChain, type Where } from './exported-chain.ts'

const operator_tenant = 'operator'
const faults_shown_max = 5

export interface AuditLogs {
  readonly records: number
  readonly own: Chain
  readonly operator: Chain
}

/** Waits until the journal is empty, then exports the tenant's audit log and verifies it. */
export async function readAuditLogs(engine: Addresses, where: Where): Promise<AuditLogs> {
  await drained(engine)
  const own = await readChain(where, engine.tenant_id)
  return { own, operator: emptyChain(), records: own.hashes.length }
}

/** The same, plus the operator's audit log, with the public commands. */
export async function readAuditLogsByCommand(engine: Addresses, where: Where): Promise<AuditLogs> {
  await drained(engine)
  const own = await exportByCommand(where, engine.tenant_id)
  const operator = await exportByCommand(where, operator_tenant)
  return { own, operator, records: own.hashes.length + operator.hashes.length }
}

export function assertKept(answered: readonly Answered[], audit_logs: AuditLogs): void {
  const faults = findFaults(answered, audit_logs)
  assert.deepEqual(
    faults.slice(0, faults_shown_max),
    [],
    `${faults.length} faults, ${answered.length} answers`,
  )
}

/** Compares the audit logs with the answers: one sentence per fault. */
export function findFaults(answered: readonly Answered[], { own, operator }: AuditLogs): string[] {
  const doubled = [own, operator].flatMap(({ doubled_ids }) =>
    doubled_ids.map((id) => `record ${id} is there twice`),
  )
  return [
    ...doubled,
    ...answered.flatMap((answer) => compare(answer, answer.sort.audit_log === 'own' ? own : operator)),
  ]
}

/** Everything journalled is in the chain. */
export async function drained(engine: Addresses): Promise<void> {
  await until(
    'the journal is drained',
    async () => (await readMetric(engine, 'svc_audit_pending_bytes')) === 0,
  )
}

export async function readMetric(engine: Addresses, name: string): Promise<number> {
  const page = await (await fetch(engine.metrics_url)).text()
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(page)?.[1]
  if (value === undefined) throw new Error(`/metrics has no ${name}`)
  return Number(value)
}

/** Without a crash no count is lost: every answer is in the log, singly or counted. */
export function assertCounted(answered: readonly Answered[], { own }: AuditLogs): void {
  const answers = Map.groupBy(answered, ({ correlation_id }) => correlation_id)
  const missing = [...answers].flatMap(([correlation_id, { length }]) => {
    const { times, counted } = own.correlations.get(correlation_id) ?? { times: 0, counted: 0 }
    return times + counted < length ? [`${correlation_id}: ${times} and ${counted} of ${length} answers`] : []
  })
  assert.deepEqual(missing.slice(0, faults_shown_max), [])
}

function compare({ sort, correlation_id, record_id, code, head, place }: Answered, chain: Chain): string[] {
  const correlation = chain.correlations.get(correlation_id)
  const { times = 0, counted = 0 } = correlation ?? {}
  // A refused entry may have written its first record, or not.
  const least = code === null ? sort.records : 1
  const judged = {
    [`${times} of ${least} records`]: times < least && counted === 0,
    [`${times} records instead of ${sort.records}`]: times > sort.records,
    'no success under its record id': record_id !== null && chain.outcomes.get(record_id) !== 'success',
    'no record with its code': code !== null && !correlation?.codes.includes(code),
    'its head is not in the chain': head !== null && !chain.heads.has(head),
    'not at its place': place !== null && chain.hashes[place.seq - 1] !== place.record_hash,
  }
  return Object.entries(judged).flatMap(([fault, is_so]) =>
    is_so ? [`${sort.name} ${correlation_id} (${code ?? 'success'}): ${fault}`] : [],
  )
}
