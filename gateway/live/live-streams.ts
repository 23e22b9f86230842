// A bounded set of live streams, each updated once a second, and ended after a maximum time or when its right is gone.
import type { ServerResponse } from 'node:http'
import type { LiveFigures } from '@svc/contract/live'
import { refuse } from '@svc/contract/refusal'
import { asRefusal } from '@svc/database/as-refusal'
import { refuseWhileDraining } from '@svc/engine/begin-call'
import type { Clock, Log } from '@svc/engine/ports'

const streams_max = 200
const streams_a_tenant_max = 20
const stream_ms_max = 15 * 60_000
const reconnect_ms = 3_000
/** A right that could not be checked for this long counts as gone. */
const unchecked_ms_max = 30_000
/** A client that has not read this many events in a row is disconnected. */
const unread_max = 30

export interface LiveSource {
  /** Figures for a new watcher; where nobody watched this tenant its next second begins here. */
  look(tenant_id: string, is_first: boolean): LiveFigures
  /** The same with what was counted since the last call. */
  take(tenant_id: string): LiveFigures
}

export interface Watcher {
  readonly res: ServerResponse
  readonly tenant_id: string
  /** Throws where this watcher may no longer watch. */
  again(): Promise<void>
}

export interface LiveStreams {
  readonly open: number
  /** Takes over the stream, or refuses before anything is sent. */
  add(watcher: Watcher): void
  /** Sends to all, once a second by the engine's ticker. */
  tick(): Promise<void>
  /** Ends all: the engine stops, and clients find another. */
  close(): void
}

interface Stream extends Watcher {
  readonly ends_ms: number
  checked_ms: number
  unread: number
}

type Moment = Pick<Clock, 'monotonic_ms'>

export function openLiveStreams(source: LiveSource, clock: Moment, log: Log): LiveStreams {
  const streams = new Set<Stream>()
  let closed = false
  const of = (tenant_id: string) => [...streams].filter((stream) => stream.tenant_id === tenant_id).length
  const end = (stream: Stream, reason: string) => {
    streams.delete(stream)
    stream.res.end(`event: end\ndata: ${JSON.stringify({ reason })}\n\n`)
  }
  return {
    get open() {
      return streams.size
    },
    add(watcher) {
      const { res, tenant_id } = watcher
      if (closed) throw refuseWhileDraining()
      const others = of(tenant_id)
      requireRoom(streams.size, others)
      const now_ms = clock.monotonic_ms()
      const stream = { ...watcher, ends_ms: now_ms + stream_ms_max, checked_ms: now_ms, unread: 0 }
      streams.add(stream)
      res.once('close', () => streams.delete(stream))
      res.writeHead(200, stream_headers)
      res.write(`retry: ${reconnect_ms}\n\n`)
      // The first figures at once, so that the page is never empty.
      tell(stream, source.look(tenant_id, others === 0))
    },
    async tick() {
      const now_ms = clock.monotonic_ms()
      for (const [tenant_id, watching] of Map.groupBy(streams, (stream) => stream.tenant_id)) {
        const figures = source.take(tenant_id)
        for (const stream of watching) tell(stream, figures)
      }
      await Promise.all(
        [...streams].map(async (stream) => {
          const reason = stream.ends_ms <= now_ms ? 'over' : await reasonToEnd(stream, now_ms, log)
          if (reason !== undefined && streams.has(stream)) end(stream, reason)
        }),
      )
    },
    close() {
      closed = true
      for (const stream of streams) end(stream, 'draining')
    },
  }
}

const stream_headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
}

function requireRoom(open: number, of_tenant: number): void {
  if (open < streams_max && of_tenant < streams_a_tenant_max) return
  const whose = of_tenant < streams_a_tenant_max ? 'this engine' : 'your tenant'
  throw refuse(
    'rate_limited',
    `As many live feeds of ${whose} are open as there may be; close one, or come back in a minute.`,
    { reason: 'too many live feeds', retry_after_ms: 60_000 },
  )
}

/** Events a slow reader misses are dropped: the next one has current figures. */
function tell(stream: Stream, figures: LiveFigures): void {
  const { res } = stream
  if (res.writableNeedDrain) {
    if (++stream.unread > unread_max) res.destroy()
    return
  }
  stream.unread = 0
  res.write(`event: figures\ndata: ${JSON.stringify(figures)}\n\n`)
}

const final_codes: ReadonlySet<string> = new Set(['unauthenticated', 'capability_denied', 'policy_denied'])

async function reasonToEnd(stream: Stream, now_ms: number, log: Log): Promise<string | undefined> {
  try {
    await stream.again()
    stream.checked_ms = now_ms
    return undefined
  } catch (thrown) {
    const { code } = asRefusal(thrown)
    if (final_codes.has(code)) return code
    log.warn({ err: thrown }, 'whether a live feed may go on cannot be looked up')
    return now_ms - stream.checked_ms > unchecked_ms_max ? 'unchecked' : undefined
  }
}
