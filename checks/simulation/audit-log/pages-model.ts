// The plain model of pages: each record is in one place, whole, and is read, searched and proved from there.
import { hash } from 'node:crypto'
import { recordHash } from '@svc/contract/audit/audit-record'
import type { Database, Statement } from '@svc/contract/database'
import { page_records } from '../../../audit/pages/page.ts'
import { readRecords, type StoredRecord } from '../../../audit/pages/read-records.ts'
import { clientQuery, type Query } from '../../../audit/query/client-query.ts'
import type { RecordFilter } from '../../../audit/query/record-filter.ts'
import { searchRecords } from '../../../audit/query/search.ts'
import { verifySpan } from '../../../audit/query/span.ts'
import { parseTile, readTile } from '../../../audit/tree/tiles.ts'
import { requireTree } from '../../tiles/tile-reader.ts'
import type { SimulationDatabase } from '../database.ts'
import type { Random } from '../random.ts'
import { Violation } from '../world.ts'
import type { SimulatedArchive } from './archive.ts'
import { protocols } from './entry.ts'
import type { ModelChain } from './model.ts'
import type { ReadLog } from './moves.ts'

interface PageRow {
  readonly tenant_id: string
  readonly page: string
  readonly sha256: string
  readonly hashes: string
  readonly is_cold: boolean
  /** Null where it is in the archive. */
  readonly is_whole: boolean | null
  readonly is_queued: boolean
}

interface TailRow {
  readonly tenant_id: string
  readonly first_seq: string
  readonly hashes: string
}

const pages_sql = `
  SELECT tenant_id, page, encode(sha256, 'hex') AS sha256, encode(sha256(hashes), 'hex') AS hashes, bytes IS NULL AS is_cold,
    sha256(bytes) = sha256 AS is_whole,
    EXISTS (SELECT FROM audit_hot_pages h WHERE h.tenant_id = p.tenant_id AND h.page = p.page) AS is_queued
  FROM audit_pages p WHERE tenant_id = ANY($1) ORDER BY tenant_id, page`
const tail_sql = `
  SELECT tenant_id, first_seq, encode(hashes, 'hex') AS hashes FROM audit_tail
  WHERE tenant_id = ANY($1) ORDER BY tenant_id, last_seq`
const root_sql = 'SELECT root FROM audit_checkpoints WHERE tenant_id = $1 AND size = $2'

const searches_at_end = 4

export class PagesModel {
  readonly #control: SimulationDatabase['control']
  readonly #archive: SimulatedArchive
  readonly #chains: ReadonlyMap<string, ModelChain>
  readonly #query: Query
  /** Where each page was when its records were read last, by tenant and number. */
  readonly #places = new Map<string, string>()

  constructor(
    { control }: SimulationDatabase,
    archive: SimulatedArchive,
    chains: ReadonlyMap<string, ModelChain>,
  ) {
    this.#control = control
    this.#archive = archive
    this.#chains = chains
    this.#query = clientQuery(control, archive.contents)
  }

  /** As the owner, with what is in the archive. */
  get db(): Database {
    const execute: Database['execute'] = async <Row>({ text, values }: Statement) => ({
      rows: [...(await this.#query<Row>(text, values))],
    })
    return { execute, page_archive: this.#archive.contents } as Database
  }

  /** Every record is in one page or in the tail; what has left PostgreSQL is in the archive. */
  async check(): Promise<void> {
    if (![...this.#chains.values()].some(({ seq }) => seq >= page_records)) return
    const tenant_ids = [...this.#chains.keys()]
    const pages = (await this.#control.query<PageRow>(pages_sql, [tenant_ids])).rows
    const tail = (await this.#control.query<TailRow>(tail_sql, [tenant_ids])).rows
    for (const [tenant_id, chain] of this.#chains) {
      const of_tenant = pages.filter((row) => row.tenant_id === tenant_id)
      for (const [at, row] of of_tenant.entries()) this.#checkPage(row, at, chain)
      const rest = tail.filter((row) => row.tenant_id === tenant_id)
      checkTail(tenant_id, rest, of_tenant.length, chain)
      await this.#readMoved(of_tenant)
    }
  }

  /** What a process has read is what was written, or is shown as unreadable where the archive gave it something else. */
  compare({ tenant_id, records, seq_min, may_be_unreadable }: ReadLog): void {
    if (records.length !== seq_min)
      throw new Violation(
        `${records.length} of ${seq_min} records of ${tenant_id} were read, without an error`,
      )
    for (const record of records) this.#compareRecord(record, may_be_unreadable)
  }

  /** Once all faults are over: searches find what the model finds, and summaries, hashes and tiles are right. */
  async checkEnd(random: Random): Promise<void> {
    for (const [tenant_id, chain] of this.#chains) {
      if (chain.seq < page_records) continue
      const verdict = await verifySpan(this.db, tenant_id, { first_seq: 1, last_seq: chain.seq })
      if (!verdict.ok) throw new Violation(`${tenant_id} does not verify: ${JSON.stringify(verdict)}`)
      await this.#checkTiles(tenant_id, chain.seq)
      for (let n = 0; n < searches_at_end; n++)
        await this.#search(tenant_id, chain, drawFilter(chain, random))
    }
  }

  #checkPage({ tenant_id, ...row }: PageRow, at: number, { hashes }: ModelChain): void {
    const place = `page ${row.page} of ${tenant_id}`
    if (Number(row.page) !== at) throw new Violation(`${place} is where page ${at} should be`)
    const expected = hashes.slice(at * page_records, (at + 1) * page_records)
    if (row.hashes !== hash('sha256', Buffer.from(expected.join(''), 'hex')))
      throw new Violation(`${place} has other hashes than its records`)
    if (row.is_whole === false) throw new Violation(`${place} has other bytes than its hash says`)
    if (row.is_cold && !this.#archive.isSafe(row.sha256))
      throw new Violation(`${place} has left PostgreSQL, and the archive does not have it`)
    if (row.is_cold === row.is_queued)
      throw new Violation(`${place} is ${row.is_cold ? '' : 'not '}in the archive, and is listed otherwise`)
  }

  /** The records of pages that were merged, archived or restored since then. */
  async #readMoved(rows: readonly PageRow[]): Promise<void> {
    for (const { tenant_id, page, is_cold } of rows) {
      const name = `${tenant_id} ${page}`
      const place = is_cold ? 'archive' : 'page'
      if (this.#places.get(name) === place) continue
      this.#places.set(name, place)
      const from_seq = Number(page) * page_records + 1
      const range = { from_seq, to_seq: from_seq + page_records - 1 }
      const records = await readRecords(this.#query, tenant_id, [range])
      if (records.length !== page_records) throw new Violation(`${name} has ${records.length} records`)
      for (const record of records) this.#compareRecord(record, false)
    }
  }

  #compareRecord(
    { tenant_id, seq, body, previous_hash, record_hash }: StoredRecord,
    may_be_unreadable: boolean,
  ) {
    const { hashes } = this.#chains.get(tenant_id)!
    const place = `record ${seq} of ${tenant_id}`
    if (hashes[seq - 1] !== record_hash) throw new Violation(`${place} is read with another hash`)
    if (body === undefined && !may_be_unreadable) throw new Violation(`${place} cannot be read`)
    if (body !== undefined && recordHash(previous_hash, body) !== record_hash)
      throw new Violation(`${place} is read with another text`)
  }

  async #search(tenant_id: string, { bodies }: ModelChain, filter: Filter): Promise<void> {
    const expected = bodies.filter((body) => matches(body, filter)).map(({ seq }) => seq)
    if (filter.newest_first) expected.reverse()
    const seqs: number[] = []
    for await (const some of searchRecords(this.#query, tenant_id, filter))
      seqs.push(...some.map(({ seq }) => seq))
    if (seqs.join() !== expected.join())
      throw new Violation(
        `a search of ${tenant_id} for ${JSON.stringify(filter)} gives [${seqs}], and should [${expected}]`,
      )
  }

  async #checkTiles(tenant_id: string, size: number): Promise<void> {
    const read = async (path: string) => {
      const tile = await readTile(this.#query, tenant_id, parseTile(path.slice('tile/'.length))!)
      if (!tile) throw new Violation(`${tenant_id} has no ${path}`)
      return tile
    }
    const { rows } = await this.#control.query<{ root: Buffer }>(root_sql, [tenant_id, size])
    await requireTree(read, { size, root: rows[0]!.root, signatures: [] })
  }
}

function checkTail(
  tenant_id: string,
  rows: readonly TailRow[],
  pages: number,
  { seq, hashes }: ModelChain,
): void {
  if (pages !== Math.floor(seq / page_records))
    throw new Violation(`${tenant_id} has ${seq} records and ${pages} pages`)
  const first_seq = pages * page_records + 1
  if (rows.map((row) => row.hashes).join('') !== hashes.slice(first_seq - 1).join(''))
    throw new Violation(`the tail of ${tenant_id} has other records than those from ${first_seq} on`)
  let next = first_seq
  for (const row of rows) {
    if (Number(row.first_seq) !== next) throw new Violation(`the tail of ${tenant_id} has no record ${next}`)
    next += row.hashes.length / 64
  }
}

type Filter = Omit<RecordFilter, 'limit'>

function drawFilter({ bodies }: ModelChain, random: Random): Filter {
  const times = [random.pick(bodies).timestamp, random.pick(bodies).timestamp].sort()
  const [from, to] = times as [string, string]
  const newest_first = random.chance(0.5)
  return random.pick<Filter>([
    { outcome: 'refused', newest_first },
    { protocol: random.pick(protocols), from, to, newest_first },
    { correlation_ids: [random.pick(bodies).correlation_id], newest_first },
    { from, to, newest_first },
    { event_types: ['AuditKeyRotated', 'KeyRotated'], newest_first },
  ])
}

function matches(body: ModelChain['bodies'][number], filter: Filter): boolean {
  const { correlation_ids, event_types, outcome, protocol, from = '', to = '~' } = filter
  return (
    (outcome === undefined || body.outcome === outcome) &&
    (protocol === undefined || body.protocol === protocol) &&
    (correlation_ids?.includes(body.correlation_id) ?? true) &&
    (event_types?.includes(body.event_type) ?? true) &&
    body.timestamp >= from &&
    body.timestamp < to
  )
}
