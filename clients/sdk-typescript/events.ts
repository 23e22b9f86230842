// Parses server-sent events as in the standard.
import { badAnswer, type SvcError } from './errors.ts'

export interface ServerEvent {
  readonly event: string
  readonly data: string
}

/** Larger than any answer of the service; longer data is rejected. */
export const answer_chars_max = 64 * 1024 * 1024

/** `texts` are chunks of the stream, split anywhere. Data after the last empty line is not an event. */
export async function* readEvents(
  texts: AsyncIterable<string>,
  chars_max = answer_chars_max,
): AsyncGenerator<ServerEvent> {
  let fields: string[] = []
  let chars = 0
  for await (const line of readLines(texts, chars_max)) {
    chars += line.length
    if (chars > chars_max) throw tooLarge()
    if (line !== '') fields.push(line)
    else {
      const event = eventOf(fields)
      fields = []
      chars = 0
      if (event) yield event
    }
  }
}

/** A line ends with CR, LF or both; CRLF may be split across chunks. */
async function* readLines(texts: AsyncIterable<string>, chars_max: number): AsyncGenerator<string> {
  let begun: string[] = []
  let begun_chars = 0
  let after_return = false
  for await (const piece of texts) {
    if (piece === '') continue
    const text = after_return && piece.startsWith('\n') ? piece.slice(1) : piece
    after_return = piece.endsWith('\r')
    const [first = '', ...lines] = text.split(/\r\n|\n|\r/)
    begun.push(first)
    begun_chars += first.length
    if (begun_chars > chars_max) throw tooLarge()
    if (lines.length === 0) continue
    yield begun.join('')
    const last = lines.pop()!
    yield* lines
    begun = [last]
    begun_chars = last.length
  }
}

export function tooLarge(): SvcError {
  return badAnswer('What came is larger than any answer of svc may be; check apiUrl.')
}

function eventOf(lines: readonly string[]): ServerEvent | undefined {
  let event = 'message'
  const data: string[] = []
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon === 0) continue
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'event') event = value
    if (name === 'data') data.push(value)
  }
  return data.length === 0 ? undefined : { event, data: data.join('\n') }
}
