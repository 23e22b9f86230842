// How the panel of a case is drawn. What it is drawn from never changes after filing.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import type { Case } from './case.ts'

export interface CaseDraw {
  readonly case_id: string
  readonly seats: number
  readonly eligible: readonly { readonly did: string; readonly root_did: string }[]
  readonly eligible_hash: string
  /** The earlier case whose order comes first. */
  readonly follows: string | null
  /** The request whose record in the venue's audit log names the hash. */
  readonly correlation_id: string
  /** The signed note, which the log may have thinned out since; null until it is drawn. */
  readonly checkpoint: string | null
  /** All who may sit, one of each root, in the order of the draw. */
  readonly drawn_order: readonly string[] | null
}

type Whose = Pick<Case, 'claimant' | 'respondent' | 'venue'>

export async function keepDraw(
  db: Database,
  { claimant, respondent, venue }: Whose,
  draw: CaseDraw,
  party_names: readonly string[],
): Promise<void> {
  const { case_id, seats, eligible, eligible_hash, follows, correlation_id } = draw
  await sql`
    INSERT INTO case_draws (case_id, tenant_id, respondent_tenant, venue_tenant, seats, eligible, eligible_hash, follows,
      correlation_id, party_names)
    VALUES (${case_id}, ${claimant.tenant_id}, ${respondent.tenant_id}, ${venue}, ${seats}, ${JSON.stringify(eligible)},
      ${eligible_hash}, ${follows}, ${correlation_id}, ${party_names}::text[])`.execute(db)
}

/** Undefined for a case that was dismissed on filing. */
export async function findDraw(db: Database, case_id: string): Promise<CaseDraw | undefined> {
  return sql<CaseDraw>`
    SELECT case_id, seats, eligible, eligible_hash, follows, correlation_id, checkpoint, drawn_order
    FROM case_draws WHERE case_id = ${case_id}`.first(db)
}

/** As the engine's role, oldest first. Cases that ended meanwhile too: a later filing follows their draw. */
export async function findUndrawn(db: Database, limit: number): Promise<string[]> {
  const rows = await sql<{ case_id: string }>`
    SELECT d.case_id FROM case_draws d JOIN cases c USING (case_id)
    WHERE d.drawn_at IS NULL ORDER BY c.filed_at LIMIT ${limit}`.all(db)
  return rows.map(({ case_id }) => case_id)
}

/** As the engine's role, once. */
export async function keepDrawn(
  db: Database,
  { case_id, seats }: Pick<CaseDraw, 'case_id' | 'seats'>,
  checkpoint: string,
  drawn_order: readonly string[],
  at: Date,
): Promise<void> {
  await sql`
    UPDATE case_draws SET checkpoint = ${checkpoint}, drawn_order = ${drawn_order}::text[], drawn_at = ${at}
    WHERE case_id = ${case_id} AND drawn_at IS NULL`.execute(db)
  await sql`UPDATE cases SET panel = ${drawn_order.slice(0, seats)}::text[] WHERE case_id = ${case_id}`.execute(
    db,
  )
}
