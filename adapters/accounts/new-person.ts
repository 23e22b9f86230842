import type { Database } from '@svc/contract/database'

/** Makes the identity of a person at first sign-in; `keep` writes the account before anybody is notified. */
export type NewPerson = (
  db: Database,
  tenant_id: string,
  name: string,
  keep: (did: string) => Promise<void>,
) => Promise<unknown>
