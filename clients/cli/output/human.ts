// Prints any JSON value for people: lists of objects as tables, objects as aligned fields, long text wrapped. The
// text is untrusted: control characters never reach the terminal.
import type { Colours } from './colours.ts'
import { harmless, harmlessLines } from './harmless-text.ts'
import { cutToWidth, padToWidth, widthOf, wrapToWidth } from './text-width.ts'

export interface Page {
  readonly width: number
  readonly colours: Colours
}

/** The maximum line length, however wide the terminal. */
const width_max = 100
const width_min = 40
const cell_width_min = 10
const gap = '  '
/** Deeper values are shown as JSON. */
const depth_max = 6
const indent_step = 2

export function pageOf({ columns }: { readonly columns: number }, colours: Colours): Page {
  return { width: Math.min(width_max, Math.max(width_min, columns)), colours }
}

export function humanText(value: unknown, page: Page): string {
  return linesOf(value, page, 0)
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}

function linesOf(value: unknown, page: Page, depth: number): string[] {
  if (Array.isArray(value)) return listLines(value, page, depth)
  if (isObject(value)) return fieldLines(value, page, depth)
  return textLines(value, page.width)
}

function textLines(value: unknown, width: number): string[] {
  return harmlessLines(readable(value)).flatMap((line) => wrapToWidth(line, width))
}

function listLines(list: readonly unknown[], page: Page, depth: number): string[] {
  if (list.length === 0) return [page.colours.dim('none')]
  if (list.every(isObject)) {
    return tableLines(list, page) ?? list.flatMap((item, i) => recordLines(item, i, page, depth))
  }
  const line = list.map((item) => cell(item, false)).join(', ')
  if (list.every(isScalar) && widthOf(line) <= page.width) return [line]
  const inner = { ...page, width: page.width - indent_step }
  return list.flatMap((item) =>
    linesOf(item, inner, depth + 1).map((text, i) => `${i === 0 ? '- ' : gap}${text}`),
  )
}

function recordLines(item: Fields, position: number, page: Page, depth: number): string[] {
  return [...(position === 0 ? [] : ['']), ...fieldLines(item, page, depth)]
}

type Fields = Readonly<Record<string, unknown>>

function fieldLines(fields: Fields, page: Page, depth: number): string[] {
  const { dim } = page.colours
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  if (entries.length === 0) return [dim('empty')]
  const names = entries.map(([name]) => cutToWidth(harmless(name), Math.floor(page.width / 2)))
  const beside = names.filter((_, i) => isBeside(entries[i]![1], page.width, depth))
  const name_width = Math.max(0, ...beside.map(widthOf))
  return entries.flatMap(([, value], i) => {
    if (!isBeside(value, page.width, depth)) {
      const inner = { ...page, width: Math.max(cell_width_min, page.width - indent_step) }
      const count = Array.isArray(value) ? ` (${value.length})` : ''
      return [
        dim(`${names[i]}${count}`),
        ...linesOf(value, inner, depth + 1).map((line) => `${' '.repeat(indent_step)}${line}`),
      ]
    }
    const room = Math.max(cell_width_min, page.width - name_width - gap.length)
    const lines = harmlessLines(inOneLine(value)).flatMap((line) => wrapToWidth(line, room))
    const label = dim(padToWidth(names[i]!, name_width))
    return lines.map((line, at) => `${at === 0 ? label : ' '.repeat(name_width)}${gap}${line}`)
  })
}

/** Whether a value fits on the line of its name. */
function isBeside(value: unknown, width: number, depth: number): boolean {
  if (isScalar(value) || depth >= depth_max || Object.keys(value as object).length === 0) return true
  return Array.isArray(value) && value.every(isScalar) && widthOf(inOneLine(value)) <= width / 2
}

function inOneLine(value: unknown): string {
  if (isScalar(value)) return readable(value)
  if (Array.isArray(value))
    return value.every(isScalar) ? value.map(readable).join(', ') || 'none' : JSON.stringify(value)
  return Object.keys(value as object).length === 0 ? 'empty' : JSON.stringify(value)
}

/** Undefined if the columns do not fit: then each object is printed separately. */
function tableLines(rows: readonly Fields[], page: Page): string[] | undefined {
  const names = [...new Set(rows.flatMap(Object.keys))].filter((name) =>
    rows.some((row) => row[name] !== undefined && row[name] !== null),
  )
  if (names.length === 0) return undefined
  const cells = rows.map((row) => names.map((name) => cell(row[name], true)))
  const heads = names.map(harmless)
  const natural = names.map((_, i) => Math.max(widthOf(heads[i]!), ...cells.map((line) => widthOf(line[i]!))))
  const widths = fitted(natural, page.width - gap.length * (names.length - 1))
  if (!widths) return undefined
  const line = (texts: readonly string[]) =>
    texts.map((text, i) => padToWidth(cutToWidth(text, widths[i]!), widths[i]!)).join(gap)
  return [page.colours.bold(line(heads)), ...cells.map(line)]
}

/** Shrinks the widest columns until all fit; undefined if they would become too narrow. */
function fitted(natural: readonly number[], room: number): number[] | undefined {
  const widths = natural.map((width) => Math.min(width, room))
  let over = widths.reduce((sum, width) => sum + width, 0) - room
  for (; over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths))
    if (widths[widest]! <= cell_width_min) return undefined
    widths[widest]!--
  }
  return widths
}

function cell(value: unknown, is_short: boolean): string {
  const text = isScalar(value) ? readable(value) : inOneLine(value)
  return harmless(is_short ? shortened(text) : text)
}

/** In tables, hashes are shortened and times are cut to seconds. */
export function shortened(text: string): string {
  return text
    .replace(/\b([0-9a-f]{12})[0-9a-f]{52}\b/g, '$1…')
    .replace(/^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\.\d+Z$/, '$1Z')
}

function readable(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number' && !Number.isInteger(value)) return rounded(value)
  return String(value).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d(?:\.\d+)?Z)$/, '$1 $2')
}

/** Measured, as times and scores: JSON has all digits. */
function rounded(value: number): string {
  const digits = Math.abs(value) < 1000 ? value.toPrecision(6) : value.toFixed(3)
  return Number(digits).toLocaleString('en', { useGrouping: false, maximumSignificantDigits: 21 })
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
