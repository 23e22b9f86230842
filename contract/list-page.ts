// A page of a list, the newest first: how it is asked for, and where the next one begins.
import { Type } from 'typebox'
import { isMoment } from './moment.ts'
import { refuse } from './refusal.ts'
import { Timestamp } from './schema.ts'

const limit_default = 25
export const page_max = 100
/** Where what is asked for is rare, an empty page says where to go on sooner than a long search does. */
const looked_at_max = 1_000

export const page_fields = {
  since: Type.Optional(
    Type.String({ ...Timestamp, description: 'Only what began then or later, RFC 3339 in UTC.' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: page_max, default: limit_default })),
  cursor: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9_-]{1,512}$', description: 'next_cursor of the page before.' }),
  ),
}

export const next_cursor = Type.Optional(
  Type.String({ description: 'There may be more behind this, also after a page that is not full.' }),
)

export interface PageAsked {
  readonly since?: string
  readonly limit?: number
  readonly cursor?: string
}

/** Where a row stands: by its moment, and among those of one moment by its id. */
export interface Place {
  /** RFC 3339 with milliseconds. */
  readonly at: string
  readonly id: string
}

/** What the next rows are read by; null where nothing bounds them. */
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
  /** What an id of these rows looks like: nobody asks the database for another. */
  readonly id_form: RegExp
  read(bounds: Bounds): Promise<readonly Row[]>
  placeOf(row: Row): Place
  /** What the database cannot tell: what a state is at this moment. */
  isWanted?(row: Row): boolean
}

/** Nothing is lost or told twice, whatever is added meanwhile: each page begins behind a row, not after a number of them. */
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
  throw refuse('invalid_payload', 'The cursor is none that a page ended with; begin again without one.', {
    reason: 'cursor',
    faults: [{ pointer: '/cursor', message: 'is no cursor of this service' }],
  })
}

/** The whole of something is told of one at a time: a page of them would have no bound. */
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
