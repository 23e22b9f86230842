// The filters of a list in the address.
import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { hashOf, readPlace } from '../shell/address.ts'
import type { ListFilter, ListQuery } from './describe.ts'

/** The row shown in the side panel. */
const open_field = 'open'

export interface ListState {
  readonly query: ListQuery
  readonly open: string | undefined
  readonly is_filtered: boolean
  set(field: string, value: string): void
  replace(query: ListQuery): void
  show(key: string | undefined): void
}

/** The same object as long as the address is the same. */
export function useListState(filters: readonly ListFilter[]): ListState {
  const [params] = useSearchParams()
  return useMemo(() => {
    const query = Object.fromEntries(
      filters.flatMap(({ field }) => {
        const value = params.get(field)
        return value ? [[field, value]] : []
      }),
    )
    return {
      query,
      open: params.get(open_field) ?? undefined,
      is_filtered: Object.keys(query).length > 0,
      set: (field, value) => write((before) => ({ ...before, [field]: value })),
      replace: (next) => write(() => next),
      show: showRow,
    }
  }, [params, filters])
}

/** Opens a row in the side panel, or closes it. */
export function showRow(key: string | undefined): void {
  write((before) => ({ ...before, [open_field]: key ?? '' }))
}

/** From the address as it is now: two changes may follow each other faster than the page is drawn. */
function write(change: (query: ListQuery) => ListQuery): void {
  const { page, rest, query } = readPlace(location.hash)
  location.hash = hashOf(page, rest, change(query))
}
