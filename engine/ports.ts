// What the engine asks of the world. Implementations are under adapters/; the engine knows none of them.

import type { PlacedRecord, RecordName } from '@svc/contract/audit/audit-event'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { ApprovalAnswer, ApprovalRequest } from '@svc/contract/authority/approval'
import type { Cedar, PolicyCouncil, PolicyRuling, PolicySet, Scene } from '@svc/contract/authority/policy'
import type { RoleTable } from '@svc/contract/authority/role'
import type { Tier } from '@svc/contract/authority/tier'
import type { StandingTreaty } from '@svc/contract/authority/treaty'
import type { Database } from '@svc/contract/database'
import type { ResolvedAgentIdentity } from '@svc/contract/identity/identity'
import type { Books } from '@svc/contract/money/books'
import type { DelegationPath } from '@svc/contract/needs/access'
import type { Receipt, TenantAuditLog } from '@svc/contract/needs/audit-log'
import type { Authority } from '@svc/contract/needs/authority'
import type { Compute, ComputeOwner } from '@svc/contract/needs/computation'
import type { Custody } from '@svc/contract/needs/custody'
import type { Vault } from '@svc/contract/needs/vault'
import type { Allowance, Call, Credential, Take } from './call.ts'
import type { CallTrace } from './call-trace.ts'
import type { WorldNeeds } from './handler/world-needs.ts'
import type { Homes } from './homes.ts'
import type { Effective, Resolution } from './known.ts'
import type { BudgetCounters } from './limits/budget-counters.ts'
import type { BucketSize, LimitTable } from './limits/limits.ts'
import type { Reservations } from './limits/reservations.ts'
import type { Balancer, Breaker, Registry } from './routing/routing.ts'

/** The refused source: the id of a credential, or the network address of an unauthenticated caller. */
export interface Source {
  readonly kind: 'known' | 'unknown'
  readonly id: string
  /** Kinds of a known source that are counted separately. Never caller-supplied text: each would be a record. */
  readonly about?: string
}

export interface TakenRefusal {
  /** By which the caller finds it in the audit log: its own, or that of an earlier similar record. */
  readonly correlation_id: string
  /** Null where it was counted: its record is written later. */
  readonly record_id: string | null
}

export interface RefusalSums {
  /** Records it, or counts it. Never waits. */
  take(entry: AuditEntry, source: Source): TakenRefusal
  /** Records the counts whose window is over. */
  settle(): void
  /** Records all counts, before shutdown. */
  close(): void
}

/** The result of a call, without any of its content. */
export interface CallEnding {
  readonly root: 'svc.dispatch' | 'svc.invoke'
  readonly outcome: 'success' | 'refused' | 'error'
  readonly code: string | undefined
  readonly audit_head: string | null
}

export interface Tracer {
  /** Undefined while it is not known whether this call is sampled: an error still may be. */
  begin(call: Call): CallTrace | undefined
  /** Called once, when everything is decided and written. Must not throw or wait. */
  end(call: Call, ending: CallEnding): void
}

/** The only source of time and randomness, so that tests and simulation replay exactly. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch: for records and expiries. */
  now_ms(): number
  /** Monotonic: for durations. */
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
  /** Where it may be used from; anywhere where absent. */
  readonly networks?: readonly string[]
}

export interface KeyRing {
  /** A value rather than a promise where it is cached; `known` returns only those, without a lookup. */
  find(key_id: string): KeyRecord | undefined | Promise<KeyRecord | undefined>
  known?(key_id: string): KeyRecord | undefined
  /** The complete key was presented and accepted. */
  used(key_id: string): void
  /** This engine has just revoked it. */
  forget?(key_id: string): void
}

export interface IdentityResolver {
  /** Never throws: a failure is an outcome. A value rather than a promise where it is cached. */
  resolve(did: string): Resolution | Promise<Resolution>
}

export interface Capabilities {
  /** Everything this caller holds now toward this tenant; stage 4 checks expiry and caveats. */
  effective(
    caller: ResolvedAgentIdentity,
    credential: Credential,
    tenant_id: string,
  ): Effective | Promise<Effective>
  /** The same for any identity of this tenant, with what was left out and why. */
  authorityOf(did: string, tenant_id: string): Promise<Authority>
  /** Every delegation to an identity with its whole chain, also those that no longer count. Read anew: for explanations. */
  pathsTo(did: string, tenant_id: string): Promise<readonly DelegationPath[]>
}

/** Keys the engine keeps for identities, in the rows of their tenant. */
export interface Keystore {
  open(tenant_id: string, db: Database): Custody
  /** Sealed text for a table: opened only with the master key, and only under the same name. */
  sealText(text: string, name: string): string
  openText(sealed: string, name: string): string
  vault(tenant_id: string): Vault
}

export interface RateLimiter {
  /**
   * The answer of one bucket. `take: false` only checks, for a dry run. Where bucket and budget are both remote, `planned` may be called for
   * what to reserve in the same question.
   */
  take(
    bucket: BucketKey,
    size: BucketSize,
    cost: number,
    take: boolean,
    planned?: () => readonly Take[] | undefined,
  ): Allowance | Promise<Allowance>
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
  /** A statement was sent, or a connection asked for, and nothing has come back. */
  readonly waiting: boolean
  commit(events: readonly AuditEntry[]): Promise<void>
  rollback(): Promise<void>
}

export interface Store {
  /** Opens at first use of `db`, never before. Without principals it reads only what the whole tenant may read. */
  transaction(tenant_id: string, principals?: readonly string[]): Transaction
  healthy(): Promise<boolean>
}

export type BufferState = 'normal' | 'buffering' | 'overflow'

/** The audit log as the pipeline uses it. */
export interface AuditLogPort {
  /** Loads what a tenant's records need, once. A value rather than a promise when it is loaded already. */
  ready(tenant_id: string): undefined | Promise<void>
  /** Takes a record and returns at once; `input` is retained, encrypted, beside the chain. Never throws. */
  record(entry: AuditEntry, input?: { commitment: string; text: string }): void
  /** Resolves when everything recorded so far in this turn is in the journal: only then may answers be sent. */
  written(): Promise<void>
  /** The newest committed head of a tenant that this replica knows. */
  head(tenant_id: string): string | null
  /** A salted commitment to content that never enters the record. */
  commitment(tenant_id: string, record_id: string, text: string): string
  state(): BufferState
  /** Waits until a record is committed, and proves it. */
  receipt(tenant_id: string, correlation_id: string, record_id: string): Promise<Receipt>
  /** Waits until a record is committed, by any engine. A retryable refusal where it takes too long. */
  committed(name: RecordName): Promise<PlacedRecord>
  forTenant(tenant_id: string): TenantAuditLog
}

/** Counts and times the pipeline. Labels come only from the catalogue, so the number of series is bounded. */
export interface Meters {
  dispatched(
    protocol: string,
    operation: string,
    outcome: string,
    code: string,
    latency_ms: number,
    /** The tenant whose audit log has its record. */
    tenant_id: string,
  ): void
  /** When each stage of a call ended; NaN for those not reached. */
  timed?(started_ms: number, ended_ms: readonly number[]): void
}

/** What limits the spending of tenants; changed by MANA, MEAL and MADE, and updated within a second. */
export interface Treasury {
  /** A value rather than a promise where it is cached. */
  of(tenant_id: string): Books | Promise<Books>
}

export type Log = Readonly<
  Record<'debug' | 'info' | 'warn' | 'error', (fields: object, message: string) => void>
>

/** Treaties between organizations. */
export interface Treaties {
  /** In any state; undefined where this tenant is not a party. */
  find(tenant_id: string, treaty_id: string): Promise<StandingTreaty | undefined>
  /** Those that were ever in force between two tenants. A value rather than a promise where it is cached. */
  between(one: string, other: string): readonly StandingTreaty[] | Promise<readonly StandingTreaty[]>
}

/** What organizations forbid beyond capabilities. Asked only where the books say that there are policies. */
export interface Policies {
  /** By the set in force at the scene's time. A value rather than a promise where it is cached. */
  judge(tenant_id: string, scene: Scene): PolicyRuling | Promise<PolicyRuling>
  /** The exact policies a record names by their digest. */
  named(tenant_id: string, set_digest: string): Promise<PolicySet | undefined>
  /** Who decided `maxim://<id>@<version>`; undefined where no council did. Asked only when it refuses a call. */
  councilOf(tenant_id: string, policy: string): PolicyCouncil | undefined | Promise<PolicyCouncil | undefined>
  /** The evaluator itself, for writing and explaining policies. */
  readonly cedar: Cedar
}

/** Consent of others to single calls. Asked only for calls that a rule makes wait for it. */
export interface Approvals {
  /** Uses the consent to this call, at most once over all engines; where there is none, asks those who can give it. */
  use(request: ApprovalRequest): Promise<ApprovalAnswer>
  /** The same answer, and nothing is used or stored. */
  look(request: ApprovalRequest): Promise<ApprovalAnswer>
  /** Only what the call of this record has used. */
  giveBack(tenant_id: string, approval_id: string, record_id: string): Promise<void>
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
  /** What operations may need from outside the engine. */
  readonly needs: WorldNeeds
  /** Runs long work in a worker, and shares workers fairly by tenant. */
  readonly compute: Compute
  countTokens(texts: readonly string[], owner: ComputeOwner): Promise<number>
  readonly limiter: RateLimiter
  readonly breaker: Breaker
  readonly balancer: Balancer
  readonly registry: Registry
  readonly store: Store
  readonly audit_log: AuditLogPort
  /** Takes refusals that a flood could cause without limit. */
  readonly sums: RefusalSums
  readonly meters: Meters
  /** Undefined where spans are not exported: then none is made. */
  readonly tracer?: Tracer | undefined
  readonly treasury: Treasury
  readonly budget_counters: BudgetCounters
  /** How much of them calls reserve, and how long they wait for it. */
  readonly reservations: Reservations
  readonly treaties: Treaties
  readonly policies: Policies
  readonly approvals: Approvals
  readonly courts: { isOpen(tenant_id: string): Promise<boolean> }
  readonly tenants: Tenants
  /** Absent where no tenant is ever moved. */
  readonly homes?: Homes
  /** What roles of people allow. */
  readonly roles: RoleTable
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
