// Any endpoint that speaks the OpenAI wire format for chat completions: POST {url}/chat/completions.
import { setTimeout as pause } from 'node:timers/promises'
import type { Model, Proposal, Proposed } from '@svc/contract/needs/model'
import { refuse } from '@svc/contract/refusal'
import { Compile } from 'typebox/compile'

const attempts_max = 2
const retry_ms = 2_000
const retry_after_ms_max = 60_000
const answer_bytes_max = 8 * 1024 * 1024

export interface ModelAddress {
  readonly url: string
  readonly name: string
  readonly key: string | undefined
}

/** The message is our own: the remote side's may quote the text, or the key. */
class Unusable extends Error {
  readonly retry_after_ms: number | undefined
  constructor(message: string, retry_after_ms?: number) {
    super(message)
    this.retry_after_ms = retry_after_ms
  }
}

export function openAiModel(address: ModelAddress): Model {
  const { name } = address
  return {
    name,
    async propose(proposal, signal): Promise<Proposed> {
      for (let attempt = 1; ; attempt++) {
        try {
          return readCompletion(await send(address, proposal, signal), proposal)
        } catch (error) {
          if (signal.aborted) throw signal.reason
          if (!(error instanceof Unusable)) throw error
          if (error.retry_after_ms === undefined || attempt === attempts_max) throw refusal(name, error)
          await pause(error.retry_after_ms, undefined, { signal }).catch(() => signal.throwIfAborted())
        }
      }
    },
  }
}

async function send(
  { url, name, key }: ModelAddress,
  proposal: Proposal,
  signal: AbortSignal,
): Promise<string> {
  const { instructions, text, schema, tokens_out_max } = proposal
  const body = {
    model: name,
    max_tokens: tokens_out_max,
    response_format: { type: 'json_schema', json_schema: { schema, strict: true, name: 'response' } },
    messages: [
      { role: 'system', content: instructions },
      { role: 'user', content: text },
    ],
  }
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'svc-engine',
    ...(key && { authorization: `Bearer ${key}` }),
  }
  const request_init = { method: 'POST', headers, body: JSON.stringify(body), signal }
  const answer = await fetch(`${url.replace(/\/$/, '')}/chat/completions`, request_init).catch(() => {
    throw new Unusable('not reached', retry_ms)
  })
  if (answer.ok) return readText(answer)
  await answer.body?.cancel()
  const may_help = [408, 409, 429].includes(answer.status) || answer.status >= 500
  throw new Unusable(`status ${answer.status}`, may_help ? retryAfter(answer.headers) : undefined)
}

/** As long as the endpoint asks for, up to a limit. */
function retryAfter(headers: Headers): number {
  const seconds = headers.get('retry-after') ?? ''
  const asked_ms = headers.has('retry-after-ms')
    ? Number(headers.get('retry-after-ms'))
    : /^[\d.]+$/.test(seconds)
      ? Number(seconds) * 1_000
      : Date.parse(seconds) - Date.parse(headers.get('date') ?? '')
  return asked_ms >= 0 && asked_ms < retry_after_ms_max ? asked_ms : retry_ms
}

async function readText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of answer.body ?? []) {
      bytes += chunk.length
      if (bytes > answer_bytes_max) break
      chunks.push(chunk)
    }
  } catch {
    throw new Unusable('answer broken off', retry_ms)
  }
  if (bytes > answer_bytes_max) throw new Unusable('answer too large')
  return Buffer.concat(chunks).toString('utf8')
}

interface Completion {
  readonly choices?: readonly { readonly message?: { readonly content?: unknown } }[]
  readonly usage?: { readonly prompt_tokens?: unknown; readonly completion_tokens?: unknown }
}

function readCompletion(text: string, { schema }: Proposal): Proposed {
  const { choices, usage } = (parse(text) ?? {}) as Completion
  const value = parse(textOf(choices?.[0]?.message?.content))
  if (!Compile(schema).Check(value)) throw new Unusable('a value of another shape')
  return { value, tokens_in: count(usage?.prompt_tokens), tokens_out: count(usage?.completion_tokens) }
}

function count(tokens: unknown): number {
  return Number.isSafeInteger(tokens) ? Math.max(0, tokens as number) : 0
}

/** Some endpoints answer in parts. */
function textOf(content: unknown): string {
  if (Array.isArray(content)) return content.map((part: { text?: unknown }) => part?.text ?? '').join('')
  return typeof content === 'string' ? content : ''
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text, (key, value) => {
      if (key === '__proto__') throw new SyntaxError('reserved name')
      return value
    })
  } catch {
    throw new Unusable('text that is not JSON')
  }
}

function refusal(name: string, { message }: Unusable) {
  return refuse(
    'adapter_error',
    `The model ${name} gave no usable answer (${message}); try again, or ask for the built-in path.`,
    { reason: 'model unavailable' },
  )
}
