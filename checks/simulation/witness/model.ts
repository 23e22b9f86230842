// The plain model of witnessing: each tree that was ever signed is its list of leaves, and a witness may only ever extend one list.
import { verifyExport } from '@svc/sdk/verify/export'
import { readHashes } from '../../../audit/pages/read-hashes.ts'
import { clientQuery } from '../../../audit/query/client-query.ts'
import { exportChain } from '../../../audit/query/export.ts'
import { appendLeaf, type Frontier, leafHash, rootOf } from '../../../audit/tree/merkle.ts'
import type { SimulationDatabase } from '../database.ts'
import { Violation } from '../world.ts'

interface Cosigned {
  readonly size: number
  readonly root: string
}

interface HeldRow {
  readonly witness_name: string
  readonly origin: string
  readonly size: string
  readonly root: string | null
}

export class WitnessModel {
  readonly #database: SimulationDatabase
  readonly #tenant_ids: readonly string[]
  /** Leaves of every signed tree, by root in hex. */
  readonly #trees = new Map<string, readonly Buffer[]>()
  /** By witness and log: what was cosigned last. */
  readonly #held = new Map<string, Cosigned>()
  /** Largest size of a cosignature that a witness has given out. */
  readonly #answered = new Map<string, number>()
  readonly #alarms: { witness_name: string; tenant_id: string; why: string }[] = []
  readonly #leaves = new Map<string, readonly Buffer[]>()
  #read_changes = -1

  constructor(database: SimulationDatabase, tenant_ids: readonly string[]) {
    this.#database = database
    this.#tenant_ids = tenant_ids
  }

  /** The real log's leaves, as they were at the last check. */
  leavesOf(tenant_id: string): readonly Buffer[] {
    return this.#leaves.get(tenant_id) ?? []
  }

  /** The tree that a witness has cosigned last. */
  cosignedLeaves(witness_name: string, tenant_id: string): readonly Buffer[] {
    const cosigned = this.#held.get(`${witness_name} svc/${tenant_id}`)
    return (cosigned && this.#trees.get(cosigned.root)) ?? []
  }

  /** Somebody signed the tree of these leaves. */
  addTree(leaves: readonly Buffer[]): Buffer {
    const frontier: Frontier = []
    for (const [i, leaf] of leaves.entries()) appendLeaf(frontier, i, leaf, () => {})
    const root = rootOf(frontier)
    this.#trees.set(root.toString('hex'), leaves)
    return root
  }

  /** A witness gave out a cosignature of this size. */
  answered(witness_name: string, origin: string, size: number): void {
    const key = `${witness_name} ${origin}`
    this.#answered.set(key, Math.max(size, this.#answered.get(key) ?? 0))
  }

  /** A feeder says that the witness has seen another history than ours; the next check judges it. */
  alarmed(witness_name: string, tenant_id: string, why: string): void {
    this.#alarms.push({ witness_name, tenant_id, why })
  }

  async check(): Promise<void> {
    const { changes } = this.#database
    if (changes !== this.#read_changes) await this.#readAll()
    this.#read_changes = changes
    this.#checkAnswers()
  }

  async #readAll(): Promise<void> {
    for (const tenant_id of this.#tenant_ids) await this.#readLog(tenant_id)
    const { rows } = await this.#database.control.query<HeldRow>(
      `SELECT witness_name, origin, size, encode(root, 'hex') AS root FROM witness_logs
       WHERE origin = ANY($1) AND size > 0 ORDER BY witness_name, origin`,
      [this.#tenant_ids.map((id) => `svc/${id}`)],
    )
    for (const row of rows) this.#hold(row)
    for (const tenant_id of this.#tenant_ids) await this.#checkKeys(tenant_id)
  }

  /** A witness trusts the keys of the log for their times, or does not know of their end yet. */
  async #checkKeys(tenant_id: string): Promise<void> {
    const { rows } = await this.#database.control.query<{ public_key: string }>(
      `SELECT w.public_key FROM witness_log_keys w WHERE w.origin = 'svc/' || $1 AND NOT EXISTS (
         SELECT FROM audit_keys k WHERE k.tenant_id = $1 AND k.from_seq = w.from_seq
           AND rtrim(translate(encode(k.public_key, 'base64'), '+/', '-_'), '=') = w.public_key
           AND (w.until_seq IS NULL OR w.until_seq = k.until_seq))`,
      [tenant_id],
    )
    for (const { public_key } of rows)
      throw new Violation(`${public_key} is trusted for another time than it signs ${tenant_id}`)
  }

  #checkAnswers(): void {
    for (const [key, size] of this.#answered) {
      if ((this.#held.get(key)?.size ?? 0) < size)
        throw new Violation(`${key}: size ${size} was cosigned, and the witness holds less`)
    }
    for (const { witness_name, tenant_id, why } of this.#alarms.splice(0)) {
      if (isPrefix(this.cosignedLeaves(witness_name, tenant_id), this.leavesOf(tenant_id)))
        throw new Violation(
          `${witness_name} has seen no other history of ${tenant_id}, as an alarm says: ${why}`,
        )
    }
  }

  async checkEnd(witness_keys: readonly string[]): Promise<void> {
    await this.check()
    for (const tenant_id of this.#tenant_ids) {
      if (this.leavesOf(tenant_id).length === 0) continue
      const lines = await Array.fromAsync(exportChain(this.#database.control, tenant_id))
      const verdict = await verifyExport(lines, { witnessKeys: witness_keys, witnessesNeeded: 0 })
      if (!verdict.ok) throw new Violation(`the export of ${tenant_id} does not verify: ${verdict.reason}`)
    }
  }

  get summary(): string {
    return [...this.#held].map(([key, { size, root }]) => `${key} ${size} ${root}`).join(', ')
  }

  /** The log itself only grows, and each checkpoint has the root of its leaves. */
  async #readLog(tenant_id: string): Promise<void> {
    const whole = { from_seq: 1, to_seq: Number.MAX_SAFE_INTEGER }
    const hashes = await readHashes(clientQuery(this.#database.control), tenant_id, [whole])
    const leaves = [...hashes].sort(([a], [b]) => a - b).map(([, hash]) => leafHash(hash))
    if (!isPrefix(this.leavesOf(tenant_id), leaves)) throw new Violation(`the log of ${tenant_id} went back`)
    this.#leaves.set(tenant_id, leaves)
    const notes = await this.#database.control.query<{ size: string; root: string }>(
      `SELECT size, encode(root, 'hex') AS root FROM audit_checkpoints WHERE tenant_id = $1`,
      [tenant_id],
    )
    for (const { size, root } of notes.rows) {
      if (this.#trees.has(root)) continue
      if (
        this.addTree(leaves.slice(0, Number(size))).toString('hex') !== root ||
        leaves.length < Number(size)
      )
        throw new Violation(`the checkpoint of ${tenant_id} of size ${size} has a wrong root`)
    }
  }

  #hold({ witness_name, origin, size, root }: HeldRow): void {
    const key = `${witness_name} ${origin}`
    const before = this.#held.get(key)
    const leaves = this.#trees.get(root!)
    if (!leaves || leaves.length !== Number(size))
      throw new Violation(`${key}: a tree of size ${size} was cosigned that nobody has signed`)
    if (before && !isPrefix(this.#trees.get(before.root)!, leaves))
      throw new Violation(`${key}: size ${size} was cosigned, which does not continue size ${before.size}`)
    this.#held.set(key, { size: Number(size), root: root! })
  }
}

function isPrefix(shorter: readonly Buffer[], longer: readonly Buffer[]): boolean {
  return shorter.length <= longer.length && shorter.every((leaf, i) => leaf.equals(longer[i]!))
}
