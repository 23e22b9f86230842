// The public directory: what GET /v1/protocols, /v1/protocols/{id} and /v1/search answer.
import { capabilityFor } from '@svc/contract/authority/capability'
import type { OperationFacts } from '@svc/contract/operation-facts'
import type { Declaration } from '@svc/contract/protocol'
import type { SceneRole, SceneStep } from '@svc/contract/scene'
import { compareText, schemaPath, sortedOperations, sortedProtocols, toolName } from './names.ts'
import { refusalsOf } from './operation-refusals.ts'
import { stepSentence } from './scene-text.ts'

export interface ProtocolSummary {
  readonly id: string
  readonly version: string
  readonly plane: string
  readonly estate: string
  readonly category: string
  readonly summary: string
  /** Only for protocols that run outside: whether their service signs its answers. */
  readonly answers?: 'signed' | 'unsigned'
  readonly operations: readonly string[]
  readonly url: string
}

/** The default version of a protocol, and every operation of any version, each with its version. */
export interface ShownProtocol {
  readonly protocol: Declaration
  readonly operations: readonly (readonly [name: string, operation: OperationFacts, of: Declaration])[]
}

/** Of several versions the first is shown, and for what it lacks the next that has it. */
export function shownProtocols(protocols: readonly Declaration[]): ShownProtocol[] {
  const versions = Map.groupBy(sortedProtocols(protocols), ({ id }) => id.toUpperCase())
  return [...versions.values()].map((side_by_side) => {
    const by_name = new Map<string, ShownProtocol['operations'][number]>()
    for (const protocol of side_by_side)
      for (const [name, operation] of sortedOperations(protocol))
        if (!by_name.has(name)) by_name.set(name, [name, operation, protocol])
    const operations = [...by_name.values()].sort(([a], [b]) => compareText(a, b))
    return { protocol: side_by_side[0]!, operations }
  })
}

export function listProtocols(protocols: readonly Declaration[]): { protocols: ProtocolSummary[] } {
  const listed = shownProtocols(protocols).map(({ protocol, operations }) => ({
    ...summaryOf(protocol),
    operations: operations.map(([name]) => name),
  }))
  return { protocols: listed }
}

function summaryOf(protocol: Declaration): ProtocolSummary {
  const { id, version, plane, estate, category, summary, answers } = protocol
  const operations = sortedOperations(protocol).map(([name]) => name)
  const shown = { id, version, plane, estate, category, summary, ...(answers ? { answers } : {}) }
  return { ...shown, operations, url: `/v1/protocols/${id}` }
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
  /** Codes of the refusals that a call can get. */
  readonly refusals: readonly string[]
  readonly example: unknown
  /** The steps that make the example possible. */
  readonly scene: readonly SceneStep[]
  /** A sentence for each step of the scene. */
  readonly scene_text: readonly string[]
  readonly example_by: SceneRole
  /** What an operator sets up before. */
  readonly example_needs?: string
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
    refusals: refusalsOf(protocol, operation),
    example: operation.example,
    scene: operation.scene ?? [],
    scene_text: (operation.scene ?? []).map(stepSentence),
    example_by: operation.example_by ?? 'you',
    ...(operation.example_needs && { example_needs: operation.example_needs }),
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

/** Plain term matching: more of the words first, then names over summaries and whole words over prefixes. */
export function search(protocols: readonly Declaration[], query: string, limit: number): SearchHit[] {
  const terms = [...new Set(wordsIn(query.slice(0, query_length_max)))].slice(0, terms_max)
  const hits: (SearchHit & { matched: number })[] = []
  for (const { protocol, operations } of shownProtocols(protocols)) {
    const url = `/v1/protocols/${protocol.id}`
    const ranked = rank(terms, wordsIn(protocol.id), wordsIn(protocol.summary))
    if (ranked.matched > 0) hits.push({ protocol: protocol.id, summary: protocol.summary, url, ...ranked })
    for (const [name, operation, { version }] of operations) {
      // A protocol's id also finds its operations, just below the protocol itself.
      const ranked = rank(terms, wordsIn(name), [...wordsIn(protocol.id), ...wordsIn(operation.summary)])
      const at = version === protocol.version ? url : `${url}?version=${encodeURIComponent(version)}`
      if (ranked.matched > 0)
        hits.push({ protocol: protocol.id, operation: name, summary: operation.summary, url: at, ...ranked })
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
  // Every word of a name was in the query: the name itself was meant.
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
