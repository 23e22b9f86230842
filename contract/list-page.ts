// A page of a list, newest first: its request and the next cursor.
import { Type } from 'typebox'
import { isMoment } from './moment.ts'
import { type Refusal, refuse } from './refusal.ts'
import { Timestamp } from './schema.ts'

const limit_default = 25
export const page_max = 100
/** Where matches are rare, an empty page with a cursor is returned instead of a long search. */
const looked_at_max = 1_000

export const page_fields = {
  since: Type.Optional(
    Type.String({ ...Timestamp, description: 'Only entries from this time on, RFC 3339 in UTC.' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: page_max, default: limit_default, description: 'Entries per page.' }),
  ),
  cursor: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9_-]{1,512}$', description: 'next_cursor of the previous page.' }),
  ),
}

export const next_cursor = Type.Optional(
  Type.String({ description: 'There may be more entries, even after a page that is not full.' }),
)

export interface PageAsked {
  readonly since?: string
  readonly limit?: number
  readonly cursor?: string
}

/** A row's position: by time, then by id. */
export interface Place {
  /** RFC 3339 with milliseconds. */
  readonly at: string
  readonly id: string
}

/** Bounds of the next rows; null where unbounded. */
export interface Bounds {
  readonly since: string | null
  readonly before: Place | null
  readonly limit: number
}

export interface Page<Row> {
  readonly rows: readonly Row[]
  readonly next_cursor?: string
}

interface Listing<Row> {
  /** The form of these ids: no other is sent to the database. */
  readonly id_form: RegExp
  read(bounds: Bounds): Promise<readonly Row[]>
  placeOf(row: Row): Place
  /** A condition the database cannot evaluate, such as the current state. */
  isWanted?(row: Row): boolean
}

/** No row is lost or repeated while others are added: each page starts behind a row, not at an offset. */
export async function readPage<Row>(request: PageAsked, listing: Listing<Row>): Promise<Page<Row>> {
  const { limit = limit_default, since } = request
  if (since !== undefined && !isMoment(since)) throw noMoment(since)
  const rows: Row[] = []
  let before = request.cursor === undefined ? null : readCursor(request.cursor, listing.id_form)
  let batch = limit + 1
  for (let looked_at = 0; looked_at < looked_at_max; looked_at += batch, batch = page_max + 1) {
    const batch_rows = await listing.read({ since: since ?? null, before, limit: batch })
    for (const row of batch_rows) {
      if (rows.length === limit) return { rows, next_cursor: writeCursor(before!) }
      before = listing.placeOf(row)
      if (listing.isWanted?.(row) ?? true) rows.push(row)
    }
    if (batch_rows.length < batch) return { rows }
  }
  return { rows, next_cursor: writeCursor(before!) }
}

function writeCursor({ at, id }: Place): string {
  return Buffer.from(`${at}|${id}`).toString('base64url')
}

function readCursor(cursor: string, id_form: RegExp): Place {
  const [at = '', id = '', ...more] = Buffer.from(cursor, 'base64url').toString('latin1').split('|')
  const is_moment = isMoment(at) && new Date(at).toISOString() === at
  if (is_moment && id_form.test(id) && more.length === 0) return { at, id }
  throw invalidCursor()
}

/** Of lists that go on from another place than a time and an id, too. */
export function invalidCursor(): Refusal {
  return refuse(
    'invalid_payload',
    'This cursor is not valid here; send next_cursor of the page before, or leave it out.',
    { reason: 'cursor', faults: [{ pointer: '/cursor', message: 'is no cursor of this list' }] },
  )
}

/** Details are returned for one entry only: a page of them would be unbounded. */
export function requireOne(include_detail: boolean | undefined, id: string | undefined, name: string): void {
  if (!include_detail || id !== undefined) return
  throw refuse('invalid_payload', `include_detail tells the whole of one; name it by ${name}.`, {
    reason: 'detail of one',
    faults: [{ pointer: `/${name}`, message: 'is needed with include_detail' }],
  })
}

function noMoment(since: string) {
  return refuse('invalid_payload', `since is ${since}, a moment that does not exist; name a real one.`, {
    reason: 'no_such_moment',
    faults: [{ pointer: '/since', message: 'is no moment that exists' }],
  })
}
