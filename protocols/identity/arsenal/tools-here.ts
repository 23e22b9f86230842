// Tools of this engine beside those of the catalogue: its own operations, and what this organization approved in MAT.
import { definitionDigest, type ToolDefinition, type ToolListing } from '@svc/contract/foreign/tool'
import type { ToolDefinition as ServerTool } from '@svc/contract/foreign/tools'
import type { ServedOperation } from '@svc/contract/needs/served-operations'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound } from '@svc/contract/refusal'
import { approvedTools, operationAsTool } from '../../execution/mat/api.ts'
import { requireDigest, type WantedTool } from './tools.ts'

const summary_chars_max = 500
const description_chars_max = 10_000
/** Tools of MCP servers have no versions: their digest tells them apart. */
const version_of_approved = 'v1.0.0'
const place_form = /^here\.(\d{1,6})$/

export interface ToolHere {
  readonly listing: ToolListing & { readonly source: 'built_in' | 'approved' }
  readonly definition: ToolDefinition
}

export interface ToolFilter {
  readonly kind?: string
  readonly query?: string
  readonly tag?: string
  readonly publisher_did?: string
  readonly capability?: string
}

/** How many tools of this engine were listed before; undefined while the catalogue is listed. */
export function placeHere(cursor: string | undefined): number | undefined {
  const [, place] = place_form.exec(cursor ?? '') ?? []
  return place === undefined ? undefined : Number(place)
}

export function cursorHere(place: number): string {
  return `here.${place}`
}

/** By name. */
export async function toolsHere(
  filter: ToolFilter,
  context: OperationContext<'engine' | 'served' | 'vault'>,
): Promise<ToolHere[]> {
  const tools = [...builtIn(context), ...(await approved(context))]
  return tools
    .filter(({ listing }) => fits(listing, filter))
    .sort((one, other) => (one.listing.id < other.listing.id ? -1 : 1))
}

export async function fetchHere(
  request: WantedTool,
  context: OperationContext<'engine' | 'served' | 'vault'>,
): Promise<ToolHere> {
  const tool = (await toolsHere({}, context)).find(({ listing }) => listing.id === request.id)
  if (!tool) throw notFound('tool', request.id)
  const { version } = tool.listing
  const is_version =
    request.version === undefined ||
    version === request.version ||
    (!request.version.includes('.') && version.startsWith(`${request.version}.`))
  if (!is_version) throw notFound('tool', `${request.id} ${request.version}`)
  requireDigest(tool.listing, tool.definition, request, context)
  return tool
}

/** Published by the engine: each is an operation that it serves now. */
function builtIn({ engine, served }: OperationContext<'engine' | 'served'>): ToolHere[] {
  return served.all().map((operation) => {
    const { definition, ...listed } = describe(operation)
    return {
      definition,
      listing: {
        ...listed,
        publisher_did: engine.did,
        id: `svc/${definition.name}`,
        version: operation.version,
        required_capabilities: [operation.capability],
        tags: [operation.category],
        source: 'built_in',
      },
    }
  })
}

type Described = ReturnType<typeof listed> & { readonly definition: ToolDefinition }
/** Hashing all schemas takes tens of milliseconds: once for each version that is served. */
const described = new WeakMap<object, Described>()

function describe(operation: ServedOperation): Described {
  let tool = described.get(operation.facts)
  if (!tool) {
    const definition = definitionOf(operationAsTool(operation))
    tool = { ...listed(definition), definition }
    described.set(operation.facts, tool)
  }
  return tool
}

/** Published by whoever approved it, for this organization only. */
async function approved(context: OperationContext<'vault'>): Promise<ToolHere[]> {
  const tools = await approvedTools(context)
  return tools.map(({ server_id, scheme, definition: pinned, decided_by }) => {
    const definition = definitionOf(pinned)
    return {
      definition,
      listing: {
        ...listed(definition),
        publisher_did: decided_by,
        id: `${scheme}/${server_id}/${definition.name}`,
        version: version_of_approved,
        required_capabilities: ['svc.mat.tool'],
        tags: [scheme],
        source: 'approved',
      },
    }
  })
}

function listed(definition: ToolDefinition) {
  const { name, description } = definition
  return {
    name,
    kind: 'tool' as const,
    summary: description.slice(0, summary_chars_max),
    digest: definitionDigest(definition),
    deprecated: false,
  }
}

function definitionOf({
  name,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: ServerTool): ToolDefinition {
  return {
    name,
    description: (description || name).slice(0, description_chars_max),
    inputSchema: inputSchema as ToolDefinition['inputSchema'],
    ...(outputSchema && { outputSchema: outputSchema as ToolDefinition['inputSchema'] }),
    annotations: { ...annotations },
  }
}

function fits(listing: ToolListing, { kind, query, tag, publisher_did, capability }: ToolFilter): boolean {
  if (kind !== undefined && kind !== listing.kind) return false
  if (tag !== undefined && !listing.tags.includes(tag)) return false
  if (publisher_did !== undefined && publisher_did !== listing.publisher_did) return false
  if (capability !== undefined && !listing.required_capabilities.includes(capability)) return false
  return query === undefined || hasWords(`${listing.name} ${listing.summary}`.toLowerCase(), query)
}

/** Every word, and none with a minus before it; alternatives by `or`. */
function hasWords(text: string, query: string): boolean {
  const alternatives: string[][] = [[]]
  for (const word of query.toLowerCase().replaceAll('"', ' ').split(' ')) {
    if (word === 'or') alternatives.push([])
    else if (word !== '') alternatives.at(-1)!.push(word)
  }
  return alternatives.some((words) =>
    words.every((word) => (word.startsWith('-') ? !text.includes(word.slice(1)) : text.includes(word))),
  )
}
