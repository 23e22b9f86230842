// The logs of this engine as tiles. Whether a log is public is cached, so that a hot log costs no query for it.
import type { Query } from '@svc/audit/query/client-query'
import { isLogPublic } from '@svc/audit/tree/public-logs'
import { newestNote } from '@svc/audit/tree/signed-notes'
import { parseTile, readTile } from '@svc/audit/tree/tiles'
import { recent } from '@svc/engine/limits/recent'
import type { Clock } from '@svc/engine/ports'
import type { LogTiles } from '@svc/gateway/log/log-tiles'

/** After this time an unpublished log is private again on every replica. */
export const public_cached_ms = 2_000
const tenants_cached_max = 10_000

interface Cached {
  readonly is_public: boolean
  readonly until_ms: number
}

export function openLogTiles(query: Query, clock: Pick<Clock, 'monotonic_ms'>): LogTiles {
  const cache = recent<Cached>(tenants_cached_max)
  const load = async (tenant_id: string) => {
    // Counted from before the read: a change committed during it is not missed for longer.
    const until_ms = clock.monotonic_ms() + public_cached_ms
    const is_public = await isLogPublic(query, tenant_id)
    cache.set(tenant_id, { is_public, until_ms })
    return is_public
  }
  return {
    isPublic(tenant_id) {
      const cached = cache.get(tenant_id)
      return cached && clock.monotonic_ms() < cached.until_ms ? cached.is_public : load(tenant_id)
    },
    checkpoint: async (tenant_id) => (await newestNote(query, tenant_id))?.note,
    async tile(tenant_id, path) {
      const tile = parseTile(path)
      return tile && (await readTile(query, tenant_id, tile))
    },
  }
}
