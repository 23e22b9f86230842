// The plain model of an audit log: what was acknowledged, and what the chains must therefore hold.
import { hash } from 'node:crypto'
import { type AuditBody, genesis_hash } from '@svc/contract/audit/audit-record'
import { verifyExport } from '@svc/sdk/verify/export'
import { readTenants, type StoredRecord } from '../../../audit/pages/read-records.ts'
import { clientQuery } from '../../../audit/query/client-query.ts'
import { exportChain } from '../../../audit/query/export.ts'
import type { SimulationDatabase } from '../database.ts'
import type { Random } from '../random.ts'
import { Violation } from '../world.ts'
import type { SimulatedArchive } from './archive.ts'
import { PagesModel } from './pages-model.ts'

interface Writer {
  readonly process_name: string
  readonly engine_name: string
}

export interface ModelRecord {
  readonly id: string
  readonly tenant_id: string
  /** The process that wrote it to its journal, and the engine whose journal that is; none for a record without a journal. */
  readonly writer: Writer | undefined
  /** `unknown`: no answer came. It may be in the chain, once. */
  outcome: 'unknown' | 'acknowledged' | 'refused'
  /** A power loss, or a second engine on its journal, may have taken it away. */
  may_be_lost: boolean
  /** The disk has promised to keep it through a power loss. */
  is_synced: boolean
}

export interface ModelChain {
  seq: number
  head_hash: string
  /** Of record 1 first. */
  readonly hashes: string[]
  readonly bodies: AuditBody[]
  /** For each process, the place in its order of the newest record. */
  readonly places: Map<string, number>
}

export class AuditLogModel {
  readonly pages: PagesModel
  readonly #database: SimulationDatabase
  readonly #archive: SimulatedArchive
  readonly #chains: ReadonlyMap<string, ModelChain>
  readonly #records = new Map<string, ModelRecord>()
  readonly #places = new Map<string, number>()
  readonly #committed = new Set<string>()
  readonly #heads = new Map<string, Set<string>>()
  #checked_changes = -1

  constructor(database: SimulationDatabase, archive: SimulatedArchive, tenant_ids: readonly string[]) {
    this.#database = database
    this.#archive = archive
    this.#chains = new Map(
      tenant_ids.map((id) => {
        const chain = { seq: 0, head_hash: genesis_hash, hashes: [], bodies: [], places: new Map() }
        return [id, chain]
      }),
    )
    this.pages = new PagesModel(database, archive, this.#chains)
  }

  /** Committed records of a tenant, as far as was looked. */
  seqOf(tenant_id: string): number {
    return this.#chains.get(tenant_id)!.seq
  }

  add(id: string, tenant_id: string, writer?: Writer): ModelRecord {
    const record: ModelRecord = {
      id,
      tenant_id,
      writer,
      outcome: 'unknown',
      may_be_lost: false,
      is_synced: false,
    }
    this.#places.set(id, this.#records.size)
    this.#records.set(id, record)
    return record
  }

  /** A head that was shown to somebody must stay in its chain. */
  addHead(tenant_id: string, head: string | null): void {
    if (head === null) return
    const heads = this.#heads.get(tenant_id) ?? new Set()
    this.#heads.set(tenant_id, heads.add(head))
  }

  /** The journal's disk loses what it has not synced, and the database keeps what it has committed. */
  async losePower(engine_name: string): Promise<void> {
    await this.check()
    for (const record of this.#records.values()) {
      if (record.writer?.engine_name !== engine_name) continue
      if (!record.is_synced && !this.#committed.has(record.id)) record.may_be_lost = true
    }
  }

  /** At any time: no fork, gap, double or wrong hash, and heads and checkpoints that agree with the records. */
  async check(): Promise<void> {
    const { changes } = this.#database
    if (changes !== this.#checked_changes) await this.#checkRecords()
    this.#checked_changes = changes
    await this.pages.check()
  }

  async #checkRecords(): Promise<void> {
    const tenant_ids = [...this.#chains.keys()]
    const ranges = tenant_ids.map((tenant_id) => ({
      tenant_id,
      from_seq: this.#chains.get(tenant_id)!.seq + 1,
      to_seq: Number.MAX_SAFE_INTEGER,
    }))
    const query = clientQuery(this.#database.control, this.#archive.contents)
    for (const record of await readTenants(query, ranges)) this.#extend(record)
    await this.#checkHeads(tenant_ids)
  }

  /** Once all faults are over: everything acknowledged is there, and the readers' own verifier agrees. */
  async checkEnd(random: Random): Promise<void> {
    await this.check()
    for (const record of this.#records.values()) {
      if (record.outcome !== 'acknowledged' || record.may_be_lost || this.#committed.has(record.id)) continue
      throw new Violation(`the acknowledged record ${record.id} of ${record.tenant_id} is lost`)
    }
    for (const [tenant_id, chain] of this.#chains) {
      if (chain.seq === 0) continue
      const lines = await Array.fromAsync(exportChain(this.pages.db, tenant_id))
      const heads = [...(this.#heads.get(tenant_id) ?? [])]
      const verdict = await verifyExport(lines, { heads })
      if (!verdict.ok || verdict.records !== chain.seq)
        throw new Violation(`the export of ${tenant_id} does not verify: ${JSON.stringify(verdict)}`)
    }
    await this.pages.checkEnd(random)
  }

  /** Sizes and heads, for the trace. */
  get summary(): string {
    return [...this.#chains].map(([id, { seq, head_hash }]) => `${id} ${seq} ${head_hash}`).join(', ')
  }

  #extend({ tenant_id, seq, record_hash, body = '' }: StoredRecord): void {
    const chain = this.#chains.get(tenant_id)!
    const place = `record ${seq} of ${tenant_id}`
    if (seq !== chain.seq + 1) throw new Violation(`${place} follows record ${chain.seq}`)
    if (hash('sha256', chain.head_hash + body, 'hex') !== record_hash)
      throw new Violation(`${place} has a wrong hash`)
    const fields = JSON.parse(body) as AuditBody
    const { id } = fields
    const record = this.#records.get(id)
    if (!record) throw new Violation(`${place} was never written by anybody`)
    if (this.#committed.has(id)) throw new Violation(`${place} is in the chain twice`)
    if (record.tenant_id !== tenant_id) throw new Violation(`${place} belongs to ${record.tenant_id}`)
    this.#committed.add(id)
    chain.seq++
    chain.head_hash = record_hash
    chain.hashes.push(record_hash)
    chain.bodies.push(fields)
    if (!record.writer) return
    const at = this.#places.get(id)!
    const { process_name } = record.writer
    if (at < (chain.places.get(process_name) ?? -1))
      throw new Violation(`${place} was written to its journal before the record that precedes it`)
    chain.places.set(process_name, at)
  }

  async #checkHeads(tenant_ids: readonly string[]): Promise<void> {
    const { rows } = await this.#database.control.query<{
      tenant_id: string
      seq: string
      head_hash: string
      size: string | null
    }>(
      `SELECT h.tenant_id, h.seq, encode(h.head_hash, 'hex') AS head_hash,
         (SELECT max(size) FROM audit_checkpoints c WHERE c.tenant_id = h.tenant_id) AS size
       FROM chain_heads h WHERE h.tenant_id = ANY($1)`,
      [tenant_ids],
    )
    for (const row of rows) {
      const chain = this.#chains.get(row.tenant_id)!
      const is_same = Number(row.seq) === chain.seq && row.head_hash === chain.head_hash
      if (!is_same)
        throw new Violation(`the head of ${row.tenant_id} is ${row.seq}, its chain ends at ${chain.seq}`)
      if (Number(row.size ?? 0) !== chain.seq)
        throw new Violation(
          `the chain of ${row.tenant_id} has ${chain.seq} records, its newest checkpoint ${row.size}`,
        )
    }
  }
}
