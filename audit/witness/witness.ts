// A witness cosigns a checkpoint only if it continues what it cosigned before. Its state only moves forward, and is stored before any
// answer: the same function serves other engines over HTTP and treaty partners on this one.
import type { Database } from '@svc/contract/database'
import { isSignedBy, type Note, readKey, type SigningKey } from '@svc/sdk/verify/note'
import { isGrownFrom } from '@svc/sdk/verify/paths'
import type { Query } from '../query/client-query.ts'
import { queryOf } from '../query/query.ts'
import { type CosigningKey, cosign } from './cosign.ts'
import { readSubmission, type Submission } from './witness-submission.ts'

interface Held {
  /** 0 where nothing was cosigned yet. */
  readonly size: number
  /** Hex. */
  readonly root: string
}

/** Keys of one log that are tried for one note; the newest count. */
const keys_max = 16

export type Refused =
  /** The submission named another size than the witness holds. */
  | { readonly kind: 'stale'; readonly held_size: number }
  /** The log has signed another root of the size that the witness holds. */
  | { readonly kind: 'contradiction'; readonly held_size: number }
  /** The proof does not lead from the held to the submitted checkpoint. */
  | { readonly kind: 'unproved'; readonly held_size: number }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'unknown log' }
  | { readonly kind: 'not signed' }
  /** Of a change of keys: what it does not prove, in words. */
  | { readonly kind: 'not followed'; readonly why: string }

export type Witnessed = { readonly kind: 'cosigned'; readonly line: string; readonly size: number } | Refused

/** Pure: undefined where the checkpoint may be cosigned. */
async function refusalOf(
  cosigned: Held,
  { old_size, proof, note }: Submission,
): Promise<Refused | undefined> {
  const is_countable = note.size > 0 && Number.isSafeInteger(note.size)
  if (!is_countable || old_size > note.size) return { kind: 'malformed' }
  if (old_size !== cosigned.size) return { kind: 'stale', held_size: cosigned.size }
  if (note.size === cosigned.size && note.root !== cosigned.root)
    return { kind: 'contradiction', held_size: cosigned.size }
  const is_proved = old_size === 0 ? proof.length === 0 : await isGrownFrom(cosigned, note, proof)
  return is_proved ? undefined : { kind: 'unproved', held_size: cosigned.size }
}

/** A submission of another engine: its log's own signature is its credential. */
export async function witnessSubmission(
  db: Database,
  key: CosigningKey,
  body: string,
  now: Date,
): Promise<Witnessed & { readonly origin?: string }> {
  const submission = readSubmission(body)
  if (!submission) return { kind: 'malformed' }
  const { origin } = submission.note
  const signed = await trustedLines(queryOf(db), submission.note)
  if (!signed) return { kind: 'unknown log' }
  if (signed.keys.length === 0) return { kind: 'not signed', origin }
  const witnessed = await cosignNext(db, key, { ...submission, note: signed.note }, now, {
    // Another key may have followed meanwhile.
    async refusalOf(query) {
      const still_signed = await trustedLines(query, signed.note)
      return still_signed?.keys.length === signed.keys.length ? undefined : { kind: 'not signed' }
    },
  })
  return { ...witnessed, origin }
}

export interface TrustedLines {
  /** With one line per trusted key: the sender may have added others, to make the stored note unreadable. */
  readonly note: Note
  /** Those that have signed it. */
  readonly keys: readonly SigningKey[]
}

/** Undefined where no key of this log was ever trusted. A key signs only the sizes of its time. */
export async function trustedLines(query: Query, note: Note): Promise<TrustedLines | undefined> {
  const rows = await query<{ public_key: string; is_its_time: boolean }>(
    `SELECT public_key, from_seq <= $2 AND coalesce(until_seq >= $2, true) AS is_its_time
     FROM witness_log_keys WHERE origin = $1 ORDER BY is_its_time DESC, trusted_at DESC LIMIT ${keys_max}`,
    [note.origin, note.size],
  )
  if (rows.length === 0) return undefined
  const signatures: Note['signatures'][number][] = []
  const keys: SigningKey[] = []
  for (const { public_key } of rows.filter(({ is_its_time }) => is_its_time)) {
    const key = await readKey(note.origin, public_key)
    for (const line of note.signatures) {
      if (!(await isSignedBy({ ...note, signatures: [line] }, key))) continue
      signatures.push(line)
      keys.push(key)
      break
    }
  }
  return { note: { ...note, signatures }, keys }
}

interface HeldRow {
  readonly size: string
  readonly root: Buffer | null
}

/** What else belongs to cosigning one checkpoint, in the same transaction. */
export interface CosigningRules {
  /** Asked once the log is locked: no other submission changes anything of it then. */
  readonly refusalOf?: (query: Query) => Promise<Refused | undefined>
  /** Written together with the cosignature. */
  readonly keep?: (transaction: Database, line: string) => Promise<void>
}

/** For a note with only checked signatures. One at a time per log, and committed before it answers. */
export async function cosignNext(
  db: Database,
  key: CosigningKey,
  submission: Submission,
  now: Date,
  rules: CosigningRules = {},
): Promise<Witnessed> {
  return await db.transaction(async (transaction) => {
    const query = queryOf(transaction)
    const { note } = submission
    const place = [key.name, note.origin]
    await query(
      'INSERT INTO witness_logs (witness_name, origin) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      place,
    )
    const [row] = await query<HeldRow>(
      'SELECT size, root FROM witness_logs WHERE witness_name = $1 AND origin = $2 FOR UPDATE',
      place,
    )
    const cosigned = { size: Number(row!.size), root: row!.root?.toString('hex') ?? '' }
    const refused = (await rules.refusalOf?.(query)) ?? (await refusalOf(cosigned, submission))
    if (refused?.kind === 'contradiction') {
      const statement = 'UPDATE witness_logs SET contradiction = $3 WHERE witness_name = $1 AND origin = $2'
      await query(statement, [...place, wholeNote(submission)])
    }
    if (refused) return refused
    const line = cosign(note.text, key, Math.floor(now.getTime() / 1000))
    await query(
      `UPDATE witness_logs SET size = $3, root = decode($4, 'hex'), note = $5, cosigned_at = $6
       WHERE witness_name = $1 AND origin = $2`,
      [...place, note.size, note.root, wholeNote(submission) + line, now.toISOString()],
    )
    await rules.keep?.(transaction, line)
    return { kind: 'cosigned', line, size: note.size }
  })
}

/** Only with the lines of trusted keys. */
export function wholeNote({ note }: Pick<Submission, 'note'>): string {
  const lines = note.signatures.map(({ name, key_id, signature }) => {
    const bytes = Buffer.concat([Buffer.from(key_id, 'hex'), signature])
    return `\u2014 ${name} ${bytes.toString('base64')}\n`
  })
  return `${note.text}\n${lines.join('')}`
}

/** The newest note of a log that this witness has cosigned, with its cosignature. */
export async function heldNote(
  query: Query,
  witness_name: string,
  origin: string,
): Promise<string | undefined> {
  const rows = await query<{ note: string | null }>(
    'SELECT note FROM witness_logs WHERE witness_name = $1 AND origin = $2',
    [witness_name, origin],
  )
  return rows[0]?.note ?? undefined
}
