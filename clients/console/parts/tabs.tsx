import { Tabs as MantineTabs } from '@mantine/core'
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { hashOf, type Place } from '../shell/address.ts'
import { words } from '../words/en.ts'
import { CountBadge } from './count-badge.tsx'

interface Tab {
  readonly word: string
  readonly name: string
  /** How much waits there. */
  readonly waiting?: number
  /** Offered to nobody, but shown at its address, which may say why not. */
  readonly is_hidden?: boolean
  readonly show: () => ReactNode
}

/** Each tab has its own address, so that history and bookmarks work. */
export function Tabs({ place, tabs }: { place: Place; tabs: readonly Tab[] }) {
  const navigate = useNavigate()
  const here = tabs.find(({ word }) => word === place.rest[0]) ?? tabs[0]
  if (!here) return null
  return (
    <MantineTabs
      value={here.word}
      onChange={(word) => word && navigate(hashOf(place.page, [word]).slice(1))}
      keepMounted={false}
    >
      <MantineTabs.List mb="md">
        {tabs
          .filter(({ is_hidden }) => !is_hidden)
          .map(({ word, name, waiting = 0 }) => (
            <MantineTabs.Tab
              key={word}
              value={word}
              rightSection={waiting > 0 && <CountBadge count={waiting} meaning={words.waiting} />}
            >
              {name}
            </MantineTabs.Tab>
          ))}
      </MantineTabs.List>
      <MantineTabs.Panel value={here.word} tabIndex={-1}>
        {here.show()}
      </MantineTabs.Panel>
    </MantineTabs>
  )
}
