// Views of a list that a person saved in this browser.
import type { ListQuery } from './describe.ts'

export interface SavedView {
  readonly name: string
  readonly query: ListQuery
}

const views_max = 30

/** What another program or an older version wrote there is not trusted. */
export function readViews(text: string | null): readonly SavedView[] {
  try {
    const stored: unknown = JSON.parse(text ?? '[]')
    if (!Array.isArray(stored)) return []
    return stored.slice(0, views_max).flatMap((each) => {
      const { name, query } = Object(each)
      if (typeof name !== 'string' || typeof query !== 'object' || query === null) return []
      const fields = Object.entries(query).filter(([, value]) => typeof value === 'string')
      return [{ name, query: Object.fromEntries(fields) as ListQuery }]
    })
  } catch {
    return []
  }
}

/** One of the same name is replaced; of too many the oldest go. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  return [...views.filter(({ name }) => name !== view.name), view].slice(-views_max)
}

const name_length_max = 64

/** Lower-case letters, digits and hyphens, as the engine names views: `Refusals of May` becomes refusals-of-may. */
export function storedName(typed: string): string {
  const plain = typed
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
  const name = plain.match(/[a-z0-9]+/g)?.join('-') ?? ''
  return name.slice(0, name_length_max).replace(/-$/, '')
}
