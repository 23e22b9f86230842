// The thread that reads large bodies: bytes in, value or refusal out.
import { parentPort } from 'node:worker_threads'
import { asRefusal } from '@svc/database/as-refusal'
import { readJson } from './read-json.ts'
import type { FromReader, ToReader } from './read-large-json.ts'

parentPort!.on('message', ({ id, bytes }: ToReader) =>
  parentPort!.postMessage(read(id, Buffer.from(bytes.buffer))),
)

function read(id: number, body: Buffer): FromReader {
  try {
    return { id, value: readJson(body) }
  } catch (thrown) {
    const { code, message, details } = asRefusal(thrown)
    return { id, code, message, reason: details.reason }
  }
}
