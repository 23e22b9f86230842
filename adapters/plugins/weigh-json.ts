// Foreign JSON is measured before it is parsed: a few megabytes of brackets take hundreds in memory, and a second of
// the engine's only thread.

const values_max = 100_000
/** Each may create a new object shape, which costs far more than a value. */
const keys_max = 20_000
const depth_max = 128

/** Why it should not be parsed; undefined if it is light. Whether it is valid JSON is the parser's matter. */
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
