import { Button } from '@mantine/core'
import { words } from '../words/en.ts'
import type { Pages } from './use-pages.ts'

/** Nothing where there is only one page. */
export function Pager<Cursor>({ pages, next }: { pages: Pages<Cursor>; next: Cursor | undefined | null }) {
  const more = next ?? undefined
  if (more === undefined && !pages.back) return null
  return (
    <nav className="pager" aria-label={words.pager.name}>
      <Button variant="default" size="xs" disabled={!pages.back} onClick={pages.back}>
        {words.pager.back}
      </Button>
      <span aria-live="polite">{words.pager.page(pages.number)}</span>
      <Button
        variant="default"
        size="xs"
        disabled={more === undefined}
        onClick={() => more !== undefined && pages.next(more)}
      >
        {words.pager.next}
      </Button>
    </nav>
  )
}
