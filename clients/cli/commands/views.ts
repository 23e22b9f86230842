// svc views: saved queries of yours or your organization, as CSV, and by schedule.
import type { Command, Flags, Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { openClient } from '../open-client.ts'
import { harmless, harmlessLines } from '../output/harmless-text.ts'
import { formatOf, printValue } from '../output/output.ts'
import { relativeTime } from '../output/relative-time.ts'
import { writeWhole } from '../private-file.ts'
import { textFlag } from '../settings.ts'
import { listFlag, runSubcommand, type Subcommand } from '../subcommands.ts'
import { wallClockMs } from '../wall-clock.ts'

const subcommands: Readonly<Record<string, Subcommand>> = {
  set: { flags: ['shared', 'filters', 'every', 'at', 'day', 'zone', 'mail'], args_max: 2, run: setView },
  list: { flags: [], args_max: 0, run: listViews },
  fetch: { flags: ['shared', 'file', 'scheduled'], args_max: 1, run: fetchView },
  remove: { flags: ['shared'], args_max: 1, run: removeView },
}

export const views: Command = {
  summary: 'Save queries under a name, get them as CSV, and have them mailed by schedule.',
  usage: 'views set <name> <PROTOCOL.operation> | list | fetch <name> | remove <name> [flags]',
  help: `
svc views set <name> <PROTOCOL.operation>   save a query, or change it
  --filters <json>                 input of the operation ({})
  --shared                         a view of your organization, for all (your own)
  --every daily|weekly|monthly     have it run by itself
  --at <time>                      at this time of day, such as 07:30
  --day <n>                        weekly: 1 to 7 from Monday; monthly: 1 to 28 (1)
  --zone <name>                    time zone, such as Europe/Berlin (UTC)
  --mail <login>                   a person who gets the file by e-mail; may be repeated
svc views list                     yours, and those of your organization
svc views fetch <name>             its rows as CSV, read now with your rights
  --shared                         of your organization
  --scheduled                      the file of its newest run by itself
  --file <path>                    save it (standard output)
svc views remove <name>            remove one
  --shared                         of your organization

Examples
  svc views set refused MAX.audit_query --filters '{"outcome": "refused", "limit": 1000}'
  svc views fetch refused --file refused.csv
  svc views set calls MAX.audit_query --every weekly --at 07:30 --mail ann@acme.example
`,
  flags: {
    shared: { type: 'boolean' },
    filters: { type: 'string' },
    every: { type: 'string' },
    at: { type: 'string' },
    day: { type: 'string' },
    zone: { type: 'string' },
    mail: { type: 'string', multiple: true },
    scheduled: { type: 'boolean' },
    file: { type: 'string' },
  },
  run: (args, flags, terminal) =>
    runSubcommand('views', subcommands, args, { flags, declared: views.flags, terminal }),
}

type Max = ReturnType<typeof openClient>['max']
type ViewInput = Parameters<Max['set_view']>[0]

async function setView(
  [name, operation]: readonly string[],
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  if (name === undefined || operation === undefined)
    throw new UsageError('svc views set needs a name and an operation, such as MAX.audit_query.')
  const schedule = scheduleOf(flags)
  const input = {
    ...placeOf(name, flags),
    operation,
    filters: filtersOf(flags),
    ...(schedule && { schedule }),
  }
  const view = await openClient(flags, terminal).max.set_view(input as ViewInput, { signal: terminal.signal })
  const next = view.next_run_at === undefined ? '' : `; it runs next at ${view.next_run_at}`
  return print(view, `${view.name} is set${next}.`, flags, terminal)
}

function scheduleOf(flags: Flags): object | undefined {
  const [every, at, day, time_zone] = ['every', 'at', 'day', 'zone'].map((name) => textFlag(flags, name))
  const mail_to = listFlag(flags, 'mail')
  if (every === undefined) {
    if ([at, day, time_zone].every((text) => text === undefined) && mail_to.length === 0) return undefined
    throw new UsageError(
      '--at, --day, --zone and --mail belong to a schedule; add --every daily, weekly or monthly.',
    )
  }
  if (at === undefined) throw new UsageError('--every needs --at, such as --at 07:30.')
  if (day !== undefined && !/^\d{1,2}$/.test(day))
    throw new UsageError(`--day is a number from 1 to 28, not ${day}.`)
  return {
    every,
    at,
    ...(day !== undefined && { day: Number(day) }),
    ...(time_zone !== undefined && { time_zone }),
    ...(mail_to.length > 0 && { mail_to }),
  }
}

function filtersOf(flags: Flags): object {
  const text = textFlag(flags, 'filters')
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {}
  throw new UsageError(`--filters is a JSON object, such as '{"outcome": "refused"}'.`)
}

function placeOf(name: string, flags: Flags) {
  return { name, ...(flags.shared === true && { shared: true }) }
}

async function listViews(_: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const format = formatOf(flags, 'human')
  const page = await openClient(flags, terminal).max.list_views({}, { signal: terminal.signal })
  const rows = page.items.map(({ name, shared, operation, schedule, next_run_at, last_failure }) => ({
    name,
    of: shared ? 'organization' : 'you',
    operation,
    every: schedule?.every,
    next: next_run_at === undefined ? undefined : relativeTime(next_run_at, wallClockMs()),
    failure: last_failure,
  }))
  await printValue(format === 'human' ? rows : page, format, terminal)
  return 0
}

async function fetchView([name]: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const path = textFlag(flags, 'file')
  if (name === undefined)
    throw new UsageError('svc views fetch needs the name of a view.', 'svc views list shows them.')
  const input = { ...placeOf(name, flags), ...(flags.scheduled === true && { scheduled: true }) }
  const view = await openClient(flags, terminal).max.view_file(input, { signal: terminal.signal })
  if (view.truncated === true) terminal.err('More matched than a file can have; name narrower filters.\n')
  if (path !== undefined) {
    await writeWhole(path, [view.content])
    terminal.out(`Saved ${harmless(path)}.\n`)
  } else if (formatOf(flags, 'human') === 'human') terminal.out(harmlessLines(view.content).join('\n'))
  else await printValue(view, formatOf(flags, 'human'), terminal)
  return 0
}

async function removeView([name]: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  if (name === undefined)
    throw new UsageError('svc views remove needs the name of a view.', 'svc views list shows them.')
  const removed = await openClient(flags, terminal).max.remove_view(placeOf(name, flags), {
    signal: terminal.signal,
  })
  return print(removed, `${removed.name} is removed.`, flags, terminal)
}

async function print(answer: object, sentence: string, flags: Flags, terminal: Terminal): Promise<number> {
  const format = formatOf(flags, 'human')
  if (format === 'human') terminal.out(`${harmless(sentence)}\n`)
  else await printValue(answer, format, terminal)
  return 0
}
