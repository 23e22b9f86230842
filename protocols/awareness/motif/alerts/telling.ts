// What people and mailboxes are told of a rule: figures and names, never content of calls.
import type { Database } from '@svc/contract/database'
import type { NewMail } from '@svc/contract/needs/mailing'
import type { Vault } from '@svc/contract/needs/vault'
import { leaveNotice } from '../../mim/api.ts'
import type { TakenRule } from './rule-store.ts'
import { conditionText, valueText, watches } from './watch.ts'

export interface AlertChange {
  readonly alert_id: string
  readonly state: 'FIRING' | 'RESOLVED'
  readonly value: number
  readonly at: Date
}

export interface Message {
  readonly subject: string
  readonly text: string
  /** The same message is left once in a mailbox. */
  readonly dedupe_id: string
  readonly body: Readonly<Record<string, unknown>>
  readonly at: Date
}

export interface Unreached {
  readonly to: string
  readonly reason: string
}

export interface TellParts {
  vaultOf(tenant_id: string): Vault
  /** With the rows of this transaction. Returns why it cannot be sent. */
  queueMail(db: Database, tenant_id: string, mail: NewMail, at: Date): Promise<string | undefined>
  newId(): string
}

/** In a transaction of the organization, so that nobody is told of an alert that is not stored. Returns whom no mail reaches. */
export async function tellOf(
  db: Database,
  rule: TakenRule,
  { subject, text, dedupe_id, body, at }: Message,
  { vaultOf, queueMail, newId }: TellParts,
): Promise<readonly Unreached[]> {
  const { tenant_id, mail_to, mailboxes, set_by: from } = rule
  const unreached: Unreached[] = []
  for (const to of mail_to) {
    const reason = await queueMail(db, tenant_id, { mail_id: newId(), to, subject, text }, at)
    if (reason !== undefined) unreached.push({ to, reason })
  }
  const notice = { tenant_id, from, dedupe_id, body, at }
  // Always in the same order, so that two alerts cannot wait for each other.
  for (const to of mailboxes.toSorted())
    if (!(await leaveNotice(db, vaultOf(tenant_id), { ...notice, to, message_id: newId() })))
      unreached.push({ to, reason: 'The mailbox is full.' })
  return unreached
}

/** Silence about a rule that cannot be read would look as if all were well. */
export function unreadMessage(rule: TakenRule, failure: string, at: Date): Message {
  const { tenant_id, name, severity, condition, unread_since } = rule
  const since = unread_since.toISOString()
  const lines = [
    `The alert rule ${name} of ${tenant_id} could not be read since ${since}, so it cannot fire.`,
    '',
    `Severity: ${severity}`,
    `Why: ${failure}`,
    `Rule: ${conditionText(condition)}`,
    '',
    'It is tried again each minute. See it with: svc alerts rules',
  ]
  return {
    subject: `[${severity}] ${name} cannot be read in ${tenant_id}`,
    text: `${lines.join('\n')}\n`,
    dedupe_id: `alert rule ${name} unread since ${since}`,
    body: { rule: name, state: 'UNREAD', severity, unread_since: since, reason: failure, ...condition },
    at,
  }
}

export function alertMessage(rule: TakenRule, { alert_id, state, value, at }: AlertChange): Message {
  const { tenant_id, name, severity, condition } = rule
  const what = watches[condition.watches].meaning
  const [verb, next] =
    state === 'FIRING'
      ? ['is firing', `Acknowledge it with: svc alerts acknowledge ${alert_id}`]
      : ['is resolved', 'Nothing needs to be done.']
  const lines = [
    `The alert rule ${name} of ${tenant_id} ${verb}.`,
    '',
    `Severity: ${severity}`,
    `Now: ${valueText(condition.watches, value)} (${what})`,
    `Rule: ${conditionText(condition)}`,
    `Time: ${at.toISOString()}`,
    `Alert: ${alert_id}`,
    '',
    next,
    `Silence the rule with: svc alerts silence ${name} --for 2h`,
  ]
  return {
    subject: `[${severity}] ${name} ${verb} in ${tenant_id}`,
    text: `${lines.join('\n')}\n`,
    dedupe_id: `alert ${alert_id} ${state}`,
    body: { alert_id, rule: name, state, severity, value, ...condition },
    at,
  }
}
