// Tools that are not built in, such as a plugin's: read from the engine's public directory, and cached.
import type { Whoami } from '@svc/sdk'
import { type KnownTools, known_by_catalogue } from './known-tools.ts'
import { catalogue_tools, categories, isOfVersion, type ToolRow, toolName } from './tools.ts'

export interface DirectoryOptions {
  readonly api_url: string
  readonly fetch?: typeof globalThis.fetch
  readonly monotonic_ms?: () => number
}

/** The most protocols that are read and cached; tools of further ones are offered without schemas. */
const protocols_max = 64
const at_once_max = 8
const answer_bytes_max = 4 * 1024 * 1024
/** After this, the tools are listed without schemas. */
const answer_ms_max = 3_000
/** How long an answer of the directory is cached, including an empty one. */
const fresh_ms = 60_000

interface Page {
  readonly rows: readonly ToolRow[]
  readonly etag?: string | undefined
  readonly read_ms: number
}

/** The directory is public, so no key is sent. */
export function directoryTools(options: DirectoryOptions): KnownTools {
  const { monotonic_ms = () => performance.now() } = options
  let pages = new Map<string, Page>()
  let shown = new Map<string, ToolRow>()
  const pageFor = async ({ protocol, version }: ProtocolVersion, signal?: AbortSignal): Promise<Page> => {
    const old = pages.get(keyOf(protocol, version))
    const read_ms = monotonic_ms()
    if (old && read_ms - old.read_ms < fresh_ms) return old
    const reply = await ask(options, { protocol, version }, old?.etag, signal)
    // Not modified, or unreachable: the cached answer is used.
    return { rows: reply?.rows ?? old?.rows ?? [], etag: reply?.etag ?? old?.etag, read_ms }
  }
  return {
    async of(operations, signal) {
      const unresolved = unknownAmong(operations)
      const read = new Map<string, Page>()
      for (let i = 0; i < unresolved.length; i += at_once_max) {
        const turn = unresolved.slice(i, i + at_once_max)
        const answers = await Promise.all(turn.map((each) => pageFor(each, signal)))
        for (const [j, { protocol, version }] of turn.entries())
          read.set(keyOf(protocol, version), answers[j]!)
      }
      pages = read
      const tool_rows = [...read.values()].flatMap(({ rows }) => rows)
      const listed = new Set(operations.map((each) => keyOf(toolOf(each), each.version)))
      shown = new Map(
        tool_rows.filter((row) => listed.has(keyOf(row.name, row.version))).map((row) => [row.name, row]),
      )
      return [...catalogue_tools.filter(({ name }) => !shown.has(name)), ...shown.values()]
    },
    find: (name) => shown.get(name) ?? known_by_catalogue.find(name),
  }
}

interface ProtocolVersion {
  readonly protocol: string
  readonly version: string
}

function keyOf(name: string, version: string | undefined): string {
  return `${name} ${version}`
}

function toolOf({ protocol, operation }: Whoami['operations'][number]): string {
  return toolName(protocol, operation)
}

/** The protocol versions with operations that are not in the catalogue. */
function unknownAmong(operations: Whoami['operations']): ProtocolVersion[] {
  const by_key = new Map<string, ProtocolVersion>()
  for (const each of operations) {
    const { protocol, version } = each
    const row = known_by_catalogue.find(toolOf(each))
    if (version === undefined || (row && isOfVersion(row, version))) continue
    by_key.set(keyOf(protocol, version), { protocol, version })
  }
  return [...by_key.values()].slice(0, protocols_max)
}

type Reply = { readonly rows?: readonly ToolRow[]; readonly etag?: string | undefined }

/** Undefined if it is unreachable or its answer is unusable. */
async function ask(
  { api_url, fetch = globalThis.fetch }: DirectoryOptions,
  { protocol, version }: ProtocolVersion,
  etag: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Reply | undefined> {
  const url = `${api_url}/v1/protocols/${encodeURIComponent(protocol)}?${new URLSearchParams({ version, with: 'tools' })}`
  const late = AbortSignal.timeout(answer_ms_max)
  try {
    const answer = await fetch(url, {
      headers: etag === undefined ? {} : { 'if-none-match': etag },
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, late]) : late,
    })
    if (answer.status === 304) return {}
    if (!answer.ok) return void (await answer.body?.cancel())
    const { tools } = JSON.parse(await readBounded(answer)) as { tools?: unknown }
    if (!Array.isArray(tools)) return undefined
    const rows = tools.map((tool) => readRow(tool, protocol, version)).filter((row) => row !== undefined)
    return { rows, etag: answer.headers.get('etag') ?? undefined }
  } catch {
    if (signal?.aborted) throw signal.reason
    return undefined
  }
}

async function readBounded({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > answer_bytes_max) throw new Error('the answer of the directory is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

// Zero-width, direction-changing and private-use characters: a model would read text that a person cannot see.
const hidden_characters = /[\p{Cf}\p{Co}\u115f\u1160\u3164\uffa0]|[^\P{Cc}\n\r\t]/u
const text_length_max = 4_000

/** Undefined for an entry that is not a tool of this protocol or contains hidden text: it is offered without description. */
function readRow(tool: unknown, protocol: string, version: string): ToolRow | undefined {
  if (!isObject(tool)) return undefined
  const { operation, title, description, category, inputSchema, outputSchema, annotations } = tool
  const is_named =
    typeof operation === 'string' && tool.name === toolName(protocol, operation) && tool.version === version
  const is_told = [title, description].every(
    (text) => typeof text === 'string' && text.length <= text_length_max,
  )
  const is_typed = [inputSchema, outputSchema].every((schema) => isObject(schema) && schema.type === 'object')
  const is_sorted = (categories as readonly unknown[]).includes(category)
  const is_hinted =
    isObject(annotations) && Object.values(annotations).every((hint) => typeof hint === 'boolean')
  if (!is_named || !is_told || !is_typed || !is_sorted || !is_hinted) return undefined
  return hidesText(tool) ? undefined : ({ ...tool, protocol } as unknown as ToolRow)
}

/** Checks every key and string inside; excessive nesting counts as hidden. */
function hidesText(value: unknown, depth_left = 64): boolean {
  if (typeof value === 'string') return hidden_characters.test(value)
  if (typeof value !== 'object' || value === null) return false
  if (depth_left === 0) return true
  return Object.entries(value).some(
    ([name, member]) => hidden_characters.test(name) || hidesText(member, depth_left - 1),
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
