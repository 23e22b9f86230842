// Sends a gateway's refusals to the audit log: signed like contexts, in order, and repeated until an engine has them.
import { text as textOf } from 'node:stream/consumers'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import { authorizeRequest } from '@svc/contract/identity/did-auth'
import type { SigningKey } from '@svc/contract/signing/signature'
import type { Clock, Log } from '@svc/engine/ports'
import type { Upstream } from './relay-upstream.ts'
import { report_entries_max, report_path } from './reported-refusals.ts'

/** Waiting for an engine; past that refusals are only counted, by source and kind. */
const queue_max = 1_000
const answer_ms_max = 5_000

export interface RefusalReporter {
  record(entry: AuditEntry): void
  hasRoom(): boolean
  /** Sends what is queued; undelivered reports stay. Never runs concurrently. */
  send(): Promise<void>
  /** Sends once more; the rest is only in the gateway's log. */
  close(): Promise<void>
}

export interface ReporterParts {
  readonly signer: SigningKey
  readonly engine_did: string
  readonly upstream: Upstream
  readonly clock: Clock
  readonly log: Log
}

interface Batch {
  /** The same for each attempt, so that no engine records it twice. */
  readonly id: string
  readonly entries: readonly AuditEntry[]
}

export function openReporter(parts: ReporterParts): RefusalReporter {
  const { clock, log } = parts
  const queue: AuditEntry[] = []
  let batch: Batch | undefined
  let sending: Promise<void> | undefined
  const sendAll = async () => {
    while (batch || queue.length > 0) {
      batch ??= { id: clock.uuid(), entries: queue.splice(0, report_entries_max) }
      const status = await sendBatch(parts, batch)
      if (!isSettled(status)) {
        log.warn({ status, waiting: batch.entries.length + queue.length }, 'no engine took the refusals')
        return
      }
      if (status >= 400)
        log.error({ status, refusals: batch.entries }, 'the engine does not take these refusals')
      batch = undefined
    }
  }
  const send = () => {
    sending ??= sendAll().finally(() => {
      sending = undefined
    })
    return sending
  }
  return {
    record(entry) {
      log.warn({ audit: entry }, 'refused at the gateway')
      queue.push(entry)
    },
    hasRoom: () => queue.length + (batch?.entries.length ?? 0) < queue_max,
    send,
    async close() {
      await send()
      const left = [...(batch?.entries ?? []), ...queue]
      if (left.length > 0) log.error({ refusals: left }, 'these refusals reached no engine')
    },
  }
}

/** Delivered, or never will be: an unreadable request stays unreadable. */
function isSettled(status: number): boolean {
  return status === 204 || status === 400 || status === 404 || status === 413 || status === 422
}

/** The status of the answer; 0 where none came. */
async function sendBatch(
  { signer, engine_did: audience, upstream, clock, log }: ReporterParts,
  { id, entries }: Batch,
): Promise<number> {
  const body = Buffer.from(JSON.stringify({ refusals: entries.map(reported) }))
  const headers = () => ({
    'content-type': 'application/json',
    authorization: authorizeRequest(signer, { audience, body, now_ms: clock.now_ms() }, id),
  })
  try {
    const signal = AbortSignal.timeout(answer_ms_max)
    const answer = await upstream.ask({ method: 'POST', path: report_path, headers, body, signal })
    await textOf(answer)
    return answer.statusCode ?? 0
  } catch (error) {
    log.debug({ err: error }, 'refusals could not be sent')
    return 0
  }
}

function reported({ id, correlation_id, timestamp, tenant_id, caller_did, meta }: AuditEntry) {
  const { code, reason, credential, source, requested_capability, supplied, count, until } = meta
  const what = { code, reason, credential, source, requested_capability, supplied, count, until }
  return { id, correlation_id, timestamp, tenant_id, caller_did, ...what }
}
