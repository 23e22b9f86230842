// A witness follows a change of a log's key by itself: the key it trusts has signed the next one, in a record of the log that it witnesses.
import type { Database } from '@svc/contract/database'
import { Fault } from '@svc/sdk/verify/fault'
import { type Rotation, readRotation } from '@svc/sdk/verify/rotation'
import type { Query } from '../query/client-query.ts'
import { queryOf } from '../query/query.ts'
import type { CosigningKey } from './cosign.ts'
import { readRotationSubmission } from './rotation-submission.ts'
import { cosignNext, type Refused, trustedLines, type Witnessed, wholeNote } from './witness.ts'

/** Of one log; more only after its operator here has distrusted old ones. */
const log_keys_max = 1_000

export interface FollowedKey {
  readonly origin: string
  /** base64url, both. */
  readonly old_public_key: string
  readonly new_public_key: string
  /** The record of the change: the old key signs up to it, the new key what follows. */
  readonly seq: number
  readonly record_hash: string
}

/**
 * Trusts the next key instead of the old one, and cosigns the old key's last checkpoint. `record` writes in the same transaction. A
 * repeated submission changes nothing.
 */
export async function followRotation(
  db: Database,
  key: CosigningKey,
  body: string,
  now: Date,
  record: (transaction: Database, followed: FollowedKey) => Promise<void>,
): Promise<Witnessed & { readonly origin?: string }> {
  const sent = readRotationSubmission(body)
  if (!sent) return { kind: 'malformed' }
  const { origin, size } = sent.submission.note
  const signed = await trustedLines(queryOf(db), sent.submission.note)
  if (!signed) return { kind: 'unknown log' }
  const meta = Object(sent.record.meta)
  const old_key = signed.keys.find(({ key_id }) => key_id === meta.old_key_id)
  if (!old_key) return { kind: 'not signed', origin }
  const submission = { ...sent.submission, note: signed.note }
  const { record: rotation_record, inclusion_path } = sent
  const proof = {
    record: rotation_record,
    inclusion_path,
    tree_size: size,
    checkpoint: wholeNote(submission),
  }
  const rotation = await readRotation(proof, old_key).catch((error: unknown) => {
    if (error instanceof Fault) return error
    throw error
  })
  if (rotation instanceof Fault) return { kind: 'not followed', origin, why: rotation.message }
  const followed = followedKey(origin, old_key.public_key, rotation)
  const witnessed = await cosignNext(db, key, submission, now, {
    refusalOf: (query) => refusalOfKeys(query, followed),
    async keep(transaction) {
      if (await replaceKey(queryOf(transaction), followed)) await record(transaction, followed)
    },
  })
  return { ...witnessed, origin }
}

function followedKey(origin: string, old_public_key: string, rotation: Rotation): FollowedKey {
  const { seq, record_hash, new_key } = rotation
  return { origin, old_public_key, new_public_key: new_key.public_key, seq, record_hash }
}

interface KeyRow {
  readonly public_key: string
  readonly from_seq: string
  readonly until_seq: string | null
}

/** A key has one successor, and no key comes back: neither by an old rotation nor by a new one. */
async function refusalOfKeys(
  query: Query,
  { origin, old_public_key, new_public_key, seq }: FollowedKey,
): Promise<Refused | undefined> {
  const rows = await query<KeyRow>(
    'SELECT public_key, from_seq, until_seq FROM witness_log_keys WHERE origin = $1 FOR UPDATE',
    [origin],
  )
  const before = rows.find(({ public_key }) => public_key === old_public_key)
  const after = rows.find(({ public_key }) => public_key === new_public_key)
  if (!before || Number(before.from_seq) > seq) return { kind: 'not signed' }
  if (before.until_seq !== null) {
    const is_repeated = Number(before.until_seq) === seq && Number(after?.from_seq) === seq + 1
    return is_repeated ? undefined : { kind: 'not followed', why: 'this key was replaced before' }
  }
  // One that was trusted by hand may be the next one; its times are known from now on.
  if (after && (after.until_seq !== null || Number(after.from_seq) !== 1))
    return { kind: 'not followed', why: 'the new key is one that this log had before' }
  if (rows.length >= log_keys_max)
    return { kind: 'not followed', why: `${log_keys_max} keys of this log are stored here already` }
  return undefined
}

/** False where it was done before. */
async function replaceKey(
  query: Query,
  { origin, old_public_key, new_public_key, seq }: FollowedKey,
): Promise<boolean> {
  const ended = await query(
    `UPDATE witness_log_keys SET until_seq = $3
     WHERE origin = $1 AND public_key = $2 AND until_seq IS NULL RETURNING origin`,
    [origin, old_public_key, seq],
  )
  if (ended.length === 0) return false
  await query(
    `INSERT INTO witness_log_keys (origin, public_key, from_seq) VALUES ($1, $2, $3)
     ON CONFLICT (origin, public_key) DO UPDATE SET from_seq = excluded.from_seq`,
    [origin, new_public_key, seq + 1],
  )
  return true
}
