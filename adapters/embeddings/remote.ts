// Any endpoint that speaks the OpenAI wire format for embeddings: POST {url}/embeddings.
import { setTimeout as pause } from 'node:timers/promises'
import type { Embedder } from '@svc/contract/needs/embedding'
import { Refusal, refuse } from '@svc/contract/refusal'
import { unguarded } from '../outbound/address-guard.ts'
import { type Incoming, type Outbound, OutboundError, openOutbound, too_slow } from '../outbound/outbound.ts'
import { lengthOneInt8 } from './quantize.ts'

const batch_texts_max = 32
const text_chars_max = 8_192
const dimensions_max = 8_192
const answer_bytes_max = 8 * 1024 * 1024
const retries_max = 2
/** Some endpoints refuse an empty text. */
const nothing_said = '.'

export interface EmbeddingsAddress {
  /** Including the version, such as https://models.example/v1. */
  readonly url: string
  readonly name: string
  readonly key: string | undefined
  readonly timeout_ms?: number
  /** Before the first retry; doubled before the next. */
  readonly retry_ms?: number
}

interface Endpoint {
  readonly outbound: Outbound
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeout_ms: number
  readonly retry_ms: number
}

export function remoteEmbedder(address: EmbeddingsAddress): Embedder {
  const { name, key, timeout_ms = 10_000, retry_ms = 250 } = address
  const outbound = openOutbound(address.url.replace(/\/embeddings\/?$/, ''), { guard: unguarded })
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (key?.trim()) headers.authorization = `Bearer ${key.trim()}`
  const endpoint = { outbound, name, headers, timeout_ms, retry_ms }
  let dimensions = 0
  return {
    // Without the dimensions, which are unknown before the first answer: the id must not change.
    id: `remote/${name}`,
    get dimensions() {
      return dimensions
    },
    async embed(texts, signal) {
      const vectors: Int8Array[] = []
      for (let start = 0; start < texts.length; start += batch_texts_max) {
        const batch = await askWithRetries(endpoint, texts.slice(start, start + batch_texts_max), signal)
        dimensions ||= batch[0]!.length
        if (batch[0]!.length !== dimensions) throw unusable(name, 'vectors of another length than before')
        vectors.push(...batch)
      }
      return vectors
    },
  }
}

async function askWithRetries(endpoint: Endpoint, texts: readonly string[], signal?: AbortSignal) {
  for (let retry = 0; ; retry++) {
    const answer = await askOnce(endpoint, texts, signal)
    if (!(answer instanceof Refusal)) return readVectors(endpoint.name, answer, texts.length)
    if (retry === retries_max) throw answer
    await pause(endpoint.retry_ms * 2 ** retry, undefined, { signal }).catch(() => throwReason(signal))
  }
}

/** A refusal is returned if a retry may help, and thrown otherwise. */
async function askOnce(
  { outbound, name, headers, timeout_ms }: Endpoint,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<Incoming | Refusal> {
  const input = texts.map((text) => text.slice(0, text_chars_max).toWellFormed().trim() || nothing_said)
  const body = JSON.stringify({ model: name, input, encoding_format: 'float' })
  const outgoing = { method: 'POST', path: '/embeddings', headers, body, timeout_ms, signal } as const
  let answer: Incoming
  try {
    answer = await outbound.send({ ...outgoing, answer_bytes_max })
  } catch (error) {
    throwReason(signal)
    return unanswered(name, timeout_ms, error)
  }
  const { status } = answer
  if (status >= 200 && status < 300) return answer
  if (status === 429 || status >= 500) return unusable(name, `status ${status}`)
  throw refuse(
    'adapter_error',
    `The embeddings endpoint for ${name} answered ${status}; its address, name and key are the operator's to check.`,
    { reason: 'embeddings unavailable', status },
  )
}

function throwReason(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw signal.reason
}

/** Transport errors are named only by their kind: their message may contain what was sent. */
function unanswered(name: string, timeout_ms: number, error: unknown): Refusal {
  const fault = error instanceof OutboundError ? error.fault : 'not sent'
  if (fault !== too_slow) return unusable(name, fault)
  // Thrown: after this wait there is no time for another.
  throw refuse(
    'timeout',
    `The embeddings endpoint for ${name} did not answer within ${timeout_ms} ms; try again later.`,
    { reason: 'embeddings too slow' },
  )
}

function unusable(name: string, kind: string): Refusal {
  return refuse(
    'adapter_error',
    `The embeddings endpoint for ${name} gave no usable answer (${kind}); try again later.`,
    { reason: 'embeddings unavailable' },
  )
}

interface Row {
  readonly index?: unknown
  readonly embedding?: unknown
}

function readVectors(name: string, { body }: Incoming, count: number): Int8Array[] {
  const rows = rowsIn(body)
  if (rows.length !== count) throw unusable(name, `${rows.length} vectors for ${count} texts`)
  const vectors = new Map<unknown, Int8Array>()
  for (const [place, row] of rows.entries()) {
    const { index = place, embedding } = row ?? {}
    if (!isVector(embedding)) throw unusable(name, 'a vector that is none')
    vectors.set(index, lengthOneInt8(embedding))
  }
  const ordered = Array.from({ length: count }, (_, index) => vectors.get(index))
  if (!areAlike(ordered)) throw unusable(name, 'vectors out of order or of different length')
  return ordered
}

function rowsIn(body: Buffer): readonly (Row | null)[] {
  try {
    const { data } = JSON.parse(body.toString('utf8')) as { data?: unknown }
    return Array.isArray(data) ? data : []
  } catch {
    return []
  }
}

function isVector(values: unknown): values is number[] {
  if (!Array.isArray(values) || values.length === 0 || values.length > dimensions_max) return false
  return values.every((value) => Number.isFinite(value))
}

function areAlike(vectors: readonly (Int8Array | undefined)[]): vectors is Int8Array[] {
  return vectors.every((vector) => vector !== undefined && vector.length === vectors[0]?.length)
}
