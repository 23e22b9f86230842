// svc approvals: calls that wait for your approval, and your own that wait for others.
import type { Client } from '@svc/sdk/client'
import { didYouMean } from '@svc/sdk/nearest'
import type { Command, Flags, Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { openClient } from '../open-client.ts'
import { formatOfData, printValue } from '../output/output.ts'
import { textFlag } from '../settings.ts'

const states = ['pending', 'approved', 'used', 'refused', 'expired']
const subcommands = ['list', 'show', 'approve', 'refuse']

export const approvals: Command = {
  summary: 'List, show, approve and refuse calls that wait for approval.',
  usage: 'approvals list|show|approve|refuse [<approval id>] [flags]',
  help: `
svc approvals list             calls that wait for your approval
  --requested                  your own calls that wait, or waited, for others
  --state <state>              pending (the default), approved, used, refused, expired, or all
  --cursor <cursor>            the next page
svc approvals show <id>        what was asked, by whom, what it may cost and do, and who has decided
svc approvals approve <id>     consent to exactly this call, once
svc approvals refuse <id>      refuse it
  --note <text>                why, for whoever asked

Examples
  svc approvals list
  svc approvals show 6f1c2f0e-93a4-4c1e-8f43-2f0a5f1c7a10
  svc approvals approve 6f1c2f0e-93a4-4c1e-8f43-2f0a5f1c7a10 --note "Checked against the order."
`,
  flags: {
    requested: { type: 'boolean' },
    state: { type: 'string' },
    cursor: { type: 'string' },
    note: { type: 'string' },
  },
  async run([name, ...args], flags, terminal) {
    if (name === undefined || !subcommands.includes(name))
      throw new UsageError(
        `Name a subcommand: svc approvals ${subcommands.join(', or svc approvals ')}.${didYouMean(name ?? '', subcommands)}`,
      )
    const format = formatOfData(flags, terminal)
    const client = openClient(flags, terminal)
    const value =
      name === 'list'
        ? await list(client, args, flags, terminal)
        : await one(client, name, args, flags, terminal)
    await printValue(format === 'human' ? readable(value) : value, format, terminal)
    return 0
  },
}

async function list(client: Client, args: readonly string[], flags: Flags, { signal }: Terminal) {
  if (args.length > 0)
    throw new UsageError('svc approvals list takes no id; svc approvals show <id> shows one.')
  const state = textFlag(flags, 'state') ?? 'pending'
  if (state !== 'all' && !states.includes(state))
    throw new UsageError(`--state is ${states.join(', ')} or all, not ${state}.${didYouMean(state, states)}`)
  const cursor = textFlag(flags, 'cursor')
  const input = {
    side: flags.requested ? ('requested' as const) : ('to_decide' as const),
    ...(state === 'all' ? {} : { state: state.toUpperCase() as 'PENDING' }),
    ...(cursor === undefined ? {} : { cursor }),
  }
  return (await client.dispatch('MAXIM', 'approvals', input, { signal })).output
}

async function one(
  client: Client,
  name: string,
  args: readonly string[],
  flags: Flags,
  { signal }: Terminal,
) {
  const [approval_id, ...more] = args
  if (approval_id === undefined || more.length > 0)
    throw new UsageError(`svc approvals ${name} takes one approval id; svc approvals list shows them.`)
  if (name === 'show')
    return (await client.dispatch('MAXIM', 'approval_get', { approval_id }, { signal })).output
  const note = textFlag(flags, 'note')
  const decision = name === 'approve' ? ('approve' as const) : ('refuse' as const)
  const input = { approval_id, decision, ...(note === undefined ? {} : { note }) }
  return (await client.dispatch('MAXIM', 'approval_decide', input, { signal })).output
}

type Listed = Awaited<ReturnType<typeof list>>
type Shown = Awaited<ReturnType<typeof one>>

/** For people: only what fits beside the whole id, which the other subcommands need. */
function readable(value: Listed | Shown): unknown {
  if (!('items' in value)) return value
  const items = value.items.map((item) => ({
    approval: item.approval_id,
    state: item.state,
    call: `${item.protocol} ${item.operation}`,
    by: item.caller_name ?? item.caller,
  }))
  return value.next_cursor === undefined ? items : { items, next_cursor: value.next_cursor }
}
