import { Button } from '@mantine/core'
import type { Pages } from './use-pages.ts'

/** Nothing where there is only one page. */
export function Pager<Cursor>({ pages, next }: { pages: Pages<Cursor>; next: Cursor | undefined | null }) {
  const more = next ?? undefined
  if (more === undefined && !pages.back) return null
  return (
    <nav className="pager" aria-label="Pages of the list">
      <Button variant="default" size="xs" disabled={!pages.back} onClick={pages.back}>
        Back
      </Button>
      <span aria-live="polite">Page {pages.number}</span>
      <Button
        variant="default"
        size="xs"
        disabled={more === undefined}
        onClick={() => more !== undefined && pages.next(more)}
      >
        Next
      </Button>
    </nav>
  )
}
