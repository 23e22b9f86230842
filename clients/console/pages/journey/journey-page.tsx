// One request through the stages: what each knew and decided, and why it ended as it did.
import { AnswerOf } from '../../parts/answer-of.tsx'
import { CorrelationForm } from '../../parts/correlation-form.tsx'
import type { PageProps } from '../../shell/address.ts'
import { hashOf } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'
import { Explanation } from './explanation.tsx'
import { RecentRequests } from './recent-requests.tsx'
import { StageLadder } from './stage-ladder.tsx'
import { decisionOf, storyOf } from './stage-story.ts'
import { StoryGraph } from './story-graph.tsx'

export function JourneyPage({ place }: PageProps) {
  const [correlation_id] = place.rest
  return (
    <>
      <CorrelationForm
        key={correlation_id}
        correlation_id={correlation_id}
        placeOf={(id) => hashOf('journey', [id])}
      />
      {correlation_id ? <Journey key={correlation_id} correlation_id={correlation_id} /> : <RecentRequests />}
    </>
  )
}

function Journey({ correlation_id }: { correlation_id: string }) {
  const query = useQuery(correlation_id, (client, signal) =>
    client.max.audit_query({ correlation_id, limit: 1000 }, { signal }),
  )
  return (
    <AnswerOf query={query}>
      {({ records }) => {
        const decision = decisionOf(records)
        if (!decision)
          return (
            <p className="note">
              Your audit log has no record of this request. It may belong to another organization, or not be
              written yet.{' '}
              <button type="button" onClick={query.again}>
                Refresh
              </button>
            </p>
          )
        return (
          <>
            <StageLadder record={decision} story={storyOf(decision)} />
            <Explanation correlation_id={correlation_id} />
            <StoryGraph correlation_id={correlation_id} />
            <p>
              <a href={hashOf('audit-log', ['records'], { correlation_id })}>
                All {records.length} records in the audit log
              </a>
            </p>
          </>
        )
      }}
    </AnswerOf>
  )
}
