// Answers of external tools: stored as testimony, cited like other sources, with low confidence.

import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal, type RefusalCode, refuse } from '@svc/contract/refusal'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { keepContent } from '../../cognition/content/api.ts'
import { askTool, isToolId } from '../../execution/mat/api.ts'
import type { InquireInput } from './inquire-input.ts'

const prefix = 'mat:'
const text_length_max = 128 * 1024
/** The tool is unavailable; any other refusal is returned to the caller. */
const away: ReadonlySet<RefusalCode> = new Set([
  'adapter_error',
  'timeout',
  'circuit_open',
  'no_endpoint_available',
])

export interface Testimony {
  /** By subquestion. */
  readonly refs: readonly (readonly string[])[]
  /** Tools that failed to answer at least one subquestion. */
  readonly unreachable: readonly string[]
}

/** All tools are called for all subquestions before the search, so that no locks are held meanwhile. */
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

/** Undefined if the tool is unreachable; empty if it has no answer. */
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

/** The same text from the same tool is stored once. */
async function keepTestimony(
  context: OperationContext<'embedder' | 'vault'>,
  body: { readonly tool_id: string; readonly text: string },
): Promise<string> {
  const ref = `mari://testimony/${contentHash(body).slice('sha256:'.length)}`
  const index = { namespace: 'testimony', text: body.text, vector: false }
  await keepContent(context, { ref, kind: 'testimony', body, index })
  return ref
}
