// Draws panels, as the engine: by the first checkpoint of the venue's audit log that covers the filing.
import { checkpointCovering, findRecords } from '@svc/audit/query/records'
import type { Database } from '@svc/contract/database'
import type { Tick } from '@svc/contract/tick'
import { type Case, type CaseDraw, findDraw, findUndrawn, keepDrawn, lockCase } from '../cases/api.ts'
import { type CourtMail, leaveMail } from './case-mail.ts'
import { tellAll } from './case-telling.ts'
import { eachCase } from './each-case.ts'
import { drawOrder, signedText } from './panel.ts'

const batch_max = 512
/** Of one request and one millisecond. */
const records_of_filing_max = 64

export interface DrawParts extends CourtMail {
  /** Undefined until the record of the filing is covered. */
  checkpointOf(
    db: Database,
    filed: Pick<Case, 'venue' | 'filed_at'>,
    draw: CaseDraw,
  ): Promise<string | undefined>
}

/** In the venue's audit log, which neither side writes alone, and whose next checkpoint nobody knows when filing. */
export async function filingCheckpoint(
  db: Database,
  { venue, filed_at }: Pick<Case, 'venue' | 'filed_at'>,
  { case_id, correlation_id, eligible_hash }: CaseDraw,
): Promise<string | undefined> {
  const records = await findRecords(db, venue, {
    correlation_ids: [correlation_id],
    event_types: ['CaseFiled'],
    // Callers choose correlation ids: with the time, filings of the same id do not hide each other.
    from: filed_at.toISOString(),
    to: new Date(filed_at.getTime() + 1).toISOString(),
    limit: records_of_filing_max,
  })
  const filing = records.find(({ meta }) => meta.case_id === case_id && meta.eligible_hash === eligible_hash)
  return filing && (await checkpointCovering(db, venue, filing.seq))
}

/** Returns how many were open. */
export async function sweepDraws(db: Database, tick: Tick, parts: DrawParts): Promise<number> {
  const open = await findUndrawn(db, batch_max)
  await eachCase(open, (case_id) => db.transaction((transaction) => draw(transaction, case_id, tick, parts)))
  return open.length
}

async function draw(db: Database, case_id: string, tick: Tick, parts: DrawParts): Promise<void> {
  const dispute = await lockCase(db, case_id)
  const basis = await findDraw(db, case_id)
  if (!basis || basis.drawn_order !== null) return
  const earlier = basis.follows === null ? undefined : await findDraw(db, basis.follows)
  // By the next sweep, once the one it follows is drawn.
  if (earlier?.drawn_order === null) return
  const note = await parts.checkpointOf(db, dispute, basis)
  if (note === undefined) return
  const order = drawOrder(basis, signedText(note), earlier?.drawn_order ?? [])
  await keepDrawn(db, basis, note, order, tick.now)
  const panel = order.slice(0, basis.seats)
  const { eligible_hash, follows } = basis
  const meta = { case_id, panel, eligible_hash, checkpoint: note, ...(follows !== null && { follows }) }
  await tellAll(db, dispute, 'CasePanelDrawn', meta, { ...tick, correlation_id: tick.newId() })
  if (dispute.closed_at !== null || dispute.state === 'WITHDRAWN') return
  await leaveMail(db, dispute, { event: 'seated', to: panel, more: { hear_with: 'MOOT hear' } }, tick, parts)
  const parties = [dispute.claimant.did, dispute.respondent.did]
  await leaveMail(db, dispute, { event: 'panel_drawn', to: parties, more: { panel } }, tick, parts)
}
