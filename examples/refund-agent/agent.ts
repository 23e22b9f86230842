// An agent on the Vercel AI SDK. Governed it is by two imports and one line: governTools.
import { createClient } from '@svc/sdk'
import { governTools } from '@svc/sdk/ai-sdk'
import { generateText, isStepCount, jsonSchema, type LanguageModel, tool } from 'ai'

const refund = tool({
  description: 'Refund an order.',
  inputSchema: jsonSchema<{ order: string; amount: number }>({
    type: 'object',
    properties: { order: { type: 'string' }, amount: { type: 'integer' } },
    required: ['order', 'amount'],
  }),
  execute: async ({ order, amount }) => `${amount} paid back for ${order}.`,
})

/** What the agent answers. */
export async function askAgent(
  model: LanguageModel,
  prompt: string,
  client = createClient(),
): Promise<string> {
  const tools = governTools({ refund }, { client, waitForApprovalMs: 60_000 })
  const { text } = await generateText({ model, tools, prompt, stopWhen: isStepCount(5) })
  return text
}
