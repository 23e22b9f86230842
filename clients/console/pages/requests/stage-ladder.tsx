import { Alert } from '@mantine/core'
import type { AuditRecord } from '@svc/sdk'
import { Duration, When } from '../../parts/figure.tsx'
import { withNames } from '../../parts/shorten.ts'
import { Id, StateBadge } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { callText, reasonOf } from '../audit-log/record-words.ts'
import { useNames } from '../audit-log/use-names.ts'
import type { StageStory } from './stage-story.ts'

/** How it ended, then identity and the eight stages in order; only the stage that ended it is unfolded. */
export function StageLadder({ record, story }: { record: AuditRecord; story: readonly StageStory[] }) {
  const names = useNames()
  return (
    <section aria-label="The stages">
      <h2>
        {callText(record)} <StateBadge state={record.outcome} />
      </h2>
      <p>
        <When at={record.timestamp} />, <Duration ms={record.latency_ms} />, by{' '}
        <Id
          text={record.caller_did}
          name={names.get(record.caller_did)}
          href={hashOf('access', ['agents', record.caller_did])}
        />
      </p>
      <EndNote record={record} story={story} names={names} />
      <ol className="ladder" start={0}>
        {story.map((stage) => (
          <Rung key={stage.stage} {...stage} />
        ))}
      </ol>
    </section>
  )
}

interface EndNoteProps {
  readonly record: AuditRecord
  readonly story: readonly StageStory[]
  readonly names: ReadonlyMap<string, string>
}

/** For a call that did not succeed: where it ended, and the sentence its caller got. */
function EndNote({ record, story, names }: EndNoteProps) {
  const end = story.find(({ verdict }) => verdict === 'refused' || verdict === 'failed')
  if (!end) return null
  const { sentence } = record.meta
  return (
    <Alert
      color="red"
      title={`${end.verdict === 'refused' ? 'Refused' : 'Failed'} at stage ${end.stage}, ${end.name}`}
    >
      {typeof sentence === 'string' ? withNames(sentence, names) : reasonOf(record).replaceAll('_', ' ')}
    </Alert>
  )
}

function Rung({ stage, name, question, verdict, knew }: StageStory) {
  const head = (
    <>
      <span className="rung-number">{stage}</span>
      <strong>{name}</strong>
      <span className="quiet">{question}</span>
      <StateBadge state={verdict} />
    </>
  )
  const has_facts = verdict !== 'not reached' && knew.length > 0
  return (
    <li className={`rung ${verdict.replace(' ', '-')}`}>
      {has_facts ? (
        <details open={verdict === 'refused' || verdict === 'failed'}>
          <summary className="rung-head">{head}</summary>
          <dl className="facts">
            {knew.map(([fact, value]) => (
              <div key={fact}>
                <dt>{fact.replaceAll('_', ' ')}</dt>
                <dd className="mono">{value}</dd>
              </div>
            ))}
          </dl>
        </details>
      ) : (
        <div className="rung-head">{head}</div>
      )}
    </li>
  )
}
