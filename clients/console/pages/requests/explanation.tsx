import { AnswerOf } from '../../parts/answer-of.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Fact } from '../../parts/figure.tsx'
import { JsonView, TextView } from '../../parts/json-view.tsx'
import { NoRight } from '../../parts/no-right.tsx'
import { StateBadge } from '../../parts/words.tsx'
import { useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'

/** The engine's explanation, and what would have changed the outcome. */
export function Explanation({ correlation_id }: { correlation_id: string }) {
  const why_not = useWhyNot('MAX', 'explainability_request')
  return (
    <section aria-label="Why">
      <h2>Why</h2>
      {why_not ? (
        <NoRight protocol="MAX" operation="explainability_request" />
      ) : (
        <Explained correlation_id={correlation_id} />
      )}
    </section>
  )
}

function Explained({ correlation_id }: { correlation_id: string }) {
  const query = useQuery(`explanation of ${correlation_id}`, (client, signal) =>
    client.max.explainability_request({ correlation_id, counterfactuals: true }, { signal }),
  )
  return (
    <AnswerOf query={query}>
      {(explanation) => (
        <>
          <p>{explanation.narrative}</p>
          <dl className="facts">
            <Fact name="Decision" value={<StateBadge state={explanation.decision} />} />
            <Fact name="Stage" value={explanation.stage} />
            <Fact name="Code" value={explanation.code} />
            <Fact name="Reason" value={explanation.reason} />
            <Fact name="Requested" value={explanation.capability.requested} />
            <Fact name="Allowed by" value={explanation.capability.matched} />
            <Fact name="Held by" value={explanation.capability.source} />
            <Fact name="Appeal" value={explanation.appeal_path} />
          </dl>
          {!explanation.consistent && (
            <p className="problem">
              Evaluating the rules of that time again gives a different outcome than the record.
            </p>
          )}
          <DataTable
            caption="What would have changed it"
            rows={explanation.counterfactuals}
            keyOf={({ change }) => change}
            empty={explanation.decision === 'allowed' ? 'It was allowed.' : 'The engine knows of nothing.'}
            columns={[
              { head: 'If', cell: ({ change }) => change },
              { head: 'Then', cell: ({ result }) => result },
            ]}
          />
          {explanation.policies.map(({ id, version, effect, text }) => (
            <TextView key={`${id} ${version}`} label={`Policy ${id} ${version}: ${effect}`} text={text} />
          ))}
          {explanation.council && (
            <JsonView label="The council’s verdict and dissent" value={explanation.council} />
          )}
        </>
      )}
    </AnswerOf>
  )
}
