// A local server with the OpenAI wire format for chat completions, whose answers the test chooses.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

export interface Asked {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly response_format?: unknown
  readonly max_tokens?: number
  readonly authorization: string | undefined
}

/** The answer: a value for the model to return as JSON, a raw text, or a failing status. */
export type Reply =
  | { readonly value: unknown }
  | { readonly text: string }
  | { readonly status: number; readonly retry_after_ms?: number }
  | 'silence'

export interface TestModel {
  readonly url: string
  readonly asked: Asked[]
  close(): Promise<void>
}

/** No real model: the test decides what it proposes, but not what the service makes of it. */
export async function startModel(reply: (question: Asked) => Reply): Promise<TestModel> {
  const questions: Asked[] = []
  const server = createServer(async (request, response) => {
    const question = await readQuestion(request)
    questions.push(question)
    const answer = reply(question)
    if (answer === 'silence') return
    if ('status' in answer) {
      const { retry_after_ms } = answer
      const wait = retry_after_ms === undefined ? {} : { 'retry-after-ms': String(retry_after_ms) }
      response.writeHead(answer.status, { 'content-type': 'application/json', ...wait })
      response.end(JSON.stringify({ error: { message: `failed with ${question.authorization}` } }))
      return
    }
    const content = 'text' in answer ? answer.text : JSON.stringify(answer.value)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(completion(question.model, content)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked: questions,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

async function readQuestion(request: IncomingMessage): Promise<Asked> {
  const body = (await json(request)) as Omit<Asked, 'authorization'>
  return { ...body, authorization: request.headers.authorization }
}

function completion(model: string, content: string) {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_760_000_000,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 21, completion_tokens: 7, total_tokens: 28 },
  }
}
