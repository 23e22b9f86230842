import type { OperationContext } from '@svc/contract/operation-context'
import type { DataIntegrityProof } from '@svc/contract/signing/data-integrity'
import { sql } from '@svc/database/sql'
import { faulty } from '../opinions/api.ts'
import type { Argument, Label, RaisedAttack } from './argumentation.ts'
import { type ClaimDocument, type ClaimKeys, claimIdIn, claimRef } from './claim-document.ts'

export type ClaimStatus = Label | 'superseded' | 'embargoed'

/** A larger dispute is not decided as a whole. */
export const component_claims_max = 5_000
const component_attacks_max = 50_000
const clashes_max = 500
const voices_max = 1_000
const released_max = 100

type Storing = Pick<OperationContext, 'db' | 'tenant_id'>

export interface ClaimRow extends Argument {
  readonly said_key: string
  readonly question_key: string | null
  readonly confidence: number
  readonly supersedes: string | null
  readonly superseded_by: string | null
  readonly retracted: boolean
  readonly embargo_until: Date | null
  readonly status: ClaimStatus
  readonly proof: DataIntegrityProof
  readonly attested_at: Date
}

const columns =
  sql.raw(`claim_id, issuer_did, topic, said_key, question_key, confidence, supersedes, superseded_by,
  retracted, embargo_until, status, proof, attested_at`)

/** Serializes per organization: the status depends on all claims. */
export async function lockClaims({ db, tenant_id }: Storing): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`claims|${tenant_id}`}, 0))`.execute(db)
}

export async function findClaim({ db, tenant_id }: Storing, claim_id: string): Promise<ClaimRow | undefined> {
  return sql<ClaimRow>`
    SELECT ${columns} FROM maven_claims WHERE tenant_id = ${tenant_id} AND claim_id = ${claim_id}`.first(db)
}

/** Which of these refs are claims still under embargo for this caller. */
export async function hiddenFrom(
  { db, tenant_id, now, caller }: Storing & Pick<OperationContext, 'now' | 'caller'>,
  refs: readonly string[],
): Promise<ReadonlySet<string>> {
  const claim_ids = refs.flatMap((ref) => claimIdIn(ref) ?? [])
  if (claim_ids.length === 0) return new Set()
  const rows = await sql<{ claim_id: string }>`
    SELECT claim_id FROM maven_claims WHERE tenant_id = ${tenant_id} AND claim_id = ANY(${claim_ids})
      AND embargo_until > ${now} AND issuer_did <> ${caller.did}`.all(db)
  return new Set(rows.map(({ claim_id }) => claimRef(claim_id)))
}

export interface NewClaim extends ClaimKeys {
  readonly claim_id: string
  readonly document: ClaimDocument
  readonly proof: DataIntegrityProof
  readonly embargo_until: string | null
}

export async function insertClaim(
  { db, tenant_id, now }: OperationContext,
  { claim_id, document, proof, said_key, question_key, embargo_until }: NewClaim,
): Promise<void> {
  const { issuer, topic, confidence, valid_from = null, valid_to = null, supersedes } = document
  await sql`
    INSERT INTO maven_claims (tenant_id, claim_id, issuer_did, topic, said_key, question_key, confidence, valid,
      supersedes, embargo_until, status, proof, attested_at)
    VALUES (${tenant_id}, ${claim_id}, ${issuer}, ${topic}, ${said_key}, ${question_key}, ${confidence},
      tstzrange(${valid_from}, ${valid_to}), ${supersedes ? claimIdIn(supersedes)! : null}, ${embargo_until},
      ${embargo_until === null ? 'undecided' : 'embargoed'}, ${JSON.stringify(proof)}::jsonb, ${now})
  `.execute(db)
}

/** Claims whose embargo has ended, oldest first. */
export async function findReleased({ db, tenant_id, now }: OperationContext): Promise<ClaimRow[]> {
  return sql<ClaimRow>`
    SELECT ${columns} FROM maven_claims
    WHERE tenant_id = ${tenant_id} AND status = 'embargoed' AND embargo_until <= ${now}
    ORDER BY embargo_until, claim_id LIMIT ${released_max}`.all(db)
}

export async function setStatuses(
  { db, tenant_id }: Storing,
  statuses: ReadonlyMap<string, ClaimStatus>,
): Promise<void> {
  if (statuses.size === 0) return
  await sql`
    UPDATE maven_claims AS claim SET status = told.status
    FROM unnest(${[...statuses.keys()]}::text[], ${[...statuses.values()]}::text[]) AS told(claim_id, status)
    WHERE claim.tenant_id = ${tenant_id} AND claim.claim_id = told.claim_id`.execute(db)
}

export async function setSuperseded(
  { db, tenant_id }: Storing,
  claim_id: string,
  superseded_by: string,
): Promise<void> {
  await sql`UPDATE maven_claims SET status = 'superseded', superseded_by = ${superseded_by}
    WHERE tenant_id = ${tenant_id} AND claim_id = ${claim_id}`.execute(db)
}

export async function setRetracted({ db, tenant_id }: Storing, claim_id: string): Promise<void> {
  await sql`UPDATE maven_claims SET retracted = true
    WHERE tenant_id = ${tenant_id} AND claim_id = ${claim_id}`.execute(db)
}

/** Other answers to the same question whose period overlaps this claim's. */
export async function findClashes({ db, tenant_id }: Storing, claim_id: string): Promise<string[]> {
  const rows = await sql<{ claim_id: string }>`
    SELECT other.claim_id FROM maven_claims AS own JOIN maven_claims AS other
      ON other.tenant_id = own.tenant_id AND other.question_key = own.question_key
      AND other.said_key <> own.said_key AND other.valid && own.valid
      AND other.status IN ('accepted', 'rejected', 'undecided') AND NOT other.retracted
    WHERE own.tenant_id = ${tenant_id} AND own.claim_id = ${claim_id}
    ORDER BY other.claim_id LIMIT ${clashes_max + 1}`.all(db)
  if (rows.length > clashes_max)
    throw faulty(
      'too_large',
      '/claim',
      `meets ${clashes_max} other answers already; say functional: false where there may be so many`,
    )
  return rows.map((row) => row.claim_id)
}

/** Active claims with the same statement. */
export async function findSaying({ db, tenant_id }: Storing, said_key: string): Promise<ClaimRow[]> {
  return sql<ClaimRow>`
    SELECT ${columns} FROM maven_claims WHERE tenant_id = ${tenant_id} AND said_key = ${said_key}
      AND status IN ('accepted', 'rejected', 'undecided') AND NOT retracted
    ORDER BY attested_at DESC, claim_id LIMIT ${voices_max}`.all(db)
}

/** Active claims that rebut this one. */
export async function findRebutting({ db, tenant_id }: Storing, claim_id: string): Promise<ClaimRow[]> {
  return sql<ClaimRow>`
    SELECT ${columns} FROM maven_claims WHERE tenant_id = ${tenant_id}
      AND status IN ('accepted', 'rejected', 'undecided') AND NOT retracted
      AND claim_id IN (
        SELECT from_id FROM maven_attacks WHERE tenant_id = ${tenant_id} AND to_id = ${claim_id} AND kind = 'rebut'
        UNION SELECT to_id FROM maven_attacks
          WHERE tenant_id = ${tenant_id} AND from_id = ${claim_id} AND kind = 'rebut')
    ORDER BY attested_at DESC, claim_id LIMIT ${voices_max}`.all(db)
}

/** Idempotent per party. */
export async function insertAttacks(
  { db, tenant_id, now }: OperationContext,
  attacks: readonly RaisedAttack[],
): Promise<void> {
  if (attacks.length === 0) return
  await sql`
    INSERT INTO maven_attacks (tenant_id, from_id, to_id, kind, raised_by, raised_at)
    SELECT ${tenant_id}, "from", "to", kind, coalesce(raised_by, ''), ${now}
    FROM jsonb_to_recordset(${JSON.stringify(attacks)}::jsonb)
      AS attack("from" text, "to" text, kind text, raised_by text)
    ON CONFLICT DO NOTHING`.execute(db)
}

export interface Component {
  /** Active ones: superseded or embargoed claims do not argue. */
  readonly claims: ReadonlyMap<string, ClaimRow>
  readonly attacks: readonly RaisedAttack[]
}

/** Everything connected with these claims by attacks. */
export async function findComponent(storing: Storing, seeds: readonly string[]): Promise<Component> {
  const { db, tenant_id } = storing
  const claims = await sql<ClaimRow>`
    WITH RECURSIVE component(claim_id) AS (
      SELECT unnest(${seeds}::text[]) COLLATE "C"
      UNION
      SELECT next.claim_id FROM component CROSS JOIN LATERAL (
        SELECT to_id AS claim_id FROM maven_attacks
          WHERE tenant_id = ${tenant_id} AND from_id = component.claim_id
        UNION ALL SELECT from_id FROM maven_attacks
          WHERE tenant_id = ${tenant_id} AND to_id = component.claim_id
      ) AS next
    ), reached AS MATERIALIZED (SELECT claim_id FROM component LIMIT ${component_claims_max + 1})
    SELECT ${columns} FROM reached JOIN maven_claims USING (claim_id) WHERE tenant_id = ${tenant_id}
  `.all(db)
  if (claims.length > component_claims_max) throw tooLarge(`${component_claims_max} claims`)
  const standing = claims.filter(({ status }) => status !== 'superseded' && status !== 'embargoed')
  const ids = standing.map(({ claim_id }) => claim_id)
  const rows = await sql<RaisedAttack>`
    SELECT from_id AS "from", to_id AS "to", kind, nullif(raised_by, '') AS raised_by FROM maven_attacks
    WHERE tenant_id = ${tenant_id} AND from_id = ANY(${ids}) AND to_id = ANY(${ids})
    LIMIT ${component_attacks_max + 1}`.all(db)
  if (rows.length > component_attacks_max) throw tooLarge(`${component_attacks_max} attacks`)
  return { claims: new Map(standing.map((claim) => [claim.claim_id, claim])), attacks: rows }
}

function tooLarge(what: string) {
  return faulty(
    'too_large',
    '/claim_ref',
    `stands in a dispute of more than ${what}, which is not decided as one`,
  )
}
