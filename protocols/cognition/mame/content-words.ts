// Checks edited content: indexed by its new words, and within the size limits.
import { refuse } from '@svc/contract/refusal'
import { textOf } from '../cells/api.ts'
import type { Indexing } from '../content/api.ts'

/** The index entry of the next version, with its text derived again from the edited body. */
export function indexingOf(
  last: Indexing | undefined,
  body: unknown,
  text = textOf(body),
): Indexing | undefined {
  return last && { ...last, text }
}

/** Edited content has the same limits as new content. */
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
