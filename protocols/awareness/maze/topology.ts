// MAZE topology: gathers the map from other protocols, cuts it to the request, and analyses the graph.

import { meetsLevel } from '@svc/contract/identity/identity'
import { computation } from '@svc/contract/needs/computation'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import type { Static } from 'typebox'
import { type Mesh, mergeMesh, seenFrom, stepCosts } from './mesh.ts'
import { gatherDevices, gatherTools, gatherWorkflows } from './mesh-execution.ts'
import {
  type Gatherer,
  gatherAgents,
  gatherEndpoints,
  gatherHome,
  gatherPlugins,
  gatherProtocols,
  gatherTreaties,
  organizationId,
} from './mesh-gathering.ts'
import type { AnalysisResult, AnalysisTask, PathTask } from './mesh-job.ts'
import { openScene } from './mesh-scene.ts'
import { edges_max, type Part, parts, type TopologyInput, type TopologyOutput } from './mesh-schema.ts'

export const deadline_ms = 5_000
const job_ms_max = 4_000
const job = computation<
  PathTask | AnalysisTask,
  AnalysisResult & { path?: { nodes: string[]; cost: number } }
>(new URL('./mesh-job.ts', import.meta.url))

/** The order matters: registered data takes precedence over observed data. */
const gatherers: Readonly<Record<Part, Gatherer>> = {
  treaties: gatherTreaties,
  agents: gatherAgents,
  plugins: gatherPlugins,
  endpoints: gatherEndpoints,
  protocols: gatherProtocols,
  tools: gatherTools,
  devices: gatherDevices,
  workflows: gatherWorkflows,
}

export async function showTopology(
  input: Static<typeof TopologyInput>,
  context: OperationContext<
    'audit_log' | 'compute' | 'engine' | 'served' | 'telemetry' | 'treaties' | 'vault'
  >,
) {
  const { depth = 2, limit = 1_000, path, analysis } = input
  const { include, with_partners } = partsFor(input.include, context)
  await context.audit_log.settled()
  const scene = await openScene(context, { at: input.at, limit, with_partners })
  const gathered: Mesh[] = [gatherHome(scene)]
  // Sequential: they share this operation's database connection.
  for (const [part, gather] of Object.entries(gatherers))
    if (include.has(part as Part)) gathered.push(await gather(scene))
  const mesh = mergeMesh(gathered)
  const root = input.root ?? organizationId(context.tenant_id)
  requireNodes(mesh, [root, ...(path ? [path.from, path.to] : [])])
  const way = path && (await findPath(mesh, path, context))
  const visible = seenFrom(mesh, { root, depth, limit, also: way?.nodes ?? [] })
  return {
    nodes: visible.nodes.map((node) => ({ ...node })),
    edges: visible.edges.slice(0, edges_max).map((edge) => ({ ...edge })),
    path: way,
    analysis: analysis && (await analyse(visible, root, analysis, context)),
    truncated: visible.truncated === true || visible.edges.length > edges_max,
    as_of: scene.at,
  }
}

/** Other organizations are shown only to callers with a verified lineage. */
function partsFor(include: readonly Part[] | undefined, { caller }: OperationContext) {
  const may_see_others = meetsLevel(caller, 'L1')
  const included = new Set(include ?? parts)
  if (!include && !may_see_others) included.delete('treaties')
  if (!included.has('treaties') || may_see_others)
    return { include: included, with_partners: included.has('treaties') }
  throw refuse(
    'policy_denied',
    'Seeing other organizations needs a verified lineage (L1); prove it with MACS verify_response, or leave treaties out.',
    { reason: 'verified lineage required', denying_policy: 'conformance L1' },
  )
}

function requireNodes(mesh: Mesh, node_ids: readonly string[]): void {
  const existing = new Set(mesh.nodes.map(({ id }) => id))
  const missing = node_ids.find((id) => !existing.has(id))
  if (missing !== undefined) throw notFound('node', missing)
}

async function findPath(
  mesh: Mesh,
  route: NonNullable<TopologyInput['path']>,
  context: OperationContext<'compute'>,
): Promise<TopologyOutput['path']> {
  const { by = 'hops' } = route
  const costs = stepCosts(mesh.edges, by)
  const edges = mesh.edges.map(({ from, to }, i) => ({ from, to, cost: costs[i]! }))
  const nodes = mesh.nodes.map(({ id }) => id)
  const { path } = await context.compute(
    job,
    { path: { nodes, edges, from: route.from, to: route.to } },
    job_ms_max,
  )
  if (!path) return { by, reachable: false, nodes: [] }
  return { by, reachable: true, nodes: path.nodes, hops: path.nodes.length - 1, cost: path.cost }
}

async function analyse(
  { nodes, edges }: Mesh,
  root: string,
  analysis: AnalysisTask['wanted'],
  context: OperationContext<'compute'>,
): Promise<AnalysisResult> {
  const task = {
    nodes: nodes.map(({ id }) => id),
    edges: edges.map(({ from, to, kind }) => ({ from, to, kind, cost: 1 })),
    root,
    wanted: analysis,
  }
  return await context.compute(job, task, job_ms_max)
}
