// Treaty partners on one engine cosign each other's checkpoints, each with its own audit key, by the same rules as others.
import type { Database } from '@svc/contract/database'
import { isSignedBy, readKey, readNote } from '@svc/sdk/verify/note'
import { currentKeys } from '../chain/keys.ts'
import type { Query } from '../query/client-query.ts'
import { queryOf } from '../query/query.ts'
import type { RootKeys } from '../sealing/root-keys.ts'
import { checkpointOrigin } from '../tree/checkpoint.ts'
import { type CosigningKey, cosigningKeyId } from './cosign.ts'
import { cosignNext } from './witness.ts'
import { keepCosignature, proofFrom } from './witness-feed.ts'

export interface Partners {
  readonly tenant_id: string
  readonly partner: string
}

export interface PartnerAlarm extends Partners {
  readonly why: string
  readonly held_size: number
  readonly own_size: number
}

export interface PartnerWitnessing {
  readonly root_keys: RootKeys
  readonly now: Date
  /** Active treaties, in both directions. */
  partnersOf(db: Database): Promise<readonly Partners[]>
  /** A partner has seen another history of this chain. */
  onAlarm(alarm: PartnerAlarm): Promise<void>
}

const pairs_a_round_max = 200

interface DueRow {
  readonly tenant_id: string
  readonly partner: string
  readonly size: string
  readonly note: string
  readonly held_size: string
}

// The longest behind first; a partner on another engine has no key here, and is asked over HTTP.
const due_sql = `
  SELECT p.tenant_id, p.partner, n.size, n.note, coalesce(w.size, 0) AS held_size
  FROM unnest($1::text[], $2::text[]) AS p(tenant_id, partner)
  CROSS JOIN LATERAL (
    SELECT size, note FROM audit_checkpoints c WHERE c.tenant_id = p.tenant_id ORDER BY size DESC LIMIT 1
  ) AS n
  LEFT JOIN witness_logs w ON w.witness_name = 'svc/' || p.partner AND w.origin = 'svc/' || p.tenant_id
  WHERE p.tenant_id <> p.partner AND n.size <> coalesce(w.size, 0) AND EXISTS (
    SELECT FROM audit_keys k WHERE k.tenant_id = p.partner AND k.until_seq IS NULL AND k.sealed_private IS NOT NULL)
  ORDER BY w.cosigned_at NULLS FIRST, p.tenant_id, p.partner LIMIT ${pairs_a_round_max}`

/** Returns how many checkpoints were cosigned. */
export async function cosignForPartners(db: Database, witnessing: PartnerWitnessing): Promise<number> {
  const pairs = await witnessing.partnersOf(db)
  if (pairs.length === 0) return 0
  const query = queryOf(db)
  const due = await query<DueRow>(due_sql, [
    pairs.map(({ tenant_id }) => tenant_id),
    pairs.map(({ partner }) => partner),
  ])
  let cosigned = 0
  for (const row of due) if (await cosignForPartner(db, query, row, witnessing)) cosigned++
  return cosigned
}

async function cosignForPartner(
  db: Database,
  query: Query,
  { tenant_id, partner, size, note, held_size }: DueRow,
  { root_keys, now, onAlarm }: PartnerWitnessing,
): Promise<boolean> {
  const key = await partnerKey(query, root_keys, partner)
  const sizes = { held_size: Number(held_size), own_size: Number(size) }
  const sound = await readSound(query, tenant_id, note)
  const is_shorter = sizes.held_size > sizes.own_size
  const proof = sound && !is_shorter && (await proofFrom(query, tenant_id, sizes.held_size, sizes.own_size))
  if (!sound || !proof) {
    const why = sound
      ? 'its tail is missing or its tree is broken'
      : 'its checkpoint is not signed by its key'
    await onAlarm({ tenant_id, partner, why, ...sizes })
    return false
  }
  const submission = { old_size: sizes.held_size, proof, note: sound }
  const key_id = cosigningKeyId(key.name, key.public_key)
  const cosignature = { tenant_id, witness_name: key.name, key_id, size: sizes.own_size }
  const witnessed = await cosignNext(db, key, submission, now, {
    keep: (transaction, line) => keepCosignature(queryOf(transaction), { ...cosignature, line }),
  })
  if (witnessed.kind === 'cosigned') return true
  // Another replica was faster: the next round continues from there.
  if (witnessed.kind !== 'stale')
    await onAlarm({ tenant_id, partner, why: 'the partner has seen another history', ...sizes })
  return false
}

async function partnerKey(query: Query, root_keys: RootKeys, partner: string): Promise<CosigningKey> {
  const key = (await currentKeys(query, root_keys, [partner])).get(partner)
  if (!key) throw new Error(`${partner} has no audit key in use, so it cannot cosign`)
  return { name: checkpointOrigin(partner), public_key: key.public_key, private_key: key.private_key }
}

/** Undefined where the stored note is invalid, or not signed by an allowed key. */
async function readSound(query: Query, tenant_id: string, text: string) {
  const note = readNote(text)
  const rows = await query<{ public_key: Buffer }>(
    'SELECT public_key FROM audit_keys WHERE tenant_id = $1 AND from_seq <= $2 AND (until_seq >= $2 OR until_seq IS NULL)',
    [tenant_id, note?.size ?? 0],
  )
  const origin = checkpointOrigin(tenant_id)
  if (note?.origin !== origin) return undefined
  for (const { public_key } of rows) {
    if (!(await isSignedBy(note, await readKey(origin, public_key.toString('base64url'))))) continue
    return { ...note, signatures: note.signatures.filter(({ name }) => name === origin) }
  }
  return undefined
}
