import { NativeSelect } from '@mantine/core'
import type { Catalogue } from '@svc/sdk'
import { useMemo } from 'react'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { everyOf } from '../../parts/every-of.ts'
import { Field } from '../../parts/field.tsx'
import { GraphView } from '../../parts/graph-view.tsx'
import { NoRight } from '../../parts/no-right.tsx'
import { breakerWord } from '../../parts/tone.ts'
import { hashOf, type Place } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { meshNodes } from './mesh-names.ts'

type Topology = Catalogue['MAZE']['topology']['output']
type Kind = NonNullable<Catalogue['MAZE']['topology']['input']['include']>[number]

const kinds = everyOf<Kind>({
  agents: true,
  treaties: true,
  endpoints: true,
  plugins: true,
  devices: true,
  workflows: true,
  tools: true,
  protocols: true,
})
const nodes_drawn_max = 120

export function MeshMap({ query }: { query: Place['query'] }) {
  const why_not = useWhyNot('MAZE', 'topology')
  const kind = kinds.find((each) => each === query.kind)
  if (why_not) return <NoRight protocol="MAZE" operation="topology" />
  return (
    <>
      <Field label="Show" hint="Hides internal activity. Choose a kind to see it.">
        {(ids) => (
          <NativeSelect
            {...ids}
            value={kind ?? ''}
            onChange={({ target }) => {
              location.hash = hashOf('mesh', ['map'], { kind: target.value })
            }}
          >
            <option value="">everything</option>
            {kinds.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </NativeSelect>
        )}
      </Field>
      <Drawn key={kind} include={kind ? [kind] : kinds.filter((each) => each !== 'protocols')} />
    </>
  )
}

function Drawn({ include }: { include: readonly Kind[] }) {
  const query = useQuery(`topology ${include.join()}`, (client, signal) =>
    client.maze.topology({ include: [...include], depth: 3, limit: nodes_drawn_max }, { signal }),
  )
  return (
    <AnswerOf query={query}>
      {(topology) => (
        <>
          {topology.truncated && (
            <p className="note">Incomplete: only the nearest {nodes_drawn_max} are drawn.</p>
          )}
          <TopologyGraph topology={topology} hides_native={include.length > 1} />
        </>
      )}
    </AnswerOf>
  )
}

function TopologyGraph({ topology, hides_native }: { topology: Topology; hides_native: boolean }) {
  const nodes = useMemo(() => meshNodes(topology, hides_native), [topology, hides_native])
  const edges = useMemo(
    () =>
      topology.edges.map(({ from, to, kind, calls_24h, p50_ms, error_rate, breaker }) => ({
        from,
        to,
        kind,
        label: [
          kind,
          calls_24h === undefined ? '' : `${calls_24h} calls in 24 h`,
          p50_ms === undefined ? '' : `p50 ${p50_ms} ms`,
          error_rate === undefined ? '' : `errors ${error_rate}`,
          breaker === undefined ? '' : breakerWord(breaker),
        ]
          .filter(Boolean)
          .join(', '),
      })),
    [topology],
  )
  return <GraphView title="Mesh map" nodes={nodes} edges={edges} />
}
