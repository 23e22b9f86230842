// The views a person saved: with the engine where that is possible, otherwise in this browser.
import { useState } from 'react'
import { useOperation } from '../shell/use-operation.ts'
import { type Problem, useAct } from '../shell/use-query.ts'
import { useSession, useWhyNot } from '../shell/use-session.tsx'
import type { ListDescription, ListQuery } from './describe.ts'
import { readViews, type SavedView, storedName, withView } from './saved-views.ts'

export interface ListedView extends SavedView {
  /** Absent for one that is only in this browser. */
  readonly shared?: boolean
}

export interface SavedViews {
  readonly views: readonly ListedView[]
  readonly is_stored: boolean
  readonly problem: Problem | undefined
  /** The name under which a view is saved; empty where none can be made of it. */
  nameOf(typed: string): string
  save(name: string, query: ListQuery): void
  remove(view: ListedView): void
}

export function useSavedViews<Row>({ name: list, stored }: ListDescription<Row>): SavedViews {
  const here = useViewsHere(list)
  const may_set = useWhyNot('MAX', 'set_view') === undefined
  const listed = useOperation('MAX', 'list_views', {}, { is_off: stored === undefined })
  const set = useAct(async (client, view: SavedView) => {
    if (!stored) return
    const { page, operation } = stored
    await client.max.set_view({ name: view.name, page, operation, filters: stored.filtersOf(view.query) })
  })
  const end = useAct(async (client, { name, shared = false }: ListedView) => {
    await client.max.remove_view({ name, shared })
  })
  const is_stored = stored !== undefined && may_set
  const with_engine = (listed.answer?.items ?? []).flatMap(({ name, page, filters, shared = false }) =>
    stored && page === stored.page ? [{ name, shared, query: stored.queryOf(filters) }] : [],
  )
  return {
    views: [...with_engine, ...here.views],
    is_stored,
    problem: set.problem ?? end.problem,
    nameOf: (typed) => (is_stored ? storedName(typed) : typed.trim()),
    save: (name, query) => (is_stored ? void set.run({ name, query }) : here.save({ name, query })),
    remove: (view) => (view.shared === undefined ? here.remove(view.name) : void end.run(view)),
  }
}

function useViewsHere(list: string) {
  const { tenant_id } = useSession()
  const place = `svc-views:${tenant_id}:${list}`
  const [views, setViews] = useState<readonly SavedView[]>(() => readViews(localStorage.getItem(place)))
  const write = (changed: readonly SavedView[]) => {
    localStorage.setItem(place, JSON.stringify(changed))
    setViews(changed)
  }
  return {
    views,
    save: (view: SavedView) => write(withView(views, view)),
    remove: (name: string) => write(views.filter((view) => view.name !== name)),
  }
}
