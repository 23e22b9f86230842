// Text that somebody else wrote, made safe to show: no escape sequence, no hidden or turned-around letter reaches the terminal.

/** Controls, and marks that hide text or turn its direction. Joiners stay: scripts need them, and they move nothing. */
const harmful =
  /[\p{Cc}\p{Cs}\u{ad}\u{61c}\u{200b}\u{200e}\u{200f}\u{2028}-\u{202e}\u{2060}-\u{206f}\u{feff}\u{e0000}-\u{e007f}]/gu

/** One line: line breaks and tabs are shown as they would be typed. */
export function harmless(text: string): string {
  return text.replace(harmful, escaped)
}

/** Several lines: only line breaks keep their meaning. */
export function harmlessLines(text: string): string[] {
  return text.split(/\r\n|\n/).map((line) => harmless(line.replaceAll('\t', '  ')))
}

/** The same JSON, with what a terminal would obey written as escapes. `text` must be what JSON.stringify gave. */
export function harmlessJson(text: string): string {
  return text.replace(harmful, (match) => (match === '\n' ? match : unicodeEscapes(match)))
}

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\x1b': '\\e' }

function escaped(character: string): string {
  return short[character] ?? unicodeEscapes(character)
}

/** One escape per UTF-16 unit, as JSON writes it. */
function unicodeEscapes(text: string): string {
  return text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
