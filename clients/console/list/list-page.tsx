// A list from its description: filters in the address, views, columns, CSV, virtual rows, and a side panel.
import { Button, Drawer, Table } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { columnVisibilityFeature, tableFeatures, useTable } from '@tanstack/react-table'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, memo, useMemo, useRef, useState } from 'react'
import { plural } from '../parts/figures.ts'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useSession } from '../shell/use-session.tsx'
import { words } from '../words/en.ts'
import type { ListColumn, ListDescription } from './describe.ts'
import { ListFilters } from './list-filters.tsx'
import { type ListState, showRow, useListState } from './list-query.ts'
import { ListTools } from './list-tools.tsx'

/** Pages come while one looks at the list; what stands above it stays as it is. */
const Filters = memo(ListFilters)

const row_px = 41
const features = tableFeatures({ columnVisibilityFeature })

export function ListPage<Row extends object>({ list }: { list: ListDescription<Row> }) {
  const state = useListState(list.filters)
  const [is_live, setIsLive] = useState(false)
  const pages = usePagesOf(list, state, is_live)
  const rows = useMemo(() => pages.data?.pages.flatMap((page) => page.rows) ?? [], [pages.data])
  const extra = list.columns.flatMap(({ key, is_extra }) => (is_extra ? [[key, false] as const] : []))
  const [visible, setVisible] = useState<Record<string, boolean>>(() => Object.fromEntries(extra))
  const opened = rows.find((row) => list.keyOf(row) === state.open)
  const panel = state.open === undefined ? undefined : list.panel?.(state.open, opened)
  return (
    <>
      <Filters filters={list.filters} state={state} />
      <ListTools
        list={list}
        state={state}
        visible={visible}
        onVisible={setVisible}
        is_live={is_live}
        onLive={setIsLive}
        is_waiting={pages.isFetching}
        onRefresh={() => void pages.refetch()}
      />
      {pages.error && <ProblemNote problem={pages.error} onRetry={() => void pages.refetch()} />}
      {pages.isPending ? (
        <p className="quiet" role="status" data-waiting>
          {words.loading}
        </p>
      ) : (
        <>
          <Rows list={list} rows={rows} visible={visible} state={state} />
          <p className="quiet" role="status">
            {rows.length > 0 && plural(rows.length, 'row')}
            {pages.hasNextPage && words.more_below}
          </p>
        </>
      )}
      {pages.hasNextPage && (
        <Button
          variant="default"
          loading={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          {words.more}
        </Button>
      )}
      <Drawer
        opened={panel !== undefined}
        onClose={() => state.show(undefined)}
        position="right"
        size="xl"
        title={panel?.title}
        closeButtonProps={{ 'aria-label': words.close }}
      >
        {panel?.body}
      </Drawer>
    </>
  )
}

const live_ms = 2_000

function usePagesOf<Row>(list: ListDescription<Row>, { query }: ListState, is_live: boolean) {
  const { client, tenant_id } = useSession()
  return useInfiniteQuery({
    queryKey: [tenant_id, 'list', list.name, query],
    queryFn: ({ pageParam, signal }) => list.read(query, pageParam, client, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: is_live ? live_ms : (list.refresh_ms ?? false),
    refetchOnMount: 'always',
  })
}

interface RowsProps<Row> {
  readonly list: ListDescription<Row>
  readonly rows: readonly Row[]
  readonly visible: Record<string, boolean>
  readonly state: ListState
}

function useShown<Row extends object>(
  list: ListDescription<Row>,
  rows: readonly Row[],
  visible: Record<string, boolean>,
) {
  const columns = useMemo(
    () => list.columns.map((column) => ({ id: column.key, accessorFn: column.text, meta: { column } })),
    [list],
  )
  const table = useTable({
    features,
    columns,
    data: rows as Row[],
    getRowId: list.keyOf,
    state: { columnVisibility: visible },
  })
  // The same array as long as the same columns are shown, so that rows that did not change are not drawn again.
  const shown_keys = table
    .getVisibleLeafColumns()
    .map(({ id }) => id)
    .join(' ')
  return useMemo(
    () => list.columns.filter(({ key }) => shown_keys.split(' ').includes(key)),
    [list, shown_keys],
  )
}

function Rows<Row extends object>({ list, rows, visible, state }: RowsProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null)
  const shown = useShown(list, rows, visible)
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => row_px,
    overscan: 6,
    scrollMargin: body.current?.offsetTop ?? 0,
  })
  const items = virtual.getVirtualItems()
  const above = items[0] ? items[0].start - virtual.options.scrollMargin : 0
  const below = virtual.getTotalSize() - above - items.length * row_px
  if (rows.length === 0)
    return (
      <section className="panel empty" aria-label={list.name}>
        {list.empty}
      </section>
    )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard.
    <section className="scroll" aria-label={list.name} tabIndex={0}>
      <Table highlightOnHover aria-rowcount={rows.length} onKeyDown={moveInRows}>
        <Table.Thead>
          <Table.Tr>
            {shown.map(({ key, head, is_number }) => (
              <Table.Th key={key} scope="col" className={is_number ? 'number' : ''}>
                {head}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody ref={body}>
          {above > 0 && <tr style={{ height: above }} />}
          {items.map(({ index, key }) => (
            <OneRow
              key={key}
              list={list}
              row={rows[index]!}
              shown={shown}
              is_open={state.open === list.keyOf(rows[index]!)}
              index={index}
            />
          ))}
          {below > 0 && <tr style={{ height: below }} />}
        </Table.Tbody>
      </Table>
    </section>
  )
}

interface OneRowProps<Row> {
  readonly list: ListDescription<Row>
  readonly row: Row
  readonly shown: readonly ListColumn<Row>[]
  readonly is_open: boolean
  readonly index: number
}

/** Drawn again only when its own row changes. */
const OneRow = memo(PlainRow) as typeof PlainRow

function PlainRow<Row>({ list, row, shown, is_open, index }: OneRowProps<Row>) {
  const open = () => list.panel && showRow(list.keyOf(row))
  return (
    <Table.Tr
      className={list.panel ? 'list-row' : ''}
      data-open={is_open || undefined}
      aria-rowindex={index + 1}
      tabIndex={list.panel ? 0 : undefined}
      onClick={(event) => !isControl(event.target) && open()}
      onKeyDown={(event) => event.key === 'Enter' && event.target === event.currentTarget && open()}
    >
      {shown.map(({ key: column, cell, is_number }) => (
        <Table.Td key={column} className={is_number ? 'number' : ''}>
          {cell(row)}
        </Table.Td>
      ))}
    </Table.Tr>
  )
}

/** A link or button in a row does its own thing. */
function isControl(target: EventTarget): boolean {
  return (target as HTMLElement).closest('a, button') !== null
}

/** Arrow keys move between rows. */
function moveInRows(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const row = (event.target as HTMLElement).closest<HTMLElement>('.list-row')
  if (!step || !row) return
  event.preventDefault()
  const other = step > 0 ? row.nextElementSibling : row.previousElementSibling
  if (other instanceof HTMLElement) other.focus()
}
