// Charters by name: each version is separate content, and the name points to the current one.

import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { sql } from '@svc/database/sql'
import { keepContent, readContent } from '../../cognition/content/api.ts'
import type { Charter } from './charter-input.ts'

const ref_start = 'maestro://charter/'

export interface CharterVersion {
  readonly charter_ref: string
  readonly version: number
  readonly previous: string | null
}

/** The same text after the same version is the same charter. */
export function charterRef(charter: Charter, previous: string | null): string {
  return ref_start + sha256Hex(canonicalJson({ charter, previous }))
}

export async function findHead(
  { db, tenant_id, vault }: OperationContext<'vault'>,
  name: string,
): Promise<CharterVersion | undefined> {
  return sql<CharterVersion>`
    SELECT charter_ref, version, previous FROM maestro_charters
    WHERE tenant_id = ${tenant_id} AND name_key = ${nameKey(vault, name)}
    ORDER BY version DESC LIMIT 1`.first(db)
}

/** False if another caller declared this version first. */
export async function keepCharter(
  context: OperationContext<'embedder' | 'vault'>,
  charter: Charter,
  { charter_ref, version, previous }: CharterVersion,
): Promise<boolean> {
  const { db, tenant_id, vault, caller, now } = context
  const rows = await sql`
    INSERT INTO maestro_charters (tenant_id, name_key, version, charter_ref, previous, declared_by, declared_at)
    VALUES (${tenant_id}, ${nameKey(vault, charter.name)}, ${version}, ${charter_ref}, ${previous}, ${caller.did}, ${now})
    ON CONFLICT DO NOTHING RETURNING version`.all(db)
  if (rows.length === 0) return false
  await keepContent(context, { ref: charter_ref, kind: 'charter', body: charter })
  return true
}

export async function readCharter(
  context: Pick<OperationContext<'vault'>, 'db' | 'tenant_id' | 'vault'>,
  charter_ref: string,
): Promise<Charter> {
  const content = await readContent(context, charter_ref)
  if (!content) throw notFound('charter', charter_ref)
  if (content.body === undefined)
    throw refuse('policy_denied', `${charter_ref} was redacted; plan by another charter.`, {
      reason: 'charter is redacted',
    })
  return content.body as Charter
}

function nameKey(vault: OperationContext<'vault'>['vault'], name: string): string {
  return vault.blind(`charter ${name}`)
}
