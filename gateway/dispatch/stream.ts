// A dispatch as server-sent events: `progress` while it runs, then exactly one `result` or `error`.
import type { ServerResponse } from 'node:http'
import type { Progress } from '@svc/contract/operation-context'
import type { Asked, Call } from '@svc/engine/call'
import { commonHeaders, replyOf } from './answer.ts'
import type { DispatchEndpoint } from './refusal-recorder.ts'

const progress_events_max = 10_000
/** What waits for a slow reader of events that all count; then they are dropped, and the operation learns of it. */
const unread_bytes_max = 512 * 1024
const heartbeat_ms = 15_000

export async function streamDispatch(
  dispatch_endpoint: DispatchEndpoint,
  incoming: Asked,
  res: ServerResponse,
): Promise<void> {
  let sent = 0
  let call: Call | undefined
  // The first bytes may be sent before the outcome is known, but not before the call has its id.
  const open = () => {
    if (res.headersSent) return
    const { correlation_id = '', allowance } = call ?? {}
    res.writeHead(200, [
      'content-type',
      'text/event-stream; charset=utf-8',
      'x-accel-buffering',
      'no',
      'cache-control',
      'no-store',
      ...commonHeaders({ correlation_id, allowance, trace_context: incoming.trace_context }),
    ])
  }
  const write = (event: string, text: string, id?: string) => {
    open()
    res.write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${text}\n\n`)
  }
  const heartbeat = setInterval(() => {
    open()
    res.write(': still working\n\n')
  }, heartbeat_ms)
  try {
    const progress = (event: Progress) => {
      // Progress beyond the limit, or beyond what the caller reads, is dropped; the result never is.
      const { id, ...shown } = event
      const is_unread = id === undefined ? res.writableNeedDrain : res.writableLength > unread_bytes_max
      if (sent++ >= progress_events_max || is_unread) return false
      write('progress', JSON.stringify(shown), id)
      return true
    }
    const begun = (begun_call: Call) => {
      call = begun_call
    }
    const outcome = await dispatch_endpoint.engine.dispatch(Object.assign(incoming, { progress, begun }))
    const reply = replyOf(outcome)
    write(outcome.kind === 'refused' ? 'error' : 'result', reply.text)
    res.end()
  } finally {
    // The dispatch endpoint ends errors thrown here, as one error event where the stream has begun.
    clearInterval(heartbeat)
  }
}
