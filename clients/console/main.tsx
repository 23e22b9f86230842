// The console is a static page: it reads everything through the engine's public API.
import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import '@mantine/spotlight/styles.css'
import './shell/console.css'
import { Button, MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { HashRouter } from 'react-router'
import { loadSession, returnToPlace, type Session, signIn } from './api/session.ts'
import { readPlace } from './shell/address.ts'
import { Frame } from './shell/frame.tsx'
import { pages } from './shell/page-list.ts'
import { theme } from './shell/theme.ts'
import { SessionProvider } from './shell/use-session.tsx'
import { words } from './words/en.ts'

/** A page is shown from what was read last and refreshed behind it; refusals are not retried. */
const queries = new QueryClient({
  defaultOptions: { queries: { staleTime: 5_000, retry: false, refetchOnWindowFocus: true } },
})

/** The page of the address is loaded while the session is read, not after it. */
pages.find(({ word }) => word === readPlace(location.hash).page)?.preload()

type State = { session: Session } | { broken: string } | undefined

function App() {
  const [state, setState] = useState<State>()
  useEffect(() => {
    loadSession(signIn).then(
      (session) => {
        if (!session) return signIn()
        returnToPlace()
        setState({ session })
      },
      (error: Error) => setState({ broken: error.message }),
    )
  }, [])
  if (!state) return <Greeting title={words.product}>{words.loading}</Greeting>
  if ('broken' in state)
    return (
      <Greeting title={words.no_answer}>
        {state.broken} <Button onClick={() => location.reload()}>{words.try_again}</Button>
      </Greeting>
    )
  return (
    <SessionProvider session={state.session}>
      <HashRouter>
        <Frame />
      </HashRouter>
    </SessionProvider>
  )
}

function Greeting({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <main className="greeting">
      <img src="./mark.svg" alt="" width="48" height="48" />
      <h1>{title}</h1>
      <p>{children}</p>
    </main>
  )
}

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={queries}>
        <Notifications position="bottom-right" />
        <App />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
