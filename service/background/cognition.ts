// Background work of memory: expiry, access records, and embeddings and index repair.
import { vaults } from '@svc/adapters/custody/vault'
import type { RootKeys } from '@svc/audit/sealing/root-keys'
import type { Database } from '@svc/contract/database'
import type { Embedder } from '@svc/contract/needs/embedding'
import type { Clock, Log } from '@svc/engine/ports'
import { writeAccesses } from '@svc/protocols/cognition/cells/api'
import { sweepRedactions } from '@svc/protocols/cognition/content/api'
import { expireCells } from '@svc/protocols/cognition/mind/api'
import {
  embedPending,
  rebuildPage,
  tenantsWithoutIndex,
  warmCopies,
} from '@svc/protocols/cognition/search/api'
import type { Config } from '../settings/config.ts'
import { every } from './tick.ts'

const expire_every_ms = 1_000
const warm_every_ms = 1_000
const scrub_every_ms = 1_000
const embed_every_ms = 5_000
const rebuild_every_ms = 5_000
const write_every_ms = 30_000
const rebuilt_page_rows = 200
const rebuilt_pages_max = 50
const tenants_max = 16

interface Parts {
  readonly root_keys: RootKeys
  readonly db: Database
  readonly clock: Pick<Clock, 'now_ms'>
  readonly embedder: Embedder
  readonly log: Log
}

export function openCognition(
  { agent_did }: Pick<Config, 'agent_did'>,
  { db, root_keys, clock, embedder, log }: Parts,
  closing: (() => Promise<unknown>)[],
): void {
  const stopping = new AbortController()
  const vaultOf = vaults(root_keys)
  const { signal } = stopping
  const rebuild = async (tenant_id: string) => {
    for (let page = 0; page < rebuilt_pages_max && !signal.aborted; page++) {
      const whole = await db.transaction((transaction) => {
        const context = { db: transaction, tenant_id, vault: vaultOf(tenant_id), embedder, signal }
        return rebuildPage(context, rebuilt_page_rows)
      })
      if (whole) return
    }
  }
  const rebuildLost = async () => {
    for (const tenant_id of await tenantsWithoutIndex(db, tenants_max)) await rebuild(tenant_id)
  }
  let is_start = true
  const warm = async () => {
    await warmCopies({ db, engine: { did: agent_did }, embedder }, is_start)
    is_start = false
  }
  const timers = [
    every(warm_every_ms, warm, log),
    every(expire_every_ms, () => expireCells(db, new Date(clock.now_ms())), log),
    every(scrub_every_ms, () => sweepRedactions(db, new Date(clock.now_ms())), log),
    every(embed_every_ms, () => embedPending(db, embedder, signal), log),
    every(rebuild_every_ms, rebuildLost, log),
    every(write_every_ms, () => writeAccesses(db, agent_did), log),
  ]
  closing.push(async () => {
    stopping.abort()
    for (const timer of timers) clearInterval(timer)
    await writeAccesses(db, agent_did)
  })
}
