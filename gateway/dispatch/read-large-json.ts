// Bodies too large for the event loop: a separate thread parses them one by one and returns the value.

import { Worker } from 'node:worker_threads'
import { type RefusalCode, refuse } from '@svc/contract/refusal'

/** Below this no body takes longer than a few milliseconds. */
export const large_bytes = 128 * 1024
const heap_mib_max = 128

export interface ToReader {
  readonly id: number
  readonly bytes: Uint8Array<ArrayBuffer>
}

export type FromReader = { readonly id: number } & (
  | { readonly value: unknown }
  | { readonly code: RefusalCode; readonly message: string; readonly reason: string | undefined }
)

interface Reader {
  readonly worker: Worker
  readonly waiting: Map<number, { resolve(value: unknown): void; reject(error: Error): void }>
}

let reader: Reader | undefined
let last_id = 0

/** The value or refusal of readJson. The bytes are transferred: nobody may use them afterwards. */
export function readLargeJson(body: Buffer): Promise<unknown> {
  const { worker, waiting } = reader ?? startReader()
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const id = ++last_id
  waiting.set(id, { resolve, reject })
  const bytes = alone(body)
  worker.postMessage({ id, bytes } satisfies ToReader, [bytes.buffer])
  return promise
}

/** Started by the first large body, since most engines never get one; it does not keep the process alive. */
function startReader(): Reader {
  const worker = new Worker(new URL('./json-reader.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: heap_mib_max },
  })
  const started: Reader = { worker, waiting: new Map() }
  worker.on('message', (message: FromReader) => {
    const waiter = started.waiting.get(message.id)
    started.waiting.delete(message.id)
    if ('value' in message) waiter?.resolve(message.value)
    else waiter?.reject(refuse(message.code, message.message, { reason: message.reason }))
  })
  worker.on('error', (error) => giveUp(started, error as Error))
  worker.on('exit', (code) =>
    giveUp(started, new Error(`the thread that reads large bodies ended with ${code}`)),
  )
  // Last, because a listener keeps the process alive again.
  worker.unref()
  reader = started
  return started
}

function giveUp(ended: Reader, error: Error): void {
  if (reader === ended) reader = undefined
  for (const { reject } of ended.waiting.values()) reject(error)
  ended.waiting.clear()
}

/** Bytes in their own buffer: a shared one cannot be transferred. */
function alone(body: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer } = body
  const whole = buffer instanceof ArrayBuffer && buffer.byteLength === body.length
  return whole ? new Uint8Array(buffer) : new Uint8Array(body)
}
