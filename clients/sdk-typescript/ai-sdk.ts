// Tools of the Vercel AI SDK (package `ai`, version 7): existing ones governed, and operations of the engine as tools.
import { dynamicTool, jsonSchema, type Tool, type ToolSet } from 'ai'
import { createClient, type DispatchClient, type OutputOf } from './client.ts'
import { asRefused, beginOwnCall, type GovernOptions, isRefused } from './own-call.ts'

type Execute = NonNullable<Tool['execute']>
type Options = Parameters<Execute>[1]

/**
 * The same tools, each execution of which is judged by the engine before it runs, and recorded. A refused one does not
 * run; the model gets a `Refused` as its result, so that it can explain itself. An error of the function is reported,
 * and thrown as before.
 *
 * @example
 * ```ts
 * import { governTools } from '@svc/sdk/ai-sdk'
 * import { jsonSchema, tool } from 'ai'
 *
 * const refund = tool({
 *   description: 'Refund an order.',
 *   inputSchema: jsonSchema<{ order: string; amount: number }>({
 *     type: 'object',
 *     properties: { order: { type: 'string' }, amount: { type: 'number' } },
 *   }),
 *   execute: async ({ order, amount }) => `${amount} paid back for ${order}`,
 * })
 * const tools = governTools({ refund }, { waitForApprovalMs: 60_000 })
 * console.log(await tools.refund.execute?.({ order: 'A-1', amount: 40 }, { toolCallId: '1', messages: [], context: {} }))
 * ```
 *
 * ```output
 * 40 paid back for A-1
 * ```
 */
export function governTools<Tools extends ToolSet>(tools: Tools, options: GovernOptions = {}): Tools {
  const client = options.client ?? createClient()
  const governed = Object.entries(tools).map(([name, tool]) => [
    name,
    governTool(name, tool, client, options),
  ])
  return Object.fromEntries(governed) as Tools
}

function governTool(name: string, tool: Tool, client: DispatchClient, options: GovernOptions): Tool {
  const { execute, toModelOutput } = tool
  if (!execute)
    throw new TypeError(
      `The tool ${name} has no execute function: it runs elsewhere, where it cannot be governed. Pass it beside the governed ones if that is intended.`,
    )
  const begin = (input: unknown, { abortSignal: signal }: Options) =>
    beginOwnCall(client, name, input, { ...options, signal })
  return {
    ...tool,
    execute: isGenerator(execute) ? governedStream(begin, execute) : governedResult(begin, execute),
    // Theirs knows results only.
    ...(toModelOutput && {
      toModelOutput: (result: Parameters<typeof toModelOutput>[0]) =>
        isRefused(result.output)
          ? { type: 'error-text' as const, value: result.output.message }
          : toModelOutput(result),
    }),
  } as Tool
}

type Begin = (input: unknown, options: Options) => ReturnType<typeof beginOwnCall>

function governedResult(begin: Begin, execute: Execute): Execute {
  return async (input: unknown, options: Options) => {
    const call = await begin(input, options)
    if (isRefused(call)) return call
    try {
      const result = await lastOf(execute(input as never, options))
      await call.end('ok')
      return result
    } catch (error) {
      await call.end(outcomeOf(error, options))
      throw error
    }
  }
}

function governedStream(begin: Begin, execute: Execute): Execute {
  return async function* (input: unknown, options: Options): AsyncGenerator<unknown, void> {
    const call = await begin(input, options)
    if (isRefused(call)) {
      yield call
      return
    }
    let outcome: 'ok' | 'tool_error' | 'timeout' = 'timeout'
    try {
      yield* execute(input as never, options) as AsyncIterable<unknown>
      outcome = 'ok'
    } catch (error) {
      outcome = outcomeOf(error, options)
      throw error
    } finally {
      // Also if whoever reads it stops early.
      await call.end(outcome)
    }
  }
}

function outcomeOf(error: unknown, { abortSignal }: Options): 'tool_error' | 'timeout' {
  return abortSignal?.aborted && error === abortSignal.reason ? 'timeout' : 'tool_error'
}

function isGenerator(execute: Execute): boolean {
  return Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]'
}

/** A plain function may return a stream as well; its last part is the result. */
async function lastOf(result: unknown): Promise<unknown> {
  const value = await result
  if (typeof value !== 'object' || value === null || !(Symbol.asyncIterator in value)) return value
  let last: unknown
  for await (const part of value as AsyncIterable<unknown>) last = part
  return last
}

const page_max = 200

/** Which operations of the engine become tools, and how they are called. */
export interface SvcToolsOptions extends Pick<GovernOptions, 'client' | 'waitForApprovalMs'> {
  /** `MIND.store_memory`, `MIM.message_send` */
  operations: readonly string[]
}

/**
 * Operations of the engine as tools, named `mind_store_memory`, with their schemas from the engine (this needs
 * `svc.mat.tool_discovery`). A refusal is the result, as with `governTools`. Throws if there is none of that name that
 * the agent may call.
 *
 * @example
 * ```ts
 * import { svcTools } from '@svc/sdk/ai-sdk'
 *
 * const tools = await svcTools({ operations: ['MIND.store_memory', 'MIND.recall_memory'] })
 * console.log(Object.keys(tools).join())
 * ```
 *
 * ```output
 * mind_store_memory,mind_recall_memory
 * ```
 */
export async function svcTools({
  operations,
  client = createClient(),
  waitForApprovalMs = 0,
}: SvcToolsOptions): Promise<ToolSet> {
  const schemas = await schemasOf(client, operations.map(toolId))
  const named = operations.map((name) => {
    const [protocol = '', ...rest] = name.split('.')
    const schema = schemas.get(toolId(name))
    if (!schema)
      throw new TypeError(`There is no operation ${name} that this agent may call; check the name.`)
    const tool = dynamicTool({
      description: schema.description,
      inputSchema: jsonSchema(schema.input_schema as Parameters<typeof jsonSchema>[0]),
      execute: async (input, { abortSignal: signal }) => {
        const options = { waitForApprovalMs, ...(signal && { signal }) }
        // Any operation of the engine, also of a plugin: its input was checked by the schema above.
        const call = client.dispatch(protocol as string, rest.join('.') as string, input as never, options)
        return await call.then((answer) => answer.output as unknown, asRefused)
      },
    })
    return [name.toLowerCase().replaceAll('.', '_'), tool] as const
  })
  return Object.fromEntries(named)
}

function toolId(name: string): string {
  const dot = name.indexOf('.')
  return `svc:${name.slice(0, dot).toLowerCase()}${name.slice(dot)}`
}

type Discovery = OutputOf<'MAT', 'tool_discovery'>

async function schemasOf(
  client: DispatchClient,
  tool_ids: string[],
): Promise<Map<string, Discovery['tools'][number]>> {
  const schemas = new Map<string, Discovery['tools'][number]>()
  let cursor: string | undefined
  do {
    const page = { tool_ids, limit: page_max, ...(cursor !== undefined && { cursor }) }
    const { output } = await client.dispatch('MAT', 'tool_discovery', page)
    for (const tool of output.tools) schemas.set(tool.tool_id, tool)
    cursor = output.cursor
  } while (cursor !== undefined)
  return schemas
}
