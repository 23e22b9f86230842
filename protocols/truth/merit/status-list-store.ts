// Status lists: stored as bits, signed by the audit log at each change, public in the registry.
import { publicKeys } from '@svc/audit/query/records'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import {
  type DataIntegrityProof,
  proveDocument,
  verificationMethodOf,
} from '@svc/contract/signing/data-integrity'
import { sql } from '@svc/database/sql'
import { endSuspensions, isPlaceTaken, suspensionsIn } from './credential-store.ts'
import {
  noBits,
  purposes,
  type StatusListName,
  type StatusPurpose,
  status_bits,
  statusListDocument,
  statusListRef,
  writeBit,
} from './status-list.ts'

/** Half of the positions, so that a random free one takes about two tries. */
const issued_max = status_bits / 2
const place_tries_max = 64
const rotations_max = 3
const suspended_max = 1_000

/** A free position in the newest list, or in a new list if that is full. Requires the lock. */
export async function takePlace(
  context: OperationContext<'audit_log' | 'register'>,
): Promise<{ list_no: number; list_index: number }> {
  const list_no = await openList(context)
  for (let tries = 0; tries < place_tries_max; tries++) {
    // Random, so that order of issue is not visible. Unbiased: the size is a power of two.
    const list_index = context.randomBytes(4).readUInt32BE() % status_bits
    if (await isPlaceTaken(context, list_no, list_index)) continue
    await sql`UPDATE merit_status_lists SET issued = issued + 1
      WHERE tenant_id = ${context.tenant_id} AND list_no = ${list_no}`.execute(context.db)
    return { list_no, list_index }
  }
  throw new Error(`no free place in list ${list_no} after ${place_tries_max} tries`)
}

async function openList(context: OperationContext<'audit_log' | 'register'>): Promise<number> {
  const { db, tenant_id, now } = context
  const rows = await sql<{ list_no: number; issued: number }>`
    SELECT list_no, issued FROM merit_status_lists
    WHERE tenant_id = ${tenant_id} AND purpose = 'revocation' ORDER BY list_no DESC LIMIT 1`.all(db)
  const [newest] = rows
  if (newest && newest.issued < issued_max) return newest.list_no
  const list_no = (newest?.list_no ?? 0) + 1
  for (const purpose of purposes) {
    const bits = noBits()
    const registered = await publishList(context, { tenant_id, purpose, list_no }, bits)
    await sql`INSERT INTO merit_status_lists (tenant_id, purpose, list_no, bits, issued, registered, signed_at)
      VALUES (${tenant_id}, ${purpose}, ${list_no}, ${bits}, 0, ${registered}, ${now})`.execute(db)
  }
  return list_no
}

export interface BitChange {
  readonly list_index: number
  readonly is_set: boolean
}

/** Signs and publishes the list again; returns its reference. Requires the lock. */
export async function changeBits(
  context: OperationContext<'audit_log' | 'register'>,
  purpose: StatusPurpose,
  list_no: number,
  changes: readonly BitChange[],
): Promise<string> {
  const { db, tenant_id, now } = context
  const row = await sql<{ bits: Buffer }>`SELECT bits FROM merit_status_lists
    WHERE tenant_id = ${tenant_id} AND purpose = ${purpose} AND list_no = ${list_no} FOR UPDATE`.first(db)
  const { bits } = row!
  for (const { list_index, is_set } of changes) writeBit(bits, list_index, is_set)
  const registered = await publishList(context, { tenant_id, purpose, list_no }, bits)
  await sql`UPDATE merit_status_lists SET bits = ${bits}, registered = ${registered}, signed_at = ${now}
    WHERE tenant_id = ${tenant_id} AND purpose = ${purpose} AND list_no = ${list_no}`.execute(db)
  return registered
}

/** The newest list's reference in the registry. */
export async function registeredList(
  { db, tenant_id }: Pick<OperationContext, 'db' | 'tenant_id'>,
  purpose: StatusPurpose,
  list_no: number,
): Promise<string> {
  const row = await sql<{ registered: string }>`SELECT registered FROM merit_status_lists
    WHERE tenant_id = ${tenant_id} AND purpose = ${purpose} AND list_no = ${list_no}`.first(db)
  return row!.registered
}

/** Clears the bits of expired suspensions; called at each write. Requires the lock. */
export async function clearEnded(context: OperationContext<'audit_log' | 'register'>): Promise<void> {
  const ended = await endSuspensions(context, suspended_max)
  for (const list_no of new Set(ended.map((place) => place.list_no))) {
    const changes = ended
      .filter((place) => place.list_no === list_no)
      .map(({ list_index }) => ({ list_index, is_set: false }))
    await changeBits(context, 'suspension', list_no, changes)
  }
}

/** The list names their ends, so their number is limited. */
export async function requireRoom(context: OperationContext, list_no: number): Promise<void> {
  const { length } = await suspensionsIn(context, list_no, suspended_max)
  if (length < suspended_max) return
  throw refuse(
    'policy_denied',
    `${suspended_max} credentials of this list are suspended, which is the maximum; revoke it instead.`,
    { reason: 'too many suspensions' },
  )
}

/** Public: a verifier must be able to check that a credential is still valid. */
async function publishList(
  context: OperationContext<'audit_log' | 'register'>,
  name: StatusListName,
  bits: Uint8Array,
): Promise<string> {
  const suspended =
    name.purpose === 'suspension' ? await suspensionsIn(context, name.list_no, suspended_max) : []
  const ends = Object.fromEntries(
    suspended.map(({ list_index, suspended_until }) => [list_index, suspended_until.toISOString()]),
  )
  const content = await signByAuditLog(context, (issuer) =>
    statusListDocument({ ...name, bits, ends, issuer, now: context.now }),
  )
  return context.register({ kind: 'report', subject: statusListRef(name), visibility: 'public', content })
}

type Document = Readonly<Record<string, unknown>>

/** The signed content names the key, so it is read first: retried if the key rotates in between. */
async function signByAuditLog(
  { audit_log, db, tenant_id, now }: OperationContext<'audit_log'>,
  documentBy: (issuer: string) => Document,
): Promise<Document & { readonly proof: DataIntegrityProof }> {
  const [newest] = await publicKeys(db, tenant_id)
  let public_key = newest?.public_key ?? (await audit_log.sign(Buffer.from('which key'))).public_key
  for (let attempt = 0; attempt < rotations_max; attempt++) {
    let signed_with = public_key
    const sign = async (bytes: Uint8Array) => {
      const made = await audit_log.sign(bytes)
      signed_with = made.public_key
      return made.signature
    }
    const [issuer] = verificationMethodOf(public_key).split('#') as [string]
    const document = documentBy(issuer)
    const proof = await proveDocument(document, { public_key, sign }, { created: now })
    if (signed_with === public_key) return { ...document, proof }
    public_key = signed_with
  }
  throw refuse('adapter_error', "The audit log's key was rotated while it was signing; try again.", {
    reason: 'key rotated',
  })
}
