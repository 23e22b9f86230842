import type { Bounds } from '../list-page.ts'

/** What all calls with a key may spend together. */
export interface KeyBudget {
  readonly key_name: string
  /** US dollars in an ISO week, UTC. */
  readonly weekly_usd: string
}

export interface NewKey {
  readonly did: string
  readonly label: string
  readonly expires_at: string
  /** Names it may be used for, of all that its identity may do; everything for a session. */
  readonly usable_for?: readonly string[]
  /** Where it may be used from, as CIDR blocks; anywhere where empty. */
  readonly networks?: readonly string[]
  readonly weekly_budget_micro_usd?: bigint | undefined
  /** For a session: the public key that must sign each request. */
  readonly proof_key?: string
  /** For a session by DelegatedAuth: the only delegation it acts under. */
  readonly delegation_id?: string | undefined
}

/** API keys and sessions of this tenant's identities, written with the operation's own rows. */
export interface Keys {
  /** The only time the whole key exists: it is returned once and never stored. It ends no later than the key it is made with. */
  issue(key: NewKey): Promise<
    { readonly key_id: string; readonly api_key: string } & Pick<NewKey, 'expires_at'> & {
        readonly networks: readonly string[]
      }
  >
  /** Ends every session of an identity. */
  endSessions(did: string): Promise<number>
  /** Ends the keys that an identity made, for itself and others. How many there were. */
  endMadeBy(did: string): Promise<number>
  /** Of one identity, or of all where undefined; newest first. */
  list(did: string | undefined, bounds: Bounds): Promise<readonly ListedKey[]>
  find(key_id: string): Promise<ListedKey | undefined>
  /** How many of an identity's keys are live, without sessions. It gets no other until this transaction ends. */
  lockAndCount(did: string): Promise<number>
  revoke(key_id: string): Promise<void>
}

export interface ListedKey {
  readonly key_id: string
  readonly did: string
  readonly label: string | null
  readonly made_by: string | null
  readonly is_session: boolean
  /** Null for a key that carries capabilities itself, and for a session. */
  readonly usable_for: readonly string[] | null
  readonly networks: readonly string[]
  /** Whole millionths of a US dollar. */
  readonly weekly_budget_micro_usd: string | null
  readonly created_at: Date
  readonly expires_at: Date | null
  readonly revoked_at: Date | null
  readonly last_used_at: Date | null
}
