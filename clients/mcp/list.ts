// tools/list: all callable tools, or, beyond what clients support, the most useful and two to reach the rest.
import type { Tool } from '@modelcontextprotocol/server'
import { call_tool, search_tool } from './meta-tools.ts'
import { compareText, listedTool, type Offer } from './tools.ts'

/** The most tools that common clients support. */
export const tools_max_default = 128
const page_tools = 128

export interface ListOptions {
  /** True: at most `tools_max`. False: all, in pages. Absent: compact if there are more. */
  readonly compact?: boolean
  readonly tools_max?: number
}

export function listTools(offers: readonly Offer[], options: ListOptions = {}): Tool[] {
  const { compact, tools_max = tools_max_default } = options
  const callable = offers.filter(({ may }) => may !== 'no')
  const is_compact = compact ?? callable.length + 1 > tools_max
  if (!is_compact) return [search_tool, ...callable.map(listedTool)]
  const first = [search_tool, call_tool]
  // The two own tools are always listed, even if `tools_max` is smaller.
  const chosen = mostUseful(callable, Math.max(0, tools_max - first.length))
  return [...first, ...chosen.map(listedTool)]
}

/** Round-robin over protocols; reads before writes, unconditional before conditional permissions, then by name. */
function mostUseful(offers: readonly Offer[], count: number): Offer[] {
  const by_protocol = Map.groupBy([...offers].sort(compareUse), ({ tool }) => tool.protocol)
  const turns = [...by_protocol.values()].flatMap((protocol_offers) =>
    protocol_offers.map((offer, turn) => ({ offer, turn })),
  )
  turns.sort((a, b) => a.turn - b.turn || compareUse(a.offer, b.offer))
  return turns
    .slice(0, count)
    .map(({ offer }) => offer)
    .sort((a, b) => compareText(a.tool.name, b.tool.name))
}

function compareUse(a: Offer, b: Offer): number {
  return useRank(a) - useRank(b) || compareText(a.tool.name, b.tool.name)
}

function useRank({ tool, may }: Offer): number {
  return (may === 'yes' ? 0 : 2) + (tool.annotations.readOnlyHint ? 0 : 1)
}

export interface Page {
  readonly tools: Tool[]
  readonly nextCursor?: string
}

/** The cursor names the last tool returned, so a changed list neither repeats nor skips. Undefined: invalid cursor. */
export function pageOf(tools: readonly Tool[], cursor: string | undefined): Page | undefined {
  const after = cursor === undefined ? -1 : readCursor(cursor, tools)
  if (after === undefined) return undefined
  const page = tools.slice(after + 1, after + 1 + page_tools)
  const is_last = after + 1 + page_tools >= tools.length
  return { tools: page, ...(is_last ? {} : { nextCursor: cursorOf(page.at(-1)!.name) }) }
}

const cursor_form = /^[A-Za-z0-9_-]{1,400}$/

function cursorOf(name: string): string {
  return Buffer.from(`after:${name}`).toString('base64url')
}

function readCursor(cursor: string, tools: readonly Tool[]): number | undefined {
  if (!cursor_form.test(cursor)) return undefined
  const text = Buffer.from(cursor, 'base64url').toString('utf8')
  if (!text.startsWith('after:')) return undefined
  const name = text.slice('after:'.length)
  return tools.findLastIndex((tool) => compareListed(tool.name, name) <= 0)
}

/** Own tools first, the rest by name. */
function compareListed(a: string, b: string): number {
  const own = (name: string) => [search_tool.name, call_tool.name].indexOf(name) >>> 0
  return own(a) - own(b) || compareText(a, b)
}
