// The frame of every page: navigation, the signed-in person, and the theme.
import { Suspense, useEffect, useRef, useState } from 'react'
import { permissionOf, signOut } from './api/session.ts'
import { pages } from './page-list.ts'
import { hashOf } from './shell/address.ts'
import { PageBoundary } from './shell/page-boundary.tsx'
import { ThemeButton } from './shell/theme.tsx'
import { usePlace } from './shell/use-place.ts'
import { useQuery } from './shell/use-query.ts'
import { useSession } from './shell/use-session.tsx'

export function Frame() {
  const session = useSession()
  const place = usePlace()
  const offered = pages.filter(
    ({ needs }) =>
      needs.length === 0 || needs.some((need) => (permissionOf(session, ...need)?.may ?? 'no') !== 'no'),
  )
  // Without a page in the address, the first page this person may open is shown.
  const here = location.hash ? pages.find(({ word }) => word === place.page) : offered[0]
  const main = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page sets the title and moves the keyboard focus.
  useEffect(() => {
    document.title = `${here?.name ?? 'Not found'} · svc console`
    main.current?.focus()
  }, [here?.word])
  return (
    <div className="frame">
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        Skip to the page
      </button>
      <TopBar offered={offered} here={here?.word} />
      <main id="main" tabIndex={-1} ref={main}>
        {here ? (
          <PageBoundary key={here.word}>
            <h1>{here.name}</h1>
            <p className="quiet lead">{here.summary}</p>
            <Suspense fallback={<p role="status">Loading …</p>}>
              <here.Page place={place} />
            </Suspense>
          </PageBoundary>
        ) : (
          <>
            <h1>There is no such page</h1>
            <p>
              The console has no page “{place.page}”. <a href={hashOf('now')}>Go to Now</a>.
            </p>
          </>
        )}
      </main>
    </div>
  )
}

function TopBar({ offered, here }: { offered: typeof pages; here: string | undefined }) {
  const session = useSession()
  return (
    <header className="top">
      <a className="brand" href={hashOf('now')}>
        <img src="./mark.svg" alt="" width="22" height="22" /> svc
      </a>
      <nav aria-label="Pages">
        <ul className="places">
          {offered.map(({ word, name }) => (
            <li key={word}>
              <a className="place" href={hashOf(word)} aria-current={word === here ? 'page' : undefined}>
                {name}
                {word === 'approvals' && <WaitingCount here={here} />}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div className="person">
        <span title={session.did}>
          {session.user.name ?? session.user.login} <span className="quiet">of {session.tenant_id}</span>
        </span>
        <ThemeButton />
        <SignOut />
      </div>
    </header>
  )
}

const counted_max = 100

/** How many calls wait for this person; looked up again on every change of the page. */
function WaitingCount({ here }: { here: string | undefined }) {
  const { answer } = useQuery(`waiting ${here}`, (client, signal) =>
    client.maxim.approvals({ state: 'PENDING', limit: counted_max }, { signal }),
  )
  const count = answer?.items.filter(({ may_decide }) => may_decide).length ?? 0
  if (count === 0) return null
  return <span> ({count === counted_max ? `${count}+` : count} waiting)</span>
}

function SignOut() {
  const session = useSession()
  const [problem, setProblem] = useState<string>()
  const leave = () => signOut(session).catch((error: Error) => setProblem(error.message))
  return (
    <>
      {problem && <span role="alert">You are still signed in: {problem}</span>}
      <button type="button" className="plain" onClick={() => void leave()}>
        Sign out
      </button>
    </>
  )
}
