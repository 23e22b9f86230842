// Mail of the court to identities of any organization, by the engine: no treaty is needed to be told of a case.
import type { Database } from '@svc/contract/database'
import { parseDid } from '@svc/contract/identity/did'
import type { Vault } from '@svc/contract/needs/vault'
import { Refusal } from '@svc/contract/refusal'
import type { Tick } from '@svc/contract/tick'
import { tenant_setting } from '@svc/database/migration'
import { sql } from '@svc/database/sql'
import { leaveNotice } from '../../awareness/mim/api.ts'
import type { Case } from '../cases/api.ts'

/** Longer than the time to answer, so that it cannot end unread before the default. */
const ttl_ms = 30 * 86_400_000

export interface CourtMail {
  vaultOf(tenant_id: string): Vault
  /** Charter members, who may answer for their organization. */
  membersOf(db: Database, tenant_id: string): Promise<readonly string[]>
}

export interface CourtNotice {
  readonly event: 'filed' | 'panel_drawn' | 'seated'
  readonly to: readonly string[]
  readonly more?: Readonly<Record<string, unknown>>
}

/** As the engine's role, in a transaction. Returns whose mailbox has it; a full one has not. */
export async function leaveMail(
  db: Database,
  dispute: Case,
  { event, to, more }: CourtNotice,
  { now, newId }: Tick,
  { vaultOf }: CourtMail,
): Promise<string[]> {
  const { case_id, claimant, respondent, venue, filed_by } = dispute
  const parties = { claimant_did: claimant.did, respondent_did: respondent.did }
  const body = { type: 'court', event, case_id, venue, ...parties, read_with: 'MOOT plead view', ...more }
  const from = dispute[filed_by].did
  const reached: string[] = []
  // Always in the same order, so that two cases cannot wait for each other.
  for (const did of [...new Set(to)].sort()) {
    const tenant_id = parseDid(did)?.namespace
    if (tenant_id === undefined) continue
    const notice = { tenant_id, to: did, from, dedupe_id: `moot ${case_id} ${event}`, body }
    await enterTenant(db, tenant_id)
    const letter = { ...notice, message_id: newId(), at: now, ttl_ms, is_served: event === 'filed' }
    if (await isLeft(db, () => leaveNotice(db, vaultOf(tenant_id), letter))) reached.push(did)
  }
  await enterTenant(db, '')
  return reached
}

/** An organization that can have no more mailboxes gets no mail; it must not stop the draw, or the mail of others. */
async function isLeft(db: Database, leave: () => Promise<boolean>): Promise<boolean> {
  await sql`SAVEPOINT court_mail`.execute(db)
  try {
    return await leave()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    await sql`ROLLBACK TO SAVEPOINT court_mail`.execute(db)
    return false
  } finally {
    await sql`RELEASE SAVEPOINT court_mail`.execute(db).catch(() => {})
  }
}

/** Mailboxes take mail only in their own organization's name. Ends with the transaction. */
async function enterTenant(db: Database, tenant_id: string): Promise<void> {
  await sql`SELECT set_config(${tenant_setting}, ${tenant_id}, true)`.execute(db)
}
