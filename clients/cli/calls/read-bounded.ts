// Reads a stream as text, up to the size limit of a call.
import type { Readable } from 'node:stream'
import { UsageError } from '../exit.ts'

/** The body limit of the service. */
const input_bytes_max = 8 * 1024 * 1024

/** `name` is used in messages. An abort ends the wait for input. */
export async function readBounded(stream: Readable, name: string, signal?: AbortSignal): Promise<string> {
  signal?.throwIfAborted()
  const leave = () => stream.destroy(signal!.reason)
  signal?.addEventListener('abort', leave, { once: true })
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of stream) {
      bytes += chunk.length
      if (bytes > input_bytes_max)
        throw new UsageError(`${name} exceeds the size limit of a call (8 MiB); send less.`)
      chunks.push(chunk)
    }
  } finally {
    signal?.removeEventListener('abort', leave)
  }
  return Buffer.concat(chunks).toString('utf8')
}
