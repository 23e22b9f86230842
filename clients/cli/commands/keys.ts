// svc keys: make, list and revoke API keys, end sessions, and change own keys, of yourself or a descendant.
import type { Command, Flags, Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { openClient } from '../open-client.ts'
import { coloursOf } from '../output/colours.ts'
import { harmless } from '../output/harmless-text.ts'
import { formatOf, printValue } from '../output/output.ts'
import { relativeTime } from '../output/relative-time.ts'
import { textFlag } from '../settings.ts'
import { listFlag, runSubcommand, type Subcommand } from '../subcommands.ts'
import { wallClockMs } from '../wall-clock.ts'
import { recoverKey, rotateKey } from './change-keys.ts'

const listed_default = 25
const listed_max = 1_000
/** Of the operation. */
const page_max = 100

const subcommands: Readonly<Record<string, Subcommand>> = {
  create: {
    flags: ['label', 'agent', 'capability', 'expires', 'network', 'weekly-budget'],
    args_max: 0,
    run: createKey,
  },
  list: { flags: ['agent', 'limit', 'cursor'], args_max: 0, run: listKeys },
  revoke: { flags: ['reason'], args_max: 1, run: revokeKey },
  rotate: { flags: ['to', 'commit', 'agent', 'recoverer', 'threshold'], args_max: 0, run: rotateKey },
  recover: { flags: ['key', 'commit', 'agree', 'recoverer', 'threshold'], args_max: 1, run: recoverKey },
}

export const keys: Command = {
  summary: 'Make, list and revoke API keys, and change own keys, of yourself or a descendant.',
  usage: 'keys create --label <text> | list | revoke <key_id> | rotate | recover <did> [flags]',
  help: `
svc keys create            make an API key; it is printed once, and only its hash is stored
  --label <text>           what it is for
  --agent <did>            a descendant of yours (you)
  --capability <name>      what it may be used for, of all that the agent may do; may be repeated (everything)
  --expires <when>         30d, 12h, or a time such as 2027-01-31T00:00:00Z; at most 366 days ahead (90d)
  --network <block>        where it may be used from, such as 10.0.0.0/8; may be repeated (anywhere)
  --weekly-budget <usd>    what all calls with it may cost in a week, such as 5 or 0.50 (what the agent may spend)

svc keys list              the keys and sessions, newest first
  --agent <did>            of a descendant (you)
  --limit <n>              how many (25, at most 1000)
  --cursor <text>          continue a list: next_cursor of the list before

svc keys revoke <key_id>   revoke a key, or end a session: one of yours, of a descendant, or that you made
  --reason <text>          for the audit log

svc keys rotate            change the key that your DID is proven with; the first time only commit to the next
  --commit <file>          where the next private key is written; it must not exist
  --to <file>              the key that was committed to: the file of the --commit before
  --agent <did>            a descendant whose key the engine keeps (you); no files then
  --recoverer <did>        who may recover it from now on; may be repeated (as before, at first its parent)
  --threshold <n>          how many of them it takes (all)

svc keys recover <did>     put a new key in place of a lost or stolen one, as its parent or one of its recoverers
  --key <file>             where the new private key is written (none: the engine keeps the key)
  --commit <file>          where the private key after it is written
  --agree <public key>     agree to the recovery that another recoverer began
  --recoverer, --threshold who may recover it later (as before)

A key never does more than its agent may at the moment of use. Sessions are what an agent gets that proves its
own key (SVC_PRIVATE_KEY): they are listed here, and end the same way.

Examples
  svc keys create --label 'night shift' --capability svc.mars.query_registry --expires 30d
  svc keys list
  svc keys revoke k3v9x2ma --reason 'not used any more'
  svc keys rotate --commit next.key
  svc keys rotate --to next.key --commit after.key
`,
  flags: {
    label: { type: 'string' },
    agent: { type: 'string' },
    capability: { type: 'string', multiple: true },
    expires: { type: 'string' },
    network: { type: 'string', multiple: true },
    'weekly-budget': { type: 'string' },
    limit: { type: 'string' },
    cursor: { type: 'string' },
    reason: { type: 'string' },
    commit: { type: 'string' },
    to: { type: 'string' },
    key: { type: 'string' },
    agree: { type: 'string' },
    recoverer: { type: 'string', multiple: true },
    threshold: { type: 'string' },
  },
  run: (args, flags, terminal) =>
    runSubcommand('keys', subcommands, args, { flags, declared: keys.flags, terminal }),
}

async function createKey(_: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const format = formatOf(flags, 'human')
  const label = textFlag(flags, 'label')
  if (label === undefined) throw new UsageError('svc keys create needs --label: what the key is for.')
  const [expires, budget] = [textFlag(flags, 'expires'), textFlag(flags, 'weekly-budget')]
  if (budget !== undefined && !/^\d{1,12}(\.\d{1,6})?$/.test(budget))
    throw new UsageError(`--weekly-budget is US dollars, such as 5 or 0.50, not ${budget}.`)
  const [capabilities, networks] = [listFlag(flags, 'capability'), listFlag(flags, 'network')]
  const input = {
    label,
    ...agentOf(flags),
    ...(capabilities.length > 0 && { capabilities }),
    ...(networks.length > 0 && { networks }),
    ...(expires !== undefined && { expires_at: endOf(expires) }),
    ...(budget !== undefined && { weekly_budget_usd: budget }),
  }
  const client = openClient(flags, terminal)
  const key = await client.macs.create_key(input, { signal: terminal.signal })
  if (format !== 'human') await printValue(key, format, terminal)
  else {
    terminal.out(`${harmless(key.api_key)}\n`)
    const end = key.expires_at === undefined ? '' : `, expires ${relative(key.expires_at)}`
    terminal.err(`Key ${harmless(key.key_id)}${end}. Keep it now: it is not shown again.\n`)
  }
  return 0
}

async function listKeys(_: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const format = formatOf(flags, 'human')
  const [limit, cursor] = [textFlag(flags, 'limit'), textFlag(flags, 'cursor')]
  if (limit !== undefined && !(/^[1-9]\d{0,3}$/.test(limit) && Number(limit) <= listed_max))
    throw new UsageError(`--limit is a whole number from 1 to ${listed_max}, not ${limit}.`)
  const list = await readKeys(openClient(flags, terminal), {
    agent: agentOf(flags),
    limit: Number(limit ?? listed_default),
    cursor,
    signal: terminal.signal,
  })
  if (format !== 'human') await printValue(list, format, terminal)
  else {
    await printValue(list.items.map(rowOf), format, terminal)
    if (list.next_cursor !== undefined)
      terminal.err(`${coloursOf(terminal, 'stderr').dim(moreOf(list.items.length, list.next_cursor))}\n`)
  }
  return 0
}

interface Asked {
  readonly agent: { readonly agent_did?: string }
  readonly limit: number
  readonly cursor: string | undefined
  readonly signal: AbortSignal
}

/** Page by page, as many as were asked for. */
async function readKeys({ macs }: Client, { agent, limit, cursor, signal }: Asked) {
  const items: Listed[] = []
  let next_cursor = cursor
  do {
    const page_limit = Math.min(limit - items.length, page_max)
    const input = { ...agent, limit: page_limit, ...(next_cursor !== undefined && { cursor: next_cursor }) }
    const page = await macs.list_keys(input, { signal })
    items.push(...page.items)
    next_cursor = page.next_cursor
  } while (next_cursor !== undefined && items.length < limit)
  return { items, ...(next_cursor !== undefined && { next_cursor }) }
}

function moreOf(shown: number, next_cursor: string): string {
  return shown < listed_max
    ? `There are more: svc keys list --limit ${listed_max}`
    : `There are more: --cursor ${next_cursor}`
}

type Client = ReturnType<typeof openClient>
type Listed = Awaited<ReturnType<Client['macs']['list_keys']>>['items'][number]

/** A line for people: what it is for, whether it works, and when it was used. */
function rowOf({ key_id, kind, state, label, last_used_at, expires_at, capabilities, ...others }: Listed) {
  const { weekly_budget_usd: budget, spent_this_week_usd: spent = '' } = others
  return {
    key_id,
    kind,
    state,
    // The label of a session only repeats its id.
    label: kind === 'session' ? undefined : label,
    used: last_used_at === undefined ? 'never' : relative(last_used_at),
    expires: state === 'revoked' || expires_at === undefined ? undefined : relative(expires_at),
    usd_a_week: budget === undefined ? undefined : `${cents(spent)}/${cents(budget)}`,
    for: capabilities?.includes('svc.*.*') === false ? capabilities.join(', ') : undefined,
  }
}

/** Of six decimal places: a table has little room, and --json is exact. */
function cents(usd: string): string {
  return usd.slice(0, -4)
}

async function revokeKey([key_id]: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const format = formatOf(flags, 'human')
  if (key_id === undefined)
    throw new UsageError('svc keys revoke needs the id of a key.', 'svc keys list shows them.')
  const reason = textFlag(flags, 'reason')
  const input = { key_id, ...(reason !== undefined && { reason }) }
  const revoked = await openClient(flags, terminal).macs.revoke_key(input, { signal: terminal.signal })
  if (format === 'human') terminal.out(`${harmless(revoked.key_id)} is revoked.\n`)
  else await printValue(revoked, format, terminal)
  return 0
}

function agentOf(flags: Flags): { agent_did?: string } {
  const agent_did = textFlag(flags, 'agent')
  return agent_did === undefined ? {} : { agent_did }
}

const unit_ms = { d: 86_400_000, h: 3_600_000 } as const

function endOf(text: string): string {
  const [, count, unit] = /^(\d{1,4})([dh])$/.exec(text) ?? []
  if (count !== undefined)
    return new Date(wallClockMs() + Number(count) * unit_ms[unit as keyof typeof unit_ms]).toISOString()
  if (/^\d{4}-\d{2}-\d{2}T.*Z$/.test(text)) return text
  throw new UsageError(`--expires is 30d, 12h or a time such as 2027-01-31T00:00:00Z, not ${text}.`)
}

function relative(time: string): string {
  return relativeTime(time, wallClockMs())
}
