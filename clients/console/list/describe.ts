// What a list page is made of: a page describes its list with these, and ListPage shows it.
import type { Client } from '@svc/sdk'
import type { ReactNode } from 'react'

export interface ListColumn<Row> {
  /** Identifies the column in the chooser and in CSV. */
  readonly key: string
  readonly head: string
  readonly cell: (row: Row) => ReactNode
  /** The exact value, for CSV. */
  readonly text: (row: Row) => string | number
  readonly is_number?: boolean
  /** Shown only when it is chosen. */
  readonly is_extra?: boolean
}

/** The filters in the address, by field; absent fields are empty. */
export type ListQuery = Readonly<Record<string, string>>

export interface ListFilter {
  readonly field: string
  readonly label: string
  readonly kind: 'text' | 'choice' | 'agent' | 'time'
  /** For a choice: the values with their names; for text: what is offered while typing. */
  readonly choices?: readonly (readonly [value: string, name: string])[]
  readonly placeholder?: string
  readonly is_wide?: boolean
}

export interface ListPart<Row> {
  readonly rows: readonly Row[]
  /** Absent on the last page. */
  readonly next?: string | undefined
}

/** How views of a list are stored with the engine, which can then run and mail them. */
export interface StoredViews {
  /** Page of the console that shows them, as in its address. */
  readonly page: string
  readonly operation: string
  /** The input of that operation for these filters, and back. */
  filtersOf(query: ListQuery): Record<string, unknown>
  queryOf(filters: Readonly<Record<string, unknown>>): ListQuery
}

export interface ListDescription<Row> {
  /** Of the list, e.g. "Records"; names the table, its views and its CSV file. */
  readonly name: string
  readonly columns: readonly ListColumn<Row>[]
  readonly filters: readonly ListFilter[]
  /** Views that everybody has, beside those a person saves. */
  readonly views?: readonly { readonly name: string; readonly query: ListQuery }[]
  /** Without it views are saved in this browser only. */
  readonly stored?: StoredViews
  readonly keyOf: (row: Row) => string
  /** One page from the engine, which does the searching. */
  read(
    query: ListQuery,
    cursor: string | undefined,
    client: Client,
    signal: AbortSignal,
  ): Promise<ListPart<Row>>
  /** What one row opens in the side panel. */
  readonly panel?: (key: string, row: Row | undefined) => { readonly title: string; readonly body: ReactNode }
  /** What will appear here, and the next step. */
  readonly empty: ReactNode
  readonly refresh_ms?: number | undefined
}
