// What the main thread caches of each tenant: its salt, for commitments, and its newest committed head.
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { openSalt, provisionTenant } from './chain/keys.ts'
import type { Query } from './query/client-query.ts'
import type { RootKeys } from './sealing/root-keys.ts'
import type { Head } from './writer/writer-messages.ts'

const tenants_max = 10_000
const salt_chars = 32

interface Known {
  readonly salt_key: string
  seq: number
  head: string | null
  salted_id: string
  salt: string
}

export class TenantCache {
  readonly #query: Query
  readonly #root_keys: RootKeys
  /** In order of use: the first is evicted first. */
  readonly #known = new Map<string, Known>()
  readonly #loading = new Map<string, Promise<void>>()

  constructor(query: Query, root_keys: RootKeys) {
    this.#query = query
    this.#root_keys = root_keys
  }

  ready(tenant_id: string): undefined | Promise<void> {
    const tenant = this.#known.get(tenant_id)
    if (tenant) {
      // Until the cache is full nothing is evicted, so the order of use need not be maintained.
      if (this.#known.size > tenants_max / 2) {
        this.#known.delete(tenant_id)
        this.#known.set(tenant_id, tenant)
      }
      return undefined
    }
    let loading = this.#loading.get(tenant_id)
    if (!loading) {
      loading = this.#load(tenant_id).finally(() => this.#loading.delete(tenant_id))
      this.#loading.set(tenant_id, loading)
    }
    return loading
  }

  head(tenant_id: string): string | null {
    return this.#known.get(tenant_id)?.head ?? null
  }

  /** The salt differs per record, so equal contents do not look equal. */
  commitment(tenant_id: string, record_id: string, text: string): string {
    const tenant = this.#known.get(tenant_id)
    if (!tenant) throw new Error(`ready() must be called for ${tenant_id} before a commitment is requested`)
    return sha256Hex(this.#saltOf(tenant, record_id) + text)
  }

  /** A record commits to its input and then to its output: the second reuses the salt of the first. */
  #saltOf(tenant: Known, record_id: string): string {
    if (tenant.salted_id !== record_id) {
      tenant.salted_id = record_id
      tenant.salt = sha256Hex(tenant.salt_key + record_id).slice(0, salt_chars)
    }
    return tenant.salt
  }

  moveHeads(heads: readonly Head[]): void {
    for (const [tenant_id, seq, record_hash] of heads) {
      const tenant = this.#known.get(tenant_id)
      if (!tenant || tenant.seq >= seq) continue
      tenant.seq = seq
      tenant.head = record_hash
    }
  }

  async #load(tenant_id: string): Promise<void> {
    const row = (await this.#read(tenant_id)) ?? (await this.#provision(tenant_id))
    const seq = Number(row.seq)
    if (this.#known.size >= tenants_max) this.#known.delete(this.#known.keys().next().value ?? '')
    this.#known.set(tenant_id, {
      salt_key: openSalt(this.#root_keys, tenant_id, row.sealed),
      seq,
      head: seq > 0 ? row.head_hash.toString('hex') : null,
      salted_id: '',
      salt: '',
    })
  }

  async #read(tenant_id: string): Promise<TenantRow | undefined> {
    const rows = await this.#query<TenantRow>(
      `SELECT s.sealed, h.seq, h.head_hash FROM audit_salts s JOIN chain_heads h USING (tenant_id)
       WHERE tenant_id = $1`,
      [tenant_id],
    )
    return rows[0]
  }

  async #provision(tenant_id: string): Promise<TenantRow> {
    await provisionTenant(this.#query, this.#root_keys, tenant_id)
    const row = await this.#read(tenant_id)
    if (!row) throw new Error(`the chain of ${tenant_id} could not be made`)
    return row
  }
}

interface TenantRow {
  readonly sealed: Buffer
  readonly seq: string
  readonly head_hash: Buffer
}
