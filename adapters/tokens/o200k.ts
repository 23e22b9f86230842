// Counts tokens as they are billed. The table is large (30 MB on disk), so it is read when first needed.

/** The tokenizer's work on one unbroken word grows with its square: longer ones are counted in pieces, a token off at most at each cut. */
const piece_chars_max = 256
const unbroken = new RegExp(`\\S{${piece_chars_max}}|\\s{${piece_chars_max}}`, 'gu')

let loading: Promise<(text: string) => number> | undefined

export async function countTokens(texts: readonly string[]): Promise<number> {
  loading ??= load()
  const count = await loading
  return texts.reduce((sum, text) => sum + count(text), 0)
}

async function load(): Promise<(text: string) => number> {
  const { countTokens: count } = await import('gpt-tokenizer/encoding/o200k_base')
  // Words that look like the model's own marks are text like any other here.
  const options = { disallowedSpecial: new Set<string>() }
  return (text) => piecesOf(text).reduce((sum, piece) => sum + (piece === '' ? 0 : count(piece, options)), 0)
}

function piecesOf(text: string): string[] {
  const pieces: string[] = []
  let from = 0
  for (const { index, 0: word } of text.matchAll(unbroken)) {
    pieces.push(text.slice(from, index + word.length))
    from = index + word.length
  }
  pieces.push(text.slice(from))
  return pieces
}
