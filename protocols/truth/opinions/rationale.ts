// A model's explanation beside a result: unverified, and the result does not depend on it.
import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal } from '@svc/contract/refusal'

const tokens_max = 400
/** Limits the cost of the model to what was reserved. */
const text_max = 6_000

const schema = {
  type: 'object',
  properties: { rationale: { type: 'string', minLength: 1, maxLength: 1200 } },
  required: ['rationale'],
  additionalProperties: false,
} as const

export interface Rationale {
  text: string
  model: string
  verified: false
}

/** Undefined if no model is configured, or its answer is unusable. */
export async function askRationale(
  context: OperationContext<'model' | 'tokens'>,
  instructions: string,
  result: unknown,
): Promise<Rationale | undefined> {
  const { model, signal } = context
  if (!model) return undefined
  try {
    const text = JSON.stringify(result).slice(0, text_max)
    const proposed = await model.propose({ instructions, text, schema, tokens_out_max: tokens_max }, signal)
    context.tokens.use(proposed.tokens_in, proposed.tokens_out)
    const { rationale } = proposed.value as { rationale: string }
    return { text: rationale, model: model.name, verified: false }
  } catch (error) {
    if (error instanceof Refusal && error.code === 'adapter_error') return undefined
    throw error
  }
}
