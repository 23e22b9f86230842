// The log's side of witnessing: sends the newest checkpoint to a witness with a proof, and stores its checked cosignature.
import { readNote } from '@svc/sdk/verify/note'
import { cosignedAt, readWitnessKey, type WitnessKey } from '@svc/sdk/verify/witnesses'
import type { Query } from '../query/client-query.ts'
import { consistencyProof, TreeFault } from '../tree/tree-store.ts'
import { type DueCheckpoint, rotationFrom } from './rotation-feed.ts'
import type { AskedWitness } from './witness-store.ts'
import { writeSubmission } from './witness-submission.ts'

/** Another replica may be faster, and the witness then names a new size; not more often than this. */
const attempts_max = 4
/** Key changes shown in one round; later ones have their turn in the next. */
const rotations_max = 16
/** Of a witness's refusal, for the log. */
const words_max = 200
const size_type = 'text/x.tlog.size'
/** The type of a 403 that asks for add-rotation: witnesses of others do not know it. */
export const rotation_type = 'text/x.svc.rotation'

export interface WitnessReply {
  readonly status: number
  readonly type: string | undefined
  readonly body: string
}

export type WitnessRoute = 'add-checkpoint' | 'add-rotation'

/** Posts it; throws where the witness is not reached. */
export type SendToWitness = (body: string, route: WitnessRoute) => Promise<WitnessReply>

/** A chain that has grown past its last cosigned size. */
export interface DueChain {
  readonly tenant_id: string
  readonly cosigned_size: number
}

export type Fed =
  | { readonly kind: 'cosigned'; readonly size: number }
  /** The witness does not know this log, or not its key, and follows no change of it: its operator has to add it. */
  | { readonly kind: 'unknown' | 'untrusted'; readonly why?: string }
  | { readonly kind: 'failed'; readonly why: string }
  /** Somebody is lying, or this chain is no longer what the witness has seen. */
  | { readonly kind: 'alarm'; readonly why: string; readonly held_size: number; readonly own_size: number }

/** The chains after `after`, by tenant, whose newest records this witness has not cosigned. */
export async function dueChains(
  query: Query,
  { witness_name, key_id, tenants }: AskedWitness,
  after: string,
  limit: number,
): Promise<DueChain[]> {
  const rows = await query<{ tenant_id: string; cosigned_size: string }>(
    `SELECT h.tenant_id, c.cosigned_size FROM chain_heads h CROSS JOIN LATERAL (
       SELECT coalesce(max(size), 0) AS cosigned_size FROM audit_cosignatures a
       WHERE a.tenant_id = h.tenant_id AND a.witness_name = $1 AND a.key_id = $2
     ) AS c
     WHERE h.seq <> c.cosigned_size AND h.tenant_id > $3 AND ($4::text[] IS NULL OR h.tenant_id = ANY($4))
     ORDER BY h.tenant_id LIMIT $5`,
    [witness_name, key_id, after, tenants, limit],
  )
  return rows.map((row) => ({ tenant_id: row.tenant_id, cosigned_size: Number(row.cosigned_size) }))
}

interface Feeding {
  readonly query: Query
  readonly witness: AskedWitness
  readonly tenant_id: string
  readonly send: SendToWitness
}

/** Where the witness does not know the newest key, it is first shown the key changes since the size that it holds. */
export async function feedCheckpoint(
  query: Query,
  witness: AskedWitness,
  { tenant_id, cosigned_size }: DueChain,
  send: SendToWitness,
): Promise<Fed> {
  const feeding = { query, witness, tenant_id, send }
  let shown_size = 0
  for (let shown = 0; ; shown++) {
    const old_size = Math.max(cosigned_size, shown_size)
    const fed = await feedOne(feeding, 'add-checkpoint', old_size, () => newestNote(query, tenant_id))
    if (fed !== 'rotation asked for') return fed
    if (shown === rotations_max) return { kind: 'cosigned', size: shown_size }
    const followed = await feedOne(feeding, 'add-rotation', old_size, (held_size) =>
      rotationFrom(query, tenant_id, Math.max(held_size, shown_size + 1)),
    )
    if (followed === 'rotation asked for') return { kind: 'untrusted' }
    if (followed.kind !== 'cosigned') return followed
    shown_size = followed.size
  }
}

/** Sends one checkpoint, chosen again for each size that the witness names. */
async function feedOne(
  { query, witness, tenant_id, send }: Feeding,
  route: WitnessRoute,
  from_size: number,
  choose: (old_size: number) => Promise<DueCheckpoint | undefined>,
): Promise<Fed | 'rotation asked for'> {
  let old_size = from_size
  for (let attempt = 0; attempt < attempts_max; attempt++) {
    // Read again each time: what another engine has sent meanwhile is committed, and so is found here.
    const due = await choose(old_size)
    if (!due && route === 'add-rotation') return { kind: 'untrusted' }
    const own_size = due?.size ?? 0
    if (!due || old_size > own_size) return alarm('its tail is missing', old_size, own_size)
    const proof = await proofFrom(query, tenant_id, old_size, own_size)
    if (!proof) return alarm('its tree is broken', old_size, own_size)
    const reply = await send(due.write(old_size, proof), route).catch((error: Error) => error)
    if (reply instanceof Error) return { kind: 'failed', why: reply.message }
    if (reply.status === 200) return keepReply(query, witness, tenant_id, due, reply.body)
    if (reply.status === 404) return { kind: 'unknown' }
    if (reply.status === 403) return refusedKey(reply)
    if (reply.status === 422) return alarm('the witness has seen another history', old_size, own_size)
    const held_size = reply.status === 409 ? sizeOf(reply) : undefined
    if (held_size === undefined) return { kind: 'failed', why: `it answered ${reply.status}` }
    // It holds exactly the size we named, and still refuses: then it holds another root.
    if (held_size === old_size) return alarm('the witness has seen another history', old_size, own_size)
    old_size = held_size
  }
  return { kind: 'failed', why: `it named another size ${attempts_max} times` }
}

function refusedKey({ type, body }: WitnessReply): Fed | 'rotation asked for' {
  if (typeOf(type) === rotation_type) return 'rotation asked for'
  return { kind: 'untrusted', why: body.slice(0, words_max).trimEnd() }
}

function alarm(why: string, held_size: number, own_size: number): Fed {
  return { kind: 'alarm', why, held_size, own_size }
}

function typeOf(type: string | undefined): string | undefined {
  return type?.split(';')[0]?.trim()
}

function sizeOf({ type, body }: WitnessReply): number | undefined {
  const is_size = typeOf(type) === size_type && /^(0|[1-9][0-9]{0,14})\n$/.test(body)
  return is_size ? Number(body) : undefined
}

/** Undefined where the stored tree gives none: then it was changed. */
export async function proofFrom(
  query: Query,
  tenant_id: string,
  old_size: number,
  size: number,
): Promise<string[] | undefined> {
  if (old_size === 0 || old_size === size) return []
  try {
    return await consistencyProof(query, tenant_id, old_size, size)
  } catch (error) {
    // A lost connection is no fault of the tree, and has no code to tell it by.
    if (error instanceof TreeFault) return undefined
    throw error
  }
}

async function newestNote(query: Query, tenant_id: string): Promise<DueCheckpoint | undefined> {
  const [row] = await query<{ size: string; root: Buffer; note: string }>(
    'SELECT size, root, note FROM audit_checkpoints WHERE tenant_id = $1 ORDER BY size DESC LIMIT 1',
    [tenant_id],
  )
  if (!row) return undefined
  const write: DueCheckpoint['write'] = (old_size, proof) => writeSubmission(old_size, proof, row.note)
  return { ...row, size: Number(row.size), write }
}

/** Only a line signed by this witness's own key is stored; anything else is ignored. */
async function keepReply(
  query: Query,
  witness: AskedWitness,
  tenant_id: string,
  { size, root, note }: DueCheckpoint,
  body: string,
): Promise<Fed> {
  const good = await ownLine(note, body.split('\n'), await readWitnessKey(witness.verifier_key))
  if (good === undefined) return { kind: 'failed', why: 'its answer holds no cosignature of its key' }
  await keepCosignature(query, { tenant_id, ...witness, size, line: `${good}\n` })
  // While the witness signed, a later checkpoint may have taken its place.
  await query(
    'INSERT INTO audit_checkpoints (tenant_id, size, root, note) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
    [tenant_id, size, root, note],
  )
  return { kind: 'cosigned', size }
}

async function ownLine(note: string, lines: readonly string[], key: WitnessKey): Promise<string | undefined> {
  for (const line of lines) {
    const signed = readNote(`${note}${line}\n`)
    if (signed && typeof (await cosignedAt(signed, key)) === 'number') return line
  }
  return undefined
}

export interface Cosignature {
  readonly tenant_id: string
  readonly witness_name: string
  readonly key_id: string
  readonly size: number
  readonly line: string
}

export async function keepCosignature(query: Query, cosignature: Cosignature): Promise<void> {
  const { tenant_id, witness_name, key_id, size, line } = cosignature
  await query(
    `INSERT INTO audit_cosignatures (tenant_id, witness_name, key_id, size, line) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT DO NOTHING`,
    [tenant_id, witness_name, key_id, size, line],
  )
}
