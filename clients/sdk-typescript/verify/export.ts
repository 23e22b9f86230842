import { canonicalBody } from './canonical.ts'
import { Fault, isObject, wordsOf } from './fault.ts'
import { type Header, isSignedInTime, readHeader } from './header.ts'
import { KeyChanges } from './key-changes.ts'
import { readNote } from './note.ts'
import { type Later, type Primitives, platformPrimitives } from './primitives.ts'
import { GrowingTree } from './tree.ts'
import { requireTrusted, type Signer, signersOf, type Voucher, vouchersOf } from './trust.ts'
import { type Witnessed, Witnesses } from './witnesses.ts'

/** What the reader trusts besides the export. */
export interface ExportOptions {
  /** Signed notes kept earlier: only they reveal a truncated or rewritten chain. */
  checkpoints?: readonly string[]
  /** The public keys (base64url) you trust: they must sign, or vouch for the signing keys. */
  trustedKeys?: readonly string[]
  /** Values of `audit_head` from answers: each must be in the chain. */
  heads?: readonly string[]
  /** Witnesses you trust, each as `name+id+key`: the verdict then says how far they have cosigned. */
  witnessKeys?: readonly string[]
  /** How many of them must have cosigned it; 0 to only report. */
  witnessesNeeded?: number
}

/** The verdict on an export. */
export interface ExportVerdict {
  /** The log is complete and consistent, and something you trust vouches for all of it. Use this, not `ok`. */
  verified: boolean
  /** The log is consistent. Anyone can make such a log and sign it with their own key. */
  ok: boolean
  tenant_id: string | null
  records: number
  checkpoints: number
  /** False for a part of a chain: links and signatures were checked, but no root could be computed. */
  roots_checked: boolean
  /** The signing keys in order of succession; none if it is invalid. */
  signed_by: Signer[]
  /** What you trust that vouches for it; empty if only the export itself does. */
  vouched_by: Voucher[]
  first_bad_seq?: number
  reason?: string
  /** The last record's hash, if valid. */
  head?: string
  /** The sealing record: no record can follow it. */
  sealed?: true
  /** Present if witness keys were given. */
  witnessed?: Witnessed
}

/**
 * Checks an export of an audit log offline, line by line: canonical form, hashes, Merkle roots, signatures,
 * key changes, and that nothing follows a seal. Stores 32 bytes per record. Never throws: faults are in the
 * verdict. Without a key, checkpoint or witness you trust it is at most `ok` (consistent), else `verified`.
 *
 * @example
 * ```ts
 * import { createClient, exportAuditLog, verifyExport } from '@svc/sdk'
 *
 * const client = createClient()
 * await client.max.audit_log_entry({ event_type: 'custom.checked', meta: {} }, { waitForAudit: true })
 * // Store the key where the engine cannot write; the first time it comes from the engine.
 * const { signed_by } = await verifyExport(exportAuditLog(client))
 * const pinned = signed_by.map((key) => key.public_key)
 * const verdict = await verifyExport(exportAuditLog(client), { trustedKeys: pinned })
 * console.log(`${verdict.records} records of ${verdict.tenant_id}, verified: ${verdict.verified}`)
 * ```
 *
 * ```output
 * … records of dev, verified: true
 * ```
 */
export async function verifyExport(
  lines: AsyncIterable<string> | Iterable<string>,
  options: ExportOptions = {},
): Promise<ExportVerdict> {
  return await judgeExport(lines, options, platformPrimitives())
}

export async function judgeExport(
  lines: AsyncIterable<string> | Iterable<string>,
  options: ExportOptions,
  primitives: Primitives,
): Promise<ExportVerdict> {
  const reading = new Reading(options ?? {}, primitives)
  try {
    for await (const line of lines) {
      // A promise for each record would take longer than its hash.
      const taking = reading.take(line)
      if (taking) await taking
    }
    await reading.finish()
    return reading.verdict()
  } catch (error) {
    const fault = error instanceof Fault ? error : new Fault(`the export cannot be read: ${wordsOf(error)}`)
    return reading.verdict(fault)
  }
}

const line_chars_max = 4 * 1024 * 1024
const sealing_event = 'ChainSealed'

class Reading {
  readonly #primitives: Primitives
  readonly #options: ExportOptions
  readonly #witnesses: Witnesses
  #header: Header | undefined
  #key_changes: KeyChanges | undefined
  /** Only if the export starts with the first record: otherwise no root can be computed. */
  #tree: GrowingTree | undefined
  #head = ''
  #next_seq = 0
  #records = 0
  #checkpoints = 0
  #signed_size = 0
  #is_sealed = false
  #heads_missing: Set<string> | undefined

  constructor(options: ExportOptions, primitives: Primitives) {
    this.#options = options
    this.#primitives = primitives
    this.#witnesses = new Witnesses(primitives)
  }

  take(line: unknown): Later<void> {
    const value = this.#parse(line)
    if (!this.#header) return this.#begin(value)
    if (Object.hasOwn(value, 'checkpoint')) return this.#takeCheckpoint(value, this.#header)
    return this.#takeRecord(line as string, value, this.#header)
  }

  async finish(): Promise<void> {
    const header = this.#header
    if (!header) throw new Fault('the export is empty')
    if (this.#next_seq <= header.to_seq) {
      const ends = `ends after ${this.#next_seq - 1}`
      throw new Fault(`the export promises records up to ${header.to_seq} and ${ends}`, this.#next_seq)
    }
    if (this.#signed_size !== header.to_seq) {
      throw new Fault(`no checkpoint covers the records up to ${header.to_seq}`, this.#signed_size + 1)
    }
    this.#key_changes?.finish()
    for (const text of this.#options.checkpoints ?? []) await this.#compareKept(text, header)
    for (const head of this.#heads_missing ?? []) {
      throw new Fault(`the head ${head.slice(0, 64)} was given to a client and is not in this chain`)
    }
    this.#witnesses.finish()
  }

  verdict(fault?: Fault): ExportVerdict {
    const header = fault ? undefined : this.#header
    const { witnessed } = this.#witnesses.verdict()
    const vouched_by = header && this.#tree ? vouchersOf(header, this.#options, witnessed) : []
    return {
      verified: vouched_by.length > 0,
      ok: fault === undefined,
      tenant_id: this.#header?.tenant_id ?? null,
      records: this.#records,
      checkpoints: this.#checkpoints,
      roots_checked: this.#tree !== undefined,
      signed_by: header ? signersOf(header).map(({ key_id, public_key }) => ({ key_id, public_key })) : [],
      vouched_by,
      ...(fault?.seq === undefined ? {} : { first_bad_seq: fault.seq }),
      ...(fault ? { reason: fault.message } : { head: this.#head }),
      ...(!fault && this.#is_sealed ? { sealed: true as const } : {}),
      ...(witnessed ? { witnessed } : {}),
    }
  }

  #parse(line: unknown): Record<string, unknown> {
    const seq = this.#header && this.#next_seq
    if (typeof line !== 'string') throw new Fault('a line is not text', seq)
    if (line.length > line_chars_max) {
      throw new Fault(`a line is longer than ${line_chars_max} characters`, seq)
    }
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      throw new Fault('a line is not JSON', seq)
    }
    if (!isObject(value)) throw new Fault('a line is not a JSON object', seq)
    return value
  }

  async #begin(value: Record<string, unknown>): Promise<void> {
    const { trustedKeys, checkpoints = [], heads, witnessKeys, witnessesNeeded } = this.#options
    await this.#witnesses.trust(witnessKeys, witnessesNeeded)
    const header = await readHeader(value, this.#primitives)
    requireTrusted(signersOf(header), trustedKeys)
    this.#header = header
    this.#key_changes = new KeyChanges(header)
    this.#heads_missing = new Set(heads)
    this.#head = header.previous_hash
    this.#next_seq = header.from_seq
    // Roots at the sizes of kept notes are computed on the way, because the tree only grows.
    const kept_sizes = [...checkpoints].map((text) => readNote(text)?.size ?? 0)
    if (header.from_seq === 1) this.#tree = new GrowingTree(this.#primitives, kept_sizes)
  }

  #takeRecord(line: string, value: Record<string, unknown>, header: Header): Later<void> {
    const seq = this.#next_seq
    const { record, record_hash } = value
    if (this.#checkpoints > 0) throw new Fault('a record stands after the checkpoints', seq)
    if (!isObject(record) || typeof record_hash !== 'string') throw new Fault('a line is no record', seq)
    refuseMore(value, 2, seq)
    // No checkpoint covers records past the end.
    if (seq > header.to_seq) throw new Fault('a record stands past the end that the header names', seq)
    const body = canonicalBody(line, record, record_hash)
    // Only the canonical text is the record; other spellings are rejected.
    if (body === undefined) throw new Fault('the record is not in canonical form', seq)
    if (record.seq !== seq) {
      throw new Fault(`record ${seq} is missing: seq ${plainText(record.seq)} stands in its place`, seq)
    }
    if (record.tenant_id !== header.tenant_id) throw new Fault('the record belongs to another tenant', seq)
    const hash = this.#primitives.sha256Hex(this.#head + body)
    if (typeof hash === 'string') return this.#link(record, record_hash, hash)
    return hash.then((computed) => this.#link(record, record_hash, computed))
  }

  #link(record: Record<string, unknown>, record_hash: string, computed_hash: string): Later<void> {
    const seq = this.#next_seq
    if (computed_hash !== record_hash)
      throw new Fault('its hash does not match its content and the previous hash', seq)
    if (this.#is_sealed) throw new Fault('a record stands after the one that sealed the chain', seq)
    this.#is_sealed = record.event_type === sealing_event
    const changing = this.#key_changes?.takeRecord(seq, record)
    return changing ? changing.then(() => this.#advance(record_hash)) : this.#advance(record_hash)
  }

  #advance(record_hash: string): void {
    this.#head = record_hash
    this.#next_seq++
    this.#records++
    this.#heads_missing?.delete(record_hash)
    this.#tree?.add(record_hash)
  }

  async #takeCheckpoint(value: Record<string, unknown>, header: Header): Promise<void> {
    const note = readNote(value.checkpoint)
    if (!note) throw new Fault('a checkpoint is no signed note')
    refuseMore(value, 1)
    const { size, origin } = note
    if (origin !== header.origin) throw new Fault(`a checkpoint is of another log, ${origin.slice(0, 80)}`)
    const misfit = `the checkpoint of size ${size} does not fit the records of this export`
    if (size <= this.#signed_size || size < header.from_seq) throw new Fault(misfit)
    if (size >= this.#next_seq) throw new Fault(misfit, this.#next_seq)
    if (!(await isSignedInTime(note, header.keys))) {
      throw new Fault(`the checkpoint of size ${size} is not signed by the key of its time`)
    }
    if (this.#tree && (await this.#tree.rootAt(size)) !== note.root) {
      const what = `the checkpoint of size ${size} signs another root than these records have`
      throw new Fault(what, this.#signed_size + 1)
    }
    await this.#witnesses.take(note)
    this.#key_changes?.takeCheckpoint(size)
    this.#signed_size = size
    this.#checkpoints++
  }

  /** A kept note must belong to this chain and must not be newer than it. */
  async #compareKept(text: string, header: Header): Promise<void> {
    const note = readNote(text)
    if (!note) throw new Fault('a held checkpoint is no signed note')
    const { size, origin } = note
    if (origin !== header.origin) {
      throw new Fault(`a held checkpoint is of another log, ${origin.slice(0, 80)}`)
    }
    if (!(await isSignedInTime(note, header.keys))) {
      throw new Fault(`a held checkpoint of size ${size} is not signed by a key of this export`)
    }
    if (size > header.to_seq) {
      const what = `the tail is missing: a checkpoint of size ${size} is held elsewhere`
      throw new Fault(what, header.to_seq + 1)
    }
    if (this.#tree && (await this.#tree.rootAt(size)) !== note.root) {
      const what = `a checkpoint of size ${size} held elsewhere signs another root`
      throw new Fault(`${what}: the chain was rewritten`)
    }
    await this.#witnesses.take(note)
  }
}

/** Extra fields are unsigned but would look signed, so they are rejected. */
function refuseMore(value: Record<string, unknown>, fields: number, seq?: number): void {
  if (Object.keys(value).length > fields) throw new Fault('a line holds a field that nobody signed', seq)
}

/** An object of a stranger may have a toString that is no function. */
function plainText(value: unknown): string {
  try {
    return String(value)
  } catch {
    return '[object Object]'
  }
}
