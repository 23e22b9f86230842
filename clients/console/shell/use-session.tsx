// The session, available to every component.
import { createContext, type ReactNode, useContext } from 'react'
import { permissionOf, type Session } from '../api/session.ts'
import { words } from '../words/en.ts'

const SessionContext = createContext<Session | undefined>(undefined)

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  return <SessionContext value={session}>{children}</SessionContext>
}

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('a page was rendered before sign-in')
  return session
}

/** Why this caller may not call it, as the refusal would say; undefined if it may. */
export function useWhyNot(protocol: string, operation: string): string | undefined {
  const permission = permissionOf(useSession(), protocol, operation)
  if (!permission) return words.not_served(protocol, operation)
  return permission.may === 'no'
    ? (permission.why_not ?? words.not_permitted(permission.capability))
    : undefined
}
