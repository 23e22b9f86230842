// The fields of an alert rule, and which of them fit together.
import { isMember } from '@svc/contract/identity/member'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, type RefusalCode, refusals, refuse } from '@svc/contract/refusal'
import { Did, described, ListOf, OneOf, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { servedPlace } from '../../metrics/api.ts'
import { spend_capability } from '../spend-right.ts'
import { type AlertRule, severities } from './rule-store.ts'
import { type Condition, type Percentile, percentiles, watch_names, watches, watchOf } from './watch.ts'

const recipients_max = 10
const resolve_after_default_minutes = 5
const window_max_minutes = Math.max(...watch_names.map((name) => watches[name].window_max_minutes))

export const RuleName = Type.String({
  pattern: '^[a-z0-9][a-z0-9_-]{0,63}$',
  description: 'Names the rule within your organization.',
})
export const Severity = described(OneOf(...severities), 'How urgent it is; it changes nothing else.')
export const WatchField = described(
  OneOf(...watch_names),
  `What is watched. ${watch_names.map((name) => `${name}: ${watches[name].meaning}`).join('; ')}.`,
)

export const narrowing_fields = {
  protocol: Type.Optional(Text(64, { description: 'Only calls of this protocol, in any letter case.' })),
  operation: Type.Optional(Text(128, { description: 'Only calls of this operation; needs protocol.' })),
  code: Type.Optional(
    described(OneOf(...(Object.keys(refusals) as RefusalCode[])), 'Only refusals with this code.'),
  ),
  percentile: Type.Optional(
    described(OneOf(...(Object.keys(percentiles) as Percentile[])), 'Of latency. Default p95.'),
  ),
  target: Type.Optional(
    Type.Number({
      minimum: 0.5,
      maximum: 0.99999,
      description: 'Of an objective: the share of calls that must be good, such as 0.999.',
    }),
  ),
  threshold_ms: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 100_000,
      description:
        'Of an objective: only calls that were answered within it are good. Absent: all that were answered, or refused by a rule.',
    }),
  ),
}

export const AboveField = Type.Number({
  minimum: 0,
  maximum: 1e12,
  description:
    'It fires while the value is above this, in calls, ms, USD, keys, treaties, broken records, or how many times too fast an error budget burns.',
})
export const WindowField = Type.Integer({
  minimum: 1,
  maximum: window_max_minutes,
  description:
    'How far back it looks, in minutes; for keys and treaties how far ahead. An objective must burn too fast over it, and over its last twelfth.',
})
const ResolveField = Type.Integer({
  minimum: 0,
  maximum: 1_440,
  description: 'How long the value must stay at or below the threshold until the alert resolves, in minutes.',
})
const MailField = described(
  ListOf(Text(128), 0, recipients_max),
  'Logins of people who are told by e-mail; each must be an e-mail address.',
)
const MailboxField = described(
  ListOf(Did, 0, recipients_max),
  'Identities of your organization whose MIM mailbox gets a message.',
)

export const rule_input_fields = {
  name: RuleName,
  watches: WatchField,
  above: Type.Optional(AboveField),
  window_minutes: Type.Optional(WindowField),
  ...narrowing_fields,
  severity: Type.Optional(Severity),
  resolve_after_minutes: Type.Optional({ ...ResolveField, default: resolve_after_default_minutes }),
  mail_to: Type.Optional(MailField),
  mailboxes: Type.Optional(MailboxField),
}
const RuleInput = Type.Object(rule_input_fields)
type RuleInput = Static<typeof RuleInput>

/** As they are stored and listed, with what was left out filled in. */
export const rule_fields = {
  name: RuleName,
  watches: WatchField,
  above: AboveField,
  window_minutes: WindowField,
  ...narrowing_fields,
  severity: Severity,
  resolve_after_minutes: ResolveField,
  mail_to: MailField,
  mailboxes: MailboxField,
}

export const rule_state_fields = {
  set_by: described(Did, 'Whoever set it last.'),
  set_at: described(Timestamp, 'When it was set last.'),
  silenced_until: Type.Optional(
    described(Timestamp, 'Nobody is told until then; absent where not silenced.'),
  ),
  last_value: Type.Optional(
    Type.Number({
      description: `The newest value; absent before the first reading, and of spend without ${spend_capability}.`,
    }),
  ),
  last_read_at: Type.Optional(described(Timestamp, 'When the newest value was read.')),
  last_failure: Type.Optional(
    Type.String({ description: 'Why the newest reading failed; absent where it succeeded.' }),
  ),
}

type RuleContext = OperationContext<'authority' | 'mailing' | 'membership' | 'served'>

/** Refuses a rule that could never fire, or that would tell nobody it names. */
export async function ruleOf(input: RuleInput, context: RuleContext): Promise<AlertRule> {
  const condition = conditionOf(input, context)
  const { mail_to = [], mailboxes = [] } = input
  for (const [place, login] of mail_to.entries()) {
    const why_not = await context.mailing.whyNotTo(login)
    if (why_not !== undefined) throw misfit(`mail_to/${place}`, why_not)
  }
  for (const [place, did] of mailboxes.entries())
    if (!(await isMember(did, context)))
      throw misfit(`mailboxes/${place}`, 'names no identity of your organization')
  return {
    name: input.name,
    condition,
    severity: input.severity ?? 'warning',
    resolve_after_minutes: input.resolve_after_minutes ?? resolve_after_default_minutes,
    mail_to: [...new Set(mail_to)],
    mailboxes: [...new Set(mailboxes)],
  }
}

function conditionOf(input: RuleInput, context: RuleContext): Condition {
  const watch = watchOf(input.watches)
  for (const field of Object.keys(narrowing_fields) as (keyof typeof narrowing_fields)[])
    if (input[field] !== undefined && !watch.narrowed_by.includes(field))
      throw misfit(field, `does not fit a rule on ${input.watches}; leave it out`)
  const above = input.above ?? watch.above_default
  if (above === undefined) throw misfit('above', `is needed: how many ${watch.unit} are too many?`)
  const window_minutes = input.window_minutes ?? watch.window_default_minutes
  if (window_minutes > watch.window_max_minutes)
    throw misfit('window_minutes', `must be at most ${watch.window_max_minutes} for ${input.watches}`)
  if (watch.in_hours && window_minutes % 60 !== 0)
    throw misfit('window_minutes', 'must be whole hours, because spend is metered by the hour')
  if (input.watches === 'slo' && input.target === undefined)
    throw misfit('target', 'is needed: which share of calls must be good?')
  const { target, threshold_ms } = input
  const objective = { ...(target !== undefined && { target }), ...(threshold_ms !== undefined && { threshold_ms }) } // biome-ignore format: one thought
  const percentile = input.watches === 'latency' ? { percentile: input.percentile ?? ('p95' as const) } : {}
  const code = input.code === undefined ? {} : { code: input.code }
  return {
    watches: input.watches,
    above,
    window_minutes,
    ...placeOf(input, context),
    ...code,
    ...percentile,
    ...objective,
  }
}

/** A rule on a misspelt name would never fire. */
function placeOf(input: RuleInput, { served }: RuleContext) {
  const { fault, ...place } = servedPlace(input, served.all())
  if (fault) throw misfit(fault.field, fault.message)
  return place
}

function misfit(field: string, message: string): Refusal {
  const end = message.endsWith('?') ? '' : '.'
  return refuse('invalid_payload', `The alert rule is invalid: /${field} ${message}${end}`, {
    reason: 'invalid alert rule',
    faults: [{ pointer: `/${field}`, message }],
  })
}
