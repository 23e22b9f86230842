import type { Pages } from './use-pages.ts'

export function Pager<Cursor>({ pages, next }: { pages: Pages<Cursor>; next: Cursor | undefined | null }) {
  const more = next ?? undefined
  return (
    <nav className="pager" aria-label="Pages of the list">
      <button type="button" disabled={!pages.back} onClick={pages.back}>
        Back
      </button>
      <span aria-live="polite">Page {pages.number}</span>
      <button
        type="button"
        disabled={more === undefined}
        onClick={() => more !== undefined && pages.next(more)}
      >
        Next
      </button>
    </nav>
  )
}
