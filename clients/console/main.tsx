// The console is a static page: it reads everything through the engine's public API.
import { StrictMode, useCallback, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { loadSession, returnToPlace, type Session, signIn } from './api/session.ts'
import { Frame } from './frame.tsx'
import { startTheme } from './shell/theme.tsx'
import { SessionProvider } from './shell/use-session.tsx'
import './shell/style.css'

type State = { session: Session } | { signed_out: true } | { broken: string } | undefined

function App() {
  const [state, setState] = useState<State>()
  const onEnd = useCallback(() => setState({ signed_out: true }), [])
  useEffect(() => {
    loadSession(onEnd).then(
      (session) => {
        if (session) returnToPlace()
        setState(session ? { session } : { signed_out: true })
      },
      (error: Error) => setState({ broken: error.message }),
    )
  }, [onEnd])
  if (!state) return <Greeting title="svc console">Loading …</Greeting>
  if ('session' in state) {
    return (
      <SessionProvider session={state.session}>
        <Frame />
      </SessionProvider>
    )
  }
  if ('broken' in state) {
    return (
      <Greeting title="The engine does not answer">
        {state.broken}{' '}
        <button type="button" onClick={() => location.reload()}>
          Try again
        </button>
      </Greeting>
    )
  }
  return (
    <Greeting title="svc console">
      See calls as they happen, why one was refused, and an audit log that anyone can verify.{' '}
      <button type="button" onClick={signIn}>
        Sign in
      </button>
    </Greeting>
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

startTheme()
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
