// Positions in councils, by revision: added, never changed.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import type { Position, Votes } from './motion-tally.ts'

export interface VoteSignature {
  readonly signature: string
  readonly public_key: string
  readonly method: 'own' | 'custodial'
}

export interface TakenPosition {
  readonly did: string
  readonly revision: number
  readonly position_id: string
  readonly position: Position
  readonly reasoning: string
  readonly signed: VoteSignature | null
  readonly taken_at: Date
}

interface PositionRow extends Omit<TakenPosition, 'signed'> {
  readonly signature: string | null
  readonly public_key: string | null
  readonly method: VoteSignature['method'] | null
}

interface Place {
  readonly tenant_id: string
  readonly motion_id: string
}

export async function keepPosition(
  db: Database,
  { tenant_id, motion_id }: Place,
  taken: TakenPosition,
  citations: readonly string[],
): Promise<void> {
  const { did, revision, position_id, position, reasoning, signed, taken_at } = taken
  await sql`
    INSERT INTO positions (tenant_id, motion_id, did, revision, position_id, position, reasoning, citations, signature,
      public_key, method, taken_at)
    VALUES (${tenant_id}, ${motion_id}, ${did}, ${revision}, ${position_id}, ${position}, ${reasoning},
      ${citations}::text[], ${signed?.signature ?? null}, ${signed?.public_key ?? null},
      ${signed?.method ?? null}, ${taken_at})`.execute(db)
}

/** The last position of each participant, by DID. */
export async function finalPositions(
  db: Database,
  { tenant_id, motion_id }: Place,
): Promise<TakenPosition[]> {
  const rows = await sql<PositionRow>`
    SELECT DISTINCT ON (did) did, revision, position_id, position, reasoning, signature, public_key, method, taken_at
    FROM positions WHERE tenant_id = ${tenant_id} AND motion_id = ${motion_id}
    ORDER BY did, revision DESC`.all(db)
  return rows.map(({ signature, public_key, method, ...row }) => ({
    ...row,
    signed: signature && public_key && method ? { signature, public_key, method } : null,
  }))
}

/** The last position of each participant, by motion. */
export async function votesOn(
  db: Database,
  tenant_id: string,
  motion_ids: readonly string[],
): Promise<ReadonlyMap<string, Votes>> {
  const rows = await sql<{ motion_id: string; did: string; position: Position }>`
    SELECT DISTINCT ON (motion_id, did) motion_id, did, position FROM positions
    WHERE tenant_id = ${tenant_id} AND motion_id = ANY(${motion_ids}::uuid[])
    ORDER BY motion_id, did, revision DESC`.all(db)
  const by_motion = Map.groupBy(rows, ({ motion_id }) => motion_id)
  return new Map([...by_motion].map(([motion_id, taken]) => [motion_id, votesOf(taken)]))
}

export function votesOf(taken: readonly Pick<TakenPosition, 'did' | 'position'>[]): Votes {
  return new Map(taken.map(({ did, position }) => [did, position]))
}
