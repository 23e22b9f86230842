// BERT's uncased WordPiece, which the table's model was trained with: the same text must give the same pieces.

export interface Vocabulary {
  /** Pieces that begin a word, and those that continue one (stored without their ##). */
  readonly first: ReadonlyMap<string, number>
  readonly further: ReadonlyMap<string, number>
  /** No longer piece is tried. */
  readonly piece_chars_max: number
}

const word_chars_max = 100
const special_form = /^\[(?:PAD|UNK|CLS|SEP|MASK|unused\d+)\]$/
const plain_form = /^[\t\n\r -~]*$/
const plain_words = /[a-z0-9]+|[!-/:-@[-`{-~]/g
const dropped = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\uFFFD]/gu
// Each ideograph is one word, as in the model's training; kana and hangul are not.
const ideographs =
  /[\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B81F}\u{2B920}-\u{2CEAF}\u{2F800}-\u{2FA1F}]/gu
const accents = /\p{Mn}/gu
const words = /[^\s\p{P}$+<=>^`|~]+|[\p{P}$+<=>^`|~]/gu

/** One piece a line; its number is the line. Special pieces are left out: no text can name them. */
export function readVocabulary(lines: string): Vocabulary {
  const first = new Map<string, number>()
  const further = new Map<string, number>()
  let piece_chars_max = 0
  for (const [id, piece] of lines.trimEnd().split('\n').entries()) {
    if (special_form.test(piece)) continue
    const goes_on = piece.startsWith('##') && piece.length > 2
    const letters = goes_on ? piece.slice(2) : piece
    ;(goes_on ? further : first).set(letters, id)
    piece_chars_max = Math.max(piece_chars_max, letters.length)
  }
  return { first, further, piece_chars_max }
}

/** Piece numbers; a word that cannot be split into pieces is left out. */
export function piecesOf(vocabulary: Vocabulary, text: string): number[] {
  const pieces: number[] = []
  for (const word of splitWords(text)) {
    const whole = vocabulary.first.get(word)
    if (whole !== undefined) pieces.push(whole)
    else addPieces(vocabulary, word, pieces)
  }
  return pieces
}

function splitWords(text: string): readonly string[] {
  if (plain_form.test(text)) return text.toLowerCase().match(plain_words) ?? []
  const cleaned = text.toWellFormed().replace(dropped, '').replace(ideographs, ' $& ')
  // Per letter: the final sigma is no separate letter to the model.
  const lower = cleaned.normalize('NFD').replace(accents, '').replaceAll('Σ', 'σ').toLowerCase()
  return lower.match(words) ?? []
}

function addPieces({ first, further, piece_chars_max }: Vocabulary, word: string, pieces: number[]): void {
  if (word.length > word_chars_max && Array.from(word).length > word_chars_max) return
  const before = pieces.length
  for (let start = 0; start < word.length; ) {
    const vocabulary = start === 0 ? first : further
    let end = Math.min(word.length, start + piece_chars_max)
    let piece = vocabulary.get(word.slice(start, end))
    while (piece === undefined && --end > start) piece = vocabulary.get(word.slice(start, end))
    if (piece === undefined) {
      pieces.length = before
      return
    }
    pieces.push(piece)
    start = end
  }
}
