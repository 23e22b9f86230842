// The computation of MARC publish_model, in a worker thread: parsing, checking, hashing, packing.
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { computation } from '@svc/contract/needs/computation'
import { type Verdict, verdictOf } from '@svc/contract/needs/computation-verdict'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { readBif } from './bif.ts'
import { boundTreewidth } from './elimination-order.ts'
import { graphOf } from './graph.ts'
import { blanketOf } from './identify.ts'
import { buildNetwork, type ModelContent, type Network } from './network.ts'

const unpacked_bytes_max = 2 ** 29
const warnings_max = 64

export interface ModelSource {
  readonly source?: string
  readonly variables?: readonly (Omit<ModelContent['variables'][number], 'cpt' | 'parents'> & {
    readonly parents?: readonly string[]
    readonly cpt?: readonly (number | readonly number[])[]
  })[]
  /** Pairs. */
  readonly bidirected: readonly (readonly string[])[]
}

export interface PackedModel {
  readonly sha256: string
  /** Canonical JSON, compressed. */
  readonly packed: Uint8Array
  readonly variables: number
  readonly edges: number
  readonly parameters: number
  readonly treewidth_bound: number
  readonly warnings: readonly string[]
}

export const model_job = computation<ModelSource, Verdict<PackedModel>>(new URL(import.meta.url))

/** @public Called by name from a thread. */
export function compute(source: ModelSource): Verdict<PackedModel> {
  return verdictOf(() => packModel(source))
}

function packModel({ source, variables, bidirected }: ModelSource): PackedModel {
  const { content, warnings } =
    source === undefined ? { content: plainContent(variables ?? []), warnings: [] } : readBif(source)
  const network = buildNetwork({ ...content, bidirected: bidirected as ModelContent['bidirected'] })
  const text = canonicalJson(contentOf(network, content))
  const scopes = network.variables.flatMap(({ table, parents }, place) => [
    [...parents, place],
    ...(table ? [table.scope] : []),
  ])
  return {
    sha256: sha256Hex(text),
    packed: zstdCompressSync(text),
    variables: network.variables.length,
    edges: network.variables.reduce((sum, { parents }) => sum + parents.length, network.bidirected.length),
    parameters: network.variables.reduce((sum, { table }) => sum + (table?.values.length ?? 0), 0),
    treewidth_bound: boundTreewidth(scopes, network.cards),
    warnings: [...warnings, ...unexplained(network)].slice(0, warnings_max),
  }
}

export function unpackModel(packed: Uint8Array): Network {
  const text = zstdDecompressSync(packed, { maxOutputLength: unpacked_bytes_max }).toString('utf8')
  return buildNetwork(JSON.parse(text) as ModelContent)
}

function plainContent(variables: NonNullable<ModelSource['variables']>): ModelContent {
  const made = variables.map(({ cpt, parents = [], ...rest }) => {
    const flat = cpt?.flat()
    return { ...rest, parents, ...(flat ? { cpt: flat } : {}) }
  })
  return { variables: made, bidirected: [] }
}

/** The hashed content: fields sorted by name, so that the same model always has the same address. */
function contentOf({ variables, bidirected }: Network, { variables: written }: ModelContent): ModelContent {
  const nameOf = (place: number) => variables[place]!.name
  return {
    bidirected: bidirected.map(([one, other]) => [nameOf(one), nameOf(other)] as const),
    variables: variables.map(({ name, states, parents, table }, place) => {
      const { cpt_given, latent } = written[place]!
      return {
        ...(table ? { cpt: Array.from(table.values) } : {}),
        ...(cpt_given ? { cpt_given } : {}),
        ...(latent ? { latent } : {}),
        name,
        parents: parents.map(nameOf),
        states,
      }
    }),
  }
}

/** Tables with dependencies the graph does not explain: no such causes could produce this distribution. */
function unexplained(network: Network): string[] {
  const graph = graphOf(network)
  const before = new Set<number>()
  return graph.nodes.flatMap((node) => {
    before.add(node)
    const { name, table, parents } = network.variables[node]!
    const table_parents = table!.scope.slice(0, -1)
    if (table_parents.every((other) => parents.includes(other))) return []
    const blanket = blanketOf(graph, node, before)
    if (table_parents.every((other) => blanket.includes(other))) return []
    return [
      `The cpt of ${name} is conditioned on variables that neither cause it nor share hidden causes with it.`,
    ]
  })
}
