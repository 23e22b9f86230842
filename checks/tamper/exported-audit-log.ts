// An export split into its three kinds of lines, and reassembled as a forger would.
import { type SigningKey, signCheckpoint } from '@svc/audit/tree/checkpoint'
import type { AuditBody } from '@svc/contract/audit/audit-record'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'

export interface ExportedAuditLog {
  readonly header: Header
  /** Line i is the record with seq i + 1. */
  readonly records: readonly string[]
  /** The signed notes, smallest first. */
  readonly notes: readonly string[]
}

export interface Header {
  readonly tenant_id: string
  readonly origin: string
  readonly keys: readonly {
    readonly key_id: string
    readonly public_key: string
    readonly from_seq: number
  }[]
  readonly from_seq: number
  readonly to_seq: number
  readonly previous_hash: string
}

const no_hash = '0'.repeat(64)

export function takeApart(lines: readonly string[]): ExportedAuditLog {
  const is_note = (line: string) => line.startsWith('{"checkpoint"')
  return {
    header: JSON.parse(lines[0]!),
    records: lines.slice(1).filter((line) => !is_note(line)),
    notes: lines.filter(is_note).map((line) => JSON.parse(line).checkpoint),
  }
}

export function putTogether({ header, records, notes }: ExportedAuditLog): string[] {
  return [JSON.stringify(header), ...records, ...notes.map((checkpoint) => JSON.stringify({ checkpoint }))]
}

export function bodyOf(line: string): AuditBody {
  return JSON.parse(line).record
}

export function hashOf(records: readonly string[], seq: number): string {
  return seq < 1 ? no_hash : JSON.parse(records[seq - 1]!).record_hash
}

/** A record line with a hash that matches its content and the previous hash. */
export function fitted(body: object, previous_hash: string): string {
  return canonicalJson({ record: body, record_hash: sha256Hex(previous_hash + canonicalJson(body)) })
}

/** Renumbers and relinks every record from `seq` on, so that no link reveals the forgery. */
export function relinked(records: readonly string[], seq: number): string[] {
  const unchanged = records.slice(0, seq - 1)
  for (const line of records.slice(seq - 1)) {
    const body = { ...bodyOf(line), seq: unchanged.length + 1 }
    unchanged.push(fitted(body, hashOf(unchanged, unchanged.length)))
  }
  return unchanged
}

export function sizeOf(note: string): number {
  return Number(note.split('\n')[1])
}

/** The last signed size before a record: what a broken root can still vouch for. */
export function signedBefore(notes: readonly string[], seq: number): number {
  return Math.max(0, ...notes.map(sizeOf).filter((size) => size < seq))
}

/** Checkpoints of the same sizes over the current records, signed with the forger's key. */
export function signedAnew(audit_log: ExportedAuditLog, sizes: readonly number[], key: SigningKey): string[] {
  const leaves = audit_log.records.map((line) =>
    sha256Hex(Buffer.from(`00${JSON.parse(line).record_hash}`, 'hex')),
  )
  return sizes.map((size) => {
    const root = Buffer.from(rootOf(leaves.slice(0, size)), 'hex')
    return signCheckpoint(audit_log.header.tenant_id, size, root, key)
  })
}

/** RFC 6962 by its definition: the left subtree is the largest power of two below the size. */
function rootOf(leaves: readonly string[]): string {
  if (leaves.length === 1) return leaves[0]!
  let left = 1
  while (left * 2 < leaves.length) left *= 2
  return sha256Hex(Buffer.from(`01${rootOf(leaves.slice(0, left))}${rootOf(leaves.slice(left))}`, 'hex'))
}
