// Ports of the login: people, sessions, the OAuth server's storage, and API keys.
import type { AgentCapability } from '@svc/contract/authority/capability'
import type { Tier } from '@svc/contract/authority/tier'
import type { Credential } from '@svc/engine/call'
import type { WorkloadIssuers, WorkloadMapping } from './workload-token.ts'

export interface Person {
  readonly user_id: string
  readonly tenant_id: string
  readonly did: string
  readonly login: string
  readonly name: string | null
  readonly tier: Tier
  readonly disabled: boolean
}

export interface Session {
  readonly session_id: string
  readonly expires_at_ms: number
  readonly revoked: boolean
  readonly user: Person
}

/** Somebody's identity at the upstream issuer. */
export interface UpstreamSubject {
  readonly issuer: string
  readonly subject: string
}

export interface Invitation {
  readonly tenant_id: string
  readonly name: string
  readonly roles: readonly string[]
  /** Where set, the account gets this login. */
  readonly login: string | null
}

/** With a password, or somebody's identity at the upstream issuer. */
export interface NewAccount {
  readonly login: string
  readonly name?: string | undefined
  readonly password?: string
  readonly upstream?: UpstreamSubject
}

/** Whose account it was goes to the record, never to the answer. */
export type SignIn =
  | { readonly outcome: 'in'; readonly user: Person }
  | { readonly outcome: 'wrong'; readonly user: Person | undefined }
  | { readonly outcome: 'wait'; readonly user: undefined; readonly wait_ms: number }

type Maybe<Value> = Value | undefined | Promise<Value | undefined>

export interface Accounts {
  readonly payloads: Payloads
  credentialOf(user: Person, key_id: string): Credential
  /** A key for one purpose, the same on every replica. */
  secretFor(purpose: string): Buffer
  signingKeys(): Promise<readonly SigningKey[]>
  findUser(user_id: string): Promise<Person | undefined>
  /** Whether this is the identity of a person whose account was ended. */
  hasLeft(tenant_id: string, did: string): Promise<boolean>
  /** The person of a valid grant. A value rather than a promise where it is cached. */
  grantor(grant_hash: string): Maybe<Person>
  session(token_hash: string): Maybe<Session>
  startSession(user: Person): Promise<{ session_id: string; token: string; expires_at_ms: number }>
  endSession(session: Session, token_hash: string): Promise<void>
  /** Every session and grant of this person. */
  endEverything(user_id: string): Promise<void>
  signIn(login: string, password: string, address: string): Promise<SignIn>
  mayRegister(address: string): Promise<number>
  findBySubject(at: UpstreamSubject): Promise<Person | undefined>
  createFromUpstream(
    tenant_id: string,
    at: UpstreamSubject,
    login: string,
    name?: string,
  ): Promise<Person | undefined>
  /** No invitation where it cannot be used (any more), or where too many were tried from there. */
  openInvitation(
    token: string,
    address: string,
  ): Promise<{ readonly wait_ms: number; readonly invitation?: Invitation | undefined }>
  /** Uses the invitation up. Undefined where it had ended; refuses a login or password that does not do. */
  acceptInvitation(token: string, account: NewAccount): Promise<Person | undefined>
  /** At each sign-in with the upstream issuer: roles by claims become what the claims say now. */
  applyClaims(user: Person, claims: Readonly<Record<string, unknown>>): Promise<void>
  /** It ends with the account of `user_id`. */
  issueKey(new_key: NewKey, user_id: string): Promise<{ key_id: string; api_key: string }>
  listKeys(tenant_id: string, did: string, limit: number, before: string | undefined): Promise<KeyPage>
  revokeKey(credential: Credential, key_id: string): Promise<boolean>
}

/** Workloads that act as agents, by tokens of other issuers. */
export interface Workloads extends WorkloadIssuers {
  startSession(
    mapping: WorkloadMapping,
    proof_key: string,
    expires_at: Date,
  ): Promise<{ readonly key_id: string; readonly token: string }>
}

type Payload = Record<string, unknown>

export interface Payloads {
  upsert(model: string, id: string, payload: Payload, expires_in_s: number | undefined): Promise<void>
  find(model: string, id: string): Promise<Payload | undefined>
  findByUid(model: string, uid: string): Promise<Payload | undefined>
  /** False where it was consumed before. */
  consume(model: string, id: string): Promise<boolean>
  destroy(model: string, id: string): Promise<void>
  /** The grant and everything that was issued from it. */
  revokeGrant(grant_hash: string): Promise<void>
  countOf(model: string): Promise<number>
  grantHash(grant_id: string): string
}

export interface SigningKey {
  readonly kid: string
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly alg: 'EdDSA'
  readonly use: 'sig'
  readonly x: string
  readonly d: string
}

export interface NewKey {
  readonly tenant_id: string
  readonly did: string
  readonly mode: 'live' | 'test'
  readonly capabilities?: readonly AgentCapability[]
  readonly label?: string
  readonly expires_at?: string
}

interface KeyPage {
  readonly keys: readonly {
    readonly key_id: string
    readonly did: string
    readonly label: string | null
    readonly created_at: Date
    readonly expires_at: Date | null
    readonly revoked_at: Date | null
    readonly last_used_at: Date | null
  }[]
  readonly next: string | null
}
