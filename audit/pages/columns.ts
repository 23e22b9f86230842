// Columns beside a record's text. The text is authoritative; a column only helps to find it.

/** Empty for none; what a column cannot hold is replaced. */
export function columnText(text: string | undefined): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these must not reach a column
  return text === undefined ? '' : text.replace(/[\u0000-\u001f\u007f]/g, '\ufffd')
}

/** PostgreSQL has no year 0 and no 31st of February, which a timestamp's pattern allows. */
export function momentOf(timestamp: string): number {
  const ms = Date.parse(timestamp)
  return ms >= year_one_ms ? ms : 0
}

/** Records are found by whole milliseconds: the first one that is not before a bound of a period. */
export function boundOf(timestamp: string): number {
  const is_between = /\.\d{3}\d*[1-9]/.test(timestamp)
  return Date.parse(timestamp) + (is_between ? 1 : 0)
}

const year_one_ms = -62_135_596_800_000
