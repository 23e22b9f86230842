// An answer too long to hand on, kept whole as a draft where artifacts are served and the caller may make them.

import type { ToolAnswer } from '@svc/contract/foreign/tools'
import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal } from '@svc/contract/refusal'
import { canonicalJson } from '@svc/contract/signing/canonical-json'

/** Its ref; undefined where it could not be kept. */
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
    // The tool has done its work: that its answer cannot be kept whole must not make it look undone.
    if (error instanceof Refusal) return undefined
    throw error
  }
}
