// Alerts: what fires and did, and the rules that decide it.
import { NoRight } from '../../parts/no-right.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import type { PageProps } from '../../shell/address.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'
import { AlertList } from './alert-list.tsx'
import { RuleList } from './rule-list.tsx'

export function AlertsPage({ place }: PageProps) {
  const may_list = useWhyNot('MOTIF', 'list_alerts') === undefined
  const may_see_rules = useWhyNot('MOTIF', 'list_alert_rules') === undefined
  return (
    <Tabs
      place={place}
      tabs={[
        {
          word: 'alerts',
          name: words.alerts.alerts,
          show: () => (may_list ? <AlertList /> : <NoRight protocol="MOTIF" operation="list_alerts" />),
        },
        {
          word: 'rules',
          name: words.alerts.rules,
          show: () =>
            may_see_rules ? <RuleList /> : <NoRight protocol="MOTIF" operation="list_alert_rules" />,
        },
      ]}
    />
  )
}
