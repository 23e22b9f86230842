// JSON of a stranger is weighed before it is parsed: a few megabytes of brackets become hundreds in memory, and a second of the
// engine's only thread.

const values_max = 100_000
/** Each may begin a new shape of object, which costs far more than a value. */
const keys_max = 20_000
const depth_max = 128

/** Why nobody should parse it, undefined where it is light. Whether it is JSON at all is for the parser to say. */
export function tooHeavy(text: string): string | undefined {
  let [depth, values, keys] = [0, 0, 0]
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at + 1)
        break
      case '[':
      case '{':
        values++
        if (++depth > depth_max) return `it is nested deeper than ${depth_max} levels`
        break
      case ']':
      case '}':
        depth--
        break
      case ',':
        if (++values > values_max) return `it holds more than ${values_max} values`
        break
      case ':':
        if (++keys > keys_max) return `it holds more than ${keys_max} keys`
    }
  }
  return undefined
}

function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (end - backslashes > from && text[end - backslashes - 1] === '\\') backslashes++
    if (backslashes % 2 === 0) return end
  }
  return text.length
}
