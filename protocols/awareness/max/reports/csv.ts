// CSV as spreadsheets read it (RFC 4180), with cells that none takes for a formula.

/** A cell that begins so would be computed when the file is opened; the wide forms as in East Asian texts. */
const formula_start = /^[=+\-@\t\r\n＝＋－＠]/
const needs_quotes = /[",\r\n]/

export function csvOf(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('')
}

function cell(text: string): string {
  const is_number = /^-?\d+(\.\d+)?$/.test(text)
  const harmless = formula_start.test(text) && !is_number ? `'${text}` : text
  return needs_quotes.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
