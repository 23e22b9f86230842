// Makes untrusted text safe to print: no escape sequences, no invisible or direction-changing characters.

/** Control characters, and marks that hide or reorder text. Joiners stay: scripts need them, and they are harmless. */
const harmful =
  /[\p{Cc}\p{Cs}\u{ad}\u{61c}\u{200b}\u{200e}\u{200f}\u{2028}-\u{202e}\u{2060}-\u{206f}\u{feff}\u{e0000}-\u{e007f}]/gu

/** One line: line breaks and tabs are escaped. */
export function harmless(text: string): string {
  return text.replace(harmful, escaped)
}

/** Several lines: only line breaks are kept. */
export function harmlessLines(text: string): string[] {
  return text.split(/\r\n|\n/).map((line) => harmless(line.replaceAll('\t', '  ')))
}

/** The same JSON with control characters escaped. `text` must come from JSON.stringify. */
export function harmlessJson(text: string): string {
  return text.replace(harmful, (match) => (match === '\n' ? match : unicodeEscapes(match)))
}

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\x1b': '\\e' }

function escaped(character: string): string {
  return short[character] ?? unicodeEscapes(character)
}

/** One escape per UTF-16 unit, as in JSON. */
function unicodeEscapes(text: string): string {
  return text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
