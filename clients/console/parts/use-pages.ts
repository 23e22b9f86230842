// Paging by cursors: forth as the engine says, back by what was remembered on the way.
import { useState } from 'react'

export interface Pages<Cursor> {
  /** Undefined on the first page. */
  readonly cursor: Cursor | undefined
  readonly number: number
  readonly back: (() => void) | undefined
  forth(next: Cursor): void
  /** To the first page again, as when a filter has changed. */
  restart(): void
}

export function usePages<Cursor>(): Pages<Cursor> {
  const [visited, setVisited] = useState<readonly Cursor[]>([])
  return {
    cursor: visited.at(-1),
    number: visited.length + 1,
    back: visited.length > 0 ? () => setVisited(visited.slice(0, -1)) : undefined,
    forth: (next) => setVisited([...visited, next]),
    restart: () => setVisited([]),
  }
}
