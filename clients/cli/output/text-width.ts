// Measures, cuts and wraps text by terminal columns. The text must already be harmless.

const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u
const without_width = /[\p{M}\u200c\u200d]/u
/** Fits the longest names: DIDs and keys. */
const word_width_whole = 128
const ascii_only = /^[\x20-\x7e]*$/

export function widthOf(text: string): number {
  if (ascii_only.test(text)) return text.length
  let width = 0
  for (const letter of text) width += letterWidth(letter)
  return width
}

function letterWidth(letter: string): number {
  if (without_width.test(letter)) return 0
  return wide.test(letter) ? 2 : 1
}

/** With an ellipsis if something was cut. */
export function cutToWidth(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let shortened = ''
  let left = Math.max(0, width - 1)
  for (const letter of text) {
    left -= letterWidth(letter)
    if (left < 0) break
    shortened += letter
  }
  return width <= 0 ? '' : `${shortened}…`
}

export function padToWidth(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

/** Wraps between words. A hash or DID longer than a line stays whole, so that it can be copied. */
export function wrapToWidth(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) <= width) line += ` ${word}`
    else {
      if (line !== '') lines.push(line)
      const pieces = piecesOf(word, width)
      line = pieces.pop()!
      lines.push(...pieces)
    }
  }
  return [...lines, line]
}

function piecesOf(word: string, width: number): string[] {
  if (widthOf(word) <= Math.max(width, word_width_whole)) return [word]
  const pieces = ['']
  let used = 0
  for (const letter of word) {
    const takes = letterWidth(letter)
    if (used + takes > width && used > 0) {
      pieces.push('')
      used = 0
    }
    pieces[pieces.length - 1] += letter
    used += takes
  }
  return pieces
}
