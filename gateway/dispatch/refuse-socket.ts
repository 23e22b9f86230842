// Bytes that are no request, answered so that nobody takes it for the answer to something else.
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { errorBody } from './answer.ts'
import {
  isRefused,
  journalled,
  markRefused,
  type RefusalRecorder,
  recordRefusedRequest,
} from './refusal-recorder.ts'

/** Faults with their own HTTP status. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

const drain_ms = 1_000
/** What may still arrive on a refused connection, and is discarded. */
const forgotten_bytes_max = 8 * 1024 * 1024

const newest = new WeakMap<object, ServerResponse>()

/** Remembers a connection's newest request: malformed bytes may belong to it. */
export function noteRequest(res: ServerResponse): void {
  newest.set(res.req.socket, res)
}

export function refuseBytes(
  dispatch_endpoint: RefusalRecorder,
  error: NodeJS.ErrnoException,
  socket: Socket,
): void {
  if (isRefused(socket) && socket.bytesRead < forgotten_bytes_max) return
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const refusal = refuse('invalid_request', 'The request is not valid HTTP; the connection is closed.', {
    reason: 'malformed http',
  })
  refuseSocket(dispatch_endpoint, socket, refusal, statuses[error.code ?? ''])
}

/** Recorded, answered, and closed: nothing that follows can be trusted. */
export function refuseSocket(
  dispatch_endpoint: RefusalRecorder,
  socket: Socket,
  refusal: Refusal,
  status = refusal.row.status,
): void {
  if (isRefused(socket)) return
  markRefused(socket)
  const last = newest.get(socket)
  const unfinished = last && !last.req.complete ? last : undefined
  // The rest of an answered request: its faults change nothing.
  if (unfinished && (isRefused(unfinished.req) || unfinished.headersSent)) {
    endAfter(unfinished, socket, '')
    return
  }
  if (unfinished) markRefused(unfinished.req)
  const correlation_id = recordRefusedRequest(dispatch_endpoint, refusal, unfinished?.req ?? socket)
  const text = JSON.stringify(errorBody(refusal, { correlation_id, stage: null, audit_head: null }))
  const answer = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
    `x-correlation-id: ${correlation_id}`,
    'connection: close',
    '',
    text,
  ].join('\r\n')
  void journalled(dispatch_endpoint).then(() => endAfter(unfinished ? undefined : last, socket, answer))
}

/** Earlier requests are answered first, or their caller would take this answer for its own. */
function endAfter(last: ServerResponse | undefined, socket: Socket, answer: string): void {
  const end = () => {
    if (!socket.writable) return void socket.destroy()
    // Closed at once on a client that is still sending, the connection would be reset and the answer lost.
    socket.setTimeout(drain_ms, () => socket.destroy())
    socket.end(answer)
  }
  if (last && !last.writableFinished && !last.destroyed) last.once('close', end)
  else end()
}
