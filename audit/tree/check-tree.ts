// Whether the stored tree is that of the stored hashes, and its newest checkpoint says so.
import { readNote } from '@svc/sdk/verify/note'
import { readHashes } from '../pages/read-hashes.ts'
import type { Query } from '../query/client-query.ts'
import { appendLeaf, type Frontier, leafHash, packFrontier, rootOf, type StoredNode } from './merkle.ts'

const records_at_once = 4_096

const stored_sql = `
  SELECT t.level, t.index, t.hash FROM unnest($2::integer[], $3::bigint[]) AS node(level, index)
  JOIN audit_tree t ON t.tenant_id = $1 AND t.level = node.level AND t.index = node.index`

/** The first record under a node that is missing or wrong; where only the root or the head is, the first record. */
export async function firstOutsideTree(
  query: Query,
  tenant_id: string,
  size: number,
): Promise<number | undefined> {
  const frontier: Frontier = []
  let last_hash: Buffer | undefined
  for (let first = 1; first <= size; first += records_at_once) {
    const range = { from_seq: first, to_seq: Math.min(size, first + records_at_once - 1) }
    const hashes = await readHashes(query, tenant_id, [range])
    const nodes: StoredNode[] = []
    for (let seq = first; seq <= range.to_seq; seq++) {
      const record_hash = hashes.get(seq)
      if (!record_hash) return seq
      last_hash = record_hash
      appendLeaf(frontier, seq - 1, leafHash(record_hash), (node) => nodes.push(node))
    }
    const wrong = await firstWrongNode(query, tenant_id, nodes)
    if (wrong) return wrong.index * 2 ** wrong.level + 1
  }
  return (await isAtEnd(query, tenant_id, size, frontier, last_hash)) ? undefined : 1
}

async function firstWrongNode(
  query: Query,
  tenant_id: string,
  nodes: readonly StoredNode[],
): Promise<StoredNode | undefined> {
  if (nodes.length === 0) return undefined
  const rows = await query<{ level: number; index: string; hash: Buffer }>(stored_sql, [
    tenant_id,
    nodes.map(({ level }) => level),
    nodes.map(({ index }) => index),
  ])
  const stored = new Map(rows.map(({ level, index, hash }) => [`${level}/${index}`, hash]))
  return nodes.find(({ level, index, hash }) => !stored.get(`${level}/${index}`)?.equals(hash))
}

interface EndRow {
  readonly root: Buffer
  readonly note: string
  /** Null where the log has grown since. */
  readonly frontier: Buffer | null
  readonly head_hash: Buffer | null
}

/** Its newest checkpoint and its head continue this tree. */
async function isAtEnd(
  query: Query,
  tenant_id: string,
  size: number,
  frontier: Frontier,
  last_hash: Buffer | undefined,
): Promise<boolean> {
  if (!last_hash) return true
  const [end] = await query<EndRow>(
    `SELECT c.root, c.note, h.frontier, h.head_hash FROM audit_checkpoints c
     LEFT JOIN chain_heads h ON h.tenant_id = c.tenant_id AND h.seq = c.size WHERE c.tenant_id = $1 AND c.size = $2`,
    [tenant_id, size],
  )
  const note = end && readNote(end.note)
  if (!note) return false
  const root = rootOf(frontier)
  const is_head = end.frontier?.equals(packFrontier(frontier)) !== false
  const follows = is_head && end.head_hash?.equals(last_hash) !== false
  return follows && end.root.equals(root) && note.size === size && note.root === root.toString('hex')
}
