// svc alerts: rules on values of your organization, the alerts they fire, and what is done about them.

import type { Command, Flags, Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { openClient } from '../open-client.ts'
import { harmless } from '../output/harmless-text.ts'
import { formatOf, printValue } from '../output/output.ts'
import { relativeTime } from '../output/relative-time.ts'
import { textFlag } from '../settings.ts'
import { listFlag, runSubcommand, type Subcommand } from '../subcommands.ts'
import { wallClockMs } from '../wall-clock.ts'

const rule_flags = [
  'above',
  'window',
  'protocol',
  'operation',
  'code',
  'percentile',
  'target',
  'threshold',
  'severity',
  'resolve-after',
]
const subcommands: Readonly<Record<string, Subcommand>> = {
  list: { flags: ['state', 'rule'], args_max: 0, run: listAlerts },
  acknowledge: { flags: ['note'], args_max: 1, run: acknowledge },
  rules: { flags: [], args_max: 0, run: listRules },
  set: { flags: [...rule_flags, 'mail', 'mailbox'], args_max: 2, run: setRule },
  'set-defaults': { flags: ['mail', 'mailbox'], args_max: 0, run: setDefaults },
  silence: { flags: ['for', 'reason'], args_max: 1, run: silence },
  remove: { flags: ['reason'], args_max: 1, run: remove },
}

export const alerts: Command = {
  summary: 'Set alert rules, and list, acknowledge and silence alerts.',
  usage: 'alerts list | acknowledge | rules | set | set-defaults | silence | remove [flags]',
  help: `
svc alerts list                    alerts that fire or did, newest first
  --state FIRING|RESOLVED          only these
  --rule <name>                    only those of one rule
svc alerts acknowledge <alert_id>  take one on
  --note <text>                    for your colleagues and the audit log

svc alerts rules                   all rules with their newest values, and those that are offered
svc alerts set <name> <watches>    set or change a rule on refusals, latency, slo, spend,
                                   breakers, log, keys or treaties
  --above <n>                      it fires above this many calls, ms, USD, keys, treaties or
                                   broken records; of slo this many times too fast (14.4)
  --window <span>                  how far back it looks, such as 15m, 6h or 14d; for keys and
                                   treaties how far ahead
  --protocol <id>                  only calls of a protocol
  --operation <name>               only calls of an operation of it
  --code <code>                    only refusals with this code
  --percentile p50|p95|p99         of latency (p95)
  --target <share>                 of slo: how many calls must be good, such as 0.999
  --threshold <ms>                 of slo: only those answered within it are good
  --severity info|warning|critical (warning)
  --resolve-after <span>           how long it must be quiet until it resolves (5m)
  --mail <login>                   a person to tell by e-mail; may be repeated
  --mailbox <did>                  an identity whose MIM mailbox gets a message; may be repeated
svc alerts set-defaults            set the rules that are offered
  --mail, --mailbox                whom they tell
svc alerts silence <name>          have nobody told of a rule for a while
  --for <span>                     such as 2h; without it the silence ends
  --reason <text>                  for the audit log
svc alerts remove <name>           remove a rule
  --reason <text>                  for the audit log

Examples
  svc alerts set refused refusals --above 100 --window 15m --severity critical
  svc alerts list --state FIRING
  svc alerts silence refused --for 2h --reason 'load test'
`,
  flags: {
    state: { type: 'string' },
    rule: { type: 'string' },
    note: { type: 'string' },
    above: { type: 'string' },
    window: { type: 'string' },
    protocol: { type: 'string' },
    operation: { type: 'string' },
    code: { type: 'string' },
    percentile: { type: 'string' },
    target: { type: 'string' },
    threshold: { type: 'string' },
    severity: { type: 'string' },
    'resolve-after': { type: 'string' },
    mail: { type: 'string', multiple: true },
    mailbox: { type: 'string', multiple: true },
    for: { type: 'string' },
    reason: { type: 'string' },
  },
  run: (args, flags, terminal) =>
    runSubcommand('alerts', subcommands, args, { flags, declared: alerts.flags, terminal }),
}

type Motif = ReturnType<typeof openClient>['motif']
type RuleInput = Parameters<Motif['set_alert_rule']>[0]

const minutes_of = { m: 1, h: 60, d: 1440 } as const

/** `15m`, `6h` or `14d`, in minutes. */
function spanFlag(flags: Flags, name: string): number | undefined {
  const text = textFlag(flags, name)
  if (text === undefined) return undefined
  const [, count, unit] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? []
  if (count === undefined) throw new UsageError(`--${name} is a span such as 15m, 6h or 14d, not ${text}.`)
  return Number(count) * minutes_of[unit as keyof typeof minutes_of]
}

function numberFlag(flags: Flags, name: string): number | undefined {
  const text = textFlag(flags, name)
  if (text === undefined) return undefined
  if (/^\d{1,12}(\.\d{1,6})?$/.test(text)) return Number(text)
  throw new UsageError(`--${name} is a number such as 100 or 0.5, not ${text}.`)
}

/** The answer as it is, or what `human` makes of it. */
async function print<Answer>(
  answer: Answer,
  flags: Flags,
  terminal: Terminal,
  human: (answer: Answer) => unknown,
): Promise<number> {
  const format = formatOf(flags, 'human')
  const shown = format === 'human' ? human(answer) : answer
  if (typeof shown === 'string') terminal.out(`${harmless(shown)}\n`)
  else await printValue(shown, format, terminal)
  return 0
}

async function listAlerts(_: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const [state, rule] = [textFlag(flags, 'state'), textFlag(flags, 'rule')]
  const input = { ...(state !== undefined && { state }), ...(rule !== undefined && { rule }) }
  const { motif } = openClient(flags, terminal)
  const page = await motif.list_alerts(input as Parameters<Motif['list_alerts']>[0], {
    signal: terminal.signal,
  })
  return print(page, flags, terminal, ({ items }) =>
    items.map(({ alert_id, rule: name, state: now, severity, value, fired_at, acknowledged_at }) => ({
      rule: name,
      state: now,
      severity,
      value,
      fired: relativeTime(fired_at, wallClockMs()),
      acknowledged: acknowledged_at === undefined ? 'no' : relativeTime(acknowledged_at, wallClockMs()),
      alert_id,
    })),
  )
}

async function acknowledge([alert_id]: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  if (alert_id === undefined)
    throw new UsageError('svc alerts acknowledge needs the id of an alert.', 'svc alerts list shows them.')
  const note = textFlag(flags, 'note')
  const input = { alert_id, ...(note !== undefined && { note }) }
  const alert = await openClient(flags, terminal).motif.acknowledge_alert(input, { signal: terminal.signal })
  return print(alert, flags, terminal, ({ rule }) => `The alert of ${rule} is acknowledged.`)
}

async function listRules(_: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const rules = await openClient(flags, terminal).motif.list_alert_rules({}, { signal: terminal.signal })
  if (formatOf(flags, 'human') === 'human' && rules.suggestions.length > 0)
    terminal.err(
      `Offered, not set: ${rules.suggestions.map(({ name }) => name).join(', ')}. Set them with: svc alerts set-defaults\n`,
    )
  return print(rules, flags, terminal, ({ items }) =>
    items.map(
      ({ name, watches, above, window_minutes, severity, last_value, silenced_until, last_failure }) => ({
        name,
        watches,
        above,
        value: last_value,
        window: `${window_minutes} min`,
        severity,
        silenced: silenced_until === undefined ? undefined : relativeTime(silenced_until, wallClockMs()),
        failure: last_failure,
      }),
    ),
  )
}

function recipients(flags: Flags): Pick<RuleInput, 'mail_to' | 'mailboxes'> {
  const [mail_to, mailboxes] = [listFlag(flags, 'mail'), listFlag(flags, 'mailbox')]
  return { ...(mail_to.length > 0 && { mail_to }), ...(mailboxes.length > 0 && { mailboxes }) }
}

async function setRule(
  [name, watches]: readonly string[],
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  if (name === undefined || watches === undefined)
    throw new UsageError('svc alerts set needs a name and what is watched, such as refusals.')
  const [above, target, threshold_ms] = ['above', 'target', 'threshold'].map((flag) =>
    numberFlag(flags, flag),
  )
  const words = ['protocol', 'operation', 'code', 'percentile', 'severity'] as const
  const [window_minutes, resolve_after_minutes] = [
    spanFlag(flags, 'window'),
    spanFlag(flags, 'resolve-after'),
  ]
  const input = {
    name,
    watches,
    ...(above !== undefined && { above }),
    ...(target !== undefined && { target }),
    ...(threshold_ms !== undefined && { threshold_ms }),
    ...(window_minutes !== undefined && { window_minutes }),
    ...(resolve_after_minutes !== undefined && { resolve_after_minutes }),
    ...Object.fromEntries(
      words.flatMap((word) => [[word, textFlag(flags, word)]]).filter(([, text]) => text),
    ),
    ...recipients(flags),
  } as RuleInput
  const rule = await openClient(flags, terminal).motif.set_alert_rule(input, { signal: terminal.signal })
  return print(
    rule,
    flags,
    terminal,
    () => `${rule.name} is set: it fires above ${rule.above} within ${rule.window_minutes} min.`,
  )
}

async function setDefaults(_: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const { motif } = openClient(flags, terminal)
  const { suggestions } = await motif.list_alert_rules({}, { signal: terminal.signal })
  const rules: { readonly name: string }[] = []
  for (const rule of suggestions)
    rules.push(await motif.set_alert_rule({ ...rule, ...recipients(flags) }, { signal: terminal.signal }))
  return print({ rules }, flags, terminal, () =>
    rules.length === 0 ? 'All of them are set already.' : `Set: ${rules.map(({ name }) => name).join(', ')}.`,
  )
}

async function silence([name]: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  if (name === undefined)
    throw new UsageError('svc alerts silence needs the name of a rule.', 'svc alerts rules shows them.')
  const [minutes, reason] = [spanFlag(flags, 'for'), textFlag(flags, 'reason')]
  const until = minutes === undefined ? undefined : new Date(wallClockMs() + minutes * 60_000).toISOString()
  const input = { name, ...(until !== undefined && { until }), ...(reason !== undefined && { reason }) }
  const silenced = await openClient(flags, terminal).motif.silence_alert_rule(input, {
    signal: terminal.signal,
  })
  return print(silenced, flags, terminal, ({ silenced_until }) =>
    silenced_until === undefined
      ? `${name} is not silenced.`
      : `${name} is silenced until ${silenced_until}.`,
  )
}

async function remove([name]: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  if (name === undefined)
    throw new UsageError('svc alerts remove needs the name of a rule.', 'svc alerts rules shows them.')
  const reason = textFlag(flags, 'reason')
  const input = { name, ...(reason !== undefined && { reason }) }
  const removed = await openClient(flags, terminal).motif.remove_alert_rule(input, {
    signal: terminal.signal,
  })
  return print(removed, flags, terminal, () => `${name} is removed.`)
}
