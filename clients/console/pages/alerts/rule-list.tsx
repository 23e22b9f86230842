// The rules with their newest values, those that are offered, and a form for one more.
import { Button, Drawer } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import type { ListDescription } from '../../list/describe.ts'
import { ListPage } from '../../list/list-page.tsx'
import { When } from '../../parts/figure.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { StateBadge } from '../../parts/words.tsx'
import { useOperation } from '../../shell/use-operation.ts'
import { useAct } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'
import { RuleForm } from './rule-form.tsx'
import { RuleView, standingOf } from './rule-view.tsx'
import { conditionText, type Rule, type Rules, valueText } from './watches.ts'

const text = words.alerts

const list: ListDescription<Rule> = {
  name: text.rules,
  columns: [
    { key: 'name', head: text.rule, cell: ({ name }) => <strong>{name}</strong>, text: ({ name }) => name },
    { key: 'condition', head: text.fires_at, cell: conditionText, text: conditionText },
    {
      key: 'now',
      head: text.now,
      is_number: true,
      cell: ({ watches, last_value }) => valueText(watches, last_value),
      text: ({ last_value }) => last_value ?? '',
    },
    {
      key: 'state',
      head: text.state,
      cell: (rule) => <StateBadge state={standingOf(rule)} />,
      text: standingOf,
    },
    {
      key: 'severity',
      head: text.severity,
      cell: ({ severity }) => <StateBadge state={severity} />,
      text: ({ severity }) => severity,
    },
    { key: 'tells', head: text.tells, cell: tellsText, text: tellsText },
    {
      key: 'read',
      head: text.read,
      cell: ({ last_read_at }) => <When at={last_read_at} never={text.not_read} />,
      text: ({ last_read_at }) => last_read_at ?? '',
    },
  ],
  filters: [],
  keyOf: ({ name }) => name,
  read: async (_query, _cursor, client, signal) => ({
    rows: (await client.motif.list_alert_rules({}, { signal })).items,
  }),
  panel: (name, rule) => ({ title: name, body: rule && <RuleView key={name} rule={rule} /> }),
  empty: text.no_rules,
  refresh_ms: 30_000,
}

function tellsText({ mail_to, mailboxes }: Rule): string {
  return text.recipients(mail_to.length, mailboxes.length)
}

export function RuleList() {
  const rules = useOperation('MOTIF', 'list_alert_rules', {})
  return (
    <>
      <NewRule />
      {rules.answer && <Offered suggestions={rules.answer.suggestions} />}
      <ListPage list={list} />
    </>
  )
}

function NewRule() {
  const [is_open, form] = useDisclosure()
  const why_not = useWhyNot('MOTIF', 'set_alert_rule')
  return (
    <>
      <Button
        mb="md"
        leftSection={<IconPlus size={16} />}
        disabled={why_not !== undefined}
        title={why_not}
        onClick={form.open}
      >
        {text.new_rule}
      </Button>
      <Drawer
        opened={is_open}
        onClose={form.close}
        position="right"
        size="lg"
        title={text.new_rule}
        closeButtonProps={{ 'aria-label': words.close }}
      >
        <RuleForm onSet={form.close} />
      </Drawer>
    </>
  )
}

/** Rules that most organizations want, set with one click. */
function Offered({ suggestions }: Pick<Rules, 'suggestions'>) {
  const why_not = useWhyNot('MOTIF', 'set_alert_rule')
  const set = useAct(async (client) => {
    for (const rule of suggestions) await client.motif.set_alert_rule(rule)
  })
  if (suggestions.length === 0 || why_not !== undefined) return null
  return (
    <section className="panel" aria-label={text.offered}>
      <h2>{text.offered}</h2>
      <p>{text.offered_means}</p>
      <ul className="chips">
        {suggestions.map(({ name }) => (
          <li key={name}>
            <StateBadge state={name} />
          </li>
        ))}
      </ul>
      <Button variant="light" size="xs" loading={set.is_waiting} onClick={() => void set.run(undefined)}>
        {text.set_all(suggestions.length)}
      </Button>
      {set.problem && <ProblemNote problem={set.problem} />}
    </section>
  )
}
