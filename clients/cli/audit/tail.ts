// svc audit tail: the newest records of the audit log, and new ones as they arrive.
import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleepFor } from 'node:timers/promises'
import type { AuditRecord } from '@svc/sdk/answer'
import type { Client } from '@svc/sdk/client'
import type { Terminal } from '../command.ts'
import { type Colours, coloursOf } from '../output/colours.ts'
import { harmless } from '../output/harmless-text.ts'
import { pageOf, shortened } from '../output/human.ts'
import { type Format, printJsonLine, yamlText } from '../output/output.ts'
import { cutToWidth } from '../output/text-width.ts'
import { callOf, type Page } from './records.ts'

export interface TailFilter {
  readonly outcome?: AuditRecord['outcome'] & ('success' | 'refused' | 'error')
  readonly protocol?: string
}

export interface TailOptions {
  /** The caller, whose reads by this command are left out. */
  readonly agent_did: string
  readonly filter: TailFilter
  readonly limit: number
  readonly follow: boolean
  readonly signal: AbortSignal
  readonly sleep?: (wait_ms: number, signal: AbortSignal) => Promise<unknown>
}

const poll_ms = 1_000
const page_records = 1_000
const window_records = 1_000
const window_growth = 4
/** The last matching records, oldest first; with `follow`, then each new one until the signal aborts. */
export async function* tailRecords(
  client: Pick<Client, 'dispatch'>,
  options: TailOptions,
): AsyncGenerator<AuditRecord> {
  const audit_log = questionsOf(client, options)
  const { newest_checkpoint } = await audit_log.ask({ after_seq: Number.MAX_SAFE_INTEGER, limit: 1 })
  let known_end = newest_checkpoint?.size ?? 0
  yield* await lastRecords(audit_log, known_end, options.limit)
  if (!options.follow) return
  const { sleep = (wait_ms, signal) => sleepFor(wait_ms, undefined, { signal }) } = options
  for (let after_seq = known_end; ; ) {
    options.signal.throwIfAborted()
    const page = await audit_log.ask({ after_seq, limit: page_records })
    for (const record of page.records) if (!audit_log.isOwn(record)) yield record
    // Everything signed before the previous query has been read by now.
    const looked_at = page.next_after_seq ?? known_end
    after_seq = Math.max(after_seq, looked_at, page.records.at(-1)?.seq ?? 0)
    known_end = page.newest_checkpoint?.size ?? known_end
    if (page.next_after_seq === undefined) await sleep(poll_ms, options.signal)
  }
}

interface Questions {
  ask(wish: { after_seq: number; limit: number }): Promise<Page>
  isOwn(record: AuditRecord): boolean
}

/** Every query is itself recorded; showing those records would never end. */
function questionsOf(client: Pick<Client, 'dispatch'>, options: TailOptions): Questions {
  const { filter, signal, agent_did } = options
  const mark = markOf(agent_did)
  return {
    async ask(wish) {
      const input = { ...filter, ...wish, include_checkpoints: true }
      const call = { signal, correlationId: markedId(mark) }
      return (await client.dispatch('MAX', 'audit_query', input, call)).output
    },
    isOwn: (record) =>
      record.caller_did === agent_did &&
      record.operation === 'audit_query' &&
      record.correlation_id.startsWith(mark),
  }
}

/**
 * How the correlation ids of this agent's tails begin, so that those of earlier runs and other terminals are recognised.
 * Only reads of the caller itself are hidden by it: another agent that copies it stays visible.
 */
function markOf(agent_did: string): string {
  const digest = createHash('sha256').update(`svc audit tail ${agent_did}`).digest('hex')
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8`
}

/** A UUID of version 8, whose content is free. */
function markedId(mark: string): string {
  return `${mark}${randomUUID().slice(mark.length)}`
}

/** The audit log is read forwards, so growing parts before the end are searched until enough records match. */
async function lastRecords(audit_log: Questions, end: number, limit: number): Promise<AuditRecord[]> {
  let audit_records: AuditRecord[] = []
  let size = Math.max(window_records, limit)
  for (let until = end; until > 0 && audit_records.length < limit; size *= window_growth) {
    const after_seq = Math.max(0, until - size)
    audit_records = [...(await recordsBetween(audit_log, after_seq, until)), ...audit_records].slice(-limit)
    until = after_seq
  }
  return audit_records.slice(audit_records.length - Math.min(limit, audit_records.length))
}

async function recordsBetween(audit_log: Questions, from: number, until: number): Promise<AuditRecord[]> {
  const audit_records: AuditRecord[] = []
  for (let after_seq = from; after_seq < until; ) {
    const { records, next_after_seq } = await audit_log.ask({ after_seq, limit: page_records })
    audit_records.push(...records.filter((record) => record.seq <= until && !audit_log.isOwn(record)))
    if (next_after_seq === undefined || next_after_seq <= after_seq) break
    after_seq = next_after_seq
  }
  return audit_records
}

export async function printRecord(record: AuditRecord, format: Format, terminal: Terminal): Promise<void> {
  if (format === 'json') return printJsonLine(record, terminal)
  if (format === 'yaml') return terminal.out(`---\n${await yamlText(record)}`)
  terminal.out(`${lineOf(record, terminal, coloursOf(terminal, 'stdout'))}\n`)
}

const seq_width = 8
const outcome_width = 'success'.length

/** One line for people: number, time, outcome, operation, caller and, if refused, the reason. */
function lineOf(record: AuditRecord, terminal: Terminal, colours: Colours): string {
  const { seq, timestamp, outcome, event_type, caller_did, meta } = record
  const paint = { success: colours.green, refused: colours.yellow, error: colours.red }[outcome]
  const reason = outcome === 'success' ? undefined : (meta.reason ?? meta.code)
  const what = [
    callOf(record),
    event_type === 'ProtocolInvocation' ? '' : event_type,
    reason === undefined ? '' : `(${String(reason)})`,
    shortened(caller_did).replace(/^did:oas:/, ''),
  ]
  const place = `${String(seq).padStart(seq_width)}  ${timestamp.slice(0, 19).replace('T', ' ')}  `
  const { width } = pageOf(terminal, colours)
  const room = width - place.length - outcome_width - 2
  const words = cutToWidth(harmless(what.filter((word) => word !== '').join('  ')), room)
  const verdict = harmless(outcome).padEnd(outcome_width)
  return `${harmless(place)}${paint ? paint(verdict) : verdict}  ${words}`
}
