// Rows as CSV that a spreadsheet opens safely.
import type { ListColumn } from './describe.ts'

export function csvOf<Row>(columns: readonly ListColumn<Row>[], rows: readonly Row[]): string {
  const lines = [columns.map(({ head }) => head), ...rows.map((row) => columns.map(({ text }) => text(row)))]
  return lines.map((cells) => cells.map(cellOf).join(',')).join('\r\n') + '\r\n'
}

/** A text that begins like a formula is quoted as text: spreadsheets would run it. */
function cellOf(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r\n＝＋－＠]/.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export function saveFile(name: string, content: string | Uint8Array<ArrayBuffer>, type = 'text/csv'): void {
  const url = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
