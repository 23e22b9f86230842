import { NavLink } from '@mantine/core'
import type { ReactNode } from 'react'
import { CountBadge, counted_max } from '../parts/count-badge.tsx'
import { words } from '../words/en.ts'
import { hashOf } from './address.ts'
import { offeredTo } from './page-list.ts'
import { useOperation } from './use-operation.ts'
import { useSession } from './use-session.tsx'
import { useWaiting } from './use-waiting.ts'

export function Navigation({ here }: { here: string | undefined }) {
  const session = useSession()
  return (
    <>
      <a className="brand" href={hashOf('overview')} aria-label={words.home}>
        <img src="./mark.svg" alt="" width="22" height="22" /> {words.brand}
      </a>
      <nav aria-label={words.pages}>
        <ul>
          {offeredTo(session).map(({ word, name, Icon }) => (
            <li key={word}>
              <NavLink
                href={hashOf(word)}
                label={name}
                active={word === here}
                aria-current={word === here ? 'page' : undefined}
                leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
                rightSection={counts[word]?.()}
              />
            </li>
          ))}
        </ul>
      </nav>
    </>
  )
}

const count_ms = 30_000

/** Beside a page's name: how much calls for attention there. */
const counts: Readonly<Record<string, () => ReactNode>> = {
  inbox: () => <WaitingCount />,
  alerts: () => <FiringCount />,
}

function WaitingCount() {
  const { calls, requests } = useWaiting()
  return <CountBadge count={calls + requests} meaning={words.waiting} />
}

/** Alerts that fire and that nobody has taken on. */
function FiringCount() {
  const { answer } = useOperation(
    'MOTIF',
    'list_alerts',
    { state: 'FIRING', limit: counted_max },
    { refresh_ms: count_ms },
  )
  const count = answer?.items.filter(({ acknowledged_at }) => !acknowledged_at).length ?? 0
  return <CountBadge count={count} meaning={words.firing} color="red" />
}
