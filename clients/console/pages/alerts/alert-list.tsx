import type { Client } from '@svc/sdk'
import type { ListDescription, ListQuery } from '../../list/describe.ts'
import { ListPage } from '../../list/list-page.tsx'
import { When } from '../../parts/figure.tsx'
import { StateBadge } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { words } from '../../words/en.ts'
import { AlertView, stateOf } from './alert-view.tsx'
import { type Alert, conditionText, valueText } from './watches.ts'

const text = words.alerts
const page_items = 50

async function readAlerts(query: ListQuery, cursor: string | undefined, client: Client, signal: AbortSignal) {
  const { state, severity, rule } = query as Partial<Pick<Alert, 'state' | 'severity' | 'rule'>>
  const { items, next_cursor } = await client.motif.list_alerts(
    {
      limit: page_items,
      ...(state && { state }),
      ...(severity && { severity }),
      ...(rule && { rule }),
      ...(cursor && { cursor }),
    },
    { signal },
  )
  return { rows: items, next: next_cursor ?? undefined }
}

const list: ListDescription<Alert> = {
  name: text.alerts,
  columns: [
    {
      key: 'state',
      head: text.state,
      cell: (alert) => <StateBadge state={stateOf(alert)} />,
      text: ({ state }) => state,
    },
    {
      key: 'severity',
      head: text.severity,
      cell: ({ severity }) => <StateBadge state={severity} />,
      text: ({ severity }) => severity,
    },
    { key: 'rule', head: text.rule, cell: ({ rule }) => rule, text: ({ rule }) => rule },
    { key: 'condition', head: text.fires_at, cell: conditionText, text: conditionText },
    {
      key: 'value',
      head: text.value,
      is_number: true,
      cell: ({ watches, value }) => valueText(watches, value),
      text: ({ value }) => value ?? '',
    },
    {
      key: 'fired',
      head: text.fired,
      cell: ({ fired_at }) => <When at={fired_at} />,
      text: ({ fired_at }) => fired_at,
    },
    {
      key: 'resolved',
      head: text.resolved,
      cell: ({ resolved_at }) => <When at={resolved_at} never={words.none} />,
      text: ({ resolved_at }) => resolved_at ?? '',
    },
    {
      key: 'acknowledged',
      head: text.acknowledged,
      cell: ({ acknowledged_at }) => <When at={acknowledged_at} never={words.none} />,
      text: ({ acknowledged_at }) => acknowledged_at ?? '',
    },
  ],
  filters: [
    { field: 'state', label: text.state, kind: 'choice', choices: Object.entries(text.states) },
    { field: 'severity', label: text.severity, kind: 'choice', choices: Object.entries(text.severities) },
    { field: 'rule', label: text.rule, kind: 'text' },
  ],
  views: [{ name: text.firing_now, query: { state: 'FIRING' } }],
  keyOf: ({ alert_id }) => alert_id,
  read: readAlerts,
  panel: (_, alert) => ({
    title: text.alert,
    body: alert && <AlertView key={alert.alert_id} alert={alert} />,
  }),
  empty: (
    <>
      {text.no_alerts} <a href={hashOf('alerts', ['rules'])}>{text.see_rules}</a>
    </>
  ),
  refresh_ms: 15_000,
}

export function AlertList() {
  return <ListPage list={list} />
}
