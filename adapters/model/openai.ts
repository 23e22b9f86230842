// Any endpoint that speaks the OpenAI wire format. Loaded when first asked: most engines have no model.
import type { Model, Proposed } from '@svc/contract/needs/model'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { Compile } from 'typebox/compile'

const retries_max = 1

export interface ModelAddress {
  readonly url: string
  readonly name: string
  readonly key: string | undefined
}

export function openAiModel({ url, name, key }: ModelAddress): Model {
  return {
    name,
    async propose({ instructions, text, schema, tokens_out_max }, signal): Promise<Proposed> {
      const [{ generateText, jsonSchema, Output }, { createOpenAICompatible }] = await Promise.all([
        import('ai'),
        import('@ai-sdk/openai-compatible'),
      ])
      const fits = Compile(schema)
      const provider = createOpenAICompatible({
        name: 'model',
        baseURL: url,
        ...(key === undefined ? {} : { apiKey: key }),
        supportsStructuredOutputs: true,
      })
      try {
        const { output, usage } = await generateText({
          model: provider(name),
          instructions,
          prompt: text,
          output: Output.object({
            schema: jsonSchema<unknown>(schema, {
              validate: (value) =>
                fits.Check(value)
                  ? { success: true, value }
                  : { success: false, error: new Error('the answer does not fit the schema') },
            }),
          }),
          maxOutputTokens: tokens_out_max,
          maxRetries: retries_max,
          abortSignal: signal,
        })
        return { value: output, tokens_in: usage.inputTokens ?? 0, tokens_out: usage.outputTokens ?? 0 }
      } catch (error) {
        throw signal.aborted ? signal.reason : unusable(name, error)
      }
    },
  }
}

/** What the far side said is not handed on: it may quote the text, or the key. */
function unusable(name: string, error: unknown): Refusal {
  const kind = error instanceof Error ? error.name : 'Error'
  return refuse(
    'adapter_error',
    `The model ${name} gave no usable answer (${kind}); try again, or ask for the built-in path.`,
    { reason: 'model unavailable' },
  )
}
