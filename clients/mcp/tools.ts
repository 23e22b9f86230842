// The tools: the catalogue's descriptions joined with the caller's permissions.
import type { Tool } from '@modelcontextprotocol/server'
import type { Whoami } from '@svc/sdk'
import derived from '../../generated/mcp-tools.json' with { type: 'json' }

export interface ToolRow {
  readonly name: string
  readonly protocol: string
  readonly operation: string
  /** The protocol version of the schemas, which is also the one called. */
  readonly version?: string | undefined
  readonly title: string
  readonly description: string
  /** Absent without a description. */
  readonly category?: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly outputSchema?: Readonly<Record<string, unknown>>
  readonly annotations: Readonly<Record<string, boolean>>
}

export const catalogue_tools = derived as unknown as readonly ToolRow[]

export const categories = ['svc-cognitive', 'svc-governance', 'svc-commerce', 'svc-infrastructure'] as const

type Permission = Whoami['operations'][number]

/** A tool, and whether this caller may call it. */
export interface Offer extends Pick<Permission, 'capability' | 'may' | 'reason' | 'why_not'> {
  readonly tool: ToolRow
}

export function toolName(protocol: string, operation: string): string {
  return `svc.${protocol.toLowerCase()}.${operation}`
}

/** The engine's tools, sorted by name. Those not in `rows` in that version are offered without schemas. */
export function offersOf(
  operations: readonly Permission[],
  rows: readonly ToolRow[] = catalogue_tools,
): Offer[] {
  const rows_by_name = new Map(rows.map((row) => [row.name, row]))
  const offers = new Map<string, Offer>()
  for (const { protocol, operation, version, capability, may, reason, why_not } of operations) {
    const name = toolName(protocol, operation)
    const row = rows_by_name.get(name)
    const tool = row && isOfVersion(row, version) ? row : untypedTool(protocol, operation, version)
    offers.set(name, { tool, capability, may, reason, why_not })
  }
  return [...offers.values()].sort((a, b) => compareText(a.tool.name, b.tool.name))
}

/** An engine that names no version is assumed to have the catalogue's, and otherwise refuses the call. */
export function isOfVersion(row: ToolRow, version: string | undefined): boolean {
  return version === undefined || row.version === undefined || row.version === version
}

function untypedTool(protocol: string, operation: string, version: string | undefined): ToolRow {
  return {
    name: toolName(protocol, operation),
    protocol,
    operation,
    version,
    title: `${protocol}: ${operation.replace(/[._]/g, ' ')}`,
    description: `${operation} of ${protocol}; this client has no schema for it, and the engine checks the input.`,
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  }
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** `svc-cognitive,MAX` and `['cognitive', 'max']` are the same: categories of the spec, or protocol ids. */
export function readCategories(text_or_list: string | readonly string[]): string[] {
  const words = (typeof text_or_list === 'string' ? [text_or_list] : text_or_list).flatMap((text) =>
    text.split(','),
  )
  const plain = words.map((word) => word.trim().toLowerCase()).filter((word) => word !== '')
  return [...new Set(plain.map((word) => (isCategory(`svc-${word}`) ? `svc-${word}` : word)))]
}

function isCategory(word: string): boolean {
  return (categories as readonly string[]).includes(word)
}

/** No categories means all. */
export function isWithin({ category, protocol }: ToolRow, categories: readonly string[]): boolean {
  if (categories.length === 0) return true
  return (
    categories.includes(protocol.toLowerCase()) || (category !== undefined && categories.includes(category))
  )
}

/** The first word that is neither a category nor a protocol of these. */
export function unknownCategory(
  filters: readonly string[],
  protocols: Iterable<string>,
): { readonly word: string; readonly known: string[] } | undefined {
  const names_in_case = [...categories, ...new Set(protocols)]
  const names = new Set(names_in_case.map((name) => name.toLowerCase()))
  const word = filters.find((each) => !names.has(each))
  return word === undefined ? undefined : { word, known: names_in_case }
}

/** As listed in MCP. Mentions permissions that depend on the input. */
export function listedTool({ tool, capability, may }: Offer): Tool {
  const { name, title, description, category, version, inputSchema, outputSchema, annotations } = tool
  const depends = may === 'depends' ? ' You may call it for some inputs only.' : ''
  return {
    name,
    title,
    description: `${description}${depends}`,
    inputSchema: inputSchema as Tool['inputSchema'],
    ...(outputSchema ? { outputSchema: outputSchema as NonNullable<Tool['outputSchema']> } : {}),
    annotations: { title, ...annotations },
    _meta: {
      'svc/category': category ?? null,
      'svc/version': version ?? null,
      'svc/capability': capability,
      'svc/may': may,
    },
  }
}
