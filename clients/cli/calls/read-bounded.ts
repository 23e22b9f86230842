// A whole stream as text, up to what any call may be.
import type { Readable } from 'node:stream'
import { UsageError } from '../exit.ts'

/** The body limit of the service: a larger input would only be refused later. */
const input_bytes_max = 8 * 1024 * 1024

/** `name` is what the sentence calls it. An abort ends the wait for a writer who never comes. */
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
        throw new UsageError(`${name} is larger than any call may be (8 MiB); send less.`)
      chunks.push(chunk)
    }
  } finally {
    signal?.removeEventListener('abort', leave)
  }
  return Buffer.concat(chunks).toString('utf8')
}
