// The seal of a chain as it is shown and published: signed by its last key, published by the operator.
import { newestCheckpoint, publicKeys } from '@svc/audit/query/records'
import type { Database } from '@svc/contract/database'
import type { ChainSeal, TenantAuditLog } from '@svc/contract/needs/audit-log'
import { Closed, described, HexHash, PublicKey, TenantId, Text } from '@svc/contract/schema'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import {
  bodyAt,
  type EntryBody,
  findNewest,
  insertEntry,
  placeAfter,
  registrationInput,
} from '../../awareness/registry/api.ts'
import type { Dissolution } from './dissolution.ts'
import { findSeal } from './dissolution-store.ts'

export type Signer = TenantAuditLog['sign']

export const Seal = Closed(
  {
    tenant_id: described(TenantId, 'Organization whose log is closed.'),
    final_seq: Type.Integer({ minimum: 1, description: 'Place of the last record; none can follow.' }),
    final_hash: described(HexHash, 'Hash of the last record.'),
    root: described(HexHash, 'Root of the tree over all records.'),
    checkpoint: Text(16_384, {
      description: 'C2SP signed note over the whole chain, signed with its last key.',
    }),
    key_id: Type.String({
      pattern: '^[0-9a-f]{8}$',
      description: 'Short id of the key, as signed notes name it.',
    }),
    public_key: described(PublicKey, 'Key that verifies the last signed note.'),
  },
  { description: 'The last key of the chain; its private part has been destroyed.' },
)
export type Seal = Static<typeof Seal>

/** As far as the caller may read that audit log. */
export async function readSeal(db: Database, tenant_id: string): Promise<ChainSeal | undefined> {
  const row = await findSeal(db, tenant_id)
  const newest = row && (await newestCheckpoint(db, tenant_id))
  const [key] = row ? await publicKeys(db, tenant_id) : []
  if (!row || !newest || !key) return undefined
  const { root, note: checkpoint } = newest
  const { key_id, public_key } = key
  const final_seq = Number(row.final_seq)
  return { tenant_id, final_seq, final_hash: row.final_hash, root, checkpoint, key_id, public_key }
}

interface Publishing {
  readonly db: Database
  readonly dissolution: Dissolution
  readonly operator_tenant_id: string
  readonly now: Date
  readonly sign: Signer
}

/** Published by the operator: the organization can no longer sign. Equal seals have one address. */
export function sealEntry(
  operator_tenant_id: string,
  { dissolution_id, schedule }: Dissolution,
  { tenant_id, final_seq, final_hash, root, key_id, public_key }: ChainSeal,
): EntryBody {
  const content = {
    dissolution_id,
    tenant_id,
    final_seq,
    final_hash,
    root,
    key_id,
    public_key,
    successor_did: schedule.successor_did,
  }
  const statement = {
    kind: 'chain_seal',
    subject: tenant_id,
    tenant_id: operator_tenant_id,
    visibility: 'public',
    ttl_seconds: null,
    content,
  } as const
  return bodyAt(statement, placeAfter(undefined))
}

export function sealRef(body: EntryBody): string {
  return `mars://${contentHash(body)}`
}

export async function publishSeal(publishing: Publishing): Promise<Record<string, unknown>> {
  const { db, dissolution, operator_tenant_id, now, sign } = publishing
  const seal = await readSeal(db, dissolution.tenant_id)
  if (!seal) throw new Error(`the chain of ${dissolution.tenant_id} is marked as sealed but has no seal`)
  const body = sealEntry(operator_tenant_id, dissolution, seal)
  const hash = contentHash(body)
  const entry = await findNewest(db, body)
  if (!entry) {
    const { key_id, public_key, signature } = await sign(Buffer.from(registrationInput(body)))
    const signed = { signed_by: `book:${key_id}`, public_key, signature, method: 'book' as const }
    await insertEntry(db, { hash, body, signature: signed, registered_at: now, expires_at: null })
  }
  return { mars_ref: sealRef(body) }
}
