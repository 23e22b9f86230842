// Proofs from the database: a few ranges of at most 256 rows give every node a proof needs.
import { consistencyPath, inclusionPath, leafHash, type NodeOf, stored_levels } from './merkle.ts'
import type { Query } from './query.ts'

const block_size = 256

/** The inclusion path of the record with this index (seq - 1) in the tree of `size` records. */
export async function inclusionProof(
  query: Query,
  tenant_id: string,
  index: number,
  size: number,
): Promise<string[]> {
  const nodeOf = await loadNodes(query, tenant_id, index, size)
  return inclusionPath(index, size, nodeOf).map((node) => node.toString('hex'))
}

/** Shows that the chain of `to_size` records begins with the chain of `from_size`. */
export async function consistencyProof(
  query: Query,
  tenant_id: string,
  from_size: number,
  to_size: number,
): Promise<string[]> {
  const nodeOf = await loadNodes(query, tenant_id, from_size - 1, to_size)
  return consistencyPath(from_size, to_size, nodeOf).map((node) => node.toString('hex'))
}

interface NodeRow {
  readonly level: number
  readonly index: string
  readonly hash: Buffer
}

// Siblings of a leaf's path lie in the leaf's own block of each level, the tree's right edge in its last block.
async function loadNodes(query: Query, tenant_id: string, index: number, size: number): Promise<NodeOf> {
  const levels = [0, ...stored_levels]
  const ranges = levels.flatMap((level) => {
    const width = 2 ** level
    const blocks = new Set([index, size].map((leaf) => Math.floor(leaf / width / block_size)))
    const end = Math.floor(size / width)
    return [...blocks].map((block) => ({
      level,
      from: block * block_size,
      to: Math.min((block + 1) * block_size, end),
    }))
  })
  const rows = await Promise.all(
    ranges.filter((range) => range.from < range.to).map((range) => loadRange(query, tenant_id, range)),
  )
  const nodes = new Map(rows.flat().map((row) => [`${row.level}/${row.index}`, row]))
  return (level, at) => {
    const node = nodes.get(`${level}/${at}`)
    if (!node) throw new Error(`the tree of ${tenant_id} lacks its node ${at} of level ${level}`)
    return level === 0 ? leafHash(node.hash) : node.hash
  }
}

function loadRange(
  query: Query,
  tenant_id: string,
  range: { level: number; from: number; to: number },
): Promise<readonly NodeRow[]> {
  if (range.level === 0) {
    return query<NodeRow>(
      `SELECT 0 AS level, seq - 1 AS index, record_hash AS hash FROM audit_records
       WHERE tenant_id = $1 AND seq > $2 AND seq <= $3`,
      [tenant_id, range.from, range.to],
    )
  }
  return query<NodeRow>(
    `SELECT level, index, hash FROM audit_tree
     WHERE tenant_id = $1 AND level = $2 AND index >= $3 AND index < $4`,
    [tenant_id, range.level, range.from, range.to],
  )
}
