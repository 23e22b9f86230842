// Checks an export with nothing but the export and public keys. Written apart from the writer: of all our code it shares
// only canonical JSON, so that a mistake there and here would have to be made twice.
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { type ExportHeader, type ExportKey, Fault, isRecord, readHeader } from './verify-header.ts'
import { isSignedBy, type Note, parseNote } from './verify-note.ts'
import { KeyChanges } from './verify-rotation.ts'
import { LeafTree } from './verify-tree.ts'
import { requireTrusted, type Signer, signersOf, type Voucher, vouchersOf } from './verify-trust.ts'
import { type Witnessed, Witnesses } from './verify-witnesses.ts'

export interface VerifyOptions {
  /** Checkpoints that somebody else kept: only they show that a tail was cut or a chain rewritten. */
  readonly checkpoints?: readonly string[]
  /** The public keys (base64url) that you trust: they sign, or vouch for those that do, or it is refused. */
  readonly keys?: readonly string[]
  /** Head hashes that clients were given: each must stand in the chain. */
  readonly heads?: readonly string[]
  /** Witnesses you trust, each as name+id+key: how far they have cosigned this chain is then part of the verdict. */
  readonly witness_keys?: readonly string[]
  /** How many of them must have cosigned it; 0 where it is enough to be told. */
  readonly witnesses_needed?: number
}

export interface Verdict {
  /** The log is whole, it fits together, and something you trust vouches for all of it. Ask this, not `ok`. */
  readonly verified: boolean
  /** Nothing contradicts it. Anybody can make such a log, and sign it with a key of their own. */
  readonly ok: boolean
  readonly tenant_id: string | null
  readonly records: number
  readonly checkpoints: number
  /** False for a partial export: links and signatures were checked, but no root can be computed. */
  readonly roots_checked: boolean
  /** The keys that signed it, in the order they took over; none where something is wrong. */
  readonly signed_by: readonly Signer[]
  /** What you trust that vouches for it; nothing where only the export itself does. */
  readonly vouched_by: readonly Voucher[]
  readonly first_bad_seq?: number
  readonly reason?: string
  /** The last record's hash, where all is well. */
  readonly head?: string
  /** Where the chain was ended: nothing can stand after this. */
  readonly sealed?: true
  /** Where keys of witnesses were given. */
  readonly witnessed?: Witnessed
}

const line_chars_max = 4 * 1024 * 1024
const sealing_event = 'ChainSealed'

/** Never throws: whatever is wrong with the input is the verdict. */
export async function verifyExport(
  lines: AsyncIterable<string> | Iterable<string>,
  options: VerifyOptions = {},
): Promise<Verdict> {
  const reading = new Reading(options)
  try {
    for await (const line of lines) reading.take(line)
    reading.finish()
    return reading.verdict()
  } catch (error) {
    const fault = error instanceof Fault ? error : new Fault(`the export cannot be read: ${messageOf(error)}`)
    return reading.verdict(fault)
  }
}

class Reading {
  readonly #options: VerifyOptions
  readonly #tree = new LeafTree()
  readonly #heads_missing: Set<string>
  readonly #witnesses = new Witnesses()
  #header: ExportHeader | undefined
  #key_changes: KeyChanges | undefined
  #previous_hash = ''
  #next_seq = 0
  #records = 0
  #checkpoints = 0
  #last_size = 0
  #is_sealed = false

  constructor(options: VerifyOptions) {
    this.#options = options
    this.#heads_missing = new Set(options.heads)
  }

  take(line: string): void {
    const value = this.#parse(line)
    if (!this.#header) this.#begin(value)
    else if ('checkpoint' in value) this.#takeCheckpoint(value)
    else this.#takeRecord(line, value)
  }

  finish(): void {
    const header = this.#header
    if (!header) throw new Fault('the export is empty')
    if (this.#next_seq <= header.to_seq) {
      const what = `the export promises records up to ${header.to_seq} and ends after ${this.#next_seq - 1}`
      throw new Fault(what, this.#next_seq)
    }
    if (this.#last_size !== header.to_seq) {
      throw new Fault(`no checkpoint covers the records up to ${header.to_seq}`, this.#last_size + 1)
    }
    this.#key_changes?.finish()
    for (const note of this.#options.checkpoints ?? []) this.#compareHeld(header, note)
    for (const head of this.#heads_missing) {
      throw new Fault(`the head ${head.slice(0, 64)} was given to a client and is not in this chain`)
    }
    this.#witnesses.finish()
  }

  verdict(fault?: Fault): Verdict {
    const header = this.#header
    const vouched_by = fault ? [] : this.#vouchers()
    return {
      verified: vouched_by.length > 0,
      ok: fault === undefined,
      tenant_id: header?.tenant_id ?? null,
      records: this.#records,
      checkpoints: this.#checkpoints,
      roots_checked: header?.from_seq === 1,
      signed_by: header && !fault ? signersOf(header).map(publicPart) : [],
      vouched_by,
      ...(fault?.seq === undefined ? {} : { first_bad_seq: fault.seq }),
      ...(fault ? { reason: fault.message } : { head: this.#previous_hash }),
      ...(!fault && this.#is_sealed ? { sealed: true as const } : {}),
      ...this.#witnesses.verdict(),
    }
  }

  #vouchers(): Voucher[] {
    const { keys, checkpoints = [] } = this.#options
    if (this.#header?.from_seq !== 1) return []
    const { witnessed } = this.#witnesses.verdict()
    const { to_seq } = this.#header
    return vouchersOf({ trusted_keys: !!keys, kept_checkpoints: checkpoints.length > 0, witnessed, to_seq })
  }

  #parse(line: string): Record<string, unknown> {
    const seq = this.#header ? this.#next_seq : undefined
    if (line.length > line_chars_max)
      throw new Fault(`a line is longer than ${line_chars_max} characters`, seq)
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      throw new Fault('a line is not JSON', seq)
    }
    if (!isRecord(value)) throw new Fault('a line is not a JSON object', seq)
    return value
  }

  #begin(value: Record<string, unknown>): void {
    const { keys, witness_keys, witnesses_needed } = this.#options
    this.#witnesses.trust(witness_keys, witnesses_needed)
    const header = readHeader(value)
    requireTrusted(signersOf(header), keys)
    this.#header = header
    this.#key_changes = new KeyChanges(header)
    this.#previous_hash = header.previous_hash
    this.#next_seq = header.from_seq
  }

  #takeRecord(line: string, value: Record<string, unknown>): void {
    const seq = this.#next_seq
    const { record, record_hash } = value
    if (this.#checkpoints > 0) throw new Fault('a record stands after the checkpoints', seq)
    if (!isRecord(record) || typeof record_hash !== 'string') throw new Fault('a line is no record', seq)
    refuseMore(value, 2, seq)
    // Past the end no checkpoint vouches for anything.
    if (seq > this.#header!.to_seq) throw new Fault('a record stands past the end that the header names', seq)
    const body = this.#canonicalBody(line, value, record)
    if (record.seq !== seq)
      throw new Fault(`record ${seq} is missing: seq ${String(record.seq)} stands in its place`, seq)
    if (record.tenant_id !== this.#header?.tenant_id)
      throw new Fault('the record belongs to another tenant', seq)
    if (sha256Hex(this.#previous_hash + body) !== record_hash) {
      throw new Fault('its hash does not match its content and the previous hash', seq)
    }
    if (this.#is_sealed) throw new Fault('a record stands after the one that sealed the chain', seq)
    this.#is_sealed = record.event_type === sealing_event
    this.#key_changes?.takeRecord(seq, record)
    this.#previous_hash = record_hash
    this.#next_seq = seq + 1
    this.#records++
    this.#heads_missing.delete(record_hash)
    if (this.#header?.from_seq === 1) this.#tree.add(record_hash)
  }

  /** Two texts that mean the same are still two texts: only the canonical one is the record. */
  #canonicalBody(line: string, value: Record<string, unknown>, record: Record<string, unknown>): string {
    try {
      if (canonicalJson(value) === line) return canonicalJson(record)
    } catch {
      // Falls through: what has no canonical form was never hashed.
    }
    throw new Fault('the record is not in canonical form', this.#next_seq)
  }

  #takeCheckpoint(value: Record<string, unknown>): void {
    const header = this.#header!
    const note = typeof value.checkpoint === 'string' ? parseNote(value.checkpoint) : undefined
    if (!note) throw new Fault('a checkpoint is no signed note')
    refuseMore(value, 1)
    if (note.origin !== header.origin)
      throw new Fault(`a checkpoint is of another log, ${note.origin.slice(0, 80)}`)
    const misfit = `the checkpoint of size ${note.size} does not fit the records of this export`
    if (note.size <= this.#last_size || note.size < header.from_seq) throw new Fault(misfit)
    if (note.size >= this.#next_seq) throw new Fault(misfit, this.#next_seq)
    if (!header.keys.some((key) => mayHaveSigned(key, note))) {
      throw new Fault(`the checkpoint of size ${note.size} is not signed by the key of its time`)
    }
    if (header.from_seq === 1 && this.#tree.rootAt(note.size) !== note.root) {
      throw new Fault(
        `the checkpoint of size ${note.size} signs another root than these records have`,
        this.#last_size + 1,
      )
    }
    this.#witnesses.take(note)
    this.#key_changes?.takeCheckpoint(note.size)
    this.#last_size = note.size
    this.#checkpoints++
  }

  #compareHeld(header: ExportHeader, text: string): void {
    const note = parseNote(text)
    if (!note) throw new Fault('a held checkpoint is no signed note')
    if (note.origin !== header.origin)
      throw new Fault(`a held checkpoint is of another log, ${note.origin.slice(0, 80)}`)
    if (!header.keys.some((key) => mayHaveSigned(key, note))) {
      throw new Fault(`a held checkpoint of size ${note.size} is not signed by a key of this export`)
    }
    if (note.size > header.to_seq) {
      throw new Fault(
        `the tail is missing: a checkpoint of size ${note.size} is held elsewhere`,
        header.to_seq + 1,
      )
    }
    if (header.from_seq === 1 && this.#tree.rootAt(note.size) !== note.root) {
      throw new Fault(
        `a checkpoint of size ${note.size} held elsewhere signs another root: the chain was rewritten`,
      )
    }
    this.#witnesses.take(note)
  }
}

/** What stands beside a record or a checkpoint is signed by nobody, and would look as if it were. */
function refuseMore(value: Record<string, unknown>, fields: number, seq?: number): void {
  if (Object.keys(value).length > fields) throw new Fault('a line holds a field that nobody signed', seq)
}

function mayHaveSigned(key: ExportKey, note: Note): boolean {
  return (
    note.size >= key.from_seq &&
    (key.until_seq === null || note.size <= key.until_seq) &&
    isSignedBy(note, key)
  )
}

function publicPart({ key_id, public_key }: ExportKey): Signer {
  return { key_id, public_key }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
