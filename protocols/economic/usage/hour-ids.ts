// The ids of events by the hour they count in, until the hour's hash is made of them.
import type { Database } from '@svc/contract/database'
import type { CountedEvent } from '@svc/contract/money/usage'
import { sql } from '@svc/database/sql'
import { rootOfHour } from './usage-tree.ts'

const hour_ms = 3_600_000

export class HourIds {
  readonly #ids = new Map<number, Buffer[]>()

  add(events: readonly CountedEvent[]): void {
    for (const { event, counted_ms } of events) {
      const hour = Math.floor(counted_ms / hour_ms) * hour_ms
      const ids = this.#ids.get(hour) ?? []
      ids.push(Buffer.from(event.event_id.replaceAll('-', ''), 'hex'))
      this.#ids.set(hour, ids)
    }
  }

  countOf(hour_ms: number): number {
    return this.#ids.get(hour_ms)?.length ?? 0
  }

  /** By hour, and forgets them. */
  async takeRoots(db: Database): Promise<[hour_ms: number, root: Buffer][]> {
    const roots: [number, Buffer][] = []
    for (const [hour, ids] of this.#ids) {
      roots.push([hour, await rootOfHour(await sorted(db, Buffer.concat(ids)))])
      this.#ids.delete(hour)
    }
    return roots
  }
}

/** By the database, because an hour may have millions, and sorting them here would hold up every call. */
async function sorted(db: Database, ids: Buffer): Promise<Buffer> {
  const row = await sql<{ ids: Buffer | null }>`
    SELECT string_agg(id, ''::bytea ORDER BY id) AS ids FROM (
      SELECT substring(${ids}::bytea FROM place * 16 + 1 FOR 16) AS id
      FROM generate_series(0, ${ids.length / 16 - 1}::integer) AS place) AS listed`.first(db)
  return row!.ids ?? Buffer.alloc(0)
}
