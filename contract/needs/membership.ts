// Identities, keys and endpoints of a tenant, for lists; never a secret.

import type { Database } from '../database.ts'
import type { AnswerProof } from '../foreign/external-protocol.ts'
import type { Bounds } from '../list-page.ts'

export interface KnownIdentity {
  readonly did: string
  /** API keys that are valid now, and those that no longer are. */
  readonly keys_live: number
  readonly keys_ended: number
  readonly sessions_live: number
  readonly last_used_at: Date | null
  /** The engine has its private key. */
  readonly in_custody: boolean
  readonly in_charter: boolean
  readonly revoked: { readonly at: string; readonly reason: string; readonly by: string } | null
}

export interface IdentityQuestion extends Pick<Bounds, 'before' | 'limit'> {
  /** Every DID with this prefix; empty for all. */
  readonly prefix: string
  /** Also these, whatever is known of them. */
  readonly also: readonly string[]
}

export interface InstalledPlugin {
  readonly name: string
  readonly version: string
  readonly state: 'Pending' | 'Registered' | 'Disabled' | 'Error' | 'Removed'
  /** A short stable phrase, empty where nothing is wrong, and the same as a sentence. */
  readonly reason: string
  readonly why: string
  readonly protocol: string | null
  readonly plugin_type: string | null
  readonly signed_by: string | null
  readonly signed_at: string | null
  readonly digest: string
  readonly operations: readonly string[]
  readonly capabilities: readonly string[]
  /** RFC 3339: since when it is in this state. */
  readonly since: string
}

/** An outside service that implements a version of a protocol. */
export interface RegisteredEndpoint {
  readonly id: string
  readonly protocol: string
  readonly version: string
  readonly endpoint: string
  readonly did: string
  readonly answers: AnswerProof
  readonly treaty_id: string | null
  readonly timeout_ms: number
  readonly weight: number
  readonly enabled: boolean
  readonly operations: readonly string[]
  readonly created_at: Date
}

export interface Membership {
  /** Identities of a tenant, by DID, as far as this database role may see them. */
  identities(db: Database, tenant_id: string, question: IdentityQuestion): Promise<readonly KnownIdentity[]>
  /** Whether an identity has a key, a place in custody, in the charter or among the people of a tenant. */
  knows(db: Database, tenant_id: string, did: string): Promise<boolean>
  /** The operator's, for all tenants: the caller decides what to show. */
  plugins(): Promise<readonly InstalledPlugin[]>
  endpoints(): Promise<readonly RegisteredEndpoint[]>
}
