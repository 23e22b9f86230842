// One rule: its newest value, who is told, silence, change and removal.
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { Fact, When } from '../../parts/figure.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Id, StateBadge } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { useAct } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'
import { useNames } from '../audit-log/use-names.ts'
import { RuleForm } from './rule-form.tsx'
import { Silence } from './silence.tsx'
import { conditionText, type Rule, valueText, windowText } from './watches.ts'

const text = words.alerts

/** Above the threshold now or not; failing where the value cannot be read. */
export function standingOf({ silenced_until, last_failure, last_value, last_read_at, above }: Rule): string {
  if (silenced_until) return text.silenced
  if (last_failure) return text.failing
  if (last_value === undefined) return last_read_at ? words.none : text.not_read_yet
  return last_value > above ? text.above : text.ok
}

export function RuleView({ rule }: { rule: Rule }) {
  const names = useNames()
  const [is_changing, form] = useDisclosure()
  const why_not = useWhyNot('MOTIF', 'set_alert_rule')
  const { name, watches, severity, resolve_after_minutes, mail_to, mailboxes, set_by, set_at } = rule
  if (is_changing) return <RuleForm rule={rule} onSet={form.close} />
  return (
    <>
      <h2>{conditionText(rule)}</h2>
      {rule.last_failure && <p className="problem">{rule.last_failure}</p>}
      <dl className="facts">
        <Fact name={text.state} value={<StateBadge state={standingOf(rule)} />} />
        <Fact name={text.severity} value={<StateBadge state={severity} />} />
        <Fact name={text.now} value={valueText(watches, rule.last_value)} />
        <Fact name={text.read} value={<When at={rule.last_read_at} never={text.not_read} />} />
        <Fact name={text.resolves_after} value={windowText(resolve_after_minutes)} />
        <Fact name={text.by_mail} value={mail_to.join(', ') || text.nobody} />
        <Fact
          name={text.by_mailbox}
          value={
            mailboxes.length === 0
              ? text.nobody
              : mailboxes.map((did) => <Id key={did} text={did} name={names.get(did)} />)
          }
        />
        <Fact name={text.set_by} value={<Id text={set_by} name={names.get(set_by)} />} />
        <Fact name={text.set} value={<When at={set_at} />} />
      </dl>
      <p>
        <a href={hashOf('alerts', ['alerts'], { rule: name })}>{text.see_alerts}</a>
      </p>
      <Silence name={name} />
      <div className="row middle rule-actions">
        <Button
          variant="default"
          size="xs"
          disabled={why_not !== undefined}
          title={why_not}
          onClick={form.open}
        >
          {text.change}
        </Button>
        <Remove name={name} />
      </div>
    </>
  )
}

function Remove({ name }: { name: string }) {
  const why_not = useWhyNot('MOTIF', 'remove_alert_rule')
  const remove = useAct(async (client) => {
    await client.motif.remove_alert_rule({ name })
    location.hash = hashOf('alerts', ['rules'])
  })
  return (
    <>
      <ConfirmAction
        label={text.remove(name)}
        title={text.remove_title}
        is_waiting={remove.is_waiting}
        why_not={why_not}
        onConfirm={() => void remove.run(undefined)}
      >
        <p>{text.remove_means}</p>
      </ConfirmAction>
      {remove.problem && <ProblemNote problem={remove.problem} />}
    </>
  )
}
