// MOTIF list_alerts and acknowledge_alert.
import { next_cursor, page_fields, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { OperationContext } from '@svc/contract/operation-context'
import { requireAtHome } from '@svc/contract/own-list'
import { notFound } from '@svc/contract/refusal'
import { Closed, Did, described, ListOf, OneOf, Text, Timestamp, Uuid } from '@svc/contract/schema'
import { uuid_pattern } from '@svc/contract/text-form'
import { type Static, Type } from 'typebox'
import { maySeeSpend, spend_capability } from '../spend-right.ts'
import { type Alert, acknowledge, listAlerts, lockAlert } from './alert-store.ts'
import { AboveField, narrowing_fields, RuleName, Severity, WatchField, WindowField } from './rule-fields.ts'

const State = described(OneOf('FIRING', 'RESOLVED'), 'FIRING: the value is above, or was until just now.')
const Note = Text(500, { description: 'What whoever acknowledged it wrote.' })

const AlertItem = Closed({
  alert_id: described(Uuid, 'Names the alert.'),
  rule: RuleName,
  state: State,
  severity: Severity,
  watches: WatchField,
  above: AboveField,
  window_minutes: WindowField,
  ...narrowing_fields,
  value: Type.Optional(
    Type.Number({
      description: `The newest value while it fired; absent of spend without ${spend_capability}.`,
    }),
  ),
  fired_at: described(Timestamp, 'When the value was first above.'),
  resolved_at: Type.Optional(described(Timestamp, 'When it resolved; absent while it fires.')),
  told_at: Type.Optional(described(Timestamp, 'When people were told; absent while silenced.')),
  acknowledged_at: Type.Optional(described(Timestamp, 'When somebody took it on.')),
  acknowledged_by: Type.Optional(described(Did, 'Who took it on.')),
  note: Type.Optional(Note),
})
type AlertItem = Static<typeof AlertItem>

export const ListAlertsInput = Closed({
  state: Type.Optional(described(State, 'Only those in this state.')),
  rule: Type.Optional(described(RuleName, 'Only those of this rule.')),
  severity: Type.Optional(described(Severity, 'Only those of this severity.')),
  ...page_fields,
})
export const ListAlertsOutput = Closed({
  items: described(ListOf(AlertItem, 0, page_max), 'Alerts of your organization, newest first.'),
  next_cursor,
})

export const AcknowledgeAlertInput = Closed({
  alert_id: described(Uuid, 'As list_alerts shows it.'),
  note: Type.Optional(described(Note, 'For your colleagues and the audit log.')),
})
export const AcknowledgeAlertOutput = AlertItem

export async function listOwnAlerts(
  input: Static<typeof ListAlertsInput>,
  context: OperationContext<'authority'>,
) {
  const with_spend = await maySeeSpend(context)
  const { db, tenant_id } = context
  const { state, rule, severity } = input
  const filters = { rule, severity, is_firing: state && state === 'FIRING' }
  return listing(input, context, {
    own: 'alerts',
    id_form: new RegExp(uuid_pattern),
    read: (bounds) => listAlerts(db, tenant_id, { ...bounds, ...filters }),
    placeOf: ({ alert_id, fired_at }) => ({ at: fired_at.toISOString(), id: alert_id }),
    view: (alerts) => alerts.map((alert) => viewOf(alert, with_spend)),
  })
}

/** Again it changes nothing: the first who took it on is named. */
export async function acknowledgeAlert(
  { alert_id, note }: Static<typeof AcknowledgeAlertInput>,
  context: OperationContext<'authority'>,
) {
  requireAtHome(context, 'alerts')
  const with_spend = await maySeeSpend(context)
  const { db, tenant_id, caller } = context
  const alert = await lockAlert(db, tenant_id, alert_id)
  if (!alert) throw notFound('alert', alert_id)
  if (alert.acknowledged_at) return viewOf(alert, with_spend)
  const acknowledged_at = new Date(context.now)
  const words = { by: caller.did, at: acknowledged_at, note: note ?? null }
  await acknowledge(db, tenant_id, alert_id, words)
  const { rule, severity } = alert
  context.audit('AlertAcknowledged', { alert_id, rule, severity }, { supplied: { note } })
  return viewOf({ ...alert, acknowledged_at, acknowledged_by: caller.did, note: words.note }, with_spend)
}

function viewOf(alert: Alert, with_spend: boolean): AlertItem {
  const { alert_id, rule, condition, severity, value, fired_at, resolved_at, told_at } = alert
  const { acknowledged_at, acknowledged_by, note } = alert
  return {
    alert_id,
    rule,
    state: resolved_at ? 'RESOLVED' : 'FIRING',
    severity,
    ...(condition as Pick<AlertItem, 'watches' | 'above' | 'window_minutes'>),
    ...((with_spend || condition.watches !== 'spend') && { value }),
    fired_at: fired_at.toISOString(),
    ...(resolved_at && { resolved_at: resolved_at.toISOString() }),
    ...(told_at && { told_at: told_at.toISOString() }),
    ...(acknowledged_at && {
      acknowledged_at: acknowledged_at.toISOString(),
      acknowledged_by: acknowledged_by!,
    }),
    ...(note !== null && { note }),
  }
}
