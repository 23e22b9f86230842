// Everything a handler may touch. A test needs no mocks beyond it, and a plugin is given the same thing.

import type { EventMore, RecordName, Supplied } from './audit/audit-event.ts'
import type { AuditEntry, AuditRecord } from './audit/audit-record.ts'
import type { EventType } from './audit/event.ts'
import type { AgentCapability, HeldCapability } from './authority/capability.ts'
import type { Cedar, PolicySet } from './authority/policy.ts'
import type { Tier } from './authority/tier.ts'
import type { StandingTreaty } from './authority/treaty.ts'
import type { CrossingQuestion } from './authority/treaty-grants.ts'
import type { Database } from './database.ts'
import type { ResolvedAgentIdentity } from './identity/identity.ts'
import type { IdentityDocument } from './identity/identity-document.ts'
import type { Descent } from './identity/lineage.ts'
import type { InvokeContext } from './invoke-context.ts'
import type { Books } from './money/books.ts'
import type { Faculties } from './needs/faculties.ts'
import type { Vault } from './needs/vault.ts'
import type { OperationFacts, ToolCategory } from './operation-facts.ts'
import type { Refusal } from './refusal.ts'
import type { ServedPlace } from './served-place.ts'

export interface OperationContext extends Faculties {
  readonly invoke: InvokeContext
  readonly tenant_id: string
  readonly caller: ResolvedAgentIdentity
  /** Who this engine is: what proofs made for it name as their audience. */
  readonly engine_did: string
  /** The organization that runs this engine: it issues `usd`, takes the fees, and sets prices. */
  readonly operator_tenant_id: string
  /** Gateway ingress time, RFC 3339 UTC: the moment every rule of this call is judged by. */
  readonly now: string
  /** The audit record this call will have: what is kept may name it. */
  readonly record_id: string
  /** What the caller names this very request by, where it may be sent again. */
  readonly idempotency_key?: string | undefined
  readonly db: Database
  readonly book: TenantBook
  readonly telemetry: Telemetry
  /** What the caller may do now, with the credential it came with. */
  authority(): Promise<Holdings>
  /** What another identity of this tenant may do now. */
  authorityOf(did: string): Promise<Authority>
  /** Micro-USD an identity has spent this ISO week under a grant of this name. */
  spentInWeek(did: string, capability: string): bigint | Promise<bigint>
  /** Whether an identity is a charter member of this tenant now. */
  sitsInCharter(did: string): Promise<boolean>
  /** Everybody who sits in this tenant's charter now, by DID. */
  charterMembers(): Promise<readonly string[]>
  /** Only where a charter motion has passed: it changes who may act for the organization, with this operation's own rows. */
  changeCharter(change: CharterChange): Promise<void>
  /** Passes where the organization as a whole has decided this, and answers the verdict it rests on; refuses otherwise. */
  requireAuthority(operation: string, subject: string, ref?: string): Promise<string>
  /** Undefined where there is no such tenant. */
  tierOf(tenant_id: string): Promise<Tier | undefined>
  /** A treaty that this tenant is a party of, whatever its state in time; undefined where there is none. */
  treaty(treaty_id: string): Promise<StandingTreaty | undefined>
  /** May one organization do this in another? By the very lines stage 4 judges by. */
  judgeCrossing(question: CrossingQuestion): Promise<Crossing>
  /** Evaluates rules; decides nothing by itself. */
  readonly cedar: Cedar
  /** The rules of this tenant that a record names by their digest; undefined where it never had such. */
  policySet(set_digest: string): Promise<PolicySet | undefined>
  /** What binds this tenant's spending now. */
  books(): Promise<Books>
  /** What was spent of a purse of this tenant, and what calls under way may still spend of it. */
  purse(name: string): Promise<PurseState>
  /** Counts usage metered outside of dispatch against the runway, once the rows are committed. */
  countSpent(quanta: bigint): void
  /** What this caller's tenant may ask of a protocol before anything slows it; undefined where it is not served here. */
  bucketOf(protocol: string): { readonly capacity: number; readonly refill_per_s: number } | undefined
  /** Identities that speak for a protocol registered from outside. */
  speakersOf(protocol: string): Promise<readonly string[]>
  /** Keys the engine keeps for identities of this tenant. */
  readonly custody: Custody
  /** Seals content of this tenant so that it can be forgotten. */
  readonly vault: Vault
  /** Which way a hybrid went: on the protocol path neither tokens nor watts are charged. Said in the record, too. */
  takePath(path: 'protocol' | 'agent'): void
  /** The outside service an adapter speaks for; only the handlers of adapters have one. */
  readonly remote?: Remote
  /** Aborted when the deadline passes, the caller leaves, or the engine must stop. */
  readonly signal: AbortSignal
  /** Module metadata: kept in the audit record, found again through MAX traceability_graph. */
  readonly metadata: Record<string, unknown>
  /** A domain event: it commits or rolls back with this operation's own rows, and is named before it is written. */
  audit(event_type: EventType, facts: Record<string, unknown>, more?: EventMore): RecordName
  /** Something that must be recorded even when this operation is then refused, such as a bad signature. */
  alarm(reason: string, facts: Record<string, unknown>, supplied?: Supplied): void
  /** A refusal after which the rows written so far stand, such as a count of failed attempts: `throw context.keepingRows(refuse(…))`. */
  keepingRows(refusal: Refusal): Refusal
  /** Runs once, when the rows are committed and before the answer leaves; what fails in it changes nothing of the answer. */
  afterCommit(work: () => Promise<void>): void
  /** Puts something into the registry with this operation's own rows, and answers its address (`mars://…`). The same thing twice has one. */
  register(entry: RegistryEntry): Promise<string>
  /** Hands a document to the node that answers for identities. Undefined where it was taken, otherwise why not. */
  publishIdentity(document: IdentityDocument): Promise<string | undefined>
  /** Commits rows and events of their own when it returns, whatever becomes of the rest: an intent before the deed, or what comes before a wait. */
  apart<Result>(work: (rows: Apart) => Promise<Result>): Promise<Result>
  /** What this engine serves under that name, in its newest version. */
  findOperation(protocol: string, operation: string): ServedOperation | undefined
  operations(): readonly ServedOperation[]
  /** Where this engine invokes what it serves, and how those places are. */
  places(): readonly ServedPlace[]
  /** What it takes to go on as this caller after the call has ended; never more than it came with. */
  standIn(): StandIn
  /** Calls another operation through all eight stages, as this caller, under this correlation id; with no more than the capabilities in `only`. */
  call(protocol: string, operation: string, input: unknown, only?: readonly string[]): Promise<unknown>
  progress(event: Progress): void
  /** What a probability of this forecaster (`protocol:MARC`, a DID) has really meant so far; undefined where nobody published that. */
  calibrated(forecaster: string, probability: number): Promise<number | undefined>
  /** How long this call may take: no longer than its caller asked for, nor than the caller's tier allows. */
  readonly deadline_ms: number
  /** Tokens this call may use in all: so many were reserved for it. */
  readonly tokens_max: number
  /** Tokens really used, counted apart for input and output; past `tokens_max` the call is refused. */
  useTokens(tokens_in: number, tokens_out: number): void
}

/** A transaction beside the operation's own. */
export interface Apart extends Pick<OperationContext, 'audit'> {
  readonly db: Database
}

export interface ServedOperation {
  readonly protocol: string
  readonly version: string
  readonly category: ToolCategory
  readonly operation: string
  readonly capability: string
  readonly facts: OperationFacts
  /** All of it happens in a service outside. */
  readonly is_external: boolean
}

/** A caller who is not there any more: what its credential carried, and where in a chain of calls it stood. */
export interface StandIn {
  readonly key_id: string
  readonly did: string
  /** Where the caller is at home. */
  readonly tenant_id: string
  readonly tier: Tier
  readonly capabilities: readonly AgentCapability[]
  readonly correlation_id: string
  readonly depth: number
}

/** What a protocol makes known of its own work; the tenant's book signs for it where the engine keeps no key of the caller. */
export interface RegistryEntry {
  readonly kind:
    | 'treaty'
    | 'policy'
    | 'asset'
    | 'plugin'
    | 'report'
    | 'verdict'
    | 'chain_seal'
    | 'schema'
    | 'model'
    | 'artifact'
  readonly subject: string
  readonly visibility: 'tenant' | 'treaty' | 'public'
  readonly content: Readonly<Record<string, unknown>>
}

export interface CharterChange {
  readonly add: readonly string[]
  readonly remove: readonly string[]
}

/** What stage 4, and stage 5 of the limits, would say of a call between organizations. */
export interface Crossing {
  readonly active: boolean
  /** `no active treaty`, `capability not granted`, `treaty grant expired`, `treaty suspended`, `caveat unsatisfied: …`, `limit reached: …` */
  readonly reason?: string
  readonly treaty?: StandingTreaty
  /** The grant it rests on, or the one that came nearest. */
  readonly grant?: HeldCapability
  /** Null where the treaty sets no such limit. */
  readonly remaining: {
    readonly per_hour: bigint | null
    readonly per_day: bigint | null
    readonly weekly_budget_micro_usd: bigint | null
  }
}

export interface PurseState {
  readonly spent_micro_usd: bigint
  readonly reserved_micro_usd: bigint
}

export interface Holdings {
  readonly identity: ResolvedAgentIdentity
  readonly held: readonly HeldCapability[]
}

/** With what does not count any more, and why. */
export interface Authority extends Holdings {
  readonly excluded: readonly {
    readonly name: string
    readonly why: 'revoked' | 'expired' | 'over_depth'
  }[]
}

export interface Custody {
  /** Undefined where the engine keeps no key of this DID. */
  publicKeyOf(did: string): Promise<string | undefined>
  /** Signs as this identity; undefined where its key is not here. */
  sign(did: string, text: string | Uint8Array): Promise<{ public_key: string; signature: string } | undefined>
  /** Makes the child's key from the parent's and keeps it; the same descent gives the same key. */
  derive(parent_did: string, descent: Descent): Promise<{ did: string; public_key: string } | undefined>
}

/** The far side of an adapter, over the external contract. Failures arrive as refusals. */
export interface Remote {
  invoke(operation: string, payload: unknown): Promise<unknown>
  /** Whose definitions the operator of this engine believes; nobody's where it is absent. */
  readonly publishers?: PublisherTrust
}

export interface PublisherTrust {
  readonly require_signatures: boolean
  readonly trusted: readonly string[]
}

export interface Progress {
  readonly message: string
  /** 0 to 1, where it can be told. */
  readonly fraction?: number
  readonly data?: unknown
}

/** A record with the proof that it stands in the signed book. */
export interface Receipt {
  readonly record: AuditRecord
  /** RFC 6962 inclusion path, leaf to root, in hex. */
  readonly inclusion_path: readonly string[]
  readonly tree_size: number
  /** C2SP signed note over the tree of this size. */
  readonly checkpoint: string
}

/** This tenant's audit book, as far as a protocol may use it. */
export interface TenantBook {
  /** Waits, one second at most, until what this replica has answered is committed. */
  settled(): Promise<void>
  /** Signs with the tenant's audit key: EdDSA, base64url; `key_id` names the public key in the book. */
  sign(bytes: Uint8Array): Promise<{ key_id: string; public_key: string; signature: string }>
  /** Opens kept inputs by their commitments; `redacted` where the key is gone. */
  openInputs(input_hashes: readonly string[]): Promise<Record<string, unknown>>
  /** Ends a chain for ever and destroys its key; refused where the organization is not wound up. Twice is once. */
  seal(order: SealOrder): Promise<ChainSeal>
}

/** What the last record says; also a successor may ask for it, from its own tenant. */
export type SealOrder = Pick<
  AuditEntry,
  'id' | 'correlation_id' | 'timestamp' | 'tenant_id' | 'caller_did' | 'meta'
> & {
  /** Refused where the chain stands elsewhere: 64 hex. */
  readonly expected_head?: string | undefined
}

/** The end of a chain, provable by the last checkpoint alone. */
export interface ChainSeal {
  readonly tenant_id: string
  readonly final_seq: number
  readonly final_hash: string
  readonly root: string
  /** C2SP signed note over the whole tree. */
  readonly checkpoint: string
  readonly key_id: string
  /** base64url */
  readonly public_key: string
}

export interface Signal {
  readonly name: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly value: number
  readonly unit?: string
  readonly labels: Readonly<Record<string, string>>
  /** When it was measured, RFC 3339. */
  readonly at: string
}

/** Where a tenant's own measurements go. Answers why a signal was not taken, or undefined. */
export interface Telemetry {
  metric(tenant_id: string, signal: Signal): { rejected?: string; created: boolean }
  log(tenant_id: string, entry: Record<string, unknown>): void
  span(tenant_id: string, span: Record<string, unknown>): void
  /** Engine-owned counters. */
  count(name: 'audit_unknown_event' | 'svc_registry_hash_mismatch_total' | 'svc_meal_unbalanced_total'): void
}
