// One alert: what fired, since when, and who takes it on.
import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Fact, When } from '../../parts/figure.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Id, StateBadge } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { useAct } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'
import { useNames } from '../audit-log/use-names.ts'
import { Silence } from './silence.tsx'
import { type Alert, conditionText, valueText } from './watches.ts'

const text = words.alerts
const note_length_max = 500

/** One that somebody deals with does not call for attention any more. */
export function stateOf({ state, acknowledged_at }: Alert): string {
  if (state === 'RESOLVED') return text.resolved.toLowerCase()
  return acknowledged_at ? text.acknowledged.toLowerCase() : text.firing.toLowerCase()
}

export function AlertView({ alert }: { alert: Alert }) {
  const names = useNames()
  const { rule, severity, watches, value, fired_at, resolved_at, told_at } = alert
  const { acknowledged_at, acknowledged_by, note } = alert
  return (
    <>
      <h2>{rule}</h2>
      <p>{conditionText(alert)}</p>
      <dl className="facts">
        <Fact name={text.state} value={<StateBadge state={stateOf(alert)} />} />
        <Fact name={text.severity} value={<StateBadge state={severity} />} />
        <Fact name={text.value} value={valueText(watches, value)} />
        <Fact name={text.fired} value={<When at={fired_at} />} />
        <Fact name={text.resolved} value={resolved_at && <When at={resolved_at} />} />
        <Fact name={text.people_told} value={<When at={told_at} never={text.not_told} />} />
        <Fact name={text.acknowledged} value={acknowledged_at && <When at={acknowledged_at} />} />
        <Fact
          name={text.acknowledged_by}
          value={acknowledged_by && <Id text={acknowledged_by} name={names.get(acknowledged_by)} />}
        />
        <Fact name={text.note} value={note} />
      </dl>
      {!acknowledged_at && <Acknowledge alert={alert} />}
      <Silence name={rule} />
      <p className="row middle">
        <a href={hashOf('alerts', ['rules'], { open: rule })}>{text.see_rule}</a>
        <a href={hashOf('audit-log', ['records'], { event_type: 'AlertFired AlertResolved' })}>
          {text.see_records}
        </a>
      </p>
    </>
  )
}

function Acknowledge({ alert: { alert_id } }: { alert: Alert }) {
  const [note, setNote] = useState('')
  const why_not = useWhyNot('MOTIF', 'acknowledge_alert')
  const acknowledge = useAct(async (client) => {
    await client.motif.acknowledge_alert({ alert_id, ...(note.trim() !== '' && { note: note.trim() }) })
  })
  return (
    <section aria-label={text.acknowledge}>
      <div className="row">
        <TextInput
          label={text.note}
          description={text.note_hint}
          maxLength={note_length_max}
          disabled={why_not !== undefined}
          value={note}
          onChange={({ currentTarget }) => setNote(currentTarget.value)}
        />
        <Button
          loading={acknowledge.is_waiting}
          disabled={why_not !== undefined}
          title={why_not}
          onClick={() => void acknowledge.run(undefined)}
        >
          {text.acknowledge}
        </Button>
      </div>
      {acknowledge.problem && <ProblemNote problem={acknowledge.problem} />}
    </section>
  )
}
