// MOTIF set_alert_rule, list_alert_rules, remove_alert_rule and silence_alert_rule.

import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import { requireAtHome } from '@svc/contract/own-list'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, described, ListOf, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { maySeeSpend, requireSpendRight } from '../spend-right.ts'
import { firingAlert, updateAlert } from './alert-store.ts'
import { default_rules } from './default-rules.ts'
import {
  AboveField,
  RuleName,
  rule_fields,
  rule_input_fields,
  rule_state_fields,
  ruleOf,
  Severity,
  WatchField,
  WindowField,
} from './rule-fields.ts'
import {
  type AlertRule,
  type ListedRule,
  listRules,
  lockAndCountRules,
  lockRule,
  putRule,
  removeRule,
  silenceRule,
} from './rule-store.ts'

const rules_max = 50
const silence_ms_max = 30 * 86_400_000

export const SetAlertRuleInput = Closed(rule_input_fields)
export const SetAlertRuleOutput = Closed(rule_fields)

export const ListAlertRulesInput = Closed({})
export const ListAlertRulesOutput = Closed({
  items: described(
    ListOf(Closed({ ...rule_fields, ...rule_state_fields }), 0, rules_max),
    'All rules, by name.',
  ),
  suggestions: described(
    ListOf(
      Closed({
        name: RuleName,
        watches: WatchField,
        above: Type.Optional(AboveField),
        window_minutes: Type.Optional(WindowField),
        severity: Severity,
      }),
    ),
    'Rules that are offered and not set: inputs of set_alert_rule.',
  ),
})

const Reason = Type.Optional(Text(500, { description: 'Why, for the audit log.' }))
export const RemoveAlertRuleInput = Closed({ name: RuleName, reason: Reason })
export const RemoveAlertRuleOutput = Closed({
  name: RuleName,
  removed_at: described(Timestamp, 'From when on it is not read any more.'),
})

export const SilenceAlertRuleInput = Closed({
  name: RuleName,
  until: Type.Optional(
    described(Timestamp, 'Nobody is told before this time, at most 30 days ahead. Absent: ends the silence.'),
  ),
  reason: Reason,
})
export const SilenceAlertRuleOutput = Closed({
  name: RuleName,
  silenced_until: Type.Optional(described(Timestamp, 'End of the silence; absent where it has ended.')),
})

export async function setAlertRule(
  input: Static<typeof SetAlertRuleInput>,
  context: OperationContext<'authority' | 'mailing' | 'membership' | 'served'>,
) {
  requireAtHome(context, 'alert rules')
  if (input.watches === 'spend') await requireSpendRight(context)
  const rule = await ruleOf(input, context)
  const { db, tenant_id, caller } = context
  const count = await lockAndCountRules(db, tenant_id)
  const is_new = !(await lockRule(db, tenant_id, rule.name))
  if (is_new && count >= rules_max)
    throw refuse(
      'policy_denied',
      `Your organization has ${rules_max} alert rules; remove one that is not used any more.`,
      { reason: 'too many alert rules' },
    )
  await putRule(db, tenant_id, rule, caller.did, new Date(context.now))
  const { name, condition, severity } = rule
  context.audit('AlertRuleSet', { name, ...condition, severity, is_new })
  return fieldsOf(rule)
}

export async function listAlertRules(
  _: Static<typeof ListAlertRulesInput>,
  context: OperationContext<'authority'>,
) {
  requireAtHome(context, 'alert rules')
  const with_spend = await maySeeSpend(context)
  const rules = await listRules(context.db, context.tenant_id)
  const missing = default_rules.filter(({ name }) => rules.every((rule) => rule.name !== name))
  return {
    items: rules.map((rule) => ({
      ...fieldsOf(rule),
      ...stateOf(rule, new Date(context.now), with_spend || rule.condition.watches !== 'spend'),
    })),
    suggestions: missing.map((rule) => ({ ...rule })),
  }
}

export async function removeAlertRule(
  { name, reason }: Static<typeof RemoveAlertRuleInput>,
  context: OperationContext,
) {
  requireAtHome(context, 'alert rules')
  const { db, tenant_id } = context
  if (!(await lockRule(db, tenant_id, name))) throw notFound('alert rule', name)
  const alert = await firingAlert(db, tenant_id, name)
  if (alert) {
    await updateAlert(db, tenant_id, { ...alert, resolved_at: new Date(context.now) })
    const { alert_id, severity, value } = alert
    context.audit('AlertResolved', { alert_id, rule: name, severity, value, because: 'rule removed' })
  }
  await removeRule(db, tenant_id, name)
  context.audit('AlertRuleRemoved', { name }, { supplied: { reason } })
  return { name, removed_at: context.now }
}

export async function silenceAlertRule(
  { name, until, reason }: Static<typeof SilenceAlertRuleInput>,
  context: OperationContext,
) {
  requireAtHome(context, 'alert rules')
  if (until !== undefined) requireSoon(until, context.now)
  const { db, tenant_id } = context
  if (!(await lockRule(db, tenant_id, name))) throw notFound('alert rule', name)
  await silenceRule(db, tenant_id, name, until === undefined ? null : new Date(until))
  context.audit('AlertSilenced', { rule: name, until }, { supplied: { reason } })
  return { name, ...(until !== undefined && { silenced_until: new Date(until).toISOString() }) }
}

function requireSoon(until: string, now: string): void {
  const ahead_ms = Date.parse(until) - Date.parse(now)
  if (isMoment(until) && ahead_ms > 0 && ahead_ms <= silence_ms_max) return
  const message = 'must be a moment within the next 30 days'
  throw refuse('invalid_payload', `A rule cannot be silenced until ${until}: /until ${message}.`, {
    reason: 'invalid silence',
    faults: [{ pointer: '/until', message }],
  })
}

function fieldsOf({ name, condition, severity, resolve_after_minutes, mail_to, mailboxes }: AlertRule) {
  const { watches, above, window_minutes, ...narrowed } = condition
  return {
    ...{ name, watches, above, window_minutes, ...narrowed, severity, resolve_after_minutes },
    mail_to: [...mail_to],
    mailboxes: [...mailboxes],
  } as Static<typeof SetAlertRuleOutput>
}

function stateOf(
  { set_by, set_at, silenced_until, last_value, last_read_at, last_failure }: ListedRule,
  now: Date,
  with_value: boolean,
) {
  return {
    set_by,
    set_at: set_at.toISOString(),
    ...(silenced_until && silenced_until > now && { silenced_until: silenced_until.toISOString() }),
    ...(last_value !== null && with_value && { last_value }),
    ...(last_read_at && { last_read_at: last_read_at.toISOString() }),
    ...(last_failure !== null && { last_failure }),
  }
}
