import type { IncomingMessage } from 'node:http'
import { refuse } from '@svc/contract/refusal'

/** A MIM message of 5 MiB fits, with its envelope. */
const body_bytes_max = 6 * 1024 * 1024

/** The whole body, or a refusal as soon as it is known to be too large. */
export function readBody(req: IncomingMessage): Promise<Buffer> {
  const announced = Number(req.headers['content-length'] ?? 0)
  if (announced > body_bytes_max) return Promise.reject(tooLarge())
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > body_bytes_max) {
        req.pause()
        reject(tooLarge())
      } else chunks.push(chunk)
    })
    req.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes)))
    req.on('error', reject)
    req.on('close', () =>
      reject(
        refuse('invalid_request', 'The caller left before its request was complete.', { reason: 'aborted' }),
      ),
    )
  })
}

function tooLarge() {
  return refuse('payload_too_large', `A request may hold ${body_bytes_max} bytes; send less.`, {
    reason: 'body too large',
  })
}
