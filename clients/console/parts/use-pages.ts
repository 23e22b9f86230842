// Cursor paging: the engine returns the next cursor, previous ones are remembered.
import { useState } from 'react'

export interface Pages<Cursor> {
  /** Undefined on the first page. */
  readonly cursor: Cursor | undefined
  readonly number: number
  readonly back: (() => void) | undefined
  next(cursor: Cursor): void
  /** Back to the first page, e.g. after a filter change. */
  restart(): void
}

export function usePages<Cursor>(): Pages<Cursor> {
  const [visited, setVisited] = useState<readonly Cursor[]>([])
  return {
    cursor: visited.at(-1),
    number: visited.length + 1,
    back: visited.length > 0 ? () => setVisited(visited.slice(0, -1)) : undefined,
    next: (cursor) => setVisited([...visited, cursor]),
    restart: () => setVisited([]),
  }
}
