// Providers of the needs that operations name. A new need is a line here and one in contract/needs/needs.ts.

import { agentKeys } from '@svc/adapters/access/agent-keys'
import { agentWorkloads } from '@svc/adapters/access/agent-workloads'
import { changeCharter, listMembers, satAt } from '@svc/adapters/access/charter'
import { identityStates } from '@svc/adapters/access/revocations'
import type { TenantTiers } from '@svc/adapters/access/tenant-tiers'
import { peopleOfTenant } from '@svc/adapters/accounts/people-of-tenant'
import { countingWaits } from '@svc/adapters/change-notifications/counting-waits'
import { remoteEmbedder } from '@svc/adapters/embeddings/remote'
import { static_embedder } from '@svc/adapters/embeddings/static-table'
import type { ExternalClient } from '@svc/adapters/endpoint/external-client'
import { registrationsOf } from '@svc/adapters/external/registrations'
import { publishThrough, readThrough } from '@svc/adapters/identity/publish'
import { openMailboxes } from '@svc/adapters/mail/mailboxes'
import { databaseMembership } from '@svc/adapters/membership/database'
import { openAiModel } from '@svc/adapters/model/openai'
import { addressGuard } from '@svc/adapters/outbound/address-guard'
import { mailingFor } from '@svc/adapters/smtp/recipients'
import type { Prometheus } from '@svc/adapters/telemetry/prometheus'
import { McpPool } from '@svc/adapters/tools/mcp-pool'
import { webhooksOfTenant } from '@svc/adapters/webhooks/tenant-webhooks'
import type { RoleTable } from '@svc/contract/authority/role'
import type { Database } from '@svc/contract/database'
import type { ChangeNotifications } from '@svc/contract/needs/change-notifications'
import type { Devices } from '@svc/contract/needs/devices'
import type { Embedder } from '@svc/contract/needs/embedding'
import type { EngineHealth } from '@svc/contract/needs/measurement'
import type { Metering } from '@svc/contract/needs/metering'
import type { Needs } from '@svc/contract/needs/needs'
import type { CallContext } from '@svc/contract/operation-context'
import type { Asking, WorldNeeds } from '@svc/engine/handler/world-needs'
import type { Clock, Keystore, Log } from '@svc/engine/ports'
import { registerEntry } from '@svc/protocols/awareness/mars/api'
import { leaveNotice } from '@svc/protocols/awareness/mim/api'
import { eventsOf, keepHours } from '@svc/protocols/economic/usage/api'
import { requireAuthority } from '@svc/protocols/governance/mace/api'
import { applyMap, publishedMap } from '@svc/protocols/truth/mantic/api'
import type { Config } from '../settings/config.ts'
import type { FacultySettings } from '../settings/faculty-settings.ts'
import type { Closing } from './host.ts'

type NeedSettings = Omit<FacultySettings, 'mqtt'> &
  Pick<Config, 'allowed_networks' | 'tenant_id' | 'tls' | 'smtp'>

interface Parts {
  readonly db: Database
  readonly custody: Keystore
  readonly meters: Prometheus
  readonly tiers: TenantTiers
  /** Undefined if no identity node is configured. */
  readonly identity_node: ExternalClient | undefined
  readonly change_notifications: ChangeNotifications
  readonly devices: Devices
  readonly health: EngineHealth
  readonly roles: RoleTable
  /** The address of an invitation. */
  linkOf(token: string): string
  readonly clock: Clock
  readonly log: Log
}

export function openNeeds(
  config: NeedSettings,
  parts: Parts,
  closing: Closing,
): { readonly needs: WorldNeeds; readonly embedder: Embedder } {
  const { model, embeddings, message_bytes_max } = config
  const { db, custody, meters, tiers, identity_node, change_notifications, devices, health, clock, log } =
    parts
  const own_model = model && openAiModel(model)
  const embedder = embeddings ? remoteEmbedder(embeddings) : static_embedder
  const tools = new McpPool(config, clock)
  closing.push(() => tools.close())
  const mail = openMailboxes({ message_bytes_max, vaultOf: custody.vault })
  const membership = databaseMembership(db)
  const guard = addressGuard(config.allowed_networks)
  const tenants: Needs['tenants'] = {
    tierOf: async (tenant_id) => tiers.tierOf(tenant_id),
    speakersOf: (protocol) => speakersOf(db, protocol),
  }
  const needs: WorldNeeds = {
    calibrated: ({ context }) => calibrationFor(context),
    charter: charterOf,
    custody: ({ context }) => custody.open(context.tenant_id, context.db),
    devices: () => devices,
    embedder: () => embedder,
    identity_states: ({ context }) => identityStates(context),
    keys: ({ context, call }) => agentKeys(context, call.asked.credential.key_id),
    webhooks: ({ context, call }) =>
      webhooksOfTenant(context, { custody, guard }, call.asked.credential.key_id),
    workloads: ({ context, call }) => agentWorkloads(context, call.asked.credential.key_id),
    mail: () => mail,
    mailing: ({ context }) => mailingFor(context, config.smtp),
    metering: ({ context }) => meteringFor(db, config.tenant_id, context),
    model: () => own_model,
    change_notifications: ({ context }) => countingWaits(change_notifications, context.used),
    notify: ({ context }) => noticesBy(custody, context),
    readIdentity: ({ context }) => readThrough(identity_node, context.invoke, context.signal),
    publishIdentity: ({ context }) => publishThrough(identity_node, context.invoke, context.signal, log),
    register:
      ({ context }) =>
      async (entry) => {
        // A cached value stays valid until it is replaced.
        const lasting = { ...entry, ttl_seconds: null }
        const registered = await registerEntry(context, lasting, { signers: [context.caller.did] })
        return `mars://${registered.entry}`
      },
    requireAuthority:
      ({ context }) =>
      (operation, subject, ref) =>
        requireAuthority(context, { operation, subject, ref }),
    people: ({ context }) => peopleOfTenant(context, { table: parts.roles, linkOf: parts.linkOf }),
    membership: () => membership,
    telemetry: () => meters,
    tenants: () => tenants,
    tools: () => tools,
    vault: ({ context }) => custody.vault(context.tenant_id),
    health: () => health,
  }
  return { needs, embedder }
}

function calibrationFor(context: CallContext): Needs['calibrated'] {
  return async (forecaster, probability) => {
    const map = await publishedMap(context, forecaster)
    return map && applyMap(map, probability)
  }
}

function noticesBy(custody: Keystore, context: CallContext): Needs['notify'] {
  const { tenant_id, caller, now } = context
  const vault = custody.vault(tenant_id)
  return (to, dedupe_id, body) => {
    const message_id = context.newId()
    const notice = { tenant_id, to, from: caller.did, dedupe_id, body, message_id, at: new Date(now) }
    context.afterCommit(() => context.apart(async ({ db }) => void (await leaveNotice(db, vault, notice))))
  }
}

/** An organization's own, and everybody's for the operator. */
function meteringFor(db: Database, operator_tenant_id: string, context: CallContext): Metering {
  const allow = (tenant_id: string) => {
    if (context.tenant_id !== tenant_id && context.tenant_id !== operator_tenant_id)
      throw new Error(`${context.tenant_id} may not read the usage of ${tenant_id}`)
  }
  return {
    eventsOf(tenant_id) {
      allow(tenant_id)
      return eventsOf(db, tenant_id)
    },
    async keepHours(tenant_id) {
      allow(tenant_id)
      await keepHours(db, tenant_id, Date.parse(context.now))
    },
  }
}

function charterOf({ context: { db, tenant_id }, call }: Asking): Needs['charter'] {
  const now = new Date(call.now_ms)
  return {
    has: (did) => satAt(db, tenant_id, did, now),
    members: async () => (await listMembers(db, tenant_id)).map(({ did }) => did),
    change: (change) => changeCharter(db, tenant_id, change, now),
  }
}

/** External services may report the resources they used. */
async function speakersOf(db: Database, protocol: string): Promise<readonly string[]> {
  const registrations = await registrationsOf(db, protocol)
  return registrations.filter(({ enabled }) => enabled).map(({ did }) => did)
}
