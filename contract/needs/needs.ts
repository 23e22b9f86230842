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
import type { IdentityStates } from './identity-states.ts'
import type { Keys } from './keys.ts'
import type { Lineages } from './lineages.ts'
import type { Mailboxes } from './mailboxes.ts'
import type { Mailing } from './mailing.ts'
import type { EngineHealth } from './measurement.ts'
import type { Membership } from './membership.ts'
import type { Metering } from './metering.ts'
import type { Model } from './model.ts'
import type { People } from './people.ts'
import type { RegistryEntry } from './registry-entry.ts'
import type { Remote } from './remote.ts'
import type { ServedOperations } from './served-operations.ts'
import type { StandIn } from './stand-in.ts'
import type { Telemetry } from './telemetry.ts'
import type { Tokens } from './tokens.ts'
import type { TenantTreaties } from './treaties.ts'
import type { Vault } from './vault.ts'
import type { Webhooks } from './webhooks.ts'
import type { Workloads } from './workloads.ts'

export interface Needs {
  /** This tenant's audit log. */
  readonly audit_log: TenantAuditLog
  /** What the caller and other identities of this tenant may do now. */
  readonly authority: AuthorityReader
  /** What limits this tenant's spending, and what it has spent. */
  readonly budgets: Budgets
  /** How reliable a probability of this forecaster (`protocol:MARC`, a DID) has been; undefined where nobody published that. */
  calibrated(forecaster: string, probability: number): Promise<number | undefined>
  /** Who may act for the organization as a whole. */
  readonly charter: Charter
  /** Runs long work in a worker. */
  readonly compute: Compute
  /** Keys the engine keeps for identities of this tenant. */
  readonly custody: Custody
  /** Devices over a broker. */
  readonly devices: Devices
  /** Texts as vectors. */
  readonly embedder: Embedder
  /** This engine: its DID, which is the audience of proofs made for it, and the organization that runs it. */
  readonly engine: { readonly did: string; readonly operator_tenant_id: string }
  /** Ends identities of this tenant, for a while or for good. */
  readonly identity_states: IdentityStates
  /** API keys and sessions of this tenant's identities. */
  readonly keys: Keys
  /** Descent of identities, and how many independent roots stand behind several. */
  readonly lineages: Lineages
  /** Mail between identities and organizations. */
  readonly mail: Mailboxes
  /** E-mail to people of this tenant, by the operator's mail server. */
  readonly mailing: Mailing
  /** Usage of organizations, for the operator that bills them. */
  readonly metering: Metering
  /** Undefined where no model is configured: then the built-in path answers. */
  readonly model: Model | undefined
  /** Waits for changes made by others, without holding rows. */
  readonly change_notifications: ChangeNotifications
  /** Leaves a message in the mailbox of an identity of this tenant after the commit, once for each id; its failure changes nothing. */
  notify(to: string, id: string, body: Readonly<Record<string, unknown>>): void
  /** People of this tenant who sign in, and their roles. */
  readonly people: People
  /** The policies of this tenant. `cedar` evaluates them and decides nothing; `named` finds the set a record names by its digest. */
  readonly policies: {
    readonly cedar: Cedar
    named(set_digest: string): Promise<PolicySet | undefined>
  }
  /** What the identity node has of an identity, checked; undefined where it has none. Whoever asks needs no capability for it. */
  readIdentity(did: string): Promise<IdentityDocument | undefined>
  /** Sends a document to the identity node. Undefined where it was accepted, otherwise why not. */
  publishIdentity(document: IdentityDocument): Promise<string | undefined>
  /** Registers something with this operation's own rows, and returns its address (`mars://…`). Idempotent. */
  register(entry: RegistryEntry): Promise<string>
  /** The outside service of an adapter; only handlers of adapters have one. */
  readonly remote: Remote | undefined
  /** Before the first effect: passes where others have consented to this very call, as in `approval:<who>`; refuses otherwise. */
  requireApproval(who: string, ref: string): Promise<void>
  /** Passes where the organization as a whole has decided this, and returns the verdict; refuses otherwise. */
  requireAuthority(operation: string, subject: string, ref?: string): Promise<string>
  /** Identities, plugins and endpoints, for lists. */
  readonly membership: Membership
  /** What this engine serves. */
  readonly served: ServedOperations
  /** What is needed to continue as this caller after the call has ended; never more than it came with. */
  standIn(): StandIn
  /** Where a tenant's own measurements go. */
  readonly telemetry: Telemetry
  readonly tenants: {
    /** Undefined where there is no such tenant. */
    tierOf(tenant_id: string): Promise<Tier | undefined>
    /** Identities that speak for a protocol registered from outside. */
    speakersOf(protocol: string): Promise<readonly string[]>
  }
  /** The token budget of language models in this call, and its use. */
  readonly tokens: Tokens
  /** Tools of servers outside that the operator allows. */
  readonly tools: Tools
  readonly treaties: TenantTreaties
  /** Seals content of this tenant so that it can be redacted. */
  readonly vault: Vault
  /** The engine's health, and its measurements. */
  readonly health: EngineHealth
  /** Addresses that receive events of this tenant's audit log. */
  readonly webhooks: Webhooks
  /** Workloads of other platforms that act as agents of this tenant. */
  readonly workloads: Workloads
}

export type Need = keyof Needs
