// The audit records of one call, each verified locally.
import { setTimeout as sleepFor } from 'node:timers/promises'
import type { AuditRecord } from '@svc/sdk/answer'
import type { Client } from '@svc/sdk/client'
import { verifyReceipt } from '@svc/sdk/verify/receipt'
import type { Terminal } from '../command.ts'
import { coloursOf } from '../output/colours.ts'
import { harmless } from '../output/harmless-text.ts'
import { humanText, pageOf } from '../output/human.ts'

export interface CheckedRecord {
  readonly record: AuditRecord
  /** `consistent`: valid, but signed by a key that only the engine vouches for. */
  readonly mark: 'verified' | 'consistent' | 'INVALID'
  /** Why it is invalid. */
  readonly why?: string
}

export interface FoundRecords {
  readonly correlation_id: string
  readonly records: readonly CheckedRecord[]
  /** False if the final record of the call was not committed in time. */
  readonly complete: boolean
}

export interface Waiting {
  /** `metadata.audit_record_id` of the answer: the final record of the call. If absent, any final record. */
  readonly record_id?: string
  /** The tenant whose audit log is read; a call is recorded in its caller's log, whichever tenant was called. */
  readonly tenant_id?: string
  /** The key pinned for this log. */
  readonly pinned_key?: string
  readonly signal?: AbortSignal
  readonly sleep?: (wait_ms: number, signal?: AbortSignal) => Promise<unknown>
}

export type Page = Awaited<ReturnType<Client['max']['audit_query']>>

/** The most records that one answer proves. */
export const proved_max = 200
/** Five seconds in total. */
const waits_ms: readonly number[] = [100, 200, 400, 800, 1_500, 2_000]

/** Polls until the final record of the call is in the audit log, for at most five seconds. */
export async function waitForRecords(
  client: Pick<Client, 'max'>,
  correlation_id: string,
  waiting: Waiting = {},
): Promise<FoundRecords> {
  const { record_id, tenant_id, pinned_key, signal, sleep = sleepReal } = waiting
  const call = { ...(signal ? { signal } : {}), ...(tenant_id === undefined ? {} : { tenantId: tenant_id }) }
  for (let attempt = 0; ; attempt++) {
    const wish = { correlation_id, limit: proved_max, include_proofs: true }
    const page = await client.max.audit_query(wish, call)
    const ending = endingRecord(page.records)
    const complete =
      record_id === undefined ? ending !== undefined : page.records.some(({ id }) => id === record_id)
    const wait_ms = waits_ms[attempt]
    if (complete || wait_ms === undefined)
      return { correlation_id, records: await checkRecords(page, pinned_key), complete }
    await sleep(wait_ms, signal)
  }
}

function sleepReal(wait_ms: number, signal?: AbortSignal): Promise<unknown> {
  return sleepFor(wait_ms, undefined, signal ? { signal } : {})
}

/** A caller's own entries are never final; their content is under `meta.supplied`. */
function endsCall({ event_type, meta }: AuditRecord): boolean {
  if (event_type.startsWith('custom.')) return false
  return event_type === 'ProtocolInvocation' || meta.code !== undefined || meta.dry_run === true
}

/** The final record of the call itself, not of a nested call. */
export function endingRecord(records: readonly AuditRecord[]): AuditRecord | undefined {
  const depthOf = ({ meta }: AuditRecord) => (typeof meta.depth === 'number' ? meta.depth : 0)
  return records.filter(endsCall).sort((a, b) => depthOf(a) - depthOf(b) || a.seq - b.seq)[0]
}

/** Checks each record's hash, path and signature in a page that includes proofs. */
export async function checkRecords(page: Page, pinned_key?: string): Promise<CheckedRecord[]> {
  const keys = (page.keys ?? []).map(({ public_key }) => public_key)
  const notes = new Map((page.checkpoints ?? []).map(({ size, note }) => [size, note]))
  const proofs = new Map((page.proofs ?? []).map((proof) => [proof.seq, proof]))
  return await Promise.all(
    page.records.map(async (record): Promise<CheckedRecord> => {
      const proof = proofs.get(record.seq)
      const checkpoint = proof && notes.get(proof.tree_size)
      if (!proof || checkpoint === undefined)
        return { record, mark: 'INVALID', why: 'the engine returned no proof' }
      const { inclusion_path, tree_size } = proof
      const receipt = { record, inclusion_path, tree_size, checkpoint }
      const { ok, reason } = await verifyReceipt(receipt, keys)
      if (!ok) return { record, mark: 'INVALID', why: reason ?? 'it is not proved' }
      if (pinned_key === undefined) return { record, mark: 'consistent' }
      // An older key of this log may have signed it; only the whole log proves that the pinned key succeeded it.
      if (!keys.includes(pinned_key))
        return { record, mark: 'INVALID', why: 'the engine no longer names the pinned key' }
      return { record, mark: (await verifyReceipt(receipt, [pinned_key])).ok ? 'verified' : 'consistent' }
    }),
  )
}

/** A table with a mark for each record, followed by what is invalid or missing. */
export function showRecords(
  { correlation_id, records, complete }: FoundRecords,
  terminal: Terminal,
  stream: 'stdout' | 'stderr' = 'stdout',
): void {
  const colours = coloursOf(terminal, stream)
  const print = stream === 'stdout' ? terminal.out : terminal.err
  if (records.length > 0) print(humanText(records.map(rowOf), pageOf(terminal, colours)))
  for (const { record, mark, why = '' } of records) {
    if (mark === 'INVALID') print(`${colours.red(`Record ${record.seq} is invalid`)}: ${harmless(why)}\n`)
  }
  if (records.some(({ mark }) => mark === 'consistent'))
    print('consistent: signed by a key that only the engine vouches for; svc audit verify checks the key.\n')
  if (!complete) {
    print(
      `${colours.yellow('not yet committed')}: the final record of the call is not in the audit log yet; `,
    )
    print(`check later with: svc explain ${harmless(correlation_id)}\n`)
  }
}

function rowOf({ record, mark }: CheckedRecord): Readonly<Record<string, unknown>> {
  const { seq, timestamp, event_type, outcome } = record
  return { seq, checked: mark, at: timestamp, event: event_type, outcome, call: callOf(record) }
}

/** What was called; in quotes if the names do not exist. */
export function callOf({
  protocol,
  operation,
  meta,
}: Pick<AuditRecord, 'protocol' | 'operation' | 'meta'>): string {
  if (protocol || operation) return [protocol, operation].filter(Boolean).join(' ')
  const supplied = (meta.supplied ?? {}) as { protocol?: unknown; operation?: unknown }
  const names = [supplied.protocol, supplied.operation].filter((name) => typeof name === 'string')
  return names.length > 0 ? JSON.stringify(names.join(' ')) : ''
}
