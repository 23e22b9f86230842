import type { AuditRecord } from '@svc/sdk'
import { Long, StateMark, When } from '../../parts/words.tsx'
import type { StageStory } from './stage-story.ts'

/** Identity and the eight stages, in order. */
export function StageLadder({ record, story }: { record: AuditRecord; story: readonly StageStory[] }) {
  return (
    <section aria-label="The stages">
      <h2>
        {record.protocol ?? 'Before the pipeline'} {record.operation} <StateMark state={record.outcome} />
      </h2>
      <p>
        <When at={record.timestamp} />, {record.latency_ms} ms, by <Long text={record.caller_did} />
      </p>
      <ol className="ladder" start={0}>
        {story.map(({ stage, name, question, verdict, knew }) => (
          <li key={stage} className={`rung ${verdict.replace(' ', '-')}`}>
            <div className="rung-head">
              <span className="rung-number">{stage}</span>
              <strong>{name}</strong>
              <span className="quiet">{question}</span>
              <StateMark state={verdict} />
            </div>
            {verdict !== 'not reached' && knew.length > 0 && (
              <dl className="facts">
                {knew.map(([fact, value]) => (
                  <div key={fact}>
                    <dt>{fact.replaceAll('_', ' ')}</dt>
                    <dd className="mono">{value}</dd>
                  </div>
                ))}
              </dl>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
