// MOTET list_logs and list_spans: what the caller itself sent, newest first by when it arrived.
import { type Bounds, next_cursor, page_fields, page_max, readPage } from '@svc/contract/list-page'
import type { OperationContext } from '@svc/contract/operation-context'
import { Closed, described, ListOf, OneOf, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { type LogSignal, log_fields, type SpanSignal, severities, span_fields } from './signal.ts'
import { openBatch, readBatches, type SignalKind } from './signal-store.ts'

const batches_at_once = 8
const uuid_length = 36
const id_form = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:[0-9]{1,3}$/
const received_at = described(Timestamp, 'When it arrived here.')

export const ListLogsInput = Closed({
  severity: Type.Optional(described(OneOf(...severities), 'Only logs at least as serious.')),
  contains: Type.Optional(Text(256, { description: 'Only logs whose body has this text, in the same letter case.' })), // biome-ignore format: one thought
  ...page_fields,
})
export const ListLogsOutput = Closed({
  items: described(ListOf(Closed({ ...log_fields, received_at }), 0, page_max), 'Logs you sent, newest first.'), // biome-ignore format: one thought
  next_cursor,
})

export const ListSpansInput = Closed({
  trace_id: Type.Optional({ ...span_fields.trace_id, description: 'Only spans of this trace.' }),
  status: Type.Optional(described(OneOf('unset', 'ok', 'error'), 'Only spans that ended so.')),
  ...page_fields,
})
export const ListSpansOutput = Closed({
  items: described(ListOf(Closed({ ...span_fields, received_at }), 0, page_max), 'Spans you sent, newest first.'), // biome-ignore format: one thought
  next_cursor,
})

type ReadContext = OperationContext<'vault'>
type Log = Static<typeof LogSignal>
type Span = Static<typeof SpanSignal>

export async function listOwnLogs(
  input: Static<typeof ListLogsInput>,
  context: ReadContext,
): Promise<Static<typeof ListLogsOutput>> {
  // biome-ignore format: one thought
  const least = severities.indexOf(input.severity ?? 'debug')
  const isWanted = ({ severity, body }: Log) =>
    severities.indexOf(severity) >= least && (input.contains === undefined || body.includes(input.contains))
  return pageOfSignals<Log>(input, context, 'log', isWanted)
}

export async function listOwnSpans(
  input: Static<typeof ListSpansInput>,
  context: ReadContext,
): Promise<Static<typeof ListSpansOutput>> {
  // biome-ignore format: one thought
  const { trace_id, status } = input
  const isWanted = (span: Span) =>
    (trace_id === undefined || span.trace_id === trace_id) && (status === undefined || span.status === status)
  return pageOfSignals<Span>(input, context, 'span', isWanted)
}

interface Sent<Signal> {
  readonly at: string
  readonly id: string
  readonly signal: Signal
}

async function pageOfSignals<Signal extends object>(
  input: Static<typeof ListLogsInput> | Static<typeof ListSpansInput>,
  context: ReadContext,
  kind: SignalKind,
  isWanted: (signal: Signal) => boolean,
): Promise<{ items: (Signal & { received_at: string })[]; next_cursor?: string }> {
  const { rows, ...next } = await readPage<Sent<Signal>>(input, {
    id_form,
    read: (bounds) => readSignals<Signal>(context, kind, bounds),
    placeOf: ({ at, id }) => ({ at, id }),
    isWanted: ({ signal }) => isWanted(signal),
  })
  return { items: rows.map(({ signal, at }) => ({ ...signal, received_at: at })), ...next }
}

/** A page may end within a batch: its place is the batch, and which of its signals. */
async function readSignals<Signal>(
  context: ReadContext,
  kind: SignalKind,
  { since, before, limit }: Bounds,
): Promise<Sent<Signal>[]> {
  const { db, tenant_id, vault, caller } = context
  const sender = { tenant_id, sent_by: caller.did, kind, since, limit: batches_at_once }
  const signals: Sent<Signal>[] = []
  let from = before && { at: before.at, batch_id: before.id.slice(0, uuid_length) }
  let until = before ? Number(before.id.slice(uuid_length + 1)) : Number.POSITIVE_INFINITY
  for (;;) {
    const batches = await readBatches(db, { ...sender, from })
    for (const batch of batches) {
      const at = batch.received_at.toISOString()
      const sent = openBatch(vault, batch) as Signal[]
      const end = batch.batch_id === from?.batch_id ? Math.min(sent.length, until) : sent.length
      for (let place = end - 1; place >= 0; place--)
        signals.push({ at, id: `${batch.batch_id}:${place}`, signal: sent[place]! })
      if (signals.length >= limit) return signals.slice(0, limit)
      from = { at, batch_id: batch.batch_id }
      until = 0
    }
    if (batches.length < batches_at_once) return signals
  }
}
