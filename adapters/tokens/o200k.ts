// Counts tokens as they are billed. Runs in a worker: its table takes 30 MB of disk and a quarter of a second to
// load, and a mebibyte of text takes too long for the main thread.
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

/**
 * The tokenizer's work on one unbroken run is quadratic: longer runs are counted in pieces, at most a token off at
 * each cut.
 */
const piece_chars_max = 256
const unbroken = new RegExp(`\\S{${piece_chars_max}}|\\s{${piece_chars_max}}`, 'gu')

/** Special tokens of the model are plain text here. */
const options = { disallowedSpecial: new Set<string>() }

export function compute(texts: readonly string[]): number {
  let count = 0
  for (const text of texts)
    for (const piece of piecesOf(text)) if (piece !== '') count += countTokens(piece, options)
  return count
}

function piecesOf(text: string): string[] {
  const pieces: string[] = []
  let from = 0
  for (const { index, 0: run } of text.matchAll(unbroken)) {
    pieces.push(text.slice(from, index + run.length))
    from = index + run.length
  }
  pieces.push(text.slice(from))
  return pieces
}
