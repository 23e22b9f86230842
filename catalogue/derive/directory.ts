// The public directory: what GET /v1/protocols, /v1/protocols/{id} and /v1/search answer.
import { capabilityFor } from '@svc/contract/capability'
import type { Declaration, OperationFacts } from '@svc/contract/protocol'
import { compareText, schemaPath, sortedOperations, sortedProtocols, toolName } from './names.ts'

export interface ProtocolSummary {
  readonly id: string
  readonly version: string
  readonly plane: string
  readonly estate: string
  readonly category: string
  readonly summary: string
  readonly operations: readonly string[]
  readonly url: string
}

export function listProtocols(protocols: readonly Declaration[]): { protocols: ProtocolSummary[] } {
  return { protocols: sortedProtocols(protocols).map(summaryOf) }
}

function summaryOf(protocol: Declaration): ProtocolSummary {
  const { id, version, plane, estate, category, summary } = protocol
  const operations = sortedOperations(protocol).map(([name]) => name)
  return { id, version, plane, estate, category, summary, operations, url: `/v1/protocols/${id}` }
}

export interface OperationDescription {
  readonly name: string
  readonly summary: string
  readonly effect: 'read' | 'write'
  readonly level: string
  readonly meters: readonly string[]
  readonly multipliers: readonly [number, number, number]
  readonly rate_cost: number
  readonly exempt: boolean
  readonly essential: boolean
  readonly capability: string
  readonly mcp_tool: string
  readonly request_schema: string
  readonly response_schema: string
  readonly example: unknown
}

export interface ProtocolDescription extends Omit<ProtocolSummary, 'operations'> {
  readonly rate_class: string
  readonly operations: readonly OperationDescription[]
}

/** `base` as for the schemas: the address they are served under, or nothing for paths. */
export function describeProtocol(protocol: Declaration, base = ''): ProtocolDescription {
  const operations = sortedOperations(protocol).map(([name, operation]) =>
    describeOperation(protocol, name, operation, base),
  )
  return { ...summaryOf(protocol), rate_class: protocol.rate, operations }
}

function describeOperation(
  protocol: Declaration,
  name: string,
  operation: OperationFacts,
  base: string,
): OperationDescription {
  return {
    name,
    summary: operation.summary,
    effect: operation.effect,
    level: operation.level,
    meters: operation.meters,
    multipliers: operation.multipliers ?? [1, 1, 1],
    rate_cost: operation.rate_cost ?? 1,
    exempt: operation.exempt ?? false,
    essential: operation.essential ?? false,
    capability: capabilityFor(protocol.id, name),
    mcp_tool: toolName(protocol.id, name),
    request_schema: `${base}/schemas/${schemaPath(protocol, name, 'request')}`,
    response_schema: `${base}/schemas/${schemaPath(protocol, name, 'response')}`,
    example: operation.example,
  }
}

export interface SearchHit {
  readonly protocol: string
  /** Absent where the protocol itself was found. */
  readonly operation?: string
  readonly summary: string
  readonly score: number
  readonly url: string
}

const query_length_max = 200
const terms_max = 16

/** Plain term matching: more of the words first, then names over summaries and whole words over beginnings. */
export function search(protocols: readonly Declaration[], query: string, limit: number): SearchHit[] {
  const terms = [...new Set(wordsIn(query.slice(0, query_length_max)))].slice(0, terms_max)
  const hits: (SearchHit & { matched: number })[] = []
  for (const protocol of protocols) {
    const url = `/v1/protocols/${protocol.id}`
    const found = rank(terms, wordsIn(protocol.id), wordsIn(protocol.summary))
    if (found.matched > 0) hits.push({ protocol: protocol.id, summary: protocol.summary, url, ...found })
    for (const [name, operation] of Object.entries(protocol.operations)) {
      // A protocol's id also finds its operations, just below the protocol itself.
      const found = rank(terms, wordsIn(name), [...wordsIn(protocol.id), ...wordsIn(operation.summary)])
      if (found.matched > 0)
        hits.push({ protocol: protocol.id, operation: name, summary: operation.summary, url, ...found })
    }
  }
  hits.sort((a, b) => b.matched - a.matched || b.score - a.score || compareText(keyOf(a), keyOf(b)))
  return hits.slice(0, limit).map(({ matched: _, ...hit }) => hit)
}

function rank(
  terms: readonly string[],
  name: readonly string[],
  text: readonly string[],
): { matched: number; score: number } {
  let [matched, score] = [0, 0]
  for (const term of terms) {
    const points = Math.max(pointsIn(name, term, 10), pointsIn(text, term, 4))
    if (points > 0) matched++
    score += points
  }
  // Every word of a name asked for: the name itself was meant.
  if (name.length > 0 && name.every((word) => terms.includes(word))) score += 10
  return { matched, score }
}

function pointsIn(words: readonly string[], term: string, whole: number): number {
  if (words.includes(term)) return whole
  return words.some((word) => word.startsWith(term)) ? whole / 2 : 0
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

function keyOf(hit: SearchHit): string {
  return `${hit.protocol} ${hit.operation ?? ''}`
}
