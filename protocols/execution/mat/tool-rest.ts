// Stores an answer that is too long as a draft, if artifacts are served and the caller may create them.

import type { ToolAnswer } from '@svc/contract/foreign/tools'
import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal } from '@svc/contract/refusal'
import { canonicalJson } from '@svc/contract/signing/canonical-json'

/** Its ref; undefined if it could not be stored. */
export async function keepRest(
  tool_id: string,
  answer: ToolAnswer,
  context: OperationContext<'served'>,
): Promise<string | undefined> {
  if (!context.served.find('MAGE', 'draft')) return undefined
  try {
    const { ref } = (await context.call('MAGE', 'draft', {
      kind: 'dataset',
      title: `Answer of ${tool_id}`,
      media_type: 'application/json',
      content: Buffer.from(canonicalJson(answer)).toString('base64'),
      encoding: 'base64',
    })) as { ref: string }
    return ref
  } catch (error) {
    // The tool has run: a failure to store its full answer must not make the call look failed.
    if (error instanceof Refusal) return undefined
    throw error
  }
}
