// An in-memory audit log for tests. Same chain rules, same proofs, nothing persists.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { type Chain, type CommittedRecord, emptyChain, extendChain } from '@svc/audit/chain/chain'
import { acceptEntry } from '@svc/audit/chain/entry'
import { checkpointOrigin, keyId, type SigningKey, signCheckpoint } from '@svc/audit/tree/checkpoint'
import { inclusionPath, leafHash, type NodeOf, rootOf } from '@svc/audit/tree/merkle'
import type { PlacedRecord, RecordName } from '@svc/contract/audit/audit-event'
import type { AuditEntry, AuditRecord } from '@svc/contract/audit/audit-record'
import type { Receipt } from '@svc/contract/needs/audit-log'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import type { AuditLogPort, BufferState } from '@svc/engine/ports'

const records_max_default = 10_000
/** Larger trees are not proven from memory: this audit log is for tests. */
const leaves_max = 1_000_000

interface MemoryChain extends Chain {
  readonly leaves: Buffer[]
  readonly nodes: Map<string, Buffer>
  readonly key: SigningKey
  readonly salt_key: string
}

export interface MemoryAuditLogOptions {
  readonly records_max?: number
  readonly onUnknownEvent?: () => void
}

export class MemoryAuditLog implements AuditLogPort {
  readonly #records_max: number
  readonly #onUnknownEvent: () => void
  readonly #chains = new Map<string, MemoryChain>()
  readonly #inputs = new Map<string, string>()
  #records: AuditRecord[] = []
  #state: BufferState = 'normal'
  #fault: Error | undefined
  #refused: Error | undefined

  constructor(options: MemoryAuditLogOptions = {}) {
    this.#records_max = options.records_max ?? records_max_default
    this.#onUnknownEvent = options.onUnknownEvent ?? (() => {})
  }

  /** A tenant's newest records, oldest first; those pushed out of the ring are gone. */
  records(tenant_id: string): readonly AuditRecord[] {
    return this.#records.filter((record) => record.tenant_id === tenant_id)
  }

  /** Simulates an audit log that is behind. */
  setState(state: BufferState): void {
    this.#state = state
  }

  /** Simulates a journal that cannot be written. */
  failWrites(fault: Error | undefined): void {
    this.#fault = fault
  }

  ready(tenant_id: string): undefined {
    this.#chain(tenant_id)
  }

  record(entry: AuditEntry, input?: { commitment: string; text: string }): void {
    if (this.#fault) return
    try {
      this.#append(entry, input)
    } catch (error) {
      // Unrecorded calls must not be answered as successes: this turn's answers become errors.
      this.#refused = error as Error
      setImmediate(() => {
        this.#refused = undefined
      })
    }
  }

  #append(entry: AuditEntry, input?: { commitment: string; text: string }): void {
    const accepted = acceptEntry(entry)
    if (accepted.unknown_event) this.#onUnknownEvent()
    const chain = this.#chain(accepted.entry.tenant_id)
    const committed = extendChain(chain, accepted, (node) => {
      chain.nodes.set(`${node.level}/${node.index}`, node.hash)
    })
    if (chain.leaves.length < leaves_max)
      chain.leaves.push(leafHash(Buffer.from(committed.record_hash, 'hex')))
    this.#records.push(recordOf(committed))
    // Trimmed by halves, so that a full ring does not move every record at each append.
    if (this.#records.length > this.#records_max * 1.5)
      this.#records = this.#records.slice(-this.#records_max)
    if (input) this.#keepInput(`${accepted.entry.tenant_id}/${input.commitment}`, input.text)
  }

  written(): Promise<void> {
    const fault = this.#fault ?? this.#refused
    return fault ? Promise.reject(fault) : Promise.resolve()
  }

  head(tenant_id: string): string | null {
    const chain = this.#chains.get(tenant_id)
    return chain && chain.seq > 0 ? chain.head_hash : null
  }

  commitment(tenant_id: string, record_id: string, text: string): string {
    const salt = sha256Hex(this.#chain(tenant_id).salt_key + record_id).slice(0, 32)
    return sha256Hex(salt + text)
  }

  state(): BufferState {
    return this.#state
  }

  async receipt(tenant_id: string, correlation_id: string, record_id: string): Promise<Receipt> {
    const record = this.records(tenant_id).find((candidate) => candidate.id === record_id)
    if (!record || record.correlation_id !== correlation_id) {
      throw new Error(`record ${record_id} is not in the chain of ${tenant_id}`)
    }
    const chain = this.#chain(tenant_id)
    if (chain.leaves.length < chain.seq)
      throw new Error(`the memory audit log proves ${leaves_max} records at most`)
    const nodeOf: NodeOf = (level, index) => {
      return level === 0 ? chain.leaves[index]! : chain.nodes.get(`${level}/${index}`)!
    }
    return {
      record,
      inclusion_path: inclusionPath(record.seq - 1, chain.seq, nodeOf).map((node) => node.toString('hex')),
      tree_size: chain.seq,
      checkpoint: signCheckpoint(tenant_id, chain.seq, rootOf(chain.frontier), chain.key),
    }
  }

  /** Each record is its own batch here. */
  async committed({ tenant_id, record_id }: RecordName): Promise<PlacedRecord> {
    await this.written()
    const record = this.records(tenant_id).find((candidate) => candidate.id === record_id)
    if (!record) throw new Error(`record ${record_id} is not in the chain of ${tenant_id}`)
    return { record, tree_size: record.seq, chain_head: record.record_hash }
  }

  forTenant(tenant_id: string): ReturnType<AuditLogPort['forTenant']> {
    return {
      settled: async () => {},
      sign: async (bytes) => {
        const { key_id, public_key, private_key } = this.#chain(tenant_id).key
        const signature = sign(null, bytes, private_key).toString('base64url')
        return { key_id, public_key: public_key.toString('base64url'), signature }
      },
      openInputs: async (hashes) => {
        const inputs = hashes.map((hash) => [hash, this.#inputs.get(`${tenant_id}/${hash}`)] as const)
        return Object.fromEntries(
          inputs.flatMap(([hash, text]) => (text === undefined ? [] : [[hash, JSON.parse(text)]])),
        )
      },
      seal: async () => {
        throw new Error('an audit log in memory ends with its process, and is not sealed')
      },
    }
  }

  #chain(tenant_id: string): MemoryChain {
    let chain = this.#chains.get(tenant_id)
    if (!chain) {
      const salt_key = randomBytes(32).toString('hex')
      chain = { ...emptyChain(), leaves: [], nodes: new Map(), key: newKey(tenant_id), salt_key }
      this.#chains.set(tenant_id, chain)
    }
    return chain
  }

  #keepInput(name: string, text: string): void {
    this.#inputs.set(name, text)
    const oldest = this.#inputs.keys().next().value
    if (this.#inputs.size > this.#records_max && oldest !== undefined) this.#inputs.delete(oldest)
  }
}

function newKey(tenant_id: string): SigningKey {
  const { privateKey } = generateKeyPairSync('ed25519')
  const public_key = Buffer.from(privateKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  return { key_id: keyId(checkpointOrigin(tenant_id), public_key), public_key, private_key: privateKey }
}

function recordOf({ fields, previous_hash, record_hash }: CommittedRecord): AuditRecord {
  return { ...fields, previous_hash, record_hash }
}
