// Starts the bundled reference nodes; each is called by the same external contract, even in this process.
import type { Database } from '@svc/contract/database'
import type { Clock } from '@svc/engine/ports'
import { openAegisNode } from '@svc/nodes/aegis-node'
import { openArsenalNode } from '@svc/nodes/arsenal-node'
import { type NodeDefinition, type RunningNode, serveNode } from '@svc/nodes/node-server'
import { openOasNode } from '@svc/nodes/oas-node'
import type { NodeUrls } from '../settings/identity-settings.ts'

/** By their names on the command line. */
export const bundled_nodes: Readonly<Record<string, (db: Database, clock: Clock) => NodeDefinition>> = {
  oas: openOasNode,
  aegis: openAegisNode,
  arsenal: openArsenalNode,
}

export interface NodesOptions {
  isTrusted(engine_did: string): boolean
  readonly clock: Clock
  /** Nodes that already run elsewhere and are not started here. */
  readonly known?: NodeUrls
}

export interface RunningNodes {
  readonly urls: NodeUrls
  close(): Promise<void>
}

export async function startNodes(db: Database, options: NodesOptions): Promise<RunningNodes> {
  const { isTrusted, clock, known = {} } = options
  const { now_ms } = clock
  const node_definitions = Object.values(bundled_nodes)
    .map((open) => open(db, clock))
    .filter(({ protocol }) => !(protocol in known))
  const started = await Promise.allSettled(
    node_definitions.map((node) => serveNode(node, { host: '127.0.0.1', port: 0, isTrusted, now_ms })),
  )
  const running = started.flatMap((one): RunningNode[] => (one.status === 'fulfilled' ? [one.value] : []))
  const close = async () => void (await Promise.all(running.map((node) => node.close())))
  const broken = started.find((one) => one.status === 'rejected')
  if (broken) {
    await close()
    throw broken.reason
  }
  return {
    urls: {
      ...known,
      ...Object.fromEntries(node_definitions.map(({ protocol }, i) => [protocol, running[i]!.url])),
    },
    close,
  }
}
