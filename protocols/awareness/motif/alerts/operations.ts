// The operations of MOTIF by which an organization has itself told of what goes wrong.
import { operation } from '@svc/contract/protocol'
import { type SceneStep, stand_ins } from '@svc/contract/scene'
import {
  AcknowledgeAlertInput,
  AcknowledgeAlertOutput,
  acknowledgeAlert,
  ListAlertsInput,
  ListAlertsOutput,
  listOwnAlerts,
} from './alerts.ts'
import {
  ListAlertRulesInput,
  ListAlertRulesOutput,
  listAlertRules,
  RemoveAlertRuleInput,
  RemoveAlertRuleOutput,
  removeAlertRule,
  SetAlertRuleInput,
  SetAlertRuleOutput,
  SilenceAlertRuleInput,
  SilenceAlertRuleOutput,
  setAlertRule,
  silenceAlertRule,
} from './rules.ts'

const example_rule = {
  name: 'refusals-high',
  watches: 'refusals',
  above: 1_000,
  window_minutes: 15,
} as const
const rule_set: readonly SceneStep[] = [{ call: 'MOTIF.set_alert_rule', input: example_rule }]
const alert_id = '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a12'
const fired: readonly SceneStep[] = [
  { call: 'MOTIF.list_alerts', input: {} },
  { call: 'MOTIF.set_alert_rule', input: { name: 'any-latency', watches: 'latency', above: 0 } },
  {
    call: 'MOTIF.list_alerts',
    input: { rule: 'any-latency' },
    until: { items: [{ state: 'FIRING' }] },
    answer: { items: [{ alert_id }] },
  },
]

export const alert_operations = {
  set_alert_rule: operation({
    summary: 'Have people, mailboxes and webhooks told when a value of your organization is too high.',
    effect: 'write',
    level: 'L1',
    meters: ['seconds'],
    essential: true,
    needs: ['authority', 'mailing', 'membership', 'served'],
    input: SetAlertRuleInput,
    output: SetAlertRuleOutput,
    example: example_rule,
    handle: setAlertRule,
  }),

  list_alert_rules: operation({
    summary: "List your organization's alert rules with their newest values, and rules that are offered.",
    effect: 'read',
    level: 'L0',
    meters: ['seconds'],
    essential: true,
    needs: ['authority'],
    input: ListAlertRulesInput,
    output: ListAlertRulesOutput,
    scene: rule_set,
    example: {},
    handle: listAlertRules,
  }),

  remove_alert_rule: operation({
    summary: 'Remove an alert rule; its alert resolves.',
    effect: 'write',
    level: 'L0',
    meters: ['seconds'],
    essential: true,
    input: RemoveAlertRuleInput,
    output: RemoveAlertRuleOutput,
    scene: rule_set,
    example: { name: example_rule.name, reason: 'the service is gone' },
    handle: removeAlertRule,
  }),

  silence_alert_rule: operation({
    summary: 'Have nobody told of a rule until a time; its alerts are still recorded.',
    effect: 'write',
    level: 'L0',
    meters: ['seconds'],
    essential: true,
    input: SilenceAlertRuleInput,
    output: SilenceAlertRuleOutput,
    scene: rule_set,
    example: { name: example_rule.name, until: stand_ins.in_an_hour, reason: 'load test' },
    handle: silenceAlertRule,
  }),

  list_alerts: operation({
    summary: 'List alerts that fire now or did, newest first.',
    effect: 'read',
    level: 'L0',
    meters: ['seconds'],
    essential: true,
    needs: ['authority'],
    input: ListAlertsInput,
    output: ListAlertsOutput,
    scene: fired,
    example: { state: 'FIRING' },
    handle: listOwnAlerts,
  }),

  acknowledge_alert: operation({
    summary: 'Take on an alert, so that others see who deals with it.',
    effect: 'write',
    level: 'L0',
    meters: ['seconds'],
    essential: true,
    needs: ['authority'],
    input: AcknowledgeAlertInput,
    output: AcknowledgeAlertOutput,
    scene: fired,
    example: { alert_id, note: 'looking into it' },
    handle: acknowledgeAlert,
  }),
}
