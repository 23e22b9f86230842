// svc mcp list: the tools as an MCP client sees them; by category for people, with schemas for programs.
import { categoryFault } from '@svc/mcp/search'
import { isWithin, type Offer, offersOf, readCategories } from '@svc/mcp/tools'
import type { Flags, Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { openClient } from '../open-client.ts'
import { type Colours, coloursOf } from '../output/colours.ts'
import { harmless } from '../output/harmless-text.ts'
import { formatOf, printValue } from '../output/output.ts'
import { cutToWidth, padToWidth, wrapToWidth } from '../output/text-width.ts'
import { refuseArguments } from '../profile.ts'
import { engineTools } from './engine-tools.ts'
import { categoryFlags } from './flags.ts'

export async function listMcpTools(
  args: readonly string[],
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  refuseArguments(args, 'mcp list')
  const format = formatOf(flags, 'human')
  const client = openClient(flags, terminal, { 'x-svc-origin': 'mcp' })
  const { operations } = await client.whoami({ signal: terminal.signal })
  const tool_rows = await engineTools(flags, terminal).of(operations, terminal.signal)
  const offers = offersOf(operations, tool_rows)
  const categories = readCategories(categoryFlags(flags))
  const fault = categoryFault(categories, offers)
  if (fault !== undefined) throw new UsageError(fault)
  const within = offers.filter(({ tool }) => isWithin(tool, categories))
  const shown = flags.all ? within : within.filter(({ may }) => may !== 'no')
  if (format === 'human') printTools(shown, within.length - shown.length, terminal)
  else await printValue(shown.map(recordOf), format, terminal)
  return 0
}

function recordOf({ tool, capability, may, reason, why_not }: Offer) {
  const { name, title, description, category = null, version = null } = tool
  const { inputSchema, outputSchema, annotations } = tool
  return {
    name,
    title,
    description,
    category,
    version,
    capability,
    may,
    ...(reason === undefined ? {} : { reason }),
    ...(why_not === undefined ? {} : { why_not }),
    inputSchema,
    ...(outputSchema ? { outputSchema } : {}),
    annotations,
  }
}

const width_max = 100
const gap = '  '
const no_category = 'without category'

function printTools(offers: readonly Offer[], left_out: number, terminal: Terminal): void {
  const colours = coloursOf(terminal, 'stdout')
  const name_width = Math.max(0, ...offers.map(({ tool }) => tool.name.length))
  for (const [category, category_offers] of Map.groupBy(offers, ({ tool }) => tool.category ?? no_category)) {
    terminal.out(`${colours.bold(category)}\n`)
    for (const offer of category_offers) terminal.out(linesOf(offer, name_width, colours))
    terminal.out('\n')
  }
  if (offers.length === 0) terminal.out('You may not call any tool.\n')
  if (left_out > 0)
    terminal.out(
      `${colours.dim(`${left_out} more that you may not call; svc mcp list --all explains why.`)}\n`,
    )
}

const depends = 'for some inputs: '

function linesOf(offer: Offer, name_width: number, { dim, red, yellow }: Colours): string {
  const { tool, may, why_not = '' } = offer
  const first = `${gap}${padToWidth(harmless(tool.name), name_width)}${gap}`
  if (may === 'no') {
    // The reason gets its own line.
    const lines = wrapToWidth(harmless(why_not), width_max - gap.length * 3)
    return [`${first}${red('no')}`, ...lines.map((line) => dim(`${gap.repeat(3)}${line}`)), ''].join('\n')
  }
  const mark = may === 'depends' ? depends : ''
  const room = width_max - first.length - mark.length
  return `${first}${yellow(mark)}${cutToWidth(harmless(summaryOf(tool.description, tool.protocol)), room)}\n`
}

/** The operation's summary, without the protocol's, which follows it for models. */
function summaryOf(description: string, protocol: string): string {
  return description.split(` (${protocol}: `, 1)[0]!
}
