// Columns beside a record's text. The text is authoritative; a column only helps to find it.

/** Empty for none; what a column cannot hold is replaced. */
export function columnText(text: string | undefined): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these must not reach a column
  return text === undefined ? '' : text.replace(/[\u0000-\u001f\u007f]/g, '\ufffd')
}

/** PostgreSQL has no year 0 and no 31st of February, which a timestamp's pattern allows. */
export function columnMoment(timestamp: string): string {
  // Many records share a millisecond; its text is made once.
  if (timestamp !== last_moment.timestamp) {
    const ms = Date.parse(timestamp)
    last_moment = { timestamp, text: new Date(ms >= year_one_ms ? ms : 0).toISOString() }
  }
  return last_moment.text
}

const year_one_ms = -62_135_596_800_000
let last_moment = { timestamp: '', text: '' }
