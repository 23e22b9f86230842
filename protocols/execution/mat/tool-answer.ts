// A tool's answer: complete if it fits, otherwise truncated.
import type { ToolAnswer } from '@svc/contract/foreign/tools'
import { blocks_max } from './tool-input.ts'

const answer_bytes_max = 1024 * 1024

type Block = ToolAnswer['content'][number]

export interface FittedAnswer {
  readonly content: Block[]
  readonly structured?: unknown
  readonly truncated: boolean
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** Keeps blocks while there is room; cuts text, drops others; structured content is all or nothing. */
export function fitAnswer({ content, structured }: ToolAnswer, bytes_max = answer_bytes_max): FittedAnswer {
  let left = bytes_max
  const blocks: Block[] = []
  let truncated = content.length > blocks_max
  for (const block of content.slice(0, blocks_max)) {
    const bytes = bytesOf(block)
    if (bytes <= left) {
      blocks.push(block)
      left -= bytes
      continue
    }
    truncated = true
    const cut = cutText(block, left)
    if (cut) blocks.push(cut)
    // Nothing follows a truncated block.
    left = 0
    break
  }
  if (structured === undefined) return { content: blocks, truncated }
  return bytesOf(structured) <= left
    ? { content: blocks, structured, truncated }
    : { content: blocks, truncated: true }
}

function cutText(block: Block, room: number): Block | undefined {
  const { type, text } = block
  if (type !== 'text' || typeof text !== 'string') return undefined
  const frame = bytesOf({ type, text: '' })
  // Whole characters, with room for escapes: the longest safe prefix, by binary search.
  let [low, high] = [0, Math.min(text.length, room)]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (frame + bytesOf(text.slice(0, middle).toWellFormed()) - 2 <= room) low = middle
    else high = middle - 1
  }
  return low === 0 ? undefined : { type, text: text.slice(0, low).toWellFormed() }
}
