// Silences a rule for a while: nobody is told, alerts are still recorded.
import { Button, Group, Menu } from '@mantine/core'
import { IconBellOff, IconChevronDown } from '@tabler/icons-react'
import { When } from '../../parts/figure.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { nowMs } from '../../shell/clock.ts'
import { useOperation } from '../../shell/use-operation.ts'
import { useAct } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'

const text = words.alerts
const hours = [1, 4, 24, 7 * 24]

export function Silence({ name }: { name: string }) {
  const why_not = useWhyNot('MOTIF', 'silence_alert_rule')
  const rules = useOperation('MOTIF', 'list_alert_rules', {})
  const rule = rules.answer?.items.find((each) => each.name === name)
  const silence = useAct(async (client, for_hours: number | undefined) => {
    const until = for_hours && new Date(nowMs() + for_hours * 3_600_000).toISOString()
    await client.motif.silence_alert_rule({ name, ...(until && { until }) })
  })
  if (!rule) return null
  return (
    <section aria-label={text.silence}>
      {rule.silenced_until ? (
        <Group gap="xs" mt="md">
          <span>
            {text.silenced_until} <When at={rule.silenced_until} />.
          </span>
          <Button
            variant="default"
            size="xs"
            loading={silence.is_waiting}
            disabled={why_not !== undefined}
            title={why_not}
            onClick={() => void silence.run(undefined)}
          >
            {text.end_silence}
          </Button>
        </Group>
      ) : (
        <Menu>
          <Menu.Target>
            <Button
              variant="default"
              size="xs"
              mt="md"
              leftSection={<IconBellOff size={14} />}
              rightSection={<IconChevronDown size={14} />}
              loading={silence.is_waiting}
              disabled={why_not !== undefined}
              title={why_not}
            >
              {text.silence}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Label>{text.silence_means}</Menu.Label>
            {hours.map((count) => (
              <Menu.Item key={count} onClick={() => void silence.run(count)}>
                {text.for_hours(count)}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {silence.problem && <ProblemNote problem={silence.problem} />}
    </section>
  )
}
