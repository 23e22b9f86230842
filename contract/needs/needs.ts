// What an operation may need beyond its context. It names them (`needs: ['vault']`), and its context has those and no others.

import type { Cedar, PolicySet } from '../authority/policy.ts'
import type { Tier } from '../authority/tier.ts'
import type { Tools } from '../foreign/tools.ts'
import type { IdentityDocument } from '../identity/identity-document.ts'
import type { TenantAuditLog } from './audit-log.ts'
import type { AuthorityReader } from './authority.ts'
import type { Budgets } from './budgets.ts'
import type { ChangeNotifications } from './change-notifications.ts'
import type { Charter } from './charter.ts'
import type { Compute } from './computation.ts'
import type { Custody } from './custody.ts'
import type { Devices } from './devices.ts'
import type { Embedder } from './embedding.ts'
import type { Mailboxes } from './mailboxes.ts'
import type { EngineHealth } from './measurement.ts'
import type { Membership } from './membership.ts'
import type { Model } from './model.ts'
import type { RegistryEntry } from './registry-entry.ts'
import type { Remote } from './remote.ts'
import type { ServedOperations } from './served-operations.ts'
import type { StandIn } from './stand-in.ts'
import type { Telemetry } from './telemetry.ts'
import type { Tokens } from './tokens.ts'
import type { TenantTreaties } from './treaties.ts'
import type { Vault } from './vault.ts'

export interface Needs {
  /** This tenant's audit log. */
  readonly audit_log: TenantAuditLog
  /** What the caller and other identities of this tenant may do now. */
  readonly authority: AuthorityReader
  /** What binds this tenant's spending, and what it has spent. */
  readonly budgets: Budgets
  /** What a probability of this forecaster (`protocol:MARC`, a DID) has really meant so far; undefined where nobody published that. */
  calibrated(forecaster: string, probability: number): Promise<number | undefined>
  /** Who may act for the organization as a whole. */
  readonly charter: Charter
  /** Runs what takes long in a worker. */
  readonly compute: Compute
  /** Keys the engine keeps for identities of this tenant. */
  readonly custody: Custody
  /** Devices over a broker. */
  readonly devices: Devices
  /** Texts as vectors. */
  readonly embedder: Embedder
  /** This engine: its DID, which proofs made for it name as their audience, and the organization that runs it. */
  readonly engine: { readonly did: string; readonly operator_tenant_id: string }
  /** Mail between identities and organizations. */
  readonly mail: Mailboxes
  /** Undefined where no model is configured: then the built-in path answers. */
  readonly model: Model | undefined
  /** Waits for what others do, without holding rows. */
  readonly change_notifications: ChangeNotifications
  /** The rules of this tenant. `cedar` evaluates rules and decides nothing by itself; `named` finds the set a record names by its digest. */
  readonly policies: {
    readonly cedar: Cedar
    named(set_digest: string): Promise<PolicySet | undefined>
  }
  /** Hands a document to the node that answers for identities. Undefined where it was taken, otherwise why not. */
  publishIdentity(document: IdentityDocument): Promise<string | undefined>
  /** Puts something into the registry with this operation's own rows, and answers its address (`mars://…`). The same thing twice has one. */
  register(entry: RegistryEntry): Promise<string>
  /** The outside service an adapter speaks for; only the handlers of adapters have one. */
  readonly remote: Remote | undefined
  /** Passes where the organization as a whole has decided this, and answers the verdict it rests on; refuses otherwise. */
  requireAuthority(operation: string, subject: string, ref?: string): Promise<string>
  /** Identities, plugins and endpoints, for lists. */
  readonly membership: Membership
  /** What this engine serves. */
  readonly served: ServedOperations
  /** What it takes to go on as this caller after the call has ended; never more than it came with. */
  standIn(): StandIn
  /** Where a tenant's own measurements go. */
  readonly telemetry: Telemetry
  readonly tenants: {
    /** Undefined where there is no such tenant. */
    tierOf(tenant_id: string): Promise<Tier | undefined>
    /** Identities that speak for a protocol registered from outside. */
    speakersOf(protocol: string): Promise<readonly string[]>
  }
  /** What language models may use and have used in this call. */
  readonly tokens: Tokens
  /** Tools of servers outside that the operator allows. */
  readonly tools: Tools
  readonly treaties: TenantTreaties
  /** Seals content of this tenant so that it can be forgotten. */
  readonly vault: Vault
  /** How the engine is, and what it has measured. */
  readonly health: EngineHealth
}

export type Need = keyof Needs
