// What the engine asks of the world. Each port has its choices under adapters/; the engine knows none of them.

import type { PlacedRecord, RecordName } from '@svc/contract/audit/audit-event'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { Cedar, PolicyCouncil, PolicyRuling, PolicySet, Scene } from '@svc/contract/authority/policy'
import type { Tier } from '@svc/contract/authority/tier'
import type { StandingTreaty } from '@svc/contract/authority/treaty'
import type { Database } from '@svc/contract/database'
import type { ResolvedAgentIdentity } from '@svc/contract/identity/identity'
import type { Books } from '@svc/contract/money/books'
import type { Receipt, TenantAuditLog } from '@svc/contract/needs/audit-log'
import type { Authority } from '@svc/contract/needs/authority'
import type { BudgetCounterState } from '@svc/contract/needs/budgets'
import type { Compute, ComputeOwner } from '@svc/contract/needs/computation'
import type { Custody } from '@svc/contract/needs/custody'
import type { Vault } from '@svc/contract/needs/vault'
import type { Allowance, Call, Credential, Take } from './call.ts'
import type { CallTrace } from './call-trace.ts'
import type { WorldNeeds } from './handler/world-needs.ts'
import type { Effective, Resolution } from './known.ts'
import type { BucketSize, LimitTable } from './limits/limits.ts'
import type { Balancer, Breaker, Registry } from './routing/routing.ts'

/** Who is refused: the id of a credential, or the network address of somebody who has shown none. */
export interface Source {
  readonly kind: 'known' | 'unknown'
  readonly id: string
  /** What of a known source is counted apart. Never a word that a caller can make up: each would be a record. */
  readonly about?: string
}

export interface TakenRefusal {
  /** By which the caller finds it in the audit log: its own, or that of one alike that was recorded before it. */
  readonly correlation_id: string
  /** Null where it was counted: its record comes later. */
  readonly record_id: string | null
}

export interface RefusalSums {
  /** Records it, or counts it. Never waits. */
  take(entry: AuditEntry, source: Source): TakenRefusal
  /** Records the counts whose window is over. */
  settle(): void
  /** Records all counts, before the end. */
  close(): void
}

/** What became of a call, in words that hold nothing of its content. */
export interface CallEnding {
  readonly root: 'svc.dispatch' | 'svc.invoke'
  readonly outcome: 'success' | 'refused' | 'error'
  readonly code: string | undefined
  readonly audit_head: string | null
}

export interface Tracer {
  /** Undefined where it is not known yet whether this call is sampled: an error still may be. */
  begin(call: Call): CallTrace | undefined
  /** Told once, when everything is decided and written. Must not throw, and must not wait. */
  end(call: Call, ending: CallEnding): void
}

/** Time and chance come only from here, so that tests and simulation replay exactly. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch: what records and expiries are judged by. */
  now_ms(): number
  /** Never goes back: what durations are measured by. */
  monotonic_ms(): number
  /** Version 4. */
  uuid(): string
  random(): number
  /** For salts, nonces, tokens and keys. */
  randomBytes(count: number): Buffer
}

/** An API key as it is stored: never the secret, only its hash. */
export interface KeyRecord extends Credential {
  readonly secret_hash: Uint8Array
  /** Milliseconds since the epoch; null for never. */
  readonly expires_at_ms: number | null
  readonly revoked: boolean
}

export interface KeyRing {
  /** A value rather than a promise where it is cached; `known` has only those, and asks nobody. */
  find(key_id: string): KeyRecord | undefined | Promise<KeyRecord | undefined>
  known?(key_id: string): KeyRecord | undefined
  /** The key was presented whole and let its holder in. */
  used(key_id: string): void
  /** This engine itself has just revoked it. */
  forget?(key_id: string): void
}

export interface IdentityResolver {
  /** Never raises: a failure is an outcome. A value rather than a promise where it is cached. */
  resolve(did: string): Resolution | Promise<Resolution>
}

export interface Capabilities {
  /** Everything this caller holds now toward this tenant; expiry and caveats are judged by stage 4. */
  effective(
    caller: ResolvedAgentIdentity,
    credential: Credential,
    tenant_id: string,
  ): Effective | Promise<Effective>
  /** The same question about anybody of this tenant, with what was left out and why. */
  authorityOf(did: string, tenant_id: string): Promise<Authority>
}

/** Keys the engine keeps for identities; in the rows of its tenant. */
export interface Keystore {
  open(tenant_id: string, db: Database): Custody
  /** A text as it may lie in a table: opened only by who has the master key, and only under the same name. */
  sealText(text: string, name: string): string
  openText(sealed: string, name: string): string
  vault(tenant_id: string): Vault
}

/** One bucket's answer. `take: false` looks without taking, for a dry run. */
export interface RateLimiter {
  take(bucket: BucketKey, size: BucketSize, cost: number, take: boolean): Allowance | Promise<Allowance>
  health(): 'ok' | 'degraded'
}

export interface BucketKey {
  readonly tenant_id: string
  readonly protocol: string
}

export interface Transaction {
  readonly db: Database
  /** False while the handler has touched no table: then there is nothing to commit and no round trip was made. */
  readonly opened: boolean
  commit(events: readonly AuditEntry[]): Promise<void>
  rollback(): Promise<void>
}

export interface Store {
  /** Opens at first use of `db`, never before. */
  transaction(tenant_id: string): Transaction
  healthy(): Promise<boolean>
}

export type BufferState = 'normal' | 'buffering' | 'overflow'

/** The audit book as the pipeline uses it. */
export interface AuditLogPort {
  /** Loads what a tenant's records need, once. A value rather than a promise when it is there already. */
  ready(tenant_id: string): undefined | Promise<void>
  /** Takes a record and returns at once; `input` is kept, encrypted, beside the chain. Never throws. */
  record(entry: AuditEntry, input?: { commitment: string; text: string }): void
  /** Resolves when everything recorded so far in this turn is in the journal: only then may answers leave. */
  written(): Promise<void>
  /** The newest committed head of a tenant that this replica knows. */
  head(tenant_id: string): string | null
  /** A salted commitment to content that never enters the record. */
  commitment(tenant_id: string, record_id: string, text: string): string
  state(): BufferState
  /** Waits until a record is committed, and proves it. */
  receipt(tenant_id: string, correlation_id: string, record_id: string): Promise<Receipt>
  /** Waits until a record is committed, whichever engine does that. A refusal to try again where it takes too long. */
  committed(name: RecordName): Promise<PlacedRecord>
  forTenant(tenant_id: string): TenantAuditLog
}

/** Counts and times what the pipeline does. Labels come only from the catalogue, so series are bounded. */
export interface Meters {
  dispatched(
    protocol: string,
    operation: string,
    outcome: string,
    code: string,
    latency_ms: number,
    /** Whose book has the record of it. */
    tenant_id: string,
  ): void
  /** When each stage of a call ended, NaN for those it never came to. */
  timed?(started_ms: number, ended_ms: readonly number[]): void
}

/** What binds the spending of tenants; changed by MANA, MEAL and MADE, and heard of within a second. */
export interface Treasury {
  /** A value rather than a promise where it is cached. */
  of(tenant_id: string): Books | Promise<Books>
}

/** Where budgets are held: in one process, or in a store that all replicas share. PostgreSQL knows what was really spent. */
export interface BudgetCounters {
  /** Takes from all or from none. Undefined where it was taken; otherwise the first without room. `take: false` only looks. */
  reserve(
    tenant_id: string,
    takes: readonly Take[],
    take: boolean,
  ): Take | undefined | Promise<Take | undefined>
  /** Puts what was spent, in quanta, where the worst case was reserved. Once for each reservation; never waits, never throws. */
  settle(tenant_id: string, takes: readonly Take[], quanta: bigint): void
  state(tenant_id: string, budget_counter: string): BudgetCounterState | Promise<BudgetCounterState>
  /** Of a purse that counts calls: how many were let in. */
  calls(tenant_id: string, budget_counter: string): bigint | Promise<bigint>
}

export type Log = Readonly<
  Record<'debug' | 'info' | 'warn' | 'error', (fields: object, message: string) => void>
>

/** What stands between organizations. */
export interface Treaties {
  /** Whatever its state; undefined where this tenant is no party of it. */
  find(tenant_id: string, treaty_id: string): Promise<StandingTreaty | undefined>
  /** Those that ever came into force between two. A value rather than a promise where it is cached. */
  between(one: string, other: string): readonly StandingTreaty[] | Promise<readonly StandingTreaty[]>
}

/** What organizations forbid beyond capabilities. Asked only where books say that there are rules. */
export interface Policies {
  /** By the set in force at the scene's moment. A value rather than a promise where it is at hand. */
  judge(tenant_id: string, scene: Scene): PolicyRuling | Promise<PolicyRuling>
  /** The very rules a record names by their digest. */
  named(tenant_id: string, set_digest: string): Promise<PolicySet | undefined>
  /** Who decided `maxim://<id>@<version>`; undefined where no council did. Asked only when it refuses a call. */
  councilOf(tenant_id: string, policy: string): PolicyCouncil | undefined | Promise<PolicyCouncil | undefined>
  /** The evaluator itself, for who writes and explains rules. */
  readonly cedar: Cedar
}

/** What is known of organizations beside their keys. */
export interface Tenants {
  tierOf(tenant_id: string): Tier | undefined | Promise<Tier | undefined>
}

export interface Ports {
  readonly clock: Clock
  readonly identity: IdentityResolver
  readonly capabilities: Capabilities
  readonly custody: Keystore
  /** What operations may need of the world beside the engine. */
  readonly needs: WorldNeeds
  /** Runs what takes long in a worker, and shares workers out by tenant. */
  readonly compute: Compute
  countTokens(texts: readonly string[], owner: ComputeOwner): Promise<number>
  readonly limiter: RateLimiter
  readonly breaker: Breaker
  readonly balancer: Balancer
  readonly registry: Registry
  readonly store: Store
  readonly audit_log: AuditLogPort
  /** Takes the refusals that a flood could make without bound. */
  readonly sums: RefusalSums
  readonly meters: Meters
  /** Undefined where spans go nowhere: then none is made. */
  readonly tracer?: Tracer | undefined
  readonly treasury: Treasury
  readonly budget_counters: BudgetCounters
  readonly treaties: Treaties
  readonly policies: Policies
  readonly tenants: Tenants
  readonly log: Log
  readonly settings: Settings
}

export interface Settings {
  /** This engine's own DID. */
  readonly engine_did: string
  readonly operator_tenant_id: string
  /** Watts one busy core draws: the energy estimate where no meter exists. */
  readonly watts_per_core: number
  /** Check module outputs against their schemas and fail loudly: tests and development. */
  readonly check_outputs: boolean
  readonly limits: LimitTable
}
