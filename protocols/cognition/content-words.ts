// The words of something kept: what it is found by unless somebody says otherwise.
import { refuse } from '@svc/contract/refusal'
import type { Indexing } from './content-index.ts'

const words_length_max = 32_768

/** Every text in it, in the order it stands there. */
export function wordsOf(body: unknown): string {
  const words: string[] = []
  let length = 0
  const open: unknown[] = [body]
  for (let next = open.pop(); open.length > 0 || next !== undefined; next = open.pop()) {
    if (typeof next === 'string') {
      words.push(next)
      length += next.length + 1
      if (length > words_length_max) break
    } else if (typeof next === 'object' && next !== null) open.push(...Object.values(next).reverse())
  }
  return words.join(' ').slice(0, words_length_max).toWellFormed()
}

/** How the next version is found: what was said of the last one may be what was changed. */
export function indexingOf(
  last: Indexing | undefined,
  body: unknown,
  text = wordsOf(body),
): Indexing | undefined {
  return last && { ...last, text }
}

/** Changed content must fit where the first did. */
export function requireFit(body: unknown, bytes_max: number, depth_max: number, pointer: string): void {
  const bytes = Buffer.byteLength(JSON.stringify(body))
  const message =
    bytes > bytes_max
      ? `would be ${bytes} bytes, of at most ${bytes_max}`
      : depthOf(body) > depth_max
        ? `would be nested deeper than ${depth_max} levels`
        : undefined
  if (message === undefined) return
  throw refuse('invalid_payload', `What ${pointer} makes ${message}; change less.`, {
    reason: 'too_large',
    faults: [{ pointer, message }],
  })
}

function depthOf(node: unknown): number {
  if (typeof node !== 'object' || node === null) return 0
  let deepest = 0
  for (const child of Object.values(node)) deepest = Math.max(deepest, depthOf(child))
  return deepest + 1
}
