// The state of a chain and its tree, read in one statement, so that nothing is written in between.
import { genesis_hash } from '@svc/contract/audit/audit-record'
import type { Query } from '../query/client-query.ts'
import { rootOf, unpackFrontier } from './merkle.ts'

export interface TreeHead {
  /** Records of the chain, and leaves of the tree. */
  readonly size: number
  /** Hash of the last record. */
  readonly head: string
  /** Why chain and tree contradict each other; undefined where they agree. */
  readonly disagreement?: string
}

interface HeadRow {
  readonly seq: string | null
  readonly head_hash: Buffer | null
  readonly frontier: Buffer | null
  readonly signed_size: string | null
  readonly signed_root: Buffer | null
  readonly last_seq: string | null
  readonly last_hash: Buffer | null
}

export async function treeHead(query: Query, tenant_id: string): Promise<TreeHead> {
  const [row] = await query<HeadRow>(
    `SELECT h.seq, h.head_hash, h.frontier, c.size AS signed_size, c.root AS signed_root, r.seq AS last_seq,
       r.record_hash AS last_hash
     FROM (SELECT $1::text AS tenant_id) AS asked
     LEFT JOIN chain_heads h ON h.tenant_id = asked.tenant_id
     LEFT JOIN LATERAL (SELECT n.size, n.root FROM audit_checkpoints n WHERE n.tenant_id = $1
       ORDER BY n.size DESC LIMIT 1) AS c ON true
     LEFT JOIN LATERAL (
       (SELECT t.last_seq AS seq, substring(t.hashes FROM octet_length(t.hashes) - 31) AS record_hash
        FROM audit_tail t WHERE t.tenant_id = $1 ORDER BY t.tenant_id DESC, t.last_seq DESC LIMIT 1)
       UNION ALL
       (SELECT p.last_seq, substring(p.hashes FROM octet_length(p.hashes) - 31)
        FROM audit_pages p WHERE p.tenant_id = $1 ORDER BY p.tenant_id DESC, p.page DESC LIMIT 1)
       ORDER BY seq DESC LIMIT 1) AS r ON true`,
    [tenant_id],
  )
  const size = Number(row!.seq ?? 0)
  const head = row!.head_hash?.toString('hex') ?? genesis_hash
  const disagreement = disagreementOf(row!, size, head)
  return { size, head, ...(disagreement === undefined ? {} : { disagreement }) }
}

function disagreementOf(row: HeadRow, size: number, head: string): string | undefined {
  const { frontier, signed_size, signed_root, last_seq, last_hash } = row
  if (Number(last_seq ?? 0) !== size) return `the head is record ${size}, the last record is ${last_seq ?? 0}`
  if (Number(signed_size ?? 0) !== size) return `the chain has ${size} records, the tree ${signed_size ?? 0}`
  if (size === 0) return undefined
  if (last_hash?.toString('hex') !== head) return 'the head has another hash than the last record'
  return signed_root && isRootOf(frontier, size, signed_root)
    ? undefined
    : 'the tree has another root than the one signed'
}

function isRootOf(frontier: Buffer | null, size: number, signed_root: Buffer): boolean {
  try {
    return frontier !== null && rootOf(unpackFrontier(frontier, size)).equals(signed_root)
  } catch {
    return false
  }
}
