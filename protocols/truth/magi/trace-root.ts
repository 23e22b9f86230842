// The root of a trace: a request, a record or a thing.
import { replayRecord } from '@svc/audit/query/replay'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound } from '@svc/contract/refusal'
import { recordsOf, terminalRecord } from '../../awareness/max/api.ts'
import { recordNamed } from '../claims/api.ts'
import { recordNode } from './trace-node.ts'

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const correlation_form = new RegExp(`^(?:max://(?:[a-z0-9][a-z0-9-]{0,62}/)?correlation/)?(${uuid})$`)
const hash_form = /^[0-9a-f]{64}$/

/** What is read first. */
export interface Start {
  readonly records: readonly AuditRecord[]
  readonly refs: readonly string[]
}

export interface Root extends Start {
  /** The queried node. */
  readonly target: string
}

export async function findRoot(root: string, context: OperationContext<'audit_log'>): Promise<Root> {
  const [, correlation_id] = correlation_form.exec(root) ?? []
  if (correlation_id !== undefined) {
    const records = await recordsOf(correlation_id, context)
    const root_record = terminalRecord([...records]) ?? records.at(-1)!
    return { target: recordNode(root_record.record_hash), records: [root_record], refs: [] }
  }
  await context.audit_log.settled()
  const ref = hash_form.test(root) ? `max://record/${root}` : root
  const hash = hashIn(ref)
  if (hash === undefined) return { target: ref, records: [], refs: [ref] }
  const record = await findByHash(ref, context)
  if (!record) throw notFound('record', root)
  return { target: recordNode(hash), records: [record], refs: [] }
}

export function hashIn(ref: string): string | undefined {
  return recordNamed(ref, '')?.hash
}

/** From the own chain, or another's that discloses it. */
export async function findByHash(ref: string, context: OperationContext): Promise<AuditRecord | undefined> {
  const named = recordNamed(ref, context.tenant_id)
  return named && (await replayRecord(context.db, named.owner, named.hash))?.record
}
