// Documents of the identity node, each read once a minute. Concurrent readers share one request.

import { readDocument } from '@svc/contract/identity/received-document'
import type { InvokeContext } from '@svc/contract/invoke-context'
import { Refusal, unavailable } from '@svc/contract/refusal'
import { recent } from '@svc/engine/limits/recent'
import type { Clock } from '@svc/engine/ports'
import type { ExternalClient } from '../endpoint/external-client.ts'

export const document_cached_ms = 60_000
export const unknown_cached_ms = 5_000
const documents_cached_max = 10_000
const lookups_max = 1_000

/** The node's answer about one identity; unchecked, so its users check it. */
export interface Read {
  readonly document: unknown
  readonly read_ms: number
  readonly until_ms: number
}

export interface Documents {
  /** A value rather than a promise if cached. Throws what the node's client throws. */
  read(did: string): Read | Promise<Read>
  /** The cached value only. */
  cached(did: string): Read | undefined
  forgetAll(): void
  /** The node for handlers: `resolve` uses this cache, everything else passes through. */
  readonly client: ExternalClient
}

export function documentsOf(client: ExternalClient, clock: Clock, own: () => InvokeContext): Documents {
  let cache = recent<Read>(documents_cached_max)
  const loading = new Map<string, Promise<Read>>()
  const load = async (did: string) => {
    const began_with = cache
    const answer = (await client.invoke('resolve', { did }, own())) as { document?: unknown } | null
    const document = answer?.document ?? null
    const read_ms = clock.monotonic_ms()
    const is_good = typeof readDocument(document, did) === 'object'
    const until_ms = read_ms + (is_good ? document_cached_ms : unknown_cached_ms)
    // A read that began before the cache was cleared may be older than the reason to clear it.
    if (cache === began_with) cache.set(did, { document, read_ms, until_ms })
    return { document, read_ms, until_ms }
  }
  const share = (did: string) => {
    const under_way = loading.get(did)
    if (under_way) return under_way
    if (loading.size >= lookups_max) throw tooMany()
    const began = load(did).finally(() => {
      if (loading.get(did) === began) loading.delete(did)
    })
    loading.set(did, began)
    return began
  }
  const fresh = (did: string) => stillGood(cache.get(did), clock)
  const read = (did: string) => fresh(did) ?? share(did)
  const readOrStale = async (did: string, accept_stale_ms: number) => {
    try {
      return await read(did)
    } catch (error) {
      const last = cache.get(did)
      const is_away = error instanceof Refusal && error.row.outcome === 'error'
      if (is_away && last && last.until_ms + accept_stale_ms > clock.monotonic_ms()) return last
      throw error
    }
  }
  return {
    read,
    cached: fresh,
    forgetAll() {
      cache = recent<Read>(documents_cached_max)
      loading.clear()
    },
    client: {
      ...client,
      async invoke(operation, payload, context, signal) {
        if (operation !== 'resolve') {
          const answer = await client.invoke(operation, payload, context, signal)
          if (operation === 'publish') cache.delete((payload as { document: { id: string } }).document.id)
          return answer
        }
        const { did, accept_stale_seconds = 0 } = payload as { did: string; accept_stale_seconds?: number }
        const { document, until_ms } = await readOrStale(did, accept_stale_seconds * 1000)
        const stale_seconds = Math.max(0, Math.ceil((clock.monotonic_ms() - until_ms) / 1000))
        return { document, stale_seconds }
      },
    },
  }
}

function stillGood(read: Read | undefined, clock: Clock): Read | undefined {
  return read && read.until_ms > clock.monotonic_ms() ? read : undefined
}

function tooMany(): Refusal {
  return unavailable('identity', new Error('too many lookups'))
}
