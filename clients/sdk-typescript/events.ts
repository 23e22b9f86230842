// Server-sent events, as the standard reads them: fields by line, an event at each empty line, comments ignored.

export interface ServerEvent {
  readonly event: string
  readonly data: string
}

/** An event larger than any answer may be is not gathered to its end. */
const event_chars_max = 16 * 1024 * 1024

export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let rest = ''
  let fields: string[] = []
  try {
    while (true) {
      const { done, value } = await reader.read()
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true })
      // A carriage return at the end may be half of a line's end.
      const held = !done && rest.endsWith('\r') ? 1 : 0
      const lines = rest.slice(0, rest.length - held).split(/\r\n|\n|\r/)
      rest = lines.pop()! + rest.slice(rest.length - held)
      for (const line of lines) {
        if (line !== '') fields.push(line)
        else if (fields.length > 0) {
          const event = eventOf(fields)
          fields = []
          if (event) yield event
        }
      }
      if (rest.length > event_chars_max) throw new RangeError('an event is larger than any answer may be')
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
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
