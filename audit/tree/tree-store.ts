// Proofs from the database: a few ranges of at most 256 hashes give every node a proof needs.

import { readHashes } from '../pages/read-hashes.ts'
import type { Query } from '../query/client-query.ts'
import { consistencyPath, inclusionPath, leafHash, type NodeOf, stored_levels } from './merkle.ts'

const block_size = 256

/** The stored tree lacks what a proof needs: it was changed. */
export class TreeFault extends Error {}

/** The inclusion path of the record with this index (seq - 1) in the tree of `size` records. */
export async function inclusionProof(
  query: Query,
  tenant_id: string,
  index: number,
  size: number,
): Promise<string[]> {
  const nodeOf = await loadNodes(query, tenant_id, [index, size])
  return inclusionPath(index, size, nodeOf).map((node) => node.toString('hex'))
}

/** Proves that the chain of `to_size` records begins with the chain of `from_size`. */
export async function consistencyProof(
  query: Query,
  tenant_id: string,
  from_size: number,
  to_size: number,
): Promise<string[]> {
  const nodeOf = await loadNodes(query, tenant_id, [from_size - 1, to_size])
  return consistencyPath(from_size, to_size, nodeOf).map((node) => node.toString('hex'))
}

interface NodeRow {
  readonly level: number
  readonly index: string
  readonly hash: Buffer
}

const nodes_sql = `
  SELECT t.level, t.index, t.hash
  FROM unnest($2::integer[], $3::bigint[], $4::bigint[]) AS wanted(level, first, past)
  JOIN audit_tree t ON t.tenant_id = $1 AND t.level = wanted.level AND t.index >= wanted.first
    AND t.index < wanted.past`

/**
 * Nodes for proofs about these positions. Siblings of a leaf's path are in the leaf's own block of each level, the right edge of a tree in
 * the block of its size. Leaves past the largest position are not read.
 */
export async function loadNodes(query: Query, tenant_id: string, places: readonly number[]): Promise<NodeOf> {
  const size = Math.max(...places)
  const rangesAt = (level: number) => {
    const width = 2 ** level
    const blocks = new Set(places.map((leaf) => Math.floor(leaf / width / block_size)))
    const end = Math.floor(size / width)
    const ranges = [...blocks].map((block) => ({
      level,
      from: block * block_size,
      to: Math.min((block + 1) * block_size, end),
    }))
    return ranges.filter((range) => range.from < range.to)
  }
  const leaves = rangesAt(0).map(({ from, to }) => ({ from_seq: from + 1, to_seq: to }))
  const hashes = await readHashes(query, tenant_id, leaves)
  const stored = stored_levels.flatMap(rangesAt)
  const rows =
    stored.length === 0
      ? []
      : await query<NodeRow>(nodes_sql, [
          tenant_id,
          stored.map((range) => range.level),
          stored.map((range) => range.from),
          stored.map((range) => range.to),
        ])
  const nodes = new Map(rows.map((row) => [`${row.level}/${row.index}`, row.hash]))
  return (level, at) => {
    const node = level === 0 ? hashes.get(at + 1) : nodes.get(`${level}/${at}`)
    if (!node) throw new TreeFault(`the tree of ${tenant_id} lacks its node ${at} of level ${level}`)
    return level === 0 ? leafHash(node) : node
  }
}
