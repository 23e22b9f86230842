// The rows of a saved view as one CSV, in a worker where they are many: each cell is looked at several times.
import { csvOf } from '../reports/csv.ts'

const columns_max = 64

export interface ViewTableTask {
  /** Each row as JSON. */
  readonly rows: readonly string[]
}

export interface TableText {
  readonly csv: string
  /** Some columns were left out. */
  readonly is_cut: boolean
}

type Fields = Readonly<Record<string, unknown>>

export function compute({ rows }: ViewTableTask): TableText {
  const all: readonly Fields[] = rows.map((row) => JSON.parse(row))
  const names = [...new Set(all.flatMap((row) => Object.keys(row)))]
  const columns = names.slice(0, columns_max)
  const lines = all.map((row) => columns.map((column) => textOf(row[column])))
  return { csv: csvOf([columns, ...lines]), is_cut: names.length > columns_max }
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
