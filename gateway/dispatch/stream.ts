// A dispatch as server-sent events: `progress` while it runs, then exactly one `result` or `error`.
import type { ServerResponse } from 'node:http'
import type { Progress } from '@svc/contract/operation-context'
import type { Asked, Call } from '@svc/engine/call'
import { commonHeaders, replyOf } from './answer.ts'
import type { DispatchEndpoint } from './refusal-recorder.ts'

const progress_events_max = 10_000
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
  const write = (event: string, text: string) => {
    open()
    res.write(`event: ${event}\ndata: ${text}\n\n`)
  }
  const heartbeat = setInterval(() => {
    open()
    res.write(': still working\n\n')
  }, heartbeat_ms)
  try {
    const progress = (event: Progress) => {
      // Progress beyond the limit, or beyond what the caller reads, is dropped; the result never is.
      if (sent++ < progress_events_max && !res.writableNeedDrain) write('progress', JSON.stringify(event))
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
