import type { IncomingMessage } from 'node:http'
import { refuse } from '@svc/contract/refusal'
import type { Place } from './admission-control.ts'

/** Fits a MIM message of 5 MiB, with its envelope and JSON overhead. */
const body_bytes_max = 8 * 1024 * 1024

/** The reason of a request whose body did not end. */
export const aborted = 'aborted'

/** The whole body, or a refusal as soon as it is too large or not admitted. `announced` is the Content-Length, where there is one. */
export async function readBody(
  req: IncomingMessage,
  announced: string | undefined,
  place?: Place,
): Promise<Buffer> {
  if (announced !== undefined) {
    if (Number(announced) > body_bytes_max) throw tooLarge()
    place?.expect(Number(announced))
  }
  place?.stepAside()
  const body = await collect(req, place)
  place?.stepBack()
  return body
}

function collect(req: IncomingMessage, place: Place | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined
    let rest: Buffer[] | undefined
    let bytes = 0
    let is_refused = false
    // The rest is read and discarded: otherwise the sender never reads the answer.
    const giveUp = (refusal: unknown) => {
      is_refused = true
      first = undefined
      rest = undefined
      reject(refusal)
    }
    req.on('data', (chunk: Buffer) => {
      if (is_refused) return
      bytes += chunk.length
      if (bytes > body_bytes_max) return giveUp(tooLarge())
      try {
        place?.hold(chunk.length)
      } catch (refusal) {
        return giveUp(refusal)
      }
      if (first === undefined) first = chunk
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
