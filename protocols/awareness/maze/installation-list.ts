// MAZE.list: plugins and external services, each with its state and the reason for it.

import { hash } from 'node:crypto'
import { AnswerProof } from '@svc/contract/foreign/external-protocol'
import { type Bounds, next_cursor, type Place, page_fields, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { InstalledPlugin, RegisteredEndpoint } from '@svc/contract/needs/membership'
import type { OperationContext } from '@svc/contract/operation-context'
import { requireAtHome } from '@svc/contract/own-list'
import { Closed, Did, described, ListOf, OneOf, Text, Timestamp } from '@svc/contract/schema'
import type { ServedPlace } from '@svc/contract/served-place'
import { type Static, Type } from 'typebox'
import { endpointId } from './mesh-gathering.ts'

const plugin_states = ['Pending', 'Registered', 'Disabled', 'Error', 'Removed'] as const
const endpoint_states = ['serving', 'failing', 'breaker_open', 'probing', 'disabled', 'unused'] as const
const short_form = /^[0-9a-f]{16}$/

export const ListInput = Closed({
  kind: Type.Optional(
    Type.Enum(['plugins', 'endpoints'], {
      default: 'plugins',
      description: 'What to list: plugins, or external endpoints.',
    }),
  ),
  state: Type.Optional(described(OneOf(...plugin_states, ...endpoint_states), 'Only those in this state.')),
  protocol: Type.Optional(
    Text(64, { description: 'Only those that serve this protocol, in any letter case.' }),
  ),
  ...page_fields,
})
export type ListInput = Static<typeof ListInput>

const for_operator = { description: 'Shown only to the organization that runs this engine.' }
const Words = ListOf(Type.String(), 0, 1_024)

const Plugin = Closed({
  id: Type.String({ description: 'As MAZE topology names it.' }),
  name: Type.String({ description: "Name in the plugin's manifest." }),
  version: Type.String({ description: "Version in the plugin's manifest." }),
  state: described(
    OneOf(...plugin_states),
    'Registered ones serve calls; only the operator sees the others.',
  ),
  since: described(Timestamp, 'Since when it is in this state.'),
  protocol: Type.Optional(Type.String({ description: 'Protocol it adds; absent where it adds none.' })),
  plugin_type: Type.Optional(Type.String({ description: 'Type as in its manifest.' })),
  operations: described(Words, 'Operations it adds.'),
  reason: Type.Optional(Type.String(for_operator)),
  why: Type.Optional(Type.String(for_operator)),
  capabilities: Type.Optional(
    described(Words, 'What it was allowed to use. Shown only to the organization that runs this engine.'),
  ),
  digest: Type.Optional(Type.String(for_operator)),
  signed_by: Type.Optional(Type.String(for_operator)),
  signed_at: Type.Optional(Type.String(for_operator)),
})

const Endpoint = Closed({
  id: Type.String({ description: 'As MAZE topology names it.' }),
  protocol: Type.String({ description: 'Protocol it answers for.' }),
  version: Type.String({ description: 'Version of the protocol it answers for.' }),
  kind: described(
    OneOf('adapter', 'external'),
    'adapter: a node of OAS, Arsenal or Aegis; external: registered by the operator.',
  ),
  state: described(OneOf(...endpoint_states), 'Whether calls are sent to it now.'),
  why: Type.String({ description: 'Reason for the state, in a sentence.' }),
  registered_at: Type.Optional(described(Timestamp, 'When it was registered; absent for adapters.')),
  operations: described(Words, 'Operations it answers; empty for adapters.'),
  endpoint: Type.Optional(Type.String(for_operator)),
  did: Type.Optional(described(Did, 'Identity of the service behind it; absent where it has none.')),
  answers: Type.Optional(
    described(AnswerProof, 'Whether each answer must be signed, or is trusted by its address.'),
  ),
  treaty_id: Type.Optional(Type.String({ description: 'It is called only while this treaty is in force.' })),
  timeout_ms: Type.Optional(
    Type.Integer({ description: 'How long the engine waits for an answer. Shown only to the operator.' }),
  ),
  weight: Type.Optional(
    Type.Integer({
      description: 'Its share of the calls among endpoints of the same protocol. Shown only to the operator.',
    }),
  ),
})
type Endpoint = Static<typeof Endpoint>

export const ListOutput = Closed({
  plugins: Type.Optional(
    described(
      ListOf(Plugin, 0, page_max),
      'Installed plugins, newest first; absent where endpoints are listed.',
    ),
  ),
  endpoints: Type.Optional(
    described(
      ListOf(Endpoint, 0, page_max),
      'External endpoints, newest first; absent where plugins are listed.',
    ),
  ),
  next_cursor,
})

export function listInstallations(
  input: Static<typeof ListInput>,
  context: OperationContext<'engine' | 'membership' | 'served'>,
) {
  requireAtHome(context, 'plugins and endpoints')
  return (input.kind ?? 'plugins') === 'plugins'
    ? pageOfPlugins(input, context)
    : pageOfEndpoints(input, context)
}

function isOperator({ tenant_id, engine: { operator_tenant_id } }: OperationContext<'engine'>): boolean {
  return tenant_id === operator_tenant_id
}

async function pageOfPlugins(input: ListInput, context: OperationContext<'engine' | 'membership'>) {
  const all = isOperator(context)
  const installed_plugins = await context.membership.plugins()
  // Only the operator sees plugins that are not serving.
  const visible = installed_plugins.filter(({ state }) => all || state === 'Registered')
  const { items: plugins, ...next } = await pageOfRows(input, context, visible, {
    placeOf: ({ since, name, version }) => ({ at: since, id: shortId(`${name}@${version}`) }),
    view: (rows) => rows.map((plugin) => pluginView(plugin, all)),
  })
  return { plugins, ...next }
}

function pluginView(plugin: InstalledPlugin, all: boolean): Static<typeof Plugin> {
  const { name, version, state, since, protocol, plugin_type, operations } = plugin
  const { reason, why, digest, capabilities, signed_by, signed_at } = plugin
  return {
    id: `plugin:${name}@${version}`,
    name,
    version,
    state,
    since,
    ...(protocol !== null && { protocol }),
    ...(plugin_type !== null && { plugin_type }),
    operations: [...operations],
    ...(all && {
      reason,
      why,
      digest,
      capabilities: [...capabilities],
      ...(signed_by !== null && { signed_by }),
      ...(signed_at !== null && { signed_at }),
    }),
  }
}

async function pageOfEndpoints(
  input: ListInput,
  context: OperationContext<'engine' | 'membership' | 'served'>,
) {
  const all = isOperator(context)
  const endpoints = endpointsOf(await context.membership.endpoints(), context.served.places())
  const visible = endpoints.filter(({ state }) => all || (state !== 'disabled' && state !== 'unused'))
  const { items, ...next } = await pageOfRows(input, context, visible, {
    placeOf: ({ id, registered_at }) => ({
      at: registered_at ?? '1970-01-01T00:00:00.000Z',
      id: shortId(id),
    }),
    view: (rows) => rows.map((row) => (all ? row : withoutAddress(row))),
  })
  return { endpoints: items, ...next }
}

/** Endpoints the operator registered, and the nodes behind adapters, which nobody registers. */
export function endpointsOf(
  registered: readonly RegisteredEndpoint[],
  places: readonly ServedPlace[],
): Endpoint[] {
  const named = (one: ServedPlace, { protocol, version, endpoint }: RegisteredEndpoint) =>
    one.protocol.toUpperCase() === protocol.toUpperCase() &&
    one.version === version &&
    one.endpoint === endpoint
  const own = registered.map((registration): Endpoint => {
    const { id: _, enabled, created_at, operations, treaty_id, ...words } = registration
    const place = places.find((one) => named(one, registration))
    return {
      id: endpointId(registration),
      kind: 'external',
      ...words,
      ...(treaty_id !== null && { treaty_id }),
      operations: [...operations],
      registered_at: created_at.toISOString(),
      ...(enabled ? standing(place) : { state: 'disabled', why: 'The operator disabled it.' }),
    }
  })
  const nodes = places.filter(({ kind }) => kind === 'adapter')
  const bound = nodes.map((place): Endpoint => {
    const { protocol, version, endpoint } = place
    return { id: endpointId(place), kind: 'adapter', protocol, version, endpoint, operations: [], ...standing(place) } // biome-ignore format: kept on one line
  })
  return [...own, ...bound]
}

function standing(place: ServedPlace | undefined): Pick<Endpoint, 'state' | 'why'> {
  if (!place) return { state: 'unused', why: 'It is registered, but this engine sends nothing to it yet.' }
  if (!place.healthy) return { state: 'failing', why: 'It does not answer its health check.' }
  if (place.breaker === 'OPEN')
    return { state: 'breaker_open', why: 'Too many recent calls failed, so none are sent until it recovers.' }
  if (place.breaker === 'HALF_OPEN')
    return {
      state: 'probing',
      why: 'The engine is probing whether it has recovered; other calls are not sent.',
    }
  return { state: 'serving', why: 'It answers.' }
}

function withoutAddress(row: Endpoint): Endpoint {
  const { endpoint: _, did: __, timeout_ms: ___, weight: ____, treaty_id: _____, ...shown } = row
  return shown
}

/** Names can be long: a cursor holds a part of their hash instead. */
function shortId(name: string): string {
  return hash('sha256', name).slice(0, 16)
}

interface Listed {
  readonly state: string
  readonly protocol: string | null
}

/** There are few rows, all in memory: newest first. */
function pageOfRows<Row extends Listed, Item extends object>(
  input: ListInput,
  context: OperationContext,
  rows: readonly Row[],
  { placeOf, view }: { placeOf(row: Row): Place; view(rows: readonly Row[]): Item[] },
) {
  const { state, protocol } = input
  const matching = rows
    .filter((row) => state === undefined || row.state === state)
    .filter((row) => protocol === undefined || row.protocol?.toUpperCase() === protocol.toUpperCase())
    .map((row) => ({ row, ...placeOf(row) }))
    .sort((a, b) => (isBefore(a, b) ? 1 : -1))
  const read = async ({ since, before, limit }: Bounds) =>
    matching
      .filter((one) => since === null || Date.parse(one.at) >= Date.parse(since))
      .filter((one) => before === null || isBefore(one, before))
      .slice(0, limit)
      .map(({ row }) => row)
  return listing(input, context, { id_form: short_form, read, placeOf, view })
}

function isBefore(one: Place, other: Place): boolean {
  return one.at < other.at || (one.at === other.at && one.id < other.id)
}
