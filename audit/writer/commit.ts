// One batch, one transaction: lock the heads in order, extend the chains, sign, project, move the journal's position.

import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { NewIds } from '@svc/contract/tick'
import type { ClientBase } from 'pg'
import {
  type Chain,
  type CommittedRecord,
  extendChain,
  type PendingEntry,
  redirectSealed,
} from '../chain/chain.ts'
import { acceptEntry, readOutboxEntry } from '../chain/entry.ts'
import { currentKeys, provisionTenant } from '../chain/keys.ts'
import { type RetainedInput, sealInput } from '../inputs/retained-input.ts'
import type { OpenPages } from '../pages/open-pages.ts'
import { insertTail, pageInserts } from '../pages/page-sql.ts'
import { clientQuery } from '../query/client-query.ts'
import type { RootKeys } from '../sealing/root-keys.ts'
import { type SigningKey, signCheckpoint } from '../tree/checkpoint.ts'
import { rootOf, unpackFrontier } from '../tree/merkle.ts'
import {
  type Checkpoint,
  currentKeyIds,
  type HeadRow,
  insertCheckpoints,
  insertInputs,
  insertNodes,
  lockHeads,
  movePosition,
  type StoredNodeOf,
  takeOutbox,
  updateHeads,
} from './commit-sql.ts'
import { mergeEvents } from './merge-events.ts'
import type { GrownChain } from './recent-commits.ts'
import type { Position } from './signals.ts'

/** Runs inside the commit's transaction: its writes commit or roll back with the records. True where it left something in the outbox. */
export type Projection = (
  client: ClientBase,
  records: readonly CommittedRecord[],
  ids: NewIds,
) => Promise<boolean>

/** Another writer moved this journal's position. Continuing would write records twice. */
export class Fenced extends Error {}

export interface Writer {
  readonly client: ClientBase
  readonly root_keys: RootKeys
  readonly journal_id: string
  /** The tenant whose chain takes records about an organization after its own was sealed. */
  readonly operator_tenant_id: string
  readonly projections: readonly Projection[]
  readonly keys: Map<string, SigningKey>
  readonly sealed_tenants: Set<string>
  /** Of the batch that is tried again: a tenant may come back. */
  readonly moved_tenants: Set<string>
  readonly open_pages: OpenPages
  readonly ids: NewIds
}

export interface Batch {
  readonly pending: readonly PendingEntry[]
  readonly inputs: readonly RetainedInput[]
  readonly take_outbox: boolean
  /** Undefined where the batch holds outbox rows only. */
  readonly move: { readonly from: Position; readonly to: Position } | undefined
}

export interface Commit {
  readonly records: readonly CommittedRecord[]
  readonly chains: ReadonlyMap<string, GrownChain>
  readonly outbox_rows: number
  readonly outbox_drained: boolean
  readonly leaves_outbox: boolean
  readonly unknown_events: number
}

const keys_max = 10_000
/** Past it they are looked up again: a batch that meets a sealed chain is retried once. */
const sealed_max = 100_000
const no_outbox = { rows: [], drained: false }

/** Throws and leaves the transaction open on any failure: the caller drops the connection. */
export async function commitBatch(writer: Writer, batch: Batch): Promise<Commit> {
  const { client } = writer
  const begun = client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
  // A tenant may have come back since its records were refused: what came in since then is judged in a batch of its own.
  const is_tried_again = writer.moved_tenants.size > 0 && batch.pending.length > 0
  const takes_outbox = batch.take_outbox && !is_tried_again
  const [, outbox] = await Promise.all([begun, takes_outbox ? takeOutbox(client) : no_outbox])
  const events = outbox.rows.map((row) => readOutboxEntry(row.tenant_id, row.entry))
  const { entries, chains, signers } = await openChains(writer, mergeEvents(events, batch.pending))
  const nodes: StoredNodeOf[] = []
  const before = new Map([...chains].map(([id, { seq, frontier }]) => [id, { seq, frontier: [...frontier] }]))
  const records = entries.map((item) => {
    const { tenant_id } = item.entry
    return extendChain(chains.get(tenant_id)!, item, (node) => nodes.push({ tenant_id, ...node }))
  })
  const checkpoints = [...chains].map(([tenant_id, chain]) => {
    return signChain(tenant_id, chain, signers.get(tenant_id)!)
  })
  const inputs = batch.inputs.map((input) => sealInput(writer.root_keys, input))
  const { pages, pieces } = await writer.open_pages.add(client, records)
  const [moved] = await Promise.all([
    batch.move ? movePosition(client, writer.journal_id, batch.move.from, batch.move.to) : true,
    pieces.length > 0 ? insertTail(client, pieces) : undefined,
    ...(pages.length > 0 ? pageInserts(client, pages).map((send) => send()) : []),
    nodes.length > 0 ? insertNodes(client, nodes) : undefined,
    chains.size > 0 ? insertCheckpoints(client, checkpoints) : undefined,
    inputs.length > 0 ? insertInputs(client, inputs) : undefined,
    chains.size > 0 ? updateHeads(client, chains) : undefined,
  ])
  if (!moved) throw new Fenced('another engine has written this journal on; this one must stop')
  let leaves_outbox = false
  if (records.length > 0)
    for (const project of writer.projections)
      if (await project(client, records, writer.ids)) leaves_outbox = true
  await client.query('COMMIT')
  writer.moved_tenants.clear()
  const unknown_events = events.filter((event) => event.unknown_event).length
  const outbox_drained = outbox.drained && !leaves_outbox
  const grown = new Map(
    checkpoints.map(({ tenant_id, size, note }): [string, GrownChain] => {
      const { seq: size_before, frontier: frontier_before } = before.get(tenant_id)!
      const { head_hash } = chains.get(tenant_id)!
      return [tenant_id, { size_before, frontier_before, size, head_hash, note }]
    }),
  )
  return { records, chains: grown, outbox_rows: events.length, outbox_drained, leaves_outbox, unknown_events }
}

interface OpenChains {
  readonly entries: readonly PendingEntry[]
  readonly chains: Map<string, Chain>
  readonly signers: ReadonlyMap<string, SigningKey>
}

/** Locks every chain of the batch. A sealed chain restarts the whole batch, to keep the lock order. */
async function openChains(writer: Writer, pending: readonly PendingEntry[]): Promise<OpenChains> {
  const { client } = writer
  if (pending.length === 0) return { entries: [], chains: new Map(), signers: new Map() }
  const closed = writer.sealed_tenants.union(writer.moved_tenants)
  const entries = redirectSealed(pending, closed, (entry) => tellOperator(writer, entry))
  const tenant_ids = [...new Set(entries.map((item) => item.entry.tenant_id))].sort()
  let [heads, key_ids] = await Promise.all([lockHeads(client, tenant_ids), currentKeyIds(client, tenant_ids)])
  const sealed = heads.filter((head) => head.sealed || head.moved)
  if (sealed.length > 0) {
    for (const head of sealed) rememberSealed(writer, head)
    await client.query('ROLLBACK')
    throw new ChainsSealed(sealed.map((head) => head.tenant_id).join(', '))
  }
  const missing = tenant_ids.filter((id) => !key_ids.has(id) || !heads.some((head) => head.tenant_id === id))
  if (missing.length > 0) {
    for (const id of missing) await provisionTenant(clientQuery(client), writer.root_keys, id)
    ;[heads, key_ids] = await Promise.all([lockHeads(client, tenant_ids), currentKeyIds(client, tenant_ids)])
  }
  const keyless = tenant_ids.find((id) => !key_ids.has(id))
  if (keyless !== undefined)
    throw new Error(`${keyless} has no audit key in use, so its records cannot be signed`)
  const chains = new Map(heads.map((head) => [head.tenant_id, chainOf(head)]))
  return { entries, chains, signers: await openSigners(writer, key_ids) }
}

/** The batch met chains it did not know to be sealed; the retry avoids them. */
export class ChainsSealed extends Error {}

function rememberSealed(writer: Writer, head: HeadRow): void {
  if (head.tenant_id === writer.operator_tenant_id) {
    throw new Error(
      `the operator's own chain ${head.tenant_id} is sealed, so sealed chains cannot be told of`,
    )
  }
  if (head.moved && !head.sealed) return void writer.moved_tenants.add(head.tenant_id)
  if (writer.sealed_tenants.size >= sealed_max) writer.sealed_tenants.clear()
  writer.sealed_tenants.add(head.tenant_id)
  // Its key was destroyed, and is dropped here as well.
  for (const name of writer.keys.keys()) if (name.startsWith(`${head.tenant_id}/`)) writer.keys.delete(name)
}

function tellOperator(writer: Writer, entry: AuditEntry): PendingEntry {
  const name = writer.moved_tenants.has(entry.tenant_id) ? 'moved_tenant_id' : 'sealed_tenant_id'
  const meta = { ...entry.meta, [name]: entry.tenant_id }
  return acceptEntry({ ...entry, tenant_id: writer.operator_tenant_id, meta })
}

async function openSigners(
  writer: Writer,
  key_ids: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, SigningKey>> {
  const unknown = [...key_ids].filter(([tenant_id, key_id]) => !writer.keys.has(`${tenant_id}/${key_id}`))
  if (unknown.length > 0) {
    if (writer.keys.size + unknown.length > keys_max) writer.keys.clear()
    const tenant_ids = [...key_ids.keys()]
    const opened = await currentKeys(clientQuery(writer.client), writer.root_keys, tenant_ids)
    for (const [tenant_id, key] of opened) writer.keys.set(`${tenant_id}/${key.key_id}`, key)
  }
  return new Map(
    [...key_ids].map(([tenant_id, key_id]) => {
      const key = writer.keys.get(`${tenant_id}/${key_id}`)
      if (!key) throw new Error(`the audit key ${key_id} of ${tenant_id} is not there`)
      return [tenant_id, key]
    }),
  )
}

function signChain(tenant_id: string, chain: Chain, key: SigningKey): Checkpoint {
  const root = rootOf(chain.frontier)
  return { tenant_id, size: chain.seq, root, note: signCheckpoint(tenant_id, chain.seq, root, key) }
}

function chainOf(head: HeadRow): Chain {
  const seq = Number(head.seq)
  return {
    seq,
    head_hash: head.head_hash.toString('hex'),
    frontier: unpackFrontier(head.frontier, seq),
    sealed: head.sealed,
  }
}
