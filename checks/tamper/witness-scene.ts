// A witness and its attackers: every forgery here is signed with the tenant's own stolen key.
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { queryOf } from '@svc/audit/query/query'
import type { SigningKey } from '@svc/audit/tree/checkpoint'
import { consistencyPath, leafHash } from '@svc/audit/tree/merkle'
import { type CosigningKey, verifierKeyOf } from '@svc/audit/witness/cosign'
import { heldNote, type Witnessed, witnessSubmission } from '@svc/audit/witness/witness'
import { trustLog } from '@svc/audit/witness/witness-store'
import { writeSubmission } from '@svc/audit/witness/witness-submission'
import type { Database } from '@svc/contract/database'
import { changedValue } from './changed-json.ts'
import { bodyOf, type ExportedAuditLog, relinked, signedAnew, sizeOf } from './exported-audit-log.ts'
import type { Random } from './random.ts'

export interface Witness {
  readonly key: CosigningKey
  readonly verifier_key: string
  /** Its answer to this body. */
  hear(body: string): Promise<Witnessed>
  /** What an auditor gets. */
  held(origin: string): Promise<string>
}

/** A new witness that trusts this audit log's keys and has seen nothing. */
export async function newWitness(db: Database, { header }: ExportedAuditLog): Promise<Witness> {
  const { privateKey: private_key, publicKey } = generateKeyPairSync('ed25519')
  const public_key = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url')
  const key = { name: `witness.example/${randomUUID()}`, public_key, private_key }
  for (const { public_key } of header.keys) await trustLog(queryOf(db), header.origin, public_key)
  return {
    key,
    verifier_key: verifierKeyOf(key),
    hear: (body) => witnessSubmission(db, key, body, new Date()),
    held: async (origin) => (await heldNote(queryOf(db), key.name, origin))!,
  }
}

/** As the honest log would send it. */
export function submissionOf(audit_log: ExportedAuditLog, old_size: number, note: string): string {
  return writeSubmission(old_size, proofIn(audit_log, old_size, sizeOf(note)), note)
}

/** Small audit logs only: every node is computed from leaves. */
function proofIn({ records }: ExportedAuditLog, from: number, to: number): string[] {
  if (from === 0 || from >= to) return []
  const leaves = records.map((line) => leafHash(Buffer.from(JSON.parse(line).record_hash, 'hex')))
  return consistencyPath(from, to, (level, index) => {
    if (level !== 0) throw new Error('the audit log is too large for this scene')
    return leaves[index]!
  }).map((node) => node.toString('hex'))
}

/** Submits the first `count` notes of an honest log; returns the last cosigned size and each line by size. */
export async function showHonest(witness: Witness, audit_log: ExportedAuditLog, count: number) {
  const lines = new Map<number, string>()
  let held_size = 0
  for (const note of audit_log.notes.slice(0, count)) {
    const reply = await witness.hear(submissionOf(audit_log, held_size, note))
    if (reply.kind !== 'cosigned') throw new Error(`an honest checkpoint was refused: ${reply.kind}`)
    held_size = reply.size
    lines.set(held_size, reply.line)
  }
  return { held_size, lines }
}

/** An audit log that is consistent but differs from what the witness has seen. */
export type Deceit = (
  audit_log: ExportedAuditLog,
  held_size: number,
  stolen: SigningKey,
  random: Random,
) => ExportedAuditLog

export const deceits: Readonly<Record<string, Deceit>> = {
  /** An earlier state of the audit log, complete and signed. */
  truncate(audit_log, held_size, _stolen, random) {
    const older = audit_log.notes.filter((note) => sizeOf(note) < held_size)
    const to_seq = sizeOf(random.pick(older))
    return {
      header: { ...audit_log.header, to_seq },
      records: audit_log.records.slice(0, to_seq),
      notes: older.filter((note) => sizeOf(note) <= to_seq),
    }
  },

  /** The same beginning, and from some record on another history of any length. */
  fork(audit_log, held_size, stolen, random) {
    const common = random.below(held_size)
    const length = common + 1 + random.below(audit_log.records.length + 3 - common)
    const others = Array.from({ length: length - common }, (_, i) => {
      const like = audit_log.records[Math.min(common + i, audit_log.records.length - 1)]!
      const { value } = changedValue(bodyOf(like), random, ['seq', 'tenant_id'])
      return JSON.stringify({ record: { ...value, forged: i }, record_hash: '' })
    })
    const records = relinked([...audit_log.records.slice(0, common), ...others], common + 1)
    const unchanged = audit_log.notes.filter((note) => sizeOf(note) <= common)
    const sizes = audit_log.notes.map(sizeOf).filter((size) => size > common && size < length)
    const forged = { ...audit_log, header: { ...audit_log.header, to_seq: length }, records }
    return { ...forged, notes: [...unchanged, ...signedAnew(forged, [...sizes, length], stolen)] }
  },

  /** One record that the witness has seen is changed, and everything after it rehashed and re-signed. */
  rewrite(audit_log, held_size, stolen, random) {
    const seq = 1 + random.below(held_size)
    const { value: body } = changedValue(bodyOf(audit_log.records[seq - 1]!), random, ['seq', 'tenant_id'])
    const changed = audit_log.records.with(seq - 1, JSON.stringify({ record: body, record_hash: '' }))
    const records = relinked(changed, seq)
    const sizes = audit_log.notes.map(sizeOf)
    return { ...audit_log, records, notes: signedAnew({ ...audit_log, records }, sizes, stolen) }
  },
}

/** Everything a forger might send: proofs of its own tree, of the honest one, none, and any size. */
export function everyApproach(
  forged: ExportedAuditLog,
  honest: ExportedAuditLog,
  held_size: number,
): string[] {
  const size_max = Math.min(honest.records.length, forged.records.length)
  return forged.notes.flatMap((note) => {
    const size = sizeOf(note)
    const own = writeSubmission(held_size, proofIn(forged, held_size, size), note)
    const borrowed = size <= size_max ? proofIn(honest, held_size, size) : []
    return [
      own,
      writeSubmission(held_size, borrowed, note),
      writeSubmission(held_size, [], note),
      writeSubmission(0, [], note),
      writeSubmission(size, [], note),
    ]
  })
}
