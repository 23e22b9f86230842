// A short table: caption, column heads, and a sentence if there are no rows. Long lists use ListPage.
import { Table } from '@mantine/core'
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
  /** Shown if there are no rows: what will appear here, and the next step. */
  readonly empty: ReactNode
}

export function DataTable<Row>({ caption, columns, rows, keyOf, empty }: Props<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard.
    <section className="scroll" aria-label={caption} tabIndex={0}>
      <Table highlightOnHover={rows.length > 0}>
        <Table.Caption>{caption}</Table.Caption>
        {rows.length > 0 && (
          <>
            <Table.Thead>
              <Table.Tr>
                {columns.map(({ head, is_number }) => (
                  <Table.Th key={head} scope="col" className={is_number ? 'number' : ''}>
                    {head}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((row) => (
                <Table.Tr key={keyOf(row)}>
                  {columns.map(({ head, cell, is_number }) => (
                    <Table.Td key={head} className={is_number ? 'number' : ''}>
                      {cell(row)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </>
        )}
      </Table>
      {rows.length === 0 && <p className="empty">{empty}</p>}
    </section>
  )
}
