// One record with its own checkpoint, for what must not wait for a batch: a key change, the end of a chain.
import type { ClientBase } from 'pg'
import { OpenPages } from '../pages/open-pages.ts'
import { insertPages, insertTail } from '../pages/page-sql.ts'
import { type SigningKey, signCheckpoint } from '../tree/checkpoint.ts'
import { rootOf, unpackFrontier } from '../tree/merkle.ts'
import {
  type HeadRow,
  insertCheckpoints,
  insertNodes,
  type StoredNodeOf,
  updateHeads,
} from '../writer/commit-sql.ts'
import { extendChain, type PendingEntry } from './chain.ts'

/** Writes one record as the chain writer would write a batch of one; returns its hash. */
export async function appendSigned(
  client: ClientBase,
  head: HeadRow,
  key: SigningKey,
  pending: PendingEntry,
): Promise<string> {
  const { tenant_id } = head
  const size = Number(head.seq)
  const frontier = unpackFrontier(head.frontier, size)
  const chain = { seq: size, head_hash: head.head_hash.toString('hex'), frontier, sealed: false }
  const nodes: StoredNodeOf[] = []
  const record = extendChain(chain, pending, (node) => nodes.push({ tenant_id, ...node }))
  const root = rootOf(chain.frontier)
  const note = signCheckpoint(tenant_id, chain.seq, root, key)
  const { pages, pieces } = await new OpenPages().add(client, [record])
  if (pieces.length > 0) await insertTail(client, pieces)
  if (pages.length > 0) await insertPages(client, pages)
  if (nodes.length > 0) await insertNodes(client, nodes)
  await insertCheckpoints(client, [{ tenant_id, size: chain.seq, root, note }])
  await updateHeads(client, new Map([[tenant_id, chain]]))
  return record.record_hash
}
