// What tools outside say to a question: kept as somebody's words, cited like any other source, and believed little.

import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal, type RefusalCode, refuse } from '@svc/contract/refusal'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { keepContent } from '../../cognition/content/api.ts'
import { askTool, isToolId } from '../../execution/mat/api.ts'
import type { InquireInput } from './inquire-input.ts'

const prefix = 'mat:'
const text_length_max = 128 * 1024
/** Tools that could not be asked now; any other refusal is the caller's to know. */
const away: ReadonlySet<RefusalCode> = new Set([
  'adapter_error',
  'timeout',
  'circuit_open',
  'no_endpoint_available',
])

export interface Testimony {
  /** By subquestion. */
  readonly refs: readonly (readonly string[])[]
  /** Tools that gave no answer to one at least. */
  readonly unreachable: readonly string[]
}

/** All tools are asked all subquestions, before anything is looked for: no rows are held while they think. */
export async function gatherTestimony(
  context: OperationContext<'embedder' | 'served' | 'vault'>,
  { sources = [] }: InquireInput,
  subquestions: readonly string[],
): Promise<Testimony> {
  const tool_ids = sources
    .filter((source) => source.startsWith(prefix))
    .map((source) => source.slice(prefix.length))
  for (const tool_id of tool_ids) requireAskable(context, tool_id)
  const unreachable = new Set<string>()
  const testimonies: { readonly tool_id: string; readonly text: string }[][] = []
  for (const subquestion of subquestions) {
    const answers = await Promise.all(
      tool_ids.map(async (tool_id) => ({ tool_id, text: await tryTool(context, tool_id, subquestion) })),
    )
    for (const { tool_id, text } of answers) if (text === undefined) unreachable.add(tool_id)
    testimonies.push(answers.flatMap(({ tool_id, text }) => (text ? [{ tool_id, text }] : [])))
  }
  const refs: string[][] = []
  for (const words of testimonies) {
    const stored_refs: string[] = []
    for (const one of words) stored_refs.push(await keepTestimony(context, one))
    refs.push(stored_refs)
  }
  return { refs, unreachable: [...unreachable] }
}

function requireAskable(context: OperationContext<'served'>, tool_id: string): void {
  if (!isToolId(tool_id))
    throw refuse('invalid_payload', `mat:${tool_id} names no tool; write mat:mcp:<server>/<tool>.`, {
      reason: 'not_a_tool',
      path: '/sources',
    })
  if (context.served.find('MAT', 'tool')) return
  throw refuse(
    'policy_denied',
    `${tool_id} is a tool, and MAT is not served here; leave it out of sources.`,
    {
      reason: 'MAT is not served here',
    },
  )
}

/** Undefined where it cannot be reached; empty where it has nothing to say. */
async function tryTool(
  context: OperationContext<'served' | 'vault'>,
  tool_id: string,
  text: string,
): Promise<string | undefined> {
  try {
    return ((await askTool(context, tool_id, text)) ?? '').slice(0, text_length_max).toWellFormed()
  } catch (error) {
    if (error instanceof Refusal && away.has(error.code)) return undefined
    throw error
  }
}

/** The same words of the same tool are one testimony. */
async function keepTestimony(
  context: OperationContext<'embedder' | 'vault'>,
  body: { readonly tool_id: string; readonly text: string },
): Promise<string> {
  const ref = `mari://testimony/${contentHash(body).slice('sha256:'.length)}`
  const index = { namespace: 'testimony', text: body.text, vector: false }
  await keepContent(context, { ref, kind: 'testimony', body, index })
  return ref
}
