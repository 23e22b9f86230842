// Mutations of what is signed: the header's keys, the checkpoints, and the whole audit log by a key thief.
import { generateKeyPairSync } from 'node:crypto'
import { checkpointOrigin, keyId, type SigningKey } from '@svc/audit/tree/checkpoint'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { changedValue } from './changed-json.ts'
import {
  bodyOf,
  type ExportedAuditLog,
  putTogether,
  relinked,
  signedAnew,
  signedBefore,
  sizeOf,
} from './exported-audit-log.ts'
import type { Forgery, Mutation } from './mutations.ts'
import type { Random } from './random.ts'

export const signed_mutations: Readonly<Record<string, Mutation>> = {
  edit_checkpoint_byte({ audit_log }, random) {
    const at = random.below(audit_log.notes.length)
    const bytes = Buffer.from(audit_log.notes[at]!)
    bytes[random.below(bytes.length)]! ^= 1 + random.below(255)
    return {
      audit_log: { ...audit_log, notes: audit_log.notes.with(at, bytes.toString()) },
      what: `checkpoint ${at}`,
    }
  },

  edit_checkpoint_field({ audit_log, other }, random) {
    const at = random.below(audit_log.notes.length)
    const [origin, size, root, blank, signature] = audit_log.notes[at]!.split('\n') as string[]
    const [, , other_root, , other_signature] = other.notes[0]!.split('\n') as string[]
    const forged = random.pick([
      [origin, Number(size) + 1, root, blank, signature],
      [origin, `0${size}`, root, blank, signature],
      [origin, size, other_root, blank, signature],
      [origin, size, root, blank, other_signature],
      [other.header.origin, size, root, blank, other_signature],
      [origin, size, root, 'more text', blank, signature],
      [origin, size, root, blank, `${signature}=`],
      [origin, size, root, blank],
      [origin, size, root, blank, signature?.replace(/(.{8})=*$/, '')],
    ])
    const note = `${forged.join('\n')}\n`
    return {
      audit_log: { ...audit_log, notes: audit_log.notes.with(at, note) },
      what: `${JSON.stringify(note)}`,
    }
  },

  replay_checkpoint({ audit_log, other }, random) {
    const newest = audit_log.notes.length - 1
    const older = newest > 0 ? [audit_log.notes[random.below(newest)]!] : []
    const notes = random.pick([
      audit_log.notes.slice(0, -1),
      [...audit_log.notes.slice(0, -1), ...older],
      [...audit_log.notes, ...older, random.pick(audit_log.notes)],
      audit_log.notes.with(newest, random.pick(other.notes)),
      [...audit_log.notes, random.pick(other.notes)],
      older,
      [],
    ])
    return {
      audit_log: { ...audit_log, notes },
      what: `${notes.map(sizeOf)} of ${audit_log.notes.map(sizeOf)}`,
    }
  },

  edit_header({ audit_log, other }, random) {
    const { header } = audit_log
    const changed = random.pick<object>([
      { tenant_id: other.header.tenant_id },
      { origin: other.header.origin },
      { tenant_id: other.header.tenant_id, origin: other.header.origin },
      { to_seq: header.to_seq + 1 + random.below(5) },
      { to_seq: header.to_seq - 1 },
      { from_seq: 2 + random.below(5) },
      { previous_hash: 'f'.repeat(64) },
      { format: 'svc-audit-export/2' },
      { keys: [] },
      { keys: other.header.keys },
      { keys: header.keys.map((key) => ({ ...key, from_seq: 2 })) },
      { keys: header.keys.map((key) => ({ ...key, until_seq: header.to_seq - 1 })) },
    ])
    return { audit_log: { ...audit_log, header: { ...header, ...changed } }, what: JSON.stringify(changed) }
  },

  forge_key({ audit_log }, random) {
    const forger = newForger(audit_log)
    const keys = [{ ...audit_log.header.keys[0]!, ...publicPart(forger) }]
    if (random.chance(0.5))
      return { audit_log: { ...audit_log, header: { ...audit_log.header, keys } }, what: 'key only' }
    const pinned = audit_log.header.keys.map((key) => key.public_key)
    const notes = signedAnew(audit_log, audit_log.notes.map(sizeOf), forger)
    // Re-signed with another key an audit log is consistent: only pinned keys or a kept note reveal it.
    const options = random.chance(0.5)
      ? { trustedKeys: pinned }
      : { checkpoints: [random.pick(audit_log.notes)] }
    return {
      audit_log: { ...audit_log, header: { ...audit_log.header, keys }, notes },
      options,
      what: 'key and notes',
    }
  },
}

/** A rewrite from one record on, signed with the tenant's own key: consistent in itself. */
export function rewriteWithStolenKey(
  audit_log: ExportedAuditLog,
  stolen: SigningKey,
  random: Random,
): { forgery: Forgery; seq: number } {
  const seq = 1 + random.below(audit_log.records.length)
  const { value: body } = changedValue(bodyOf(audit_log.records[seq - 1]!), random, ['seq', 'tenant_id'])
  const changed = audit_log.records.with(seq - 1, canonicalJson({ record: body, record_hash: '' }))
  const records = relinked(changed, seq)
  const notes = signedAnew({ ...audit_log, records }, audit_log.notes.map(sizeOf), stolen)
  return { forgery: { audit_log: { ...audit_log, records, notes }, what: `rewritten from ${seq}` }, seq }
}

/** A log completely rewritten and signed with a new key: it is consistent in itself. */
export function forgeWhole(audit_log: ExportedAuditLog): { lines: string[]; public_key: string } {
  const forger = newForger(audit_log)
  const first = { ...bodyOf(audit_log.records[0]!), event_type: 'custom.never_happened' }
  const records = relinked(audit_log.records.with(0, canonicalJson({ record: first, record_hash: '' })), 1)
  const keys = [{ ...publicPart(forger), from_seq: 1, until_seq: null }]
  const forged = { header: { ...audit_log.header, keys }, records, notes: [] }
  const notes = signedAnew(forged, audit_log.notes.map(sizeOf), forger)
  return { lines: putTogether({ ...forged, notes }), public_key: publicPart(forger).public_key }
}

/** An older state of the audit log, complete and signed: a truncated tail with truncated checkpoints. */
export function olderState(
  audit_log: ExportedAuditLog,
  random: Random,
): { forgery: Forgery; seq: number } | undefined {
  if (audit_log.notes.length < 2) return undefined
  const length = random.below(audit_log.notes.length - 1)
  const to_seq = sizeOf(audit_log.notes[length]!)
  const older = {
    header: { ...audit_log.header, to_seq },
    records: audit_log.records.slice(0, to_seq),
    notes: audit_log.notes.slice(0, length + 1),
  }
  return { forgery: { audit_log: older, what: `cut after ${to_seq}` }, seq: to_seq + 1 }
}

/** Kept checkpoints that cover a record, and those signed before it. */
export function heldAround(notes: readonly string[], seq: number): { covering: string[]; earlier: string[] } {
  const signed_before = signedBefore(notes, seq)
  return {
    covering: notes.filter((note) => sizeOf(note) >= seq),
    earlier: notes.filter((note) => sizeOf(note) <= signed_before),
  }
}

function newForger({ header }: ExportedAuditLog): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const public_key = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  return {
    key_id: keyId(checkpointOrigin(header.tenant_id), public_key),
    public_key,
    private_key: privateKey,
  }
}

function publicPart(key: SigningKey): { key_id: string; public_key: string } {
  return { key_id: key.key_id, public_key: key.public_key.toString('base64url') }
}
