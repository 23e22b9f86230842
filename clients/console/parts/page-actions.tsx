import { type ReactNode, useLayoutEffect, useState } from 'react'
import { createPortal } from 'react-dom'

/** Beside the page's title. Its place exists only once the page is drawn: before, there is that of the last page. */
export function PageActions({ children }: { children: ReactNode }) {
  const [place, setPlace] = useState<HTMLElement | null>(null)
  useLayoutEffect(() => setPlace(document.getElementById('page-actions')), [])
  return place && createPortal(children, place)
}
