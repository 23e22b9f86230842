// The newest commits that somebody waited for: a record's place and proof come from here, without a question to the database.
import type { PlacedRecord } from '@svc/contract/audit/audit-event'
import type { Receipt } from '@svc/contract/needs/audit-log'
import type { CommittedRecord } from '../chain/chain.ts'
import { type Frontier, grownPath, leafHash } from '../tree/merkle.ts'

const commits_max = 64
const chars_max = 4 * 1024 * 1024

/** A chain as one commit found and left it. */
export interface GrownChain {
  readonly size_before: number
  readonly frontier_before: Frontier
  readonly size: number
  readonly head_hash: string
  /** The signed checkpoint at its new size. */
  readonly note: string
}

export interface RecentCommit {
  readonly records: readonly CommittedRecord[]
  readonly chains: ReadonlyMap<string, GrownChain>
}

/** A record's place in the chain, and its proof. */
export type Proof = Receipt & PlacedRecord

export class RecentCommits {
  #commits: (RecentCommit & { readonly chars: number })[] = []
  #chars = 0

  add(commit: RecentCommit): void {
    const chars = commit.records.reduce((sum, { body }) => sum + body.length, 0)
    this.#commits.push({ ...commit, chars })
    this.#chars += chars
    while (this.#commits.length > commits_max || this.#chars > chars_max) {
      this.#chars -= this.#commits.shift()!.chars
    }
  }

  /** Undefined where it is none of these. */
  find(tenant_ids: readonly string[], record_id: string): Proof | undefined {
    for (const { records, chains } of this.#commits) {
      const record = records.find(
        ({ fields, tenant_id }) => fields.id === record_id && tenant_ids.includes(tenant_id),
      )
      if (record) return proofOf(record, records, chains.get(record.tenant_id)!)
    }
    return undefined
  }
}

function proofOf(record: CommittedRecord, records: readonly CommittedRecord[], chain: GrownChain): Proof {
  const { tenant_id, seq, fields, previous_hash, record_hash } = record
  const leaves = records
    .filter((other) => other.tenant_id === tenant_id)
    .map((other) => leafHash(Buffer.from(other.record_hash, 'hex')))
  const path = grownPath(chain.frontier_before, chain.size_before, leaves, seq - 1)
  return {
    record: { ...fields, seq, previous_hash, record_hash },
    inclusion_path: path.map((node) => node.toString('hex')),
    tree_size: chain.size,
    checkpoint: chain.note,
    chain_head: chain.head_hash,
  }
}
