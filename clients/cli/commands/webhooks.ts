// svc webhooks: set, list and remove the addresses that receive events of your audit log.

import type { Command, Flags, Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { openClient } from '../open-client.ts'
import { harmless } from '../output/harmless-text.ts'
import { formatOf, printValue } from '../output/output.ts'
import { relativeTime } from '../output/relative-time.ts'
import { textFlag } from '../settings.ts'
import { listFlag, runSubcommand, type Subcommand } from '../subcommands.ts'
import { wallClockMs } from '../wall-clock.ts'

const subcommands: Readonly<Record<string, Subcommand>> = {
  set: { flags: ['event', 'new-secret'], args_max: 2, run: setWebhook },
  list: { flags: [], args_max: 0, run: listWebhooks },
  remove: { flags: ['reason'], args_max: 1, run: removeWebhook },
}

export const webhooks: Command = {
  summary: 'Set, list and remove webhooks: addresses that receive events of your audit log.',
  usage: 'webhooks set <name> <address> --event <type> | list | remove <name> [flags]',
  help: `
svc webhooks set <name> <address>   have events posted to an address, or change where and which
  --event <type>                    an event type, such as ApprovalRequested; may be repeated
  --new-secret                      replace the signing secret of one that exists

svc webhooks list                   all of them, and how their deliveries go
svc webhooks remove <name>          stop one for good
  --reason <text>                   for the audit log

The signing secret of a new webhook is printed once. Setting one again lets it go on where it stopped.

Examples
  svc webhooks set approvals https://hooks.example.com/svc --event ApprovalRequested
  svc webhooks list
  svc webhooks remove approvals
`,
  flags: {
    event: { type: 'string', multiple: true },
    'new-secret': { type: 'boolean' },
    reason: { type: 'string' },
  },
  run: (args, flags, terminal) =>
    runSubcommand('webhooks', subcommands, args, { flags, declared: webhooks.flags, terminal }),
}

async function setWebhook(
  [name, address]: readonly string[],
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  const format = formatOf(flags, 'human')
  if (name === undefined || address === undefined)
    throw new UsageError('svc webhooks set needs a name and an address.')
  const event_types = listFlag(flags, 'event')
  if (event_types.length === 0)
    throw new UsageError('svc webhooks set needs --event: which events to send, such as ApprovalRequested.')
  const new_secret = flags['new-secret'] === true
  const input = { name, address, event_types, ...(new_secret && { new_secret }) }
  const webhook = await openClient(flags, terminal).max.set_webhook(input, { signal: terminal.signal })
  if (format !== 'human') await printValue(webhook, format, terminal)
  else if (webhook.secret === undefined) terminal.out(`${harmless(webhook.name)} is set.\n`)
  else {
    terminal.out(`${harmless(webhook.secret)}\n`)
    terminal.err('This secret verifies what is posted. Keep it now: it is not shown again.\n')
  }
  return 0
}

async function listWebhooks(_: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const format = formatOf(flags, 'human')
  const page = await openClient(flags, terminal).max.list_webhooks({}, { signal: terminal.signal })
  await printValue(format === 'human' ? page.items.map(rowOf) : page, format, terminal)
  return 0
}

type Listed = Awaited<ReturnType<ReturnType<typeof openClient>['max']['list_webhooks']>>['items'][number]

/** A line for people; --json has all. */
function rowOf({ name, state, address, last_delivered_at, last_failure, seconds_behind }: Listed) {
  return {
    name,
    state,
    delivered: last_delivered_at === undefined ? 'never' : relativeTime(last_delivered_at, wallClockMs()),
    behind: `${seconds_behind} s`,
    address,
    failure: last_failure,
  }
}

async function removeWebhook([name]: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const format = formatOf(flags, 'human')
  if (name === undefined)
    throw new UsageError('svc webhooks remove needs the name of a webhook.', 'svc webhooks list shows them.')
  const reason = textFlag(flags, 'reason')
  const input = { name, ...(reason !== undefined && { reason }) }
  const removed = await openClient(flags, terminal).max.remove_webhook(input, { signal: terminal.signal })
  if (format === 'human') terminal.out(`${harmless(removed.name)} is removed.\n`)
  else await printValue(removed, format, terminal)
  return 0
}
