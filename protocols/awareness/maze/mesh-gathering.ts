// One gatherer for each kind of node on the map.

import { hash } from 'node:crypto'
import { callEdges } from '@svc/audit/query/call-edges'
import { queryOf } from '@svc/audit/query/query'
import { findRecords } from '@svc/audit/query/records'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import type { ServedPlace } from '@svc/contract/served-place'
import { type EntryHealth, type FoundEntry, stateAt, stateNow } from '../registry/api.ts'
import type { Mesh, MeshEdge, MeshNode } from './mesh.ts'
import { entriesAt, type MeshScene, shownTenant } from './mesh-scene.ts'

export type Gatherer = (scene: MeshScene) => Promise<Mesh> | Mesh

const day_ms = 86_400_000
const grants_max = 1_000

export const organizationId = (tenant_id: string) => `tenant:${tenant_id}`
export const protocolId = (protocol: string) => `protocol:${protocol.toUpperCase()}`
const engineId = (did: string) => `engine:${did}`
export const endpointId = ({
  protocol,
  version,
  endpoint,
}: Pick<ServedPlace, 'protocol' | 'version' | 'endpoint'>) =>
  `endpoint:${protocol}@${version}:${hash('sha256', endpoint).slice(0, 12)}`

/** The root: the organization and the engine that serves it. */
export function gatherHome({ context }: MeshScene): Mesh {
  const {
    tenant_id,
    engine: { did: engine_did },
  } = context
  const [own, engine] = [organizationId(tenant_id), engineId(engine_did)]
  return {
    nodes: [
      { id: own, kind: 'organization', label: tenant_id, state: 'ACTIVE', health: null },
      { id: engine, kind: 'engine', label: 'engine', state: 'SERVING', health: 1 },
    ],
    edges: [{ from: engine, to: own, kind: 'hosts', weight: 1 }],
  }
}

const breaker_health = { CLOSED: 1, HALF_OPEN: 0.5, OPEN: 0 } as const

/** What is served now and who called it in the last 24 hours; for the past only the calls are known. */
export async function gatherProtocols(scene: MeshScene): Promise<Mesh> {
  const { context, is_past } = scene
  const calls = await gatherCalls(scene)
  if (is_past) return calls
  const by_protocol = Map.groupBy(context.served.places(), ({ protocol }) => protocol)
  const served = [...by_protocol].map(([protocol, places]): MeshNode => {
    const healths = places.map(placeHealth)
    const worst = places[healths.indexOf(Math.min(...healths))]!
    const versions = [...new Set(places.map(({ version }) => version))].join(', ')
    const health = healths.reduce((sum, one) => sum + one, 0) / healths.length
    return {
      id: protocolId(protocol),
      kind: 'protocol',
      label: `${protocol} ${versions}`,
      state: worst.breaker,
      health,
    }
  })
  const hosted = served.map(({ id, state }): MeshEdge => {
    return { from: engineId(context.engine.did), to: id, kind: 'hosts', weight: 1, breaker: state }
  })
  return {
    nodes: [...served, ...calls.nodes],
    edges: [...hosted, ...calls.edges],
    truncated: calls.truncated === true,
  }
}

function placeHealth({ healthy, breaker }: ServedPlace): number {
  return healthy ? breaker_health[breaker] : 0
}

async function gatherCalls(scene: MeshScene): Promise<Mesh> {
  const { context, at } = scene
  const from = new Date(Date.parse(at) - day_ms).toISOString()
  // Includes calls that end in this moment, whatever the rounding.
  const to = scene.is_past ? at : new Date(Date.parse(at) + day_ms).toISOString()
  const { edges, complete } = await callEdges(queryOf(context.db), context.tenant_id, { from, to })
  const nodes: MeshNode[] = []
  const calls = new Map<string, MeshEdge>()
  for (const { caller_did, protocol, calls: calls_24h, errors, p50_ms } of edges) {
    const tenant_id = shownTenant(caller_did, scene)
    if (tenant_id === undefined) continue
    const is_own = tenant_id === context.tenant_id
    // Of another organization only the organization is shown, not the calling agent.
    const caller = is_own ? caller_did : organizationId(tenant_id)
    const id = protocolId(protocol)
    if (is_own)
      nodes.push({ id: caller, kind: 'agent', label: caller_did, state: 'UNREGISTERED', health: null })
    nodes.push({ id, kind: 'protocol', label: protocol, state: 'CALLED', health: null })
    const edge = { from: caller, to: id, kind: 'calls', weight: calls_24h, calls_24h, p50_ms, error_rate: errors / calls_24h } as const // biome-ignore format: kept on one line
    const call = calls.get(`${caller} ${id}`)
    calls.set(`${caller} ${id}`, call ? joined(call, edge) : edge)
  }
  const owned = nodes.filter(({ kind }) => kind === 'agent').map(({ id }) => hostedBy(context.tenant_id, id))
  return { nodes, edges: [...calls.values(), ...owned], truncated: !complete }
}

/** Merges calls of one organization's agents: sums and shares are exact, the median is the busiest one's. */
function joined(one: MeshEdge, other: MeshEdge): MeshEdge {
  const calls_24h = one.calls_24h! + other.calls_24h!
  const failed = one.calls_24h! * one.error_rate! + other.calls_24h! * other.error_rate!
  const busiest = one.calls_24h! >= other.calls_24h! ? one : other
  return { ...busiest, weight: calls_24h, calls_24h, error_rate: failed / calls_24h }
}

function hostedBy(tenant_id: string, id: string): MeshEdge {
  return { from: organizationId(tenant_id), to: id, kind: 'hosts', weight: 1 }
}

/** Where protocols run, and what agents offer. Only the operator sees the addresses of external services. */
export async function gatherEndpoints(scene: MeshScene): Promise<Mesh> {
  const offered = await gatherOffered(scene)
  if (scene.is_past) return offered
  const {
    tenant_id,
    engine: { operator_tenant_id, did: engine_did },
  } = scene.context
  const nodes: MeshNode[] = []
  const edges: MeshEdge[] = []
  const beside = new Map<string, string>()
  for (const place of scene.context.served.places()) {
    const { protocol, version, endpoint, kind, breaker } = place
    const id = endpointId(place)
    const label = tenant_id === operator_tenant_id ? endpoint : kind
    nodes.push({ id, kind: 'endpoint', label, state: breaker, health: placeHealth(place) })
    edges.push({ from: engineId(engine_did), to: id, kind: 'hosts', weight: 1, breaker })
    edges.push({ from: id, to: protocolId(protocol), kind: 'hosts', weight: 1, breaker })
    const mirror = beside.get(`${protocol} ${version}`)
    if (mirror) edges.push({ from: mirror, to: id, kind: 'mirrors', weight: 1 })
    beside.set(`${protocol} ${version}`, id)
  }
  return {
    nodes: [...nodes, ...offered.nodes],
    edges: [...edges, ...offered.edges],
    truncated: offered.truncated === true,
  }
}

async function gatherOffered(scene: MeshScene): Promise<Mesh> {
  const { entries, truncated } = await scene.agents()
  const nodes: MeshNode[] = []
  const edges: MeshEdge[] = []
  for (const entry of entries) {
    for (const { url } of endpointsOf(entry)) {
      const entry_health = entry.health[url]
      const id = `endpoint:${url}`
      nodes.push({
        id,
        kind: 'endpoint',
        label: url,
        state: healthState(entry_health),
        health: healthOf(entry_health),
      })
      const p50_ms = entry_health?.latency_p50_ms ?? undefined
      edges.push({ from: entry.subject, to: id, kind: 'hosts', weight: 1, ...(p50_ms === undefined ? {} : { p50_ms }) }) // biome-ignore format: kept on one line
    }
  }
  return { nodes, edges, truncated }
}

function healthState(entry_health: EntryHealth | undefined): string {
  if (entry_health?.healthy === undefined || entry_health.healthy === null) return 'UNKNOWN'
  return entry_health.healthy ? 'HEALTHY' : 'FAILING'
}

function healthOf(entry_health: EntryHealth | undefined): number | null {
  return entry_health?.health_bps === undefined || entry_health.health_bps === null
    ? null
    : entry_health.health_bps / 10_000
}

function endpointsOf({ body }: FoundEntry): readonly { url: string }[] {
  const { service_endpoints } = body.content
  if (!Array.isArray(service_endpoints)) return []
  return service_endpoints.filter((one): one is { url: string } => typeof one?.url === 'string')
}

export async function gatherAgents(scene: MeshScene): Promise<Mesh> {
  const { entries, truncated } = await scene.agents()
  const moment = new Date(scene.at)
  const nodes = entries.map((entry): MeshNode => {
    const healths = Object.values(entry.health).flatMap(({ health_bps }) => health_bps ?? [])
    return {
      id: entry.subject,
      kind: 'agent',
      label: typeof entry.body.content.name === 'string' ? entry.body.content.name : entry.subject,
      state: scene.is_past ? stateAt(entry, moment) : stateNow(entry, moment),
      health: healths.length === 0 ? null : Math.max(...healths) / 10_000,
    }
  })
  const delegated = await gatherDelegations(scene)
  const owned = entries.map(({ tenant_id, subject }) => hostedBy(tenant_id, subject))
  return {
    nodes: [...nodes, ...delegated.nodes],
    edges: [...owned, ...delegated.edges],
    truncated: truncated || delegated.truncated === true,
  }
}

/** Delegations according to the audit log, without expired and revoked ones. */
async function gatherDelegations(scene: MeshScene): Promise<Mesh> {
  const { context, at } = scene
  const filter = {
    event_types: ['CapabilityGrant', 'DelegationRevoked'],
    newest_first: true,
    limit: grants_max,
    ...(scene.is_past ? { to: at } : {}),
  }
  const records = await findRecords(context.db, context.tenant_id, filter)
  const revoked = new Set(records.flatMap(({ meta }) => (Array.isArray(meta.revoked) ? meta.revoked : [])))
  const delegated = records.flatMap((record) => delegationIn(record, scene, revoked))
  const dids = [...new Set(delegated.flatMap(({ from, to }) => [from, to]))]
  return {
    nodes: dids.map((id) => ({ id, kind: 'agent', label: id, state: 'UNREGISTERED', health: null })),
    edges: [...delegated, ...dids.map((did) => hostedBy(shownTenant(did, scene)!, did))],
    truncated: records.length === grants_max,
  }
}

function delegationIn({ meta }: AuditRecord, scene: MeshScene, revoked: ReadonlySet<unknown>): MeshEdge[] {
  const { from, to, expires_at, token_id, capabilities } = meta
  if (typeof from !== 'string' || typeof to !== 'string' || revoked.has(token_id)) return []
  if (typeof expires_at === 'string' && Date.parse(expires_at) <= Date.parse(scene.at)) return []
  if (shownTenant(from, scene) === undefined || shownTenant(to, scene) === undefined) return []
  return [{ from, to, kind: 'delegates', weight: Array.isArray(capabilities) ? capabilities.length : 1 }]
}

export function gatherTreaties({ context, partners, partners_truncated }: MeshScene): Mesh {
  const standing_partners = [...partners.values()]
  return {
    nodes: standing_partners.map(({ tenant_id, state }) => {
      return { id: organizationId(tenant_id), kind: 'organization', label: tenant_id, state, health: null }
    }),
    edges: standing_partners.map(({ tenant_id, grants }) => {
      const own = organizationId(context.tenant_id)
      return { from: own, to: organizationId(tenant_id), kind: 'treaty', weight: grants }
    }),
    truncated: partners_truncated,
  }
}

/** Registered plugins, and those loaded by this engine; for the past only the former are known. */
export async function gatherPlugins(scene: MeshScene): Promise<Mesh> {
  const registered = await gatherRegisteredPlugins(scene)
  if (scene.is_past) return registered
  const engine = engineId(scene.context.engine.did)
  const loaded = scene.context.served.places().filter(({ kind }) => kind === 'wasm')
  const nodes = loaded.map((place): MeshNode => {
    const label = place.endpoint.replace(/^plugin:/, '').replace('@', ' ')
    return { id: place.endpoint, kind: 'plugin', label, state: 'REGISTERED', health: placeHealth(place) }
  })
  const edges = loaded.flatMap(({ endpoint, protocol, breaker }): MeshEdge[] => [
    { from: engine, to: endpoint, kind: 'hosts', weight: 1 },
    { from: endpoint, to: protocolId(protocol), kind: 'hosts', weight: 1, breaker },
  ])
  return { ...registered, nodes: [...registered.nodes, ...nodes], edges: [...registered.edges, ...edges] }
}

async function gatherRegisteredPlugins(scene: MeshScene): Promise<Mesh> {
  const { entries, truncated } = await entriesAt(scene, { kind: 'plugin' })
  const moment = new Date(scene.at)
  const shown = entries.filter(({ tenant_id }) =>
    [scene.context.tenant_id, scene.context.engine.operator_tenant_id, ...scene.partners.keys()].includes(
      tenant_id,
    ),
  )
  return {
    nodes: shown.map((entry) => ({
      id: `plugin:${entry.subject}`,
      kind: 'plugin',
      label: typeof entry.body.content.name === 'string' ? entry.body.content.name : entry.subject,
      state: scene.is_past ? stateAt(entry, moment) : stateNow(entry, moment),
      health: null,
    })),
    edges: shown.flatMap(({ subject, body: { content } }): MeshEdge[] => {
      const hosted = typeof content.protocol === 'string' ? content.protocol : undefined
      const engine = { from: engineId(scene.context.engine.did), to: `plugin:${subject}`, kind: 'hosts', weight: 1 } as const // biome-ignore format: kept on one line
      return hosted === undefined
        ? [engine]
        : [engine, { from: `plugin:${subject}`, to: protocolId(hosted), kind: 'hosts', weight: 1 }]
    }),
    truncated,
  }
}
