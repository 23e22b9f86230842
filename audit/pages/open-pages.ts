// The pages that are not full yet: their records are remembered, so that filling one needs no reading.
import { genesis_hash } from '@svc/contract/audit/audit-record'
import type { ClientBase } from 'pg'
import {
  completePage,
  type Page,
  type PageRecord,
  page_records,
  pageOf,
  type TailPiece,
  tailPiece,
} from './page.ts'
import { type OpenPage, readOpenPage } from './read-open-page.ts'

/** Of all tenants together. Past it the page written to longest ago is forgotten, and read again when it is full. */
const chars_max = 16 * 1024 * 1024
const tenants_max = 10_000

interface Remembered extends OpenPage {
  /** What the next record must follow: after a failed commit another one may come. */
  readonly head_hash: string
  readonly chars: number
}

export interface NewPages {
  readonly pages: readonly Page[]
  readonly pieces: readonly TailPiece[]
}

export class OpenPages {
  readonly #open = new Map<string, Remembered>()
  #chars = 0

  /** Divides new records, of each tenant in order, into full pages and pieces of the tail. */
  async add(client: ClientBase, records: readonly PageRecord[]): Promise<NewPages> {
    const pages: Page[] = []
    const pieces: TailPiece[] = []
    for (const of_tenant of Map.groupBy(records, ({ tenant_id }) => tenant_id).values()) {
      for (const of_page of Map.groupBy(of_tenant, ({ seq }) => pageOf(seq)).values()) {
        const open = await this.#openFor(client, of_page)
        if (open && of_page.at(-1)!.seq % page_records === 0) {
          const page = completePage([...open.records, ...of_page], open.latest_before_ms)
          pages.push(page)
          this.#remember({ records: [], latest_before_ms: page.latest_ms }, of_page.at(-1)!)
        } else {
          pieces.push(tailPiece(of_page))
          if (open) this.#remember({ ...open, records: [...open.records, ...of_page] }, of_page.at(-1)!)
        }
      }
    }
    return { pages, pieces }
  }

  /** Undefined where the records before these are not known, and not needed yet. */
  async #openFor(client: ClientBase, of_page: readonly PageRecord[]): Promise<OpenPage | undefined> {
    const { tenant_id, seq, previous_hash } = of_page[0]!
    const remembered = this.#open.get(tenant_id)
    if (remembered) {
      this.#open.delete(tenant_id)
      this.#chars -= remembered.chars
      if (remembered.head_hash === previous_hash) return remembered
    }
    if (previous_hash === genesis_hash) return { records: [], latest_before_ms: 0 }
    const is_needed = of_page.at(-1)!.seq % page_records === 0 || seq % page_records === 1
    return is_needed ? await readOpenPage(client, tenant_id, seq) : undefined
  }

  #remember(open: OpenPage, { tenant_id, record_hash }: PageRecord): void {
    const chars = open.records.reduce((sum, { body }) => sum + body.length, 0)
    this.#open.set(tenant_id, { ...open, head_hash: record_hash, chars })
    this.#chars += chars
    for (const [oldest, { chars }] of this.#open) {
      if (this.#chars <= chars_max && this.#open.size <= tenants_max) break
      this.#open.delete(oldest)
      this.#chars -= chars
    }
  }
}
