import { AnswerOf } from '../../parts/answer-of.tsx'
import { GraphView } from '../../parts/graph-view.tsx'
import { NoRight } from '../../parts/no-right.tsx'
import { useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'

/** Everything involved in a request, across organizations, as far as the caller may see. */
export function StoryGraph({ correlation_id }: { correlation_id: string }) {
  const why_not = useWhyNot('MAX', 'traceability_graph')
  return (
    <section aria-label="Everything involved">
      <h2>Everything involved</h2>
      {why_not ? (
        <NoRight protocol="MAX" operation="traceability_graph" />
      ) : (
        <Drawn correlation_id={correlation_id} />
      )}
    </section>
  )
}

function Drawn({ correlation_id }: { correlation_id: string }) {
  const query = useQuery(`graph of ${correlation_id}`, async (client, signal) => {
    const { nodes, edges, complete, missing } = await client.max.traceability_graph(
      { correlation_id, depth: 3 },
      { signal },
    )
    return {
      nodes: nodes.map((node) => ({
        id: String(node.id),
        label: String(node.label ?? node.id),
        kind: String(node.type ?? 'thing'),
      })),
      edges: edges.map(({ from, to, rel }) => ({ from, to, kind: rel, label: rel })),
      complete,
      missing,
    }
  })
  return (
    <AnswerOf query={query}>
      {({ nodes, edges, complete, missing }) => (
        <>
          {!complete && <p className="note">This is incomplete: {missing.join(', ')}.</p>}
          <GraphView title="Participants" nodes={nodes} edges={edges} />
        </>
      )}
    </AnswerOf>
  )
}
