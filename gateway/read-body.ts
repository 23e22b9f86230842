import type { IncomingMessage } from 'node:http'
import { refuse } from '@svc/contract/refusal'

/** A MIM message of 5 MiB fits, with its envelope. */
const body_bytes_max = 6 * 1024 * 1024

/** Why a request was refused whose body never came to its end. */
export const aborted = 'aborted'

/** The whole body, or a refusal as soon as it is known to be too large. `announced` is the Content-Length, where there is one. */
export function readBody(req: IncomingMessage, announced: string | undefined): Promise<Buffer> {
  if (announced !== undefined && Number(announced) > body_bytes_max) return Promise.reject(tooLarge())
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined
    let rest: Buffer[] | undefined
    let bytes = 0
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > body_bytes_max) {
        // The rest is read and forgotten: a sender whose bytes are left lying never gets to read the answer.
        first = undefined
        rest = undefined
        reject(tooLarge())
      } else if (first === undefined) first = chunk
      else if (rest) rest.push(chunk)
      else rest = [first, chunk]
    })
    req.on('end', () => resolve(rest ? Buffer.concat(rest, bytes) : (first ?? Buffer.alloc(0))))
    req.on('error', () =>
      reject(
        refuse('invalid_request', 'The caller left before its request was complete.', { reason: aborted }),
      ),
    )
  })
}

function tooLarge() {
  return refuse('payload_too_large', `A request may hold ${body_bytes_max} bytes; send less.`, {
    reason: 'body too large',
  })
}
