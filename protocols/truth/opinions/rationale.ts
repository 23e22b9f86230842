// Words of a model beside a finding: nothing of them is checked, and the finding is the same without them.
import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal } from '@svc/contract/refusal'

const tokens_max = 400
/** What the model is shown must not cost more than was reserved. */
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

/** Undefined where no model is configured, or where it gives no usable answer. */
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
