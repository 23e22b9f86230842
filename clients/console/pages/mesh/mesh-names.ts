// The names of nodes on the map: no two endpoints are called alike, and a breaker says what it means.
import type { OutputOf } from '@svc/sdk'
import type { GraphNode } from '../../parts/graph-layout.ts'
import { breakerWord } from '../../parts/tone.ts'

type Topology = OutputOf<'MAZE', 'topology'>

/** Built-in protocols have one endpoint each and would hide the rest. */
export function meshNodes({ nodes }: Pick<Topology, 'nodes'>, hides_native: boolean): GraphNode[] {
  return nodes
    .filter(({ kind, label }) => !hides_native || kind !== 'endpoint' || label !== 'native')
    .map(({ id, kind, label, state }) => ({
      id,
      kind,
      label: kind === 'endpoint' ? endpointName(id, label) : label,
      ...(state === undefined ? {} : { state: breakerWord(state) }),
    }))
}

/** An endpoint of a protocol is named by it: "OAS adapter" instead of "adapter". */
function endpointName(id: string, label: string): string {
  const protocol = /^endpoint:([A-Za-z]+)[ @/]/.exec(id)?.[1]
  return protocol && !label.includes(protocol) ? `${protocol} ${label}` : label
}
