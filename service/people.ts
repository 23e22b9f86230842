// People who sign in: their accounts, the OAuth server and its pages, put together.
import { openAccounts } from '@svc/adapters/accounts/accounts'
import type { Database } from '@svc/contract/operation-context'
import type { Clock, Log } from '@svc/engine/ports'
import { type Login, openLogin } from '@svc/gateway/oauth/login'
import type { Config } from './config.ts'

export interface People extends Login {
  /** What another replica changed: a person, a session or a grant. */
  changed(kind: string, id: string): void
  /** Changes may have been missed. */
  forgetAll(): void
  close(): void
}

export function openPeople(config: Config, db: Database, clock: Clock, log: Log): People {
  const accounts = openAccounts(db, config.master_key, clock, log)
  const login = openLogin(accounts, config.login, clock)
  return {
    ...login,
    changed: (kind, id) => accounts.changed(kind, id),
    forgetAll: () => accounts.forgetAll(),
    close: () => accounts.close(),
  }
}

/** Where we listen, as a browser on this machine reaches it. */
export function listeningUrl({ host }: Config, port: number): string {
  const is_any = host === '0.0.0.0' || host === '::'
  return `http://${is_any ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`
}
