import type { ReactNode } from 'react'
import { hashOf, type Place } from '../shell/address.ts'

interface Tab {
  readonly word: string
  readonly name: string
  readonly show: () => ReactNode
}

/** Tabs are links with their own addresses, so that history and bookmarks work. */
export function Tabs({ place, tabs }: { place: Place; tabs: readonly Tab[] }) {
  const here = tabs.find(({ word }) => word === place.rest[0]) ?? tabs[0]
  return (
    <>
      <nav className="tabs" aria-label="Parts of this page">
        {tabs.map(({ word, name }) => (
          <a
            key={word}
            className="place"
            href={hashOf(place.page, [word])}
            aria-current={word === here?.word ? 'page' : undefined}
          >
            {name}
          </a>
        ))}
      </nav>
      <div key={here?.word}>{here?.show()}</div>
    </>
  )
}
