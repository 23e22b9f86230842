// One way to write a list operation: who may read it, its pages, the view of a row, and the detail of one.
import { type Bounds, type PageAsked, type Place, readPage, requireOne } from './list-page.ts'
import type { OperationContext } from './operation-context.ts'
import { requireAtHome } from './own-list.ts'

interface ListInput extends PageAsked {
  readonly include_detail?: boolean
}

interface ListingParts<Input, Row, Item, Detail> {
  /** What is listed, if only to the organization's own identities: named in the refusal to others. */
  readonly own?: string
  /** The form of a row's id; a cursor with another is refused. */
  readonly id_form: RegExp
  /** Newest first, within the bounds. */
  read(bounds: Bounds): Promise<readonly Row[]>
  placeOf(row: Row): Place
  /** For what the database cannot tell, such as a state that changes with time. */
  isWanted?(row: Row): boolean
  /** Of all rows of a page together, so that what belongs to them is read at once. */
  view(rows: readonly Row[]): readonly Item[] | Promise<readonly Item[]>
  /** With include_detail: the field that names one row, and what is added to its view. */
  readonly detail?: { readonly by: keyof Input & string; of(row: Row): Detail | Promise<Detail> }
}

export interface Listed<Item, Detail> {
  items: (Item & { detail?: Detail })[]
  next_cursor?: string
}

export async function listing<Input extends ListInput, Row, Item extends object, Detail = never>(
  input: Input,
  context: Pick<OperationContext, 'caller' | 'tenant_id'>,
  { own, detail, view, ...pages }: ListingParts<Input, Row, Item, Detail>,
): Promise<Listed<Item, Detail>> {
  if (own !== undefined) requireAtHome(context, own)
  if (detail) requireOne(input.include_detail, input[detail.by] as string | undefined, detail.by)
  const is_whole = detail !== undefined && input.include_detail === true
  const { rows, ...next } = await readPage(is_whole ? { ...input, limit: 1 } : input, pages)
  const items = await view(rows)
  if (!is_whole) return { items: [...items], ...next }
  const [row] = rows
  return { items: row ? [{ ...items[0]!, detail: await detail.of(row) }] : [] }
}
