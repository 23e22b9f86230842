// A model that follows a script, so that the example needs no network: first it refunds 5000, then 300. It passes on what the tool
// answers, also a refusal.
import { isRefused } from '@svc/sdk'
import type { LanguageModel, ModelMessage } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'

const usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
}

/** What the last tool answered: a result, or a refusal. */
function lastResult(prompt: readonly { role: ModelMessage['role']; content: unknown }[]): unknown {
  const [part] = (prompt.findLast(({ role }) => role === 'tool')?.content ?? []) as {
    output: { value: unknown }
  }[]
  return part?.output.value
}

const say = (text: string) => ({ type: 'text' as const, text })
const refund = (id: string, amount: number) => ({
  type: 'tool-call' as const,
  toolCallId: id,
  toolName: 'refund',
  input: JSON.stringify({ order: 'A-1042', amount }),
})

export function scriptedModel(): LanguageModel {
  let turn = 0
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      turn++
      const result = lastResult(prompt)
      const content = [
        isRefused(result)
          ? say(`I could not do that. ${result.message}`)
          : result === undefined
            ? refund(`call-${turn}`, turn === 1 ? 5000 : 300)
            : say(`Done: ${result}`),
      ]
      const unified = content[0]?.type === 'text' ? 'stop' : 'tool-calls'
      return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] }
    },
  })
}
