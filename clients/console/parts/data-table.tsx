// The table of every page: caption, column heads, and a sentence if there are no rows.
import type { ReactNode } from 'react'

export interface Column<Row> {
  readonly head: string
  readonly cell: (row: Row) => ReactNode
  /** Numbers are right-aligned. */
  readonly is_number?: boolean
}

interface Props<Row> {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Shown if there are no rows. */
  readonly empty: string
}

export function DataTable<Row>({ caption, columns, rows, keyOf, empty }: Props<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard.
    <section className="scroll" aria-label={caption} tabIndex={0}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ head, is_number }) => (
              <th key={head} scope="col" className={is_number ? 'number' : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ head, cell, is_number }) => (
                <td key={head} className={is_number ? 'number' : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p className="empty">{empty}</p>}
    </section>
  )
}
